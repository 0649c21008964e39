"""What is at an index or key of values: reading, slicing, storing and unpacking."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path

from migrate.python._points_to.classes import ENUMS
from migrate.python._points_to.domain import (
    Class,
    Collection,
    External,
    Instance,
    Knowledge,
    Module,
    Plain,
    Token,
    Value,
)
from migrate.python._points_to.elements import Elements
from migrate.python._points_to.heap import Contents, Frame, Key, context
from migrate.python._points_to.slots import Slot
from migrate.python.modules import Project, is_standard

MAX_PARTS = 16  # values of one slice or sum that are told apart: several sums of one variable lead to every order


@dataclass(frozen=True)
class _Cut:
    """The context of what a slice takes from one value; `around`: of the code that takes it."""

    whole: Collection
    around: Hashable


@dataclass(frozen=True)
class _Sum:
    """The context of what a sum has of one of its tuples; `around`: of the code that adds them."""

    whole: Collection
    is_last: bool
    around: Hashable


class Items(Elements):
    """Answers are slots, or what flows into a slot that is given."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project, knowledge)
        self._parts: Counter[tuple[ast.AST, Hashable, bool]] = Counter()
        self._items_of: dict[tuple[Slot, int, int | None], Slot] = {}

    def _is_apart(self, node: ast.AST, frame: Frame, *, is_last: bool = False) -> bool:
        """Whether one more value of a slice, or of a side of a sum, is distinguished from the others."""
        place = node, context(frame), is_last
        self._parts[place] += 1
        return self._parts[place] <= MAX_PARTS

    def read_item(self, source: Slot, node: ast.Subscript, frame: Frame, key: Slot, result: Slot) -> None:
        """Let a slot have what a subscript gives."""
        wanted = key_of(node.slice)
        is_own = isinstance(node.slice, ast.Name) and node.slice.id == "__name__"
        loaded = frame.path if is_own else self.project.resolve(frame.path, wanted) if isinstance(wanted, str) else None
        if loaded is not None:
            self._load_module(source, loaded, result)
        if isinstance(node.slice, ast.Slice):
            self.watch(source, lambda value: self._slice(value, node, frame, result))
        else:
            self.watch(source, lambda value: self.flow(self.at(value, wanted, key), result))

    def _load_module(self, source: Slot, path: Path, result: Slot) -> None:
        """Let a slot have a module of the project, if another one has `sys.modules`."""

        def load(value: Value) -> None:
            if value == External("sys.modules"):
                self.add(result, Module("", path))

        self.watch(source, load)

    def _slice(self, value: Value, node: ast.Subscript, frame: Frame, result: Slot) -> None:
        bounds = _bounds(node.slice)
        row = isinstance(value, Collection) and value.kind in ("tuple", "list") and not _is_cut(value)
        if isinstance(value, Collection) and row and bounds and self._is_apart(node, frame):
            collection = replace(self.make(node, value.kind, frame)[0], context=_Cut(value, context(frame)))
            self._cut(self.contents(value), self.contents(collection), bounds)
            self.add(result, collection)
        elif isinstance(value, Collection | Instance):
            collection, _ = self.make(node, value.kind if isinstance(value, Collection) else "list", frame)
            self.flow(self.elements(value), self.contents(collection).some)
            self.add(result, collection)
        elif isinstance(value, Token):
            self.give(result, self.knowledge.sliced(value), node)
        else:
            self.flow(self.elements(value), result)

    def _cut(self, whole: Contents, part: Contents, bounds: range) -> None:
        """Let a part of a tuple or list have the items between two indices, at their new places."""
        self.flow(whole.some, part.some)
        part.is_open = whole.is_open
        if whole.length is not None:
            part.length = len(bounds[: max(0, whole.length - bounds.start)])

        def take(key: Key, item: Slot) -> None:
            if isinstance(key, int) and key in bounds:
                self.flow(item, self.item(part, key - bounds.start))

        self.on_items(whole, take)

    def join(
        self, value: Collection, node: ast.AST, frame: Frame, result: Slot, before: Slot | None, *, is_last: bool
    ) -> None:
        """Let a sum have the items of a tuple: their places count from its start, or from its end if it is the last.

        before: what may stand before the last one, beside the items of another tuple.
        """
        if _is_joined(value, node) or not self._is_apart(node, frame, is_last=is_last):
            self.mix(value, node, frame, result)
            return
        collection = replace(self.make(node, value.kind, frame)[0], context=_Sum(value, is_last, context(frame)))
        whole, contents = self.contents(value), self.contents(collection)
        if is_last:
            self.flow(whole.every, contents.some)
            contents.last = [self.item(whole, index) for index in range(whole.length or 0)]
        else:
            self._cut(whole, contents, range(sys.maxsize))
            contents.length, contents.is_open = None, True
        if before is not None:
            self.flow(before, contents.some)
            self.flow(before, contents.before)
        self.add(result, collection)

    def mix(self, value: Collection, node: ast.AST, frame: Frame, result: Slot) -> None:
        """Let a collection have the items of another one at any place."""
        collection, contents = self.make(node, value.kind, frame)
        self.flow(self.contents(value).every, contents.some)
        self.flow(self.contents(value).keys, contents.keys)
        self.add(result, collection)

    def at(self, value: Value, wanted: Key | None, key: Slot) -> Slot:
        """What is at an index or key of a value; None for one that is not known before the run."""
        if isinstance(value, Collection):
            return self.get(self.contents(value), wanted)
        if isinstance(value, Class) and (self.has_base(value.node, ENUMS) or self.is_given(value.node, "__getitem__")):
            slot = Slot()
            if self.is_given(value.node, "__getitem__"):
                self.call_with(self.attribute(value, "__getitem__"), [key], slot)
            else:
                self.add(slot, Instance(value.node))
            return slot
        if isinstance(value, Class) and self.binder(value.node, "__class_getitem__"):
            slot = Slot()
            self.call_with(self.attribute(value, "__class_getitem__"), [key], slot)
            return slot
        if isinstance(value, Class | External):
            slot = Slot()
            generic = isinstance(value, Class) or is_standard(value.name)
            self.add(slot, value if generic else Plain.UNKNOWN)  # list[int], and objects such as os.environ
            return slot
        if not isinstance(value, Instance):
            return self.elements(value)
        slot = Slot()
        self.flow(self.get(self.contents(value), wanted), slot)
        self.flow(self.record_at(value, wanted), slot)
        for method in ("__getitem__", "__missing__"):
            if self.binder(value.node, method):
                self.call_with(self.attribute(value, method), [key], slot)
        return slot

    def read_key(self, source: Slot, wanted: Key | None, result: Slot) -> None:
        """Let a slot have what is at a constant index or key of another one."""
        self.watch(source, lambda value: self.flow(self.at(value, wanted, self.other), result))

    def get(self, contents: Contents, wanted: Key | None, length: int | None = None) -> Slot:
        """The slot of a key in contents; length: of all that stands there, where only the last items are known."""
        if contents.last and isinstance(wanted, int) and (wanted < 0 or length is not None):
            place = len(contents.last) + wanted - (0 if wanted < 0 or length is None else length)
            return contents.last[place] if place >= 0 else contents.before
        if isinstance(wanted, int) and wanted < 0:
            wanted = contents.length + wanted if contents.length and contents.length >= -wanted else None
        return contents.every if wanted is None else self.item(contents, wanted)

    def record_at(self, value: Instance, wanted: Key | None) -> Slot:
        """The field at an index of an instance of a NamedTuple, nothing for other classes."""
        raise NotImplementedError

    def store_item(self, source: Slot, wanted: Key | None, key: Slot, stored: Slot, node: ast.expr) -> None:
        """Store to an index or key of everything that a slot has."""

        def store(value: Value) -> None:
            if isinstance(value, Instance) and self.binder(value.node, "__setitem__"):
                self.call_with(self.attribute(value, "__setitem__"), [key, stored], Slot())
            elif isinstance(value, Collection | Instance) or value is Plain.OTHER or isinstance(value, External):
                contents = self.contents(Plain.OTHER if isinstance(value, External) else value)
                exact = wanted is not None and not (isinstance(wanted, int) and wanted < 0)
                self.flow(stored, self.item(contents, wanted) if exact and wanted is not None else contents.some)
                self.flow(key, contents.keys)
            else:
                self.sink(stored, node)

        self.watch(source, store)

    def store_slice(self, whole: Value, key: Slot, stored: Slot, node: ast.expr) -> None:
        """Store what a slot has as a slice of a value: its items come among those that are there."""
        of_list = isinstance(whole, Instance) and not self.binder(whole.node, "__setitem__")
        if of_list or isinstance(whole, Collection):
            self.blur(self.contents(whole))
            self.iterate(stored, self.contents(whole).some)
            return
        if whole is Plain.OTHER or isinstance(whole, External):
            self.iterate(stored, self.contents(Plain.OTHER).some)
            stored = self._apart_from_tokens(stored)  # a slice of it is not looked into either: it is all of these
        self.store_item(self.constant(whole), None, key, stored, node)

    def _apart_from_tokens(self, source: Slot) -> Slot:
        """Return a slot with what another one has, but for tokens."""
        slot = Slot()
        self.watch(source, lambda value: None if isinstance(value, Token) else self.add(slot, value))
        return slot

    def unpack(self, source: Slot, index: int, result: Slot, length: int | None = None) -> None:
        """Let a slot have the item at an index of what is unpacked, all of it if that has a length.

        A negative index counts from the end.
        """
        self.flow(self._unpacked(source, index, length), result)

    def _unpacked(self, source: Slot, index: int, length: int | None) -> Slot:
        """Return a slot with what is unpacked: one for all who unpack the same, such as what nobody knows."""
        if (source, index, length) in self._items_of:
            return self._items_of[source, index, length]
        result = self._items_of[source, index, length] = Slot()

        def item(value: Value) -> None:
            if isinstance(value, Collection) and value.kind != "dict":
                self.flow(self.get(self.contents(value), index, length), result)
            elif isinstance(value, Instance) and self.is_tuple(value.node):
                self.flow(self.get(self.contents(value), index, length), result)
                self.flow(self.record_at(value, index), result)
            else:
                self.flow(self.elements(value), result)

        self.watch(source, item)
        return result

    # ------------------------------------------------------------------ what the storeys above know

    def is_tuple(self, node: ast.ClassDef) -> bool:
        """Whether objects of a class are tuples."""
        raise NotImplementedError

    def sink(self, slot: Slot, node: ast.expr) -> None:
        """Record that a slot's values go where they cannot be followed."""
        raise NotImplementedError


def key_of(node: ast.expr) -> Key | None:
    """The key that an expression is, when it is written as a constant."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = key_of(node.operand)
        return -value if isinstance(value, int) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int | str | bytes):
        return node.value
    return None


def _bounds(node: ast.expr) -> range | None:
    """The indices that a slice takes, when they are counted from the start."""
    assert isinstance(node, ast.Slice)
    start = 0 if node.lower is None else key_of(node.lower)
    stop = sys.maxsize if node.upper is None else key_of(node.upper)
    known = isinstance(start, int) and isinstance(stop, int) and node.step is None and start >= 0 and stop >= 0
    return range(start, stop) if known else None  # type: ignore[arg-type]


def _is_cut(value: Collection) -> bool:
    """Whether a value is what a slice gave: slices of slices are not distinguished, so that there is an end to them."""
    return isinstance(value.context, _Cut)


def _is_joined(value: Collection, node: ast.AST) -> bool:
    """Whether a value already has what this sum gave: sums in a loop are not distinguished, so that there is an end."""
    while isinstance(value.context, _Cut | _Sum):
        if value.node is node:
            return True
        value = value.context.whole
    return False
