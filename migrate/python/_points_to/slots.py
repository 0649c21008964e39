"""Sets of values that flow into each other until nothing changes: the solver of the points-to analysis."""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from itertools import islice
from typing import TypeAlias

from migrate.python._points_to.domain import Plain, Value

Watcher: TypeAlias = Callable[[Value], None]


class Slot:
    """What one variable, field or expression can be: values in the order of their discovery (never by hash)."""

    __slots__ = ("flows", "fresh", "values", "watchers")

    def __init__(self) -> None:
        self.values: dict[Value, None] = {}
        # Of the many slots most have none of these for most of the time, and share one empty sequence.
        self.fresh: list[Value] | tuple[()] = ()  # values that have not been passed on
        self.flows: list[Slot] | tuple[()] = ()
        self.watchers: list[Watcher] | tuple[()] = ()


class _Explained(dict[Value, None]):
    """Values of which none is UNKNOWN."""

    def __setitem__(self, value: Value, nothing: None) -> None:
        if value is not Plain.UNKNOWN:
            super().__setitem__(value, nothing)


class Known(Slot):
    """What a variable can be of which somebody knows what is unknown of it."""

    __slots__ = ()

    def __init__(self, values: Iterable[Value]) -> None:
        super().__init__()
        self.values = _Explained(dict.fromkeys(values))


class Unsettled(Exception):
    """A program whose values flow into each other without an end in sight."""


class Solver:
    """Passes values along flows and to watchers; `steps` counts what it did. Raises Unsettled after `most` steps."""

    def __init__(self) -> None:
        self.steps, self.most = 0, sys.maxsize
        self._slots: deque[Slot] = deque()
        self._tasks: OrderedDict[Callable[[], None], None] = OrderedDict()
        self._fallbacks: list[tuple[Slot, Callable[[], None]]] = []

    def add(self, slot: Slot, value: Value) -> None:
        """Put one value into a slot."""
        values = slot.values
        known = len(values)
        values[value] = None  # one look-up: hashing a value takes long
        if len(values) > known:
            if slot.fresh:
                slot.fresh.append(value)
            else:
                slot.fresh = [value]
                self._slots.append(slot)

    def add_all(self, slot: Slot, values: Iterable[Value]) -> None:
        """Put values into a slot."""
        if type(values) is not dict or type(slot.values) is not dict:
            for value in values:
                self.add(slot, value)
            return
        known = len(slot.values)
        slot.values.update(values)  # which hashes none of them
        if added := len(slot.values) - known:
            if not slot.fresh:
                slot.fresh = []
                self._slots.append(slot)
            slot.fresh += reversed(list(islice(reversed(slot.values), added)))

    def flow(self, source: Slot, target: Slot) -> None:
        """Let everything that a slot has, now and later, be in another one."""
        if source is not target and target not in source.flows[-1:]:
            if source.flows:
                source.flows.append(target)
            else:
                source.flows = [target]
            self.add_all(target, source.values)

    def watch(self, slot: Slot, watcher: Watcher) -> None:
        """Call a watcher once with every value of a slot, now and later."""
        passed = len(slot.values) - len(slot.fresh)
        known = list(islice(slot.values, passed)) if passed else ()  # the fresh ones are the last
        if slot.watchers:
            slot.watchers.append(watcher)
        else:
            slot.watchers = [watcher]
        for value in known:
            watcher(value)

    def later(self, task: Callable[[], None]) -> None:
        """Run a task once when all values are passed on."""
        self._tasks[task] = None

    def otherwise(self, slot: Slot, task: Callable[[], None]) -> None:
        """Run a task when a slot has no value after everything else has settled."""
        self._fallbacks.append((slot, task))

    def solve(self) -> None:
        """Pass on values until nothing is left."""
        self._settle()
        while self._fallbacks:
            fallbacks, self._fallbacks = self._fallbacks, []
            for task in [task for slot, task in fallbacks if not slot.values]:
                task()
            self._settle()

    def _settle(self) -> None:
        while self._slots or self._tasks:
            while self._slots:
                if self.steps > self.most:
                    raise Unsettled
                self._pass_on(self._slots.popleft())
            if self._tasks:
                task, _ = self._tasks.popitem(last=False)
                task()

    def _pass_on(self, slot: Slot) -> None:
        fresh, slot.fresh = slot.fresh, ()
        targets, watchers = tuple(slot.flows), tuple(slot.watchers)
        self.steps += len(fresh) * (1 + len(targets) + len(watchers))
        passed = dict.fromkeys(fresh) if targets else {}
        for target in targets:
            self.add_all(target, passed)
        for watcher in watchers:
            for value in fresh:
                watcher(value)
