"""Flush once, in place of a loop that takes snapshots until none has anything in flight.

Needs: nothing else in the loop, and no other reader of the number. `flush` of a connection that is one-sided is that
loop: it raises what `update_info` raises, and its last snapshot stays.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.old_api.generation_1 import PEER
from migrate.rules.idioms._site import Idiom, Site
from migrate.text.code import Edits, Template

_ASK = PEER + "update_info"


@dataclass(frozen=True)
class _Loop:
    """asking: the statements that take a snapshot. before: one right before the loop, which belongs to it."""

    statement: ast.While
    asking: Sequence[ast.stmt]
    waits: Sequence[ast.stmt]
    before: ast.stmt | None = None


class Flush(Idiom):
    """A loop over in-flight messages."""

    code = "CCM104"

    def __call__(self, site: Site) -> Edits | None:
        loop, receiver = _parse(site), site.call.receiver
        if loop is None or receiver is None or site.call.returns_code or not site.source.is_alone(loop.statement):
            return None
        asked = [_asked(site, statement) for statement in loop.asking]
        if not all(site.is_same(peer, receiver) for peer in asked) or not all(map(site.quiet.is_wait, loop.waits)):
            return None
        if not site.quiet.is_stable(receiver) or not site.quiet.is_called_inside(site.call.node):
            return None
        statements: dict[ast.stmt, Template] = {loop.statement: Template("{peer}.flush()", {"peer": receiver})}
        if loop.before is not None:
            statements[loop.before] = Template("")
        return Edits(statements=statements)


def _parse(site: Site) -> _Loop | None:
    statement = next((node for node in site.facts.above(site.call.node) if isinstance(node, ast.While)), None)
    if statement is None or statement.orelse:
        return None
    if isinstance(statement.test, ast.Constant) and statement.test.value in (True, 1):
        return _endless(site.call.node, statement)
    before = site.before(statement)
    asking = [part for part in statement.body if _asked(site, part) is not None]
    if before is None or not site.source.is_alone(before) or len(asking) != 1:
        return None
    waits = [part for part in statement.body if part not in (*asking, site.statement)]
    if _is_zero(site.call.node, statement.test) is False:
        return _Loop(statement, [before, *asking], waits, before)
    is_in_order = [part for part in statement.body if part not in waits] == [*asking, site.statement]
    return _Loop(statement, asking, waits, before) if is_in_order and _is_counted(site, statement, before) else None


def _asked(site: Site, statement: ast.stmt) -> ast.expr | None:
    """Return the peer that a statement takes a snapshot of."""
    call = site.facts.calls.get(statement.value) if isinstance(statement, ast.Expr) else None  # type: ignore[call-overload]
    return call.receiver if call is not None and call.function == _ASK and not call.returns_code else None


def _endless(number: ast.expr, statement: ast.While) -> _Loop | None:
    """Return the parts of a loop that is left when a number is 0."""
    match statement.body:
        case [first, ast.If(test=test, body=[ast.Break()], orelse=waits), *rest] if _is_zero(number, test):
            return _Loop(statement, [first], [*waits, *rest])
        case [first, ast.If(test=test, body=waits, orelse=[ast.Break()])] if _is_zero(number, test) is False:
            return _Loop(statement, [first], waits)
        case [first, ast.If(test=test, body=[*waits, ast.Continue()], orelse=[]), ast.Break()]:
            return _Loop(statement, [first], waits) if _is_zero(number, test) is False else None
    return None


def _is_counted(site: Site, statement: ast.While, before: ast.stmt) -> bool:
    """Whether a loop goes on while a variable is not 0, which holds the number in flight and is of no other use."""
    target = site.target
    match before:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() as first)):
            loads = site.loads(target) if isinstance(target, ast.Name) and target.id == name and first else None
            used = [node for node in ast.walk(statement.test) if isinstance(node, ast.Name)]
            return loads == used and len(used) == 1 and _is_zero(used[0], statement.test) is False
    return False


def _is_zero(number: ast.expr, test: ast.expr) -> bool | None:
    """Whether a test is that a number is 0 (True), or more (False)."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if operand is number:
            return True
        case ast.Compare(left=left, ops=[ast.Eq() | ast.LtE()], comparators=[ast.Constant(value=0)]):
            return True if left is number else None
        case ast.Compare(left=left, ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
            return False if left is number else None
    return False if test is number else None


IDIOMS: dict[str, Idiom] = {PEER + "get_send_in_flight_messages": Flush()}
