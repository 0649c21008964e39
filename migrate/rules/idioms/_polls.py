"""Waits in a poller of their own, for one event channel and nothing else, which is armed before each of them."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.python.scopes import Kind, Variable
from migrate.python.values import External
from migrate.rules.idioms._loop import made_by, parse
from migrate.rules.idioms._up import is_up

CHANNEL = EP + "get_event_channel"
# What each arming is for, and the place of its descriptor among the channel's.
_ARMS = {EP + "event_handle_arm_send": (EP + "sendto", 0), EP + "event_handle_arm_recv": (EP + "recvfrom", 1)}
_POLLERS = ({External("select.epoll")}, {External("select.poll")})
_READABLE = ({External("select.EPOLLIN")}, {External("select.POLLIN")})
_SELECT = {External("select.select")}
_LONGEST = 3600  # poll refuses what is absurd


_Waited: TypeAlias = tuple[ast.expr, Sequence[ast.stmt]]


@dataclass(frozen=True)
class Wait:
    """The wait of a loop, or right before a statement that receives.

    setup: the statements that make the poller and register the descriptor, of no other use. steps: those that arm and
    wait, where no loop holds them.
    """

    statement: ast.stmt
    descriptor: ast.expr
    setup: Sequence[ast.stmt]
    steps: Sequence[ast.stmt] = ()


class Polls:
    """Answers about one project."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[Hashable, Mapping[ast.stmt, Wait]] = {}

    def waits(self, origin: Hashable) -> Mapping[ast.stmt, Wait]:
        """Return what waits for a channel of a handle; nothing where these channels have any other use."""
        if origin not in self._known:
            self._known[origin] = self._waits(origin)
        return self._known[origin]

    def has_bells(self, origin: Hashable) -> bool:
        """Whether the event channels of a handle are asked for or armed."""
        return origin in self._bells

    @cached_property
    def _bells(self) -> Mapping[Hashable, list[Call]]:
        bells: dict[Hashable, list[Call]] = {}
        for call in self._facts.calls.values():
            if call.receiver is not None and (call.function == CHANNEL or call.function in _ARMS):
                for origin in self._facts.handles(call.receiver):
                    bells.setdefault(origin, []).append(call)
        return bells

    def _waits(self, origin: Hashable) -> Mapping[ast.stmt, Wait]:
        bells = self._bells.get(origin, [])
        waits = [self._repeated(call) or self._once(call) for call in bells if call.function != CHANNEL]
        found = {wait.statement: wait for wait in waits if wait is not None}
        known = {wait.descriptor for wait in found.values()}
        channels = [self._descriptors(call) for call in bells if call.function == CHANNEL]
        is_own = all(uses is not None and known.issuperset(uses) for uses in channels)
        return found if is_own and len(found) == len(waits) else {}

    def _descriptors(self, channel: Call) -> list[ast.AST] | None:
        """Return what reads the descriptors of a channel; None where that cannot be seen."""
        above = self._facts.parent(channel.node)
        match above, self._facts.parent(above):
            case ast.Expr(), _:
                return []
            case ast.Subscript(slice=ast.Constant()) as item, (ast.Call() | ast.Assign(targets=[ast.Name()])) as around:
                return self._loads(around.targets[0]) if isinstance(around, ast.Assign) else [item]
            case ast.Assign(targets=[ast.Tuple(elts=elements)]), _:
                loads = [self._loads(element) for element in elements[channel.returns_code :]]
                return [node for nodes in loads for node in nodes or ()] if None not in loads else None
        return None

    def _loads(self, target: ast.expr) -> list[ast.AST] | None:
        variable = self._own(target)
        return list(variable.loads) if variable is not None else None

    # ------------------------------------------------------------------ one wait

    def _repeated(self, arm: Call) -> Wait | None:
        """Return the wait of a loop that an arming is for."""
        statement = self._facts.parent(arm.node)
        whole = next((node for node in self._facts.above(arm.node) if isinstance(node, ast.While)), None)
        loop = parse(whole) if whole is not None else None
        call = self._facts.calls.get(made_by(loop.value)) if loop is not None else None  # type: ignore[call-overload]
        if whole is None or loop is None or call is None or len(loop.waits) != 2 or loop.waits[0] is not statement:
            return None
        waited = self._waited(arm, call, loop.waits[1], whole)
        return Wait(whole, *waited) if waited is not None else None

    def _once(self, arm: Call) -> Wait | None:
        """Return the wait of a client right before it receives, for which nothing but a message is left to come.

        A service is woken by clients, too, and a client by the service that lets it in.
        """
        statement = self._facts.parent(arm.node)
        block = getattr(self._facts.parent(statement), "body", [])
        match block[block.index(statement) : block.index(statement) + 3] if statement in block else []:
            case [ast.Expr() as arming, ast.Expr() as waiting, ast.Try(body=[receiving, *_]) | receiving]:
                call = self._received(receiving)
            case _:
                return None
        if call is None or arm.returns_code or not self._is_endless(waiting) or not is_up(self._facts, call, receiving):
            return None
        waited = self._waited(arm, call, waiting, receiving)
        return Wait(receiving, *waited, steps=(arming, waiting)) if waited is not None else None

    def _waited(self, arm: Call, call: Call, waiting: ast.stmt, whole: ast.stmt) -> _Waited | None:
        """Return what a statement waits for, when that is the channel that is armed for a call in another one."""
        function, index = _ARMS[arm.function]
        waited = self._selected(waiting) or self._polled(waiting, whole)
        if call.function != function or waited is None or not self._is_same(call, arm):
            return None
        channel = self._channel(waited[0], index)
        if channel is None or not self._is_same(call, channel):
            return None
        return waited if self._is_before(channel.node, whole, call.receiver) else None

    def _received(self, statement: ast.stmt) -> Call | None:
        """Return the call that a statement does first, unless that returns a code."""
        match statement:
            case ast.Expr(value=value) | ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
                call = self._facts.calls.get(made_by(value))  # type: ignore[call-overload]
                return call if call is not None and not call.returns_code else None
        return None

    def _is_endless(self, waiting: ast.Expr) -> bool:
        """Whether a statement that waits has no limit of time."""
        match waiting.value:
            case ast.Call(func=ast.Attribute(attr="poll"), args=times) | ast.Call(args=[_, _, _, *times]):
                numbers = [self._facts.constant(time) for time in times]
                nothing = [isinstance(time, ast.Constant) and time.value is None for time in times]
                return all(no or (isinstance(it, int) and it < 0) for no, it in zip(nothing, numbers, strict=True))
        return False

    def _selected(self, statement: ast.stmt) -> _Waited | None:
        """Return the descriptor that `select.select` waits for."""
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=function,
                    args=[ast.List(elts=[descriptor]), ast.List(elts=[]), ast.List(elts=[]), *times],
                    keywords=[],
                )
            ) if self._facts.values.of(function) == _SELECT and len(times) <= 1:
                return (descriptor, ()) if all(self._is_time(time, least=0) for time in times) else None
        return None

    def _polled(self, statement: ast.stmt, loop: ast.stmt) -> _Waited | None:
        """Return the descriptor that a poller waits for, and what only that needs."""
        poller = self._poller(statement)
        register = self._register(poller) if poller is not None else None
        if poller is None or register is None or not self._is_before(register, loop, poller):
            return None
        return register.args[0], self._setup(poller, register)

    def _poller(self, statement: ast.stmt) -> ast.Name | None:
        """Return the poller that a statement waits in."""
        match statement:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name() as poller, attr="poll"), args=times, keywords=[])
            ):
                return poller if len(times) <= 1 and all(map(self._is_time, times)) else None
        return None

    def _is_time(self, node: ast.expr, least: float = -1) -> bool:
        value = self._facts.constant(node)
        is_number = isinstance(value, int | float) and least <= value <= _LONGEST
        return is_number or (isinstance(node, ast.Constant) and node.value is None)

    def _register(self, poller: ast.Name) -> ast.Call | None:
        """Return the one call that registers something in a poller which is of no other use."""
        variable = self._own(poller)
        value = self._made(variable.bindings[0]) if variable is not None else None
        if variable is None or not isinstance(value, ast.Call) or value.args or value.keywords:
            return None
        others = [load for load in variable.loads if load is not poller]
        if self._facts.values.of(value.func) not in _POLLERS or len(others) != 1:
            return None
        attribute = self._facts.parent(others[0])
        call = self._facts.parent(attribute)
        match call:
            case ast.Call(func=ast.Attribute(attr="register"), args=[_, *events], keywords=[]) if (
                call.func is attribute
            ):
                is_read = len(events) <= 1 and all(self._facts.values.of(event) in _READABLE for event in events)
                return call if is_read and isinstance(self._facts.parent(call), ast.Expr) else None
        return None

    def _made(self, name: ast.AST) -> ast.expr | None:
        """Return what a variable is bound to, and nothing else."""
        match self._facts.parent(name):
            case ast.withitem(context_expr=value) | ast.Assign(targets=[ast.Name()], value=value):
                return value
        return None

    def _channel(self, descriptor: ast.expr, index: int) -> Call | None:
        """Return the call that a descriptor comes from, when it is the one with that index."""
        if isinstance(descriptor, ast.Name):
            variable = self._own(descriptor)
            if variable is None:
                return None
            made = self._facts.parent(target := variable.bindings[0])
            if isinstance(made, ast.Tuple):
                assign = self._facts.parent(made)
                call = self._facts.calls.get(assign.value) if isinstance(assign, ast.Assign) else None  # type: ignore[call-overload]
                is_right = call is not None and made.elts.index(target) == index + call.returns_code  # type: ignore[arg-type]
                return call if is_right and call is not None and call.function == CHANNEL else None
            descriptor = made.value if isinstance(made, ast.Assign) else descriptor
        match descriptor:
            case ast.Subscript(value=ast.Call() as made, slice=ast.Constant(value=number)):
                call = self._facts.calls.get(made)
                is_right = call is not None and type(number) is int and number == index + call.returns_code
                return call if is_right and call is not None and call.function == CHANNEL else None
        return None

    # ------------------------------------------------------------------ variables

    def _own(self, name: ast.expr) -> Variable | None:
        """Return a variable that is bound at one place, and used in one function alone."""
        if not isinstance(name, ast.Name):
            return None
        path = self._facts.values.path(name)
        names = self._facts.names[path]
        variable = names.of[name]
        is_shared = variable.scope.kind is Kind.MODULE and bool(self._facts.project.importers[path])
        places = {names.function(node) for node in (*variable.loads, *variable.bindings)}
        is_plain = len(variable.bindings) == len(places) == 1 and not variable.deletions
        return variable if is_plain and not is_shared and variable.scope.kind is not Kind.CLASS else None

    def _is_same(self, call: Call, other: Call) -> bool:
        """Whether two calls are on the handle of one variable, which is bound at one place."""
        if not isinstance(call.receiver, ast.Name) or not isinstance(other.receiver, ast.Name):
            return False
        of = self._facts.names[self._facts.values.path(call.node)].of
        is_here = self._facts.values.path(call.node) == self._facts.values.path(other.node)
        return is_here and of[call.receiver] is of[other.receiver] and len(of[call.receiver].bindings) == 1

    def _is_before(self, node: ast.AST, loop: ast.stmt, name: ast.expr | None) -> bool:
        """Whether a node is always done before a statement, in the same function, and a variable keeps its value."""
        path = self._facts.values.path(loop)
        graph, names = self._facts.controls[path].around(loop), self._facts.names[path]
        assert isinstance(name, ast.Name)
        steps = {step.node for step in graph.between(node, loop)}
        here = names.function(node) is names.function(loop)
        return here and graph.dominates(node, loop) and steps.isdisjoint(names.of[name].bindings)

    def _setup(self, poller: ast.Name, register: ast.Call) -> list[ast.stmt]:
        """Return the statements that only a wait needs; asking for the descriptor may raise."""
        names = self._facts.names[self._facts.values.path(poller)]
        statements = [self._facts.parent(names.of[poller].bindings[0])]
        statements += [self._facts.parent(register)] if isinstance(register.args[0], ast.Name) else []
        return [node for node in statements if isinstance(node, ast.stmt)]
