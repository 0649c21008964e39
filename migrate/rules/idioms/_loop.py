"""A loop that only repeats one call, until that is answered otherwise than by AGAIN."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Loop:
    """answer: what AGAIN is called there. by_class: whether it is caught, not compared.

    target and value: of the statement that makes the call, `target = value`, `value` or `return value`.
    waits: what is done before the next turn. tail: what is done after the last, None for nothing.
    primed: whether the first turn depends on AGAIN being in the target before.
    """

    statement: ast.While
    answer: ast.expr
    by_class: bool
    value: ast.expr
    waits: Sequence[ast.stmt]
    target: ast.expr | None = None
    returns: bool = False
    tail: ast.Return | None = None
    primed: bool = False


def parse(loop: ast.While) -> Loop | None:
    """Return the parts of a loop that has one of the known forms."""
    if loop.orelse:
        return None
    if not (isinstance(loop.test, ast.Constant) and loop.test.value in (True, 1)):
        return _tested(loop)
    match loop.body:
        case [ast.Try(body=[first, *rest], handlers=[handler], orelse=otherwise, finalbody=[]), *after]:
            returned = [part.value for part in rest if isinstance(part, ast.Return) and part.value]
            is_safe = all(names_in(value) is not None for value in returned)  # else the clause would catch it, too
            if handler.name is None and handler.type is not None and is_safe:
                tail = [*rest, *otherwise, *after]
                return _made(loop, handler.type, True, first, _waits(handler.body, bool(after)), tail)
        case [ast.Assign() as first, ast.If(test=test, body=body, orelse=otherwise), *after]:
            return _compared(loop, first, test, body, otherwise, after)
    return None


def names_in(node: ast.expr) -> frozenset[str] | None:
    """Return the names in an expression of names and constants; None for any other."""
    parts = [part for part in ast.walk(node) if not isinstance(part, ast.expr_context)]
    if not all(isinstance(part, ast.Name | ast.Constant | ast.Tuple) for part in parts):
        return None
    return frozenset(part.id for part in parts if isinstance(part, ast.Name))


def made_by(value: ast.expr) -> ast.expr:
    """Return the call whose result, or an item of it, a value is."""
    while isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        value = value.value
    return value


def code_of(target: ast.expr | None) -> str:
    """Return the name that a flat call's code is stored in, alone or before its other results; "" for none."""
    first = target.elts[0] if isinstance(target, ast.Tuple) and target.elts else target
    return first.id if isinstance(first, ast.Name) else ""


def _tested(loop: ast.While) -> Loop | None:
    """`while (rc := call()) == AGAIN:`, `while call() == AGAIN:` and `while rc == AGAIN:`."""
    match loop.test:
        case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[answer]):
            return _primed(loop, name, answer)
        case ast.Compare(left=ast.NamedExpr(target=target, value=value), ops=[ast.Eq()], comparators=[answer]):
            waits = _waits(loop.body, False)
            return None if waits is None else Loop(loop, answer, False, value, waits, target)
        case ast.Compare(left=ast.Call() as value, ops=[ast.Eq()], comparators=[answer]):
            waits = _waits(loop.body, False)
            return None if waits is None else Loop(loop, answer, False, value, waits)
    return None


def _primed(loop: ast.While, name: str, answer: ast.expr) -> Loop | None:
    match loop.body:
        case [ast.Assign(targets=[target], value=value), *waits] if code_of(target) == name:
            match waits:
                case [ast.If(test=test, body=body, orelse=[])] if ast.dump(test) == ast.dump(loop.test):
                    waits = body
            found = _waits(waits, False)
            return None if found is None else Loop(loop, answer, False, value, found, target, primed=True)
    return None


def _compared(
    loop: ast.While,
    first: ast.Assign,
    test: ast.expr,
    body: list[ast.stmt],
    otherwise: list[ast.stmt],
    after: list[ast.stmt],
) -> Loop | None:
    """`rc = call()`, and a comparison that leaves the loop or goes on."""
    match test, first.targets:
        case (
            ast.Compare(left=ast.Name(id=name), ops=[ast.Eq() | ast.NotEq() as operator], comparators=[answer]),
            [target],
        ) if code_of(target) == name:
            if isinstance(operator, ast.NotEq):
                return _made(loop, answer, False, first, _waits([*otherwise, *after], False), body)
            return _made(loop, answer, False, first, _waits(body, bool(after)), [*otherwise, *after])
    return None


def _waits(body: list[ast.stmt], continues: bool) -> Sequence[ast.stmt] | None:
    """Return what is done before the next turn; `continues`: which has to be asked for."""
    if body and isinstance(body[-1], ast.Continue):
        return body[:-1]
    return None if continues else body


def _made(
    loop: ast.While,
    answer: ast.expr,
    by_class: bool,
    first: ast.stmt,
    waits: Sequence[ast.stmt] | None,
    tail: list[ast.stmt],
) -> Loop | None:
    if waits is None:
        return None
    if any(statement.lineno != statement.end_lineno for statement in [first, *tail]):
        return None  # its lines would keep the loop's indentation
    match first, tail:
        case ast.Return(value=ast.expr() as value), []:
            return Loop(loop, answer, by_class, value, waits, returns=True)
        case ((ast.Expr() | ast.Assign()), [ast.Break() | ast.Return() as end]):
            targets = first.targets if isinstance(first, ast.Assign) else [None]
            last = end if isinstance(end, ast.Return) else None
            return (
                Loop(loop, answer, by_class, first.value, waits, targets[0], tail=last) if len(targets) == 1 else None
            )
    return None
