"""Whether a client has been let in for certain where a statement stands, so that only messages are left to come."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP, PEER
from migrate.rules.idioms._loop import made_by, parse

_LEAVING = frozenset({EP + "connect", EP + "disconnect", EP + "destroy"})
_PROVING = frozenset({EP + "sendto", EP + "recvfrom", PEER + "update_info"})
_CATCHING = (ast.Try, ast.With, ast.AsyncWith)


def is_up(facts: Facts, call: Call, statement: ast.stmt) -> bool:
    """Whether the handle of a call is a client's, with which another call has succeeded before a statement.

    Needs: the other call is in the same function, on every way there, and nothing leaves the connection after it.
    """
    origins = facts.handles(call.receiver) if call.receiver is not None else frozenset()
    if len(origins) != 1 or EP + "listen" in facts.calls_on(*origins):
        return False
    path = facts.values.path(statement)
    graph = facts.controls[path].around(statement)
    for proof in facts.calls.values():
        is_proof = proof.function in _PROVING and proof.receiver is not None
        if is_proof and facts.handles(proof.receiver) == origins and _has_succeeded(facts, proof, statement):  # type: ignore[arg-type]
            steps = (facts.calls.get(step.node) for step in graph.between(proof.node, statement))  # type: ignore[call-overload]
            is_left = any(step is not None and step.function in _LEAVING for step in steps)
            if not is_left and graph.dominates(proof.node, statement):
                return True
    return False


def _has_succeeded(facts: Facts, call: Call, after: ast.stmt) -> bool:
    """Whether a statement in the same function is only done after a call has raised nothing, if it was done."""
    above, around = list(_above(facts, call.node)), list(_above(facts, after))
    function = facts.names[facts.values.path(after)].function(after)
    if call.returns_code or facts.names[facts.values.path(call.node)].function(call.node) is not function:
        return False
    whole = next((node for node in above if isinstance(node, ast.While)), None)
    loop = parse(whole) if whole is not None else None
    if loop is not None and made_by(loop.value) is call.node:
        above = above[above.index(loop.statement) :]
    return all(node in around for node in above if isinstance(node, _CATCHING))


def _above(facts: Facts, node: ast.AST) -> Iterator[ast.AST]:
    while not isinstance(node, ast.Module):
        node = facts.parent(node)
        yield node
