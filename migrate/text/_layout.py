"""Keeps the lines and comments of what is changed, a call or an import; the home of libcst."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import TypeAlias

import libcst as cst

_Comma: TypeAlias = "cst.Comma | cst.MaybeSentinel"

_PART = re.compile(r"__part_(\w+?)__")


@lru_cache(maxsize=10_000)
def lay_out(old: str, new: str, places: tuple[tuple[str, int], ...], newline: str) -> str | None:
    """Return `new` with the layout of the call `old`; None when no argument of the one is in the other.

    `old` is the old call with a name for each argument, `new` the template's text with a name for each part x, which
    ends in __part_x__; places: which argument a part is.
    """
    try:
        before, after = _parse(old), _parse(new)
    except cst.ParserSyntaxError:
        return None
    finder = _Finder(dict(places))
    after.visit(finder)
    if finder.best is None or not isinstance(before, cst.Call):
        return None
    laid_out = after.deep_replace(finder.best, _dress(finder.best, before, finder.places(finder.best)))
    assert isinstance(laid_out, cst.CSTNode)
    return cst.Module([], default_newline=newline).code_for_node(laid_out)


def with_names(statement: str, names: Set[tuple[str, str | None]], newline: str) -> str:
    """Return the text of an import statement with some of its names, each with its `as`; their comments stay."""
    line = cst.ensure_type(cst.parse_statement(statement), cst.SimpleStatementLine).body[0]
    assert isinstance(line, cst.Import | cst.ImportFrom)
    assert not isinstance(line.names, cst.ImportStar)
    kept = [alias for alias in line.names if (alias.evaluated_name, alias.evaluated_alias) in names]
    kept[-1] = kept[-1].with_changes(comma=_closing(kept[-1].comma, line.names[-1].comma))
    return cst.Module([], default_newline=newline).code_for_node(line.with_changes(names=kept))


def _closing(comma: _Comma, last: _Comma) -> _Comma:
    """Return what comes behind a name that is the last one now: what did behind the last, and its own comments."""
    if not (isinstance(comma, cst.Comma) and isinstance(last, cst.Comma)):
        return last
    return last.with_changes(whitespace_after=_with_end(comma.whitespace_after, last.whitespace_after))


class _Finder(cst.CSTVisitor):
    """Finds the call of a new form that has most of the old call's arguments."""

    def __init__(self, known: dict[str, int]) -> None:
        self.known = known
        self.best: cst.Call | None = None
        self.score = 0

    def visit_Call(self, node: cst.Call) -> None:  # noqa: N802
        score = sum(place is not None for place in self.places(node))
        if score > self.score:
            self.best, self.score = node, score

    def places(self, node: cst.Call) -> list[int | None]:
        """Return for each argument the place of the old one in it."""
        found: list[int | None] = []
        for argument in node.args:
            names = _PART.findall(cst.Module([]).code_for_node(argument))
            here = [self.known[name] for name in names if name in self.known]
            found.append(max(here, default=None))
        return found


def _dress(call: cst.Call, old: cst.Call, places: Sequence[int | None]) -> cst.Call:
    """Return a call whose arguments are separated as those of the old one were."""
    last = len(old.args) - 1
    gaps = [_gap(argument) for argument in old.args]
    between = gaps[:-1] or [old.whitespace_before_args]
    spread = all(isinstance(gap, cst.ParenthesizedWhitespace) for gap in between)
    typical = _plain(between[-1]) if spread else cst.SimpleWhitespace(" ")
    closing = gaps[-1]
    arguments = []
    for argument, place in zip(call.args, places, strict=True):
        if argument is call.args[-1]:
            closing = closing if place == last else _plain(closing)
            trailing = isinstance(old.args[-1].comma, cst.Comma)
            gap = gaps[last]
            comma = cst.Comma(whitespace_after=closing) if trailing else cst.MaybeSentinel.DEFAULT
            after = cst.SimpleWhitespace("") if trailing else closing
            arguments.append(argument.with_changes(comma=comma, whitespace_after_arg=after))
            continue
        gap = typical if place is None else gaps[place] if place < last else _with_end(gaps[last], typical)
        arguments.append(argument.with_changes(comma=cst.Comma(whitespace_after=gap)))
    return call.with_changes(
        args=arguments,
        whitespace_after_func=old.whitespace_after_func,
        whitespace_before_args=old.whitespace_before_args,
    )


def _gap(argument: cst.Arg) -> cst.BaseParenthesizableWhitespace:
    """Return what stands between an argument and the next, or the closing bracket."""
    if isinstance(argument.comma, cst.Comma):
        return argument.comma.whitespace_after
    return argument.whitespace_after_arg


def _plain(gap: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    """Return a gap without its comments."""
    if not isinstance(gap, cst.ParenthesizedWhitespace):
        return gap
    first = gap.first_line.with_changes(whitespace=cst.SimpleWhitespace(""), comment=None)
    return gap.with_changes(first_line=first, empty_lines=[])


def _with_end(
    gap: cst.BaseParenthesizableWhitespace, typical: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    """Return the gap after the last argument as one before another argument: its comment, and the usual indentation."""
    both = isinstance(gap, cst.ParenthesizedWhitespace) and isinstance(typical, cst.ParenthesizedWhitespace)
    if both and isinstance(gap, cst.ParenthesizedWhitespace) and isinstance(typical, cst.ParenthesizedWhitespace):
        return typical.with_changes(first_line=gap.first_line, empty_lines=gap.empty_lines)
    return typical


def _parse(text: str) -> cst.BaseExpression:
    node = cst.parse_expression(f"({text})")
    return node.with_changes(lpar=node.lpar[1:], rpar=node.rpar[:-1])
