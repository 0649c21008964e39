"""The way a program imports the old module makes no difference: every spelling gives the same new text."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

import pytest

from migrate import rewrite
from migrate.explain import Case, cases

_CC = re.compile(r"\bcc\.(\w+)")
_C_NAME = r"(?<![\w.\"])(?:doca|DOCA)_(?!(?:comm_channel|cc) import)\w+"
_FLAT = re.compile(_C_NAME)
_STARRED = re.compile(rf"{_C_NAME}|open_device(?=\()|SERVICE_NAME_MAX")  # a star brings others as well


class Names(NamedTuple):
    """What a generation is imported by."""

    module: str
    package: str

    @property
    def alias(self) -> str:
        return f"import {self.module} as cc\n"

    @property
    def star(self) -> str:
        return f"from {self.module} import *\n"


FIRST = Names("doca_comm_channel", "comm_channel_compat")
BEFORE_1_5 = Names("doca_comm_channel", "comm_channel_compat.blocking")
SECOND = Names("doca_cc", "comm_channel_compat.cc")


def _from_alias(text: str, old: Names) -> dict[str, str]:
    names = sorted(set(_CC.findall(text)))
    bare = _CC.sub(r"\1", text)
    renamed = _CC.sub(r"my_\1", text)
    items = ", ".join(f"{name} as my_{name}" for name in names)
    return {
        "no alias": _CC.sub(rf"{old.module}.\1", text).replace(old.alias, f"import {old.module}\n"),
        "the package's own name": text.replace(old.alias, f"import {old.package} as cc\n"),
        "by name": bare.replace(old.alias, f"from {old.module} import {', '.join(names)}\n"),
        "by another name": renamed.replace(old.alias, f"from {old.module} import {items}\n"),
        "star": bare.replace(old.alias, old.star),
    }


def _from_star(text: str, old: Names) -> dict[str, str]:
    body, named = text.replace(old.star, "@@"), _STARRED if old.star in text else _FLAT
    names = ", ".join(sorted(set(named.findall(body))))
    aliased = named.sub(lambda match: f"cc.{match.group()}", body)
    return {
        "the package's own name": text.replace(old.star, f"from {old.package} import *\n"),
        "by name": body.replace("@@", f"from {old.module} import ({names})\n"),
        "alias": aliased.replace("@@", old.alias),
        "flat module": body.replace("@@", f"from {old.package}.flat import *\n"),
    }


def variants() -> list[tuple[str, str, str]]:
    """(name, text, expected) for every case that is rewritten as a whole."""
    found = []
    for case in cases():
        if case.after is None or "# CCM" in case.after or case.rule.startswith(("core.imports", "idioms.")):
            continue
        second = f"import {SECOND.module}" in case.before or f"from {SECOND.module} " in case.before
        old = SECOND if second else BEFORE_1_5 if case.rule.startswith("gen1x.") else FIRST
        if old.star in case.before and "Again" in case.before:
            continue  # the star brings names here that are not C's
        if "vars(cc)" in case.before:
            continue  # the module itself is gone through, by its one name
        if "Literal[" in case.before:
            continue  # a text that is no type is the same one afterwards
        if "match code:" in case.before:
            continue  # a bare name in a case is no value but a target
        texts = _from_alias(case.before, old) if old.alias in case.before else _from_star(case.before, old)
        found += [(f"{_name(case)}: {how}", text, case.after) for how, text in texts.items()]
    return found


def _name(case: Case) -> str:
    return f"{case.rule}: {case.title}"


@pytest.mark.parametrize(("name", "text", "expected"), variants(), ids=[each[0] for each in variants()])
def test_every_spelling_gives_the_same_text(name: str, text: str, expected: str) -> None:
    new = rewrite(text.encode(), name).new.decode()
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(expected)), new  # lines of other lengths fold elsewhere
