"""Waits in a poller of their own, for one event channel and nothing else, which is armed before each of them."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import EP
from migrate.python.values import External
from migrate.rules.idioms._failing import is_failure
from migrate.rules.idioms._loop import code_of, made_by, parse
from migrate.rules.idioms._places import Places
from migrate.rules.idioms._runs import Runs
from migrate.rules.idioms._up import Up

CHANNEL = EP + "get_event_channel"
# What each arming is for, and the place of its descriptor among the channel's.
_ARMS = {EP + "event_handle_arm_send": (EP + "sendto", 0), EP + "event_handle_arm_recv": (EP + "recvfrom", 1)}
_POLLERS = ({External("select.epoll")}, {External("select.poll")})
_READABLE = ({External("select.EPOLLIN")}, {External("select.POLLIN")})
_SELECT = {External("select.select")}
_LONGEST = 3600  # poll refuses what is absurd


@dataclass(frozen=True)
class Wait:
    """The wait of a loop, or right before a statement that receives.

    setup: the statements that make the poller and register the descriptor. steps: those that arm and wait, where no
    loop holds them. poller: where it is read to wait, and others: where it is read for other waits.
    """

    statement: ast.stmt
    descriptor: ast.expr
    setup: Sequence[ast.stmt] = ()
    poller: ast.AST | None = None
    others: Sequence[ast.AST] = ()
    steps: Sequence[ast.stmt] = ()


class Polls:
    """Answers about one project."""

    def __init__(self, facts: Facts, runs: Runs) -> None:
        self._facts, self._places = facts, Places(facts)
        self._up = Up(facts, self._places, runs)
        self._known: dict[Hashable, Mapping[ast.stmt, Wait]] = {}

    def waits(self, origin: Hashable) -> Mapping[ast.stmt, Wait]:
        """Return what waits for a channel of a handle; nothing where these channels have any other use."""
        if origin not in self._known:
            self._known[origin] = self._waits(origin)
        return self._known[origin]

    def shared(self) -> Iterator[Sequence[Wait]]:
        """Yield the waits in each poller that has several."""
        found = (wait for waits in self._known.values() for wait in waits.values() if wait.others)
        by_poller: dict[ast.expr, dict[ast.stmt, Wait]] = {}
        for wait in found:
            by_poller.setdefault(wait.descriptor, {})[wait.statement] = wait
        return (list(waits.values()) for waits in by_poller.values())

    def has_bells(self, origin: Hashable) -> bool:
        """Whether the event channels of a handle are asked for or armed."""
        return origin in self._bells

    @cached_property
    def steps(self) -> frozenset[ast.stmt]:
        """What arms and waits before statements that receive."""
        waits = (wait for origin in self._bells for wait in self.waits(origin).values())
        return frozenset(step for wait in waits for step in wait.steps)

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
        pollers = {wait.poller for wait in found.values()}
        is_own = all(uses is not None and known.issuperset(uses) for uses in channels)
        is_own = is_own and all(pollers.issuperset(wait.others) for wait in found.values())
        return found if is_own and len(found) == len(waits) else {}

    def _descriptors(self, channel: Call) -> list[ast.AST] | None:
        """Return what reads the descriptors of a channel; None where that cannot be seen."""
        above = self._facts.parent(channel.node)
        match above, self._facts.parent(above):
            case ast.Expr(), _:
                return []
            case ast.Subscript(slice=ast.Constant()), ast.Assign(targets=[ast.Name() | ast.Attribute() as target]):
                return self._loads(target)
            case ast.Subscript(slice=ast.Constant()) as item, ast.Call():
                return [item]
            case ast.Assign(targets=[ast.Tuple(elts=elements)]), _:
                loads = [self._loads(element) for element in elements[channel.returns_code :]]
                return [node for nodes in loads for node in nodes or ()] if None not in loads else None
        return None

    def _loads(self, target: ast.expr) -> list[ast.AST] | None:
        place = self._places.of(target)
        return list(place.loads) if place is not None else None

    # ------------------------------------------------------------------ one wait

    def _repeated(self, arm: Call) -> Wait | None:
        """Return the wait of a loop that an arming is for."""
        statement = self._facts.parent(arm.node)
        whole = next((node for node in self._facts.above(arm.node) if isinstance(node, ast.While)), None)
        loop = parse(whole) if whole is not None else None
        call = self._facts.calls.get(made_by(loop.value)) if loop is not None else None  # type: ignore[call-overload]
        if whole is None or loop is None or call is None or len(loop.waits) != 2 or loop.waits[0] is not statement:
            return None
        return self._waited(arm, call, loop.waits[1], whole)

    def _once(self, arm: Call) -> Wait | None:
        """Return the wait of a client right before it receives, for which nothing but a message is left to come.

        A service is woken by clients, too, and a client by the service that lets it in.
        """
        arming = self._facts.parent(arm.node)
        block = getattr(self._facts.parent(arming), "body", [])
        code = self._code(arming, arm) if arming in block else None
        behind = block[block.index(arming) :] if code is not None else []
        checks = [it for it in behind[1:2] if isinstance(it, ast.If) and is_failure(self._facts, it, code or "")]
        match behind[len(checks) + 1 : len(checks) + 3]:
            case [ast.Expr() as waiting, ast.Try(body=[receiving, *_]) | receiving]:
                call = self._received(receiving, code or "")
            case _:
                return None
        if call is None or not self._is_endless(waiting) or not self._up.is_certain(call, receiving):
            return None
        wait = self._waited(arm, call, waiting, receiving)
        return replace(wait, steps=behind[: len(checks) + 2]) if wait is not None else None

    def _code(self, arming: ast.AST, arm: Call) -> str | None:
        """Return the name that the code of an arming is stored in, "" for none; None where it is used."""
        match arming:
            case ast.Expr():
                return ""
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is arm.node:
                return name
        return None

    def _waited(self, arm: Call, call: Call, waiting: ast.stmt, whole: ast.stmt) -> Wait | None:
        """Return the wait of a statement for the channel that is armed for a call in another one."""
        function, index = _ARMS[arm.function]
        wait = self._selected(waiting, whole) or self._polled(waiting, whole)
        if call.function != function or wait is None or not self._places.is_same(call.receiver, arm.receiver):
            return None
        channel = self._channel(wait.descriptor, index)
        if channel is None or not self._places.is_same(call.receiver, channel.receiver):
            return None
        registered = self._facts.parent(wait.descriptor) if wait.poller is not None else None
        home = registered.func.value if isinstance(registered, ast.Call) else None  # type: ignore[attr-defined]
        here = wait.poller if isinstance(wait.poller, ast.Attribute) else wait.descriptor
        is_one = self._places.are_of_one(here, call.receiver) and self._places.are_of_one(home, channel.receiver)
        return wait if is_one and self._places.is_before(channel.node, whole, call.receiver) else None

    def _received(self, statement: ast.stmt, code: str) -> Call | None:
        """Return the call that a statement does first, unless it leaves a name as it was."""
        match statement:
            case ast.Expr(value=value) | ast.Return(value=ast.expr() as value) | ast.Assign(value=value):
                stored = code_of(statement.targets[0]) if isinstance(statement, ast.Assign) else ""
                names = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
                is_kept = bool(code) and (stored != code or code in names)
                return self._facts.calls.get(made_by(value)) if not is_kept else None  # type: ignore[call-overload]
        return None

    def _is_endless(self, waiting: ast.Expr) -> bool:
        """Whether a statement that waits has no limit of time."""
        match waiting.value:
            case ast.Call(func=ast.Attribute(attr="poll"), args=times) | ast.Call(args=[_, _, _, *times]):
                numbers = [self._facts.constant(time) for time in times]
                nothing = [isinstance(time, ast.Constant) and time.value is None for time in times]
                return all(no or (isinstance(it, int) and it < 0) for no, it in zip(nothing, numbers, strict=True))
        return False

    def _selected(self, statement: ast.stmt, whole: ast.stmt) -> Wait | None:
        """Return the wait of `select.select`."""
        match statement:
            case ast.Expr(
                value=ast.Call(
                    func=function,
                    args=[ast.List(elts=[descriptor]), ast.List(elts=[]), ast.List(elts=[]), *times],
                    keywords=[],
                )
            ) if self._facts.values.of(function) == _SELECT and len(times) <= 1:
                return Wait(whole, descriptor) if all(self._is_time(time, least=0) for time in times) else None
        return None

    def _polled(self, statement: ast.stmt, whole: ast.stmt) -> Wait | None:
        """Return the wait in a poller, with what only that needs."""
        poller = self._poller(statement)
        place = self._places.of(poller) if poller is not None else None
        if place is None or not self._is_poller(place.store):
            return None
        calls = {load: call for load in place.loads if (call := self._register(load)) is not None}
        register = next(iter(calls.values()), None)
        if len(calls) != 1 or register is None or not self._places.is_before(register, whole, poller):
            return None
        if not self._places.are_of_one(register.func.value, register.args[0]):  # type: ignore[attr-defined]
            return None
        others = [load for load in place.loads if load is not poller and load not in calls]
        is_plain = isinstance(register.args[0], ast.Name | ast.Attribute)  # else asking for it may raise
        statements = [self._facts.parent(node) for node in (place.store, register)] if is_plain else []
        setup = [node for node in statements if isinstance(node, ast.stmt)]
        return Wait(whole, register.args[0], setup, poller, others)

    def _poller(self, statement: ast.stmt) -> ast.expr | None:
        """Return the poller that a statement waits in."""
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=poller, attr="poll"), args=times, keywords=[])):
                return poller if len(times) <= 1 and all(map(self._is_time, times)) else None
        return None

    def _is_time(self, node: ast.expr, least: float = -1) -> bool:
        value = self._facts.constant(node)
        is_number = isinstance(value, int | float) and least <= value <= _LONGEST
        return is_number or (isinstance(node, ast.Constant) and node.value is None)

    def _is_poller(self, store: ast.AST) -> bool:
        """Whether what is stored is a new poller."""
        match self._facts.parent(store):
            case ast.withitem(context_expr=ast.Call() as made) | ast.Assign(targets=[_], value=ast.Call() as made):
                return not made.args and not made.keywords and self._facts.values.of(made.func) in _POLLERS
        return False

    def _register(self, poller: ast.AST) -> ast.Call | None:
        """Return the call that registers a descriptor in a poller, to be read."""
        attribute = self._facts.parent(poller)
        match self._facts.parent(attribute):
            case ast.Call(func=ast.Attribute(attr="register") as function, args=[_, *events], keywords=[]) as call:
                is_read = len(events) <= 1 and all(self._facts.values.of(event) in _READABLE for event in events)
                is_alone = isinstance(self._facts.parent(call), ast.Expr)
                return call if function is attribute and is_read and is_alone else None
        return None

    def _channel(self, descriptor: ast.expr, index: int) -> Call | None:
        """Return the call that a descriptor comes from, when it is the one with that index."""
        if isinstance(descriptor, ast.Name | ast.Attribute):
            place = self._places.of(descriptor)
            if place is None:
                return None
            made = self._facts.parent(place.store)
            if isinstance(made, ast.Tuple):
                assign = self._facts.parent(made)
                call = self._facts.calls.get(assign.value) if isinstance(assign, ast.Assign) else None  # type: ignore[call-overload]
                is_right = call is not None and made.elts.index(place.store) == index + call.returns_code  # type: ignore[arg-type]
                return call if is_right and call is not None and self._is_channel(call, place.store) else None
            return self._taken(made.value, index, place.store) if isinstance(made, ast.Assign) else None
        return self._taken(descriptor, index, None)

    def _taken(self, descriptor: ast.expr, index: int, store: ast.AST | None) -> Call | None:
        """Return the call of which a descriptor is the item with that index."""
        match descriptor:
            case ast.Subscript(value=ast.Call() as made, slice=ast.Constant(value=number)):
                call = self._facts.calls.get(made)
                is_right = call is not None and type(number) is int and number == index + call.returns_code
                return call if is_right and call is not None and self._is_channel(call, store) else None
        return None

    def _is_channel(self, call: Call, store: ast.AST | None) -> bool:
        return call.function == CHANNEL and self._places.are_of_one(store, call.receiver)
