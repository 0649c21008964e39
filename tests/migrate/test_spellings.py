"""The way a program imports the old module makes no difference: every spelling gives the same new text."""

from __future__ import annotations

import ast
import re

import pytest

from migrate import rewrite
from migrate.explain import Case, cases

ALIAS, STAR = "import doca_comm_channel as cc\n", "from doca_comm_channel import *\n"
_CC = re.compile(r"\bcc\.(\w+)")
_FLAT = re.compile(r"(?<![\w.\"])(?:doca|DOCA)_(?!comm_channel import)\w+")


def _from_alias(text: str) -> dict[str, str]:
    names = sorted(set(_CC.findall(text)))
    bare = _CC.sub(r"\1", text)
    renamed = _CC.sub(r"my_\1", text)
    items = ", ".join(f"{name} as my_{name}" for name in names)
    return {
        "no alias": _CC.sub(r"doca_comm_channel.\1", text).replace(ALIAS, "import doca_comm_channel\n"),
        "the package's own name": text.replace(ALIAS, "import comm_channel_compat as cc\n"),
        "by name": bare.replace(ALIAS, f"from doca_comm_channel import {', '.join(names)}\n"),
        "by another name": renamed.replace(ALIAS, f"from doca_comm_channel import {items}\n"),
        "star": bare.replace(ALIAS, STAR),
    }


def _from_star(text: str) -> dict[str, str]:
    body = text.replace(STAR, "@@")
    names = ", ".join(sorted(set(_FLAT.findall(body))))
    aliased = _FLAT.sub(lambda match: f"cc.{match.group()}", body)
    return {
        "the package's own name": text.replace(STAR, "from comm_channel_compat import *\n"),
        "by name": body.replace("@@", f"from doca_comm_channel import ({names})\n"),
        "alias": aliased.replace("@@", ALIAS),
        "flat module": body.replace("@@", "from comm_channel_compat.flat import *\n"),
    }


def variants() -> list[tuple[str, str, str]]:
    """(name, text, expected) for every case that is rewritten as a whole."""
    found = []
    for case in cases():
        if case.after is None or "# CCM" in case.after or case.rule.startswith(("core.imports", "idioms.")):
            continue
        if STAR in case.before and "Again" in case.before:
            continue  # the star brings names here that are not C's
        if "match code:" in case.before:
            continue  # a bare name in a case is no value but a target
        texts = _from_alias(case.before) if ALIAS in case.before else _from_star(case.before)
        found += [(f"{_name(case)}: {how}", text, case.after) for how, text in texts.items()]
    return found


def _name(case: Case) -> str:
    return f"{case.rule}: {case.title}"


@pytest.mark.parametrize(("name", "text", "expected"), variants(), ids=[each[0] for each in variants()])
def test_every_spelling_gives_the_same_text(name: str, text: str, expected: str) -> None:
    new = rewrite(text.encode(), name).new.decode()
    assert ast.dump(ast.parse(new)) == ast.dump(ast.parse(expected)), new  # lines of other lengths fold elsewhere
