"""Whether a client has certainly been accepted where a statement stands, so that only messages can still arrive."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP, PEER
from migrate.python.control import Step
from migrate.rules.idioms._failing import is_failure
from migrate.rules.idioms._loop import code_of, made_by, parse
from migrate.rules.idioms._places import Places
from migrate.rules.idioms._runs import Runs

_LEAVING = frozenset({EP + "connect", EP + "disconnect", EP + "destroy"})
_PROVING = frozenset({EP + "sendto", EP + "recvfrom", PEER + "update_info"})
_CATCHING = (ast.Try, ast.With, ast.AsyncWith)
_WAITING = (ast.Await, ast.Yield, ast.YieldFrom)  # meanwhile anything may run


class Up:
    """Answers about one project."""

    def __init__(self, facts: Facts, places: Places, runs: Runs) -> None:
        self._facts, self._places, self._runs = facts, places, runs

    def is_certain(self, call: Call, statement: ast.stmt) -> bool:
        """Whether the handle of a call is a client's, with which another call has succeeded before a statement.

        Needs: the other call is in the same function, on every way there, and nothing leaves the connection after it,
        neither there nor in what is called on the way.
        """
        origins = self._facts.handles(call.receiver) if call.receiver is not None else frozenset()
        if len(origins) != 1 or EP + "listen" in self._facts.calls_on(*origins):
            return False
        graph = self._facts.controls[self._facts.values.path(statement)].around(statement)
        for proof in self._facts.calls.values():
            if proof.function not in _PROVING or not self._is_of(proof, call):
                continue
            done = self._success(proof, statement)
            is_done = done is not None and graph.dominates(done, statement)
            if done is not None and is_done and not self._may_leave(graph.between(done, statement), *origins):
                return True
        return False

    def _may_leave(self, steps: Sequence[Step], origin: Hashable) -> bool:
        """Whether steps may leave a connection themselves, or run a function that does so with a handle's."""
        if any(step.node in self._leaving or isinstance(step.node, _WAITING) for step in steps):
            return True
        called = self._runs.implied
        for step in steps:
            called |= self._runs.run_by(step.node, step.action)
        sites = [site for site, origins in self._leaving.items() if not origins or origin in origins]
        return bool(self._runs.calls(called).whole & self._runs.among(map(self._runs.function, sites)))

    @cached_property
    def _leaving(self) -> Mapping[ast.AST, frozenset[Hashable]]:
        """Where a connection may be left, with the origins of the handles there."""
        found: dict[ast.AST, frozenset[Hashable]] = {}
        for function in _LEAVING:
            for site, origins in self._facts.sites(function).items():
                found[site] = found.get(site, frozenset()) | origins
        return found

    def _is_of(self, proof: Call, call: Call) -> bool:
        """Whether a call is on the same endpoint as another one, or on a peer that this has connected to."""
        if not proof.function.startswith(PEER):
            return self._places.is_same(proof.receiver, call.receiver)
        place = self._places.of(proof.receiver) if proof.receiver is not None else None
        made = self._facts.parent(place.store) if place is not None else None
        made = self._facts.parent(made) if isinstance(made, ast.Tuple) else made
        connect = self._facts.calls.get(made.value) if isinstance(made, ast.Assign) else None  # type: ignore[call-overload]
        is_connect = connect is not None and connect.function == EP + "connect"
        return is_connect and connect is not None and self._places.is_same(connect.receiver, call.receiver)

    def _success(self, call: Call, after: ast.stmt) -> ast.AST | None:
        """Return what is only gone past when a call has succeeded: itself, or the check of its code.

        That is in the function of a statement, which is only done after it, if it was done.
        """
        above, around = list(self._above(call.node)), list(self._above(after))
        names = self._facts.names[self._facts.values.path(after)]
        if self._facts.values.path(call.node) != self._facts.values.path(after):
            return None
        if names.function(call.node) is not names.function(after):
            return None
        whole = next((node for node in above if isinstance(node, ast.While)), None)
        loop = parse(whole) if whole is not None else None
        if loop is not None and made_by(loop.value) is call.node:
            above = above[above.index(loop.statement) :]
        if not all(node in around for node in above if isinstance(node, _CATCHING)):
            return None
        return self._check(call, above[0]) if call.returns_code else call.node

    def _check(self, call: Call, inner: ast.AST) -> ast.stmt | None:
        """Return the check right behind a call, which leaves unless its code is SUCCESS."""
        statement = inner if isinstance(inner, ast.stmt) else next(
            node for node in self._facts.above(inner) if isinstance(node, ast.stmt))  # fmt: skip
        code = self._code(statement)
        block = getattr(self._facts.parent(statement), "body", [])
        behind = block[block.index(statement) + 1 :] if statement in block else []
        match behind:
            case [ast.If() as check, *_] if is_failure(self._facts, check, code):
                graph = self._facts.controls[self._facts.values.path(check)].around(check)
                breaks = any(isinstance(node, ast.Break) for part in check.body for node in ast.walk(part))
                return check if graph.always_leaves(check.body[-1]) and not breaks else None
        return None

    def _code(self, statement: ast.stmt) -> str:
        """Return the name that a statement, or a loop, stores the code of its call in."""
        if isinstance(statement, ast.While):
            loop = parse(statement)
            return code_of(loop.target) if loop is not None and loop.tail is None else ""
        is_plain = isinstance(statement, ast.Assign) and len(statement.targets) == 1
        return code_of(statement.targets[0]) if is_plain and isinstance(statement, ast.Assign) else ""

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while not isinstance(node, ast.Module):
            node = self._facts.parent(node)
            yield node
