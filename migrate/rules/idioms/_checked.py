"""A flat call whose code is checked at once, and the form of it that raises."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from migrate.old_api.calls import Call
from migrate.rules.idioms import receive, send
from migrate.rules.idioms._failing import is_failure
from migrate.rules.idioms._loop import parse as loop_of
from migrate.rules.idioms._site import Site
from migrate.text.code import Template

# What a flat call became, and what raises in its place. A function of a class would be called on None.
_RAISING = (
    (r"\{comch\}\.outcomes?\((?:\d+, )?lambda: (.+?)\)(?:\[0\])?", r"\1"),
    (r"\{comch\}\.outcome(?:_list)?\((?!\{comch\}\.\w+\.)([\w{}.]+)(?:, (.*?))?\)(?:\[0\])?", r"\1(\2)"),
    (r"(\{\w+\}\.)try_send_to\((.+)\)", r"\1send_to(\2, timeout=0)"),
    (r"(\{\w+\}\.)try_receive\((.+), timeout=None\)", r"\1receive(\2)"),
    (r"(\{\w+\}\.)try_receive\((.+)\)", r"\1receive(\2, timeout=0)"),
)
_RETRIES = {**send.IDIOMS, **receive.IDIOMS}
_SET = re.compile(r"(\{\w+\})\.configure\((\w+)=(\{\w+\})\)")


class Pair(NamedTuple):
    """A statement, and the check of the code that it stores."""

    statement: ast.stmt
    check: ast.If


@dataclass(frozen=True)
class Step:
    """`code, *results = call()`, or a loop around it, to be checked; `value` raises, and gives `targets` their values.

    unused: results that the raising form does not give, which nothing may read.
    """

    statement: ast.stmt
    call: Call
    code: ast.Name
    value: Template
    targets: Sequence[ast.Name]
    unused: Sequence[ast.Name]

    def text(self) -> Template:
        """Return the statement that raises."""
        if not self.targets:
            return Template(_SET.sub(r"\1.\2 = \3", self.value.text), self.value.parts)
        return Template(", ".join(name.id for name in self.targets) + f" = {self.value.text}", self.value.parts)


def parse(site: Site, pair: Pair) -> Step | None:
    """Return a call and its check as a step."""
    made = _straight(site, pair.statement) or _retried(site, pair.statement)
    if made is None:
        return None
    call, template, target = made
    value, names = raising(template), _names(target)
    if value is None or len(names) != len(call.results) + 1 or not is_failure(site.facts, pair.check, names[0].id):
        return None
    given = [name for name, result in zip(names[1:], call.results, strict=True) if _is_given(call, result)]
    unused = [name for name in names[1:] if name not in given]
    return Step(pair.statement, call, names[0], value, given, unused)


def _straight(site: Site, statement: ast.stmt) -> tuple[Call, Template, ast.expr] | None:
    """Return the call of an assignment, what became of it, and what it is stored in."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) > 1 or not site.is_one_line(statement):
        return None
    own = _site(site, statement.value)
    template = own.change.edits.expressions.get(statement.value) if own is not None else None
    return (own.call, template, statement.targets[0]) if own is not None and template is not None else None


def _retried(site: Site, statement: ast.stmt) -> tuple[Call, Template, ast.expr] | None:
    """Return the same of a loop that becomes a call that waits."""
    loop = loop_of(statement) if isinstance(statement, ast.While) and site.source.is_alone(statement) else None
    own = _site(site, loop.value) if loop is not None else None
    idiom = _RETRIES.get(own.call.function) if own is not None else None
    edits = idiom(own) if idiom is not None and own is not None else None
    if loop is None or own is None or edits is None or loop.target is None or loop.tail is not None or loop.primed:
        return None
    return own.call, edits.expressions[own.call.node], loop.target


def _site(site: Site, value: ast.expr) -> Site | None:
    """Return the site of another flat call that changes."""
    call = site.facts.calls.get(value) if isinstance(value, ast.Call) else None
    if call is None or not call.returns_code or call.node not in site.changes:
        return None
    return replace(site, call=call, change=site.changes[call.node])


def raising(template: Template) -> Template | None:
    """Return the form of a flat call that raises."""
    for pattern, replacement in _RAISING:
        match = re.fullmatch(pattern, template.text)
        if match is not None:
            return Template(match.expand(replacement), template.parts)
    return None


def _names(target: ast.expr) -> list[ast.Name]:
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = [part for part in parts if isinstance(part, ast.Name)]
    return names if len(names) == len(parts) == len({name.id for name in names}) else []


def _is_given(call: Call, result: str) -> bool:
    """Whether the raising form gives a result, too: neither lengths of what was received nor numbers of a list."""
    is_list = any(kind.endswith("[]") for kind in map(call.kinds.get, call.results) if kind)
    return call.kinds.get(result, "").endswith("[]") if is_list else result not in call.signature.inputs
