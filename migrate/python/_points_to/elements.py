"""What is in values: iterating, entering and awaiting them."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Sequence

from migrate.python._points_to.classes import ENUMS, Classes
from migrate.python._points_to.domain import (
    Bound,
    Class,
    Collection,
    External,
    Function,
    Given,
    Instance,
    Kept,
    Knowledge,
    ListOf,
    Module,
    Partial,
    Plain,
    Token,
    Value,
)
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.slots import Slot
from migrate.python.modules import Project, is_standard

CONTAINERS = frozenset(
    [f"builtins.{name}" for name in ("list", "dict", "set", "tuple", "frozenset")]
    + [f"collections.{name}" for name in ("deque", "OrderedDict", "defaultdict", "Counter", "UserDict", "UserList")]
    + [f"queue.{name}" for name in ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue")]
    + ["asyncio.Queue", "asyncio.LifoQueue", "asyncio.PriorityQueue", "multiprocessing.Queue"]
)
WRAPPERS = frozenset({"generator", "closing"})  # `with` binds what is in them
FUTURES = frozenset({"future", "coroutine"})


class Elements(Classes):
    """Answers are slots, one per value, so that asking twice costs nothing."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project)
        self.knowledge = knowledge
        self._nodes: dict[Token, ast.expr] = {}
        self._elements: dict[Value, Slot] = {}
        self._entered: dict[Value, Slot] = {}

    # ------------------------------------------------------------------ what the Knowledge gives

    def give(
        self,
        slot: Slot,
        values: Iterable[Given] | None,
        node: ast.AST,
        frame: Frame | None = None,
        place: tuple[int | str, ...] = (),
    ) -> None:
        """Put into a slot what the Knowledge answered; its tuples and lists become collections of a node."""
        for value in () if values is None else values:
            self._give(slot, value, node, frame, place)

    def _give(self, slot: Slot, value: Given, node: ast.AST, frame: Frame | None, place: tuple[int | str, ...]) -> None:
        if isinstance(value, ListOf | tuple):
            kind = "tuple" if isinstance(value, tuple) else "list"
            collection, contents = self.make(node, kind, frame, place=place)
            if isinstance(value, tuple):
                contents.length = len(value)
            for index, item in enumerate(value if isinstance(value, tuple) else value.values):
                inner = self.item(contents, index) if isinstance(value, tuple) else contents.some
                for part in item if isinstance(item, frozenset) else (item,):
                    self._give(inner, part, node, frame, (*place, index))
            self.add(slot, collection)
        elif isinstance(value, Kept):
            self.flow(self.kept(value.key), slot)
        else:
            self.add(slot, value)

    def kept(self, key: Hashable) -> Slot:
        """What a library keeps under a key."""
        return self.field(Token(key), "kept")

    def node_of(self, token: Token) -> ast.expr:
        """A node that stands for what a token gives where no call is written."""
        return self._nodes.setdefault(token, ast.Constant(None))

    # ------------------------------------------------------------------ iterating

    def iterate(self, source: Slot, result: Slot) -> None:
        """Let a slot have what iterating over another one gives."""
        self.watch(source, lambda value: self.flow(self.elements(value), result))

    def elements(self, value: Value) -> Slot:
        """What iterating over a value gives."""
        if isinstance(value, Collection):
            contents = self.contents(value)
            return contents.keys if value.kind == "dict" else contents.every
        if isinstance(value, External):
            value = self.opaque(value)  # one slot for all of these
        elif isinstance(value, Function | Bound | Partial | Module):
            value = Plain.NONE  # a TypeError
        if value not in self._elements:
            slot = self._elements[value] = Slot()
            if isinstance(value, Instance):
                self._elements_of_instance(value, slot)
            elif isinstance(value, Token):
                known = self.knowledge.elements(value)
                self.give(slot, (Plain.UNKNOWN,) if known is None else known, self.node_of(value))
            elif isinstance(value, Class):
                if self.has_base(value.node, ENUMS):
                    self.add(slot, Instance(value.node))
                if self.is_given(value.node, "__iter__"):
                    iterator = Slot()
                    self.call_with(self.attribute(value, "__iter__"), [], iterator)
                    self.watch(iterator, lambda each: self.advance(each, slot))
            else:
                self._opaque(value, slot)
        return self._elements[value]

    def opaque(self, value: Value) -> Plain:
        """What comes from a value that is not looked into: nothing of interest if it is Python's own."""
        own = value in (Plain.OTHER, Plain.NONE) or (isinstance(value, External) and is_standard(value.name))
        return Plain.OTHER if own else Plain.UNKNOWN

    def _opaque(self, value: Value, slot: Slot) -> None:
        if value is not Plain.NONE:
            self.add(slot, self.opaque(value))
            if self.opaque(value) is Plain.OTHER:
                self.flow(self.contents(Plain.OTHER).every, slot)

    def _elements_of_instance(self, value: Instance, slot: Slot) -> None:
        contents = self.contents(value)
        self.flow(contents.keys, slot)
        if not self.has_base(value.node, CONTAINERS) or not contents.keys.values:
            self.flow(contents.every, slot)
        for method in ("__iter__", "__aiter__"):
            if self.binder(value.node, method):
                iterator = Slot()
                self.call_with(self.attribute(value, method), [], iterator)
                self.watch(iterator, lambda each: self.advance(each, slot))
        if self.binder(value.node, "__getitem__") and not self.binder(value.node, "__iter__"):
            self.call_with(self.attribute(value, "__getitem__"), [self.other], slot)
        self.flow(self.record(value), slot)

    def advance(self, value: Value, slot: Slot) -> None:
        """Let a slot have what next() gives for an iterator."""
        if isinstance(value, Instance):
            for method in ("__next__", "__anext__"):
                if self.binder(value.node, method):
                    answer = Slot()
                    self.call_with(self.attribute(value, method), [], answer)
                    self.await_(answer, slot)
        else:
            self.flow(self.elements(value), slot)

    def record(self, value: Instance) -> Slot:
        """All fields of an instance of a NamedTuple, nothing for other classes."""
        raise NotImplementedError

    # ------------------------------------------------------------------ with and await

    def enter(self, source: Slot, result: Slot) -> None:
        """Let a slot have what `with` binds for the context managers in another one."""
        self.watch(source, lambda value: self.flow(self.entered(value), result))

    def entered(self, value: Value) -> Slot:
        """What `with` binds for one context manager; it is left at once, too."""
        if value in self._entered:
            return self._entered[value]
        slot = self._entered[value] = Slot()
        if isinstance(value, Instance):
            for method in self._bound(value, "__enter__", "__aenter__"):
                answer = Slot()
                self.call_with(self.attribute(value, method), [], answer)
                self.await_(answer, slot)
            for method in self._bound(value, "__exit__", "__aexit__"):
                self.call_with(self.attribute(value, method), [self.left] * 3, Slot())
        elif isinstance(value, Token):
            known = self.knowledge.enter(value)
            self.give(slot, (Plain.UNKNOWN,) if known is None else known, self.node_of(value))
        elif isinstance(value, Collection) and value.kind in WRAPPERS:
            self.flow(self.contents(value).every, slot)
        elif isinstance(value, Collection) or value in (Plain.OTHER, Plain.UNKNOWN):
            self.add(slot, value)
        elif isinstance(value, External):
            self.add(slot, self.opaque(value))
        return slot

    def _bound(self, value: Instance, method: str, awaited: str) -> Sequence[str]:
        """Which of two methods `with` calls: those that classes of the project bind, or what they inherit."""
        own = [name for name in (method, awaited) if self.binder(value.node, name)]
        bases = [base for base in self.order(value.node) if not isinstance(base, Class)]
        plain = all(isinstance(base, External) and is_standard(base.name) for base in bases)
        waits = any("async" in getattr(base, "name", "").lower() for base in bases)
        return own or ([method] if plain and not waits else [method, awaited])

    @property
    def left(self) -> Slot:
        """What `__exit__` is given: an exception, or None three times."""
        slot = Slot()
        self.in_flight(slot)
        self.add_all(slot, (Plain.NONE, Plain.OTHER))
        return slot

    def await_(self, source: Slot, result: Slot) -> None:
        """Let a slot have what awaiting another one gives."""
        self.watch(source, lambda value: self._await(value, result))

    def _await(self, value: Value, result: Slot) -> None:
        if isinstance(value, Collection) and value.kind in FUTURES:
            self.flow(self.contents(value).every, result)
        elif isinstance(value, Instance) and self.binder(value.node, "__await__"):
            generator = Slot()
            self.call_with(self.attribute(value, "__await__"), [], generator)
            self.watch(generator, lambda each: self.flow(self.field(each, "return"), result))
        else:
            self.add(result, value)
            if value is Plain.OTHER:
                self.flow(self.contents(value).every, result)

    # ------------------------------------------------------------------ what the storeys above know

    def in_flight(self, result: Slot) -> None:
        """Let a slot have any exception."""
        raise NotImplementedError
