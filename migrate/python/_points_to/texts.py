"""Texts of values, and exceptions on their way: what str, formats and containers show of them."""

from __future__ import annotations

import ast
import builtins

from migrate.python._points_to.calls import Calls
from migrate.python._points_to.domain import Class, Collection, External, Instance, Knowledge, Plain, Token, Value
from migrate.python._points_to.elements import CONTAINERS
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.slots import Slot, Watcher
from migrate.python.modules import Project

_SHOWING = ("__str__", "__repr__", "__format__")
_OPAQUE = frozenset({"generator", "closing", "future", "coroutine", "arguments"})
_RECORDS = frozenset({"dataclass", "define", "frozen", "mutable", "attrs"})  # those of attrs, too


class Texts(Calls):
    """Lets the texts that the Knowledge tells apart flow on. `output`: what is printed, logged and written.

    shows: the calls of Python's own that make or write texts, with each thing that they are given.
    """

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project, knowledge)
        self.output = Slot()
        self.shows: list[tuple[ast.expr, Slot]] = []
        self._texts: dict[Value, Slot] = {}
        self._told: dict[Slot, Slot] = {}

    # ------------------------------------------------------------------ texts

    def show(self, source: Slot, result: Slot) -> None:
        """Let a slot have the texts of everything that another one has, or holds."""

        def show(value: Value) -> None:
            if isinstance(value, Token):
                self.add_all(result, self.knowledge.text(value))
            elif isinstance(value, Collection | Instance):
                self.flow(self._text_of(value), result)

        if source is not self.other:
            self.watch(source, show)

    def _text_of(self, value: Collection | Instance) -> Slot:
        """Return the slot of what the text of an object has: one for all that show it, objects may hold each other."""
        if value not in self._texts:
            text = self._texts[value] = Slot()
            for method in self.shows_itself(value):
                self.call_with(method, [], text)
            for part in (*self.shown(value), *self._whole(value)):
                self.show(part, text)
            if isinstance(value, Collection) and value.kind == "namespace":
                self.on_fields(value, lambda _, part: self.show(part, text))
        return self._texts[value]

    def shown(self, value: Collection | Instance) -> list[Slot]:
        """Return what the text of an object is made of, if Python makes it."""
        if isinstance(value, Collection):
            if value.kind == "namespace":
                return list(self.fields.get(value, {}).values())
            contents = self.contents(value)
            return [] if value.kind in _OPAQUE else [contents.some, contents.keys, *contents.items.values()]
        if self.binder(value.node, "__repr__"):
            return []
        if self._is_error(value):
            return [self.field(value, "args")]
        contents = self.contents(value)
        inside = [contents.every, contents.keys] if self.has_base(value.node, CONTAINERS) else []
        return inside + [self.field(value, name) for name in self._shown_fields(value.node)]

    def compared(self, value: Value) -> list[Slot]:
        """Return what `==` of two objects and their hashes look at, if Python makes these."""
        if isinstance(value, Collection):
            fields = self.fields.get(value, {}).values() if value.kind == "namespace" else ()
            return [] if value.kind in _OPAQUE else [*fields, self.contents(value).every, self.contents(value).keys]
        if not isinstance(value, Instance):
            return []
        names = self.record_names(value.node) if self._compares_fields(value.node) else []
        is_container = self.has_base(value.node, CONTAINERS) and self.binder(value.node, "__eq__") is None
        contents = self.contents(value)
        inside = [contents.every, contents.keys] if is_container else []
        return inside + [self.field(value, name) for name in names]

    def _compares_fields(self, node: ast.ClassDef) -> bool:
        """Whether Python makes the `__eq__` of a record: of a class, or of the first of its bases that has one."""
        for base in self.order(node):
            if isinstance(base, Class) and self.binder(base.node, "__eq__") == base:
                return False
            if isinstance(base, Class) and any(_is_record(decorator, "eq") for decorator in base.node.decorator_list):
                return True
        return self.is_tuple(node)

    def _whole(self, value: Collection | Instance) -> list[Slot]:
        """Return the slot of everything in a collection, which may get items at places that are not known yet."""
        opaque = isinstance(value, Instance) or value.kind in _OPAQUE
        return [] if opaque else [self.contents(value).every]

    def shows_itself(self, value: Collection | Instance) -> list[Slot]:
        """Return the methods of the program's own that make the text of an object."""
        if isinstance(value, Collection):
            return []
        return [self.attribute(value, name) for name in _SHOWING if self.binder(value.node, name)]

    def _shown_fields(self, node: ast.ClassDef) -> list[str]:
        """Return the fields that the text of a NamedTuple or a dataclass shows."""
        if not self.is_tuple(node) and not any(_is_record(decorator, "repr") for decorator in node.decorator_list):
            return []
        bodies = (base.node.body for base in self.order(node) if isinstance(base, Class))
        fields = (part for body in bodies for part in body if isinstance(part, ast.AnnAssign))
        left_out = {ast.unparse(part.target) for part in fields if _switches_off(part.value, "repr")}
        return [name for name in self.record_names(node) if name not in left_out]

    def derive(self, site: Site) -> None:
        """Let what a function of Python's own makes of a text be one, too: a length, a hash, what was parsed."""
        for slot in site.slots():
            if slot is not self.other:
                self.flow(self._texts_in(slot), site.result)

    def _texts_in(self, slot: Slot) -> Slot:
        """Return a slot with those of another one that are texts: one for all calls, many are given the same."""
        if slot not in self._told:
            told = self._told[slot] = Slot()

            def look(value: Value) -> None:
                if isinstance(value, Token) and value in self.knowledge.text(value):
                    self.add(told, value)

            self.watch(slot, look)
        return self._told[slot]

    def show_caught(self, frame: Frame, node: ast.expr, result: Slot) -> None:
        """Let a slot have the text of an exception of Python's own that an except clause binds to a name."""
        variable = frame.names.of.get(node)  # none, where a library calls what is given to it elsewhere
        bindings = variable.bindings if variable and isinstance(node, ast.Name) else ()
        if any(isinstance(binding, ast.ExceptHandler) for binding in bindings):
            self.watch(self.slot(frame, node), lambda value: self._show_arguments(value, result))

    def _show_arguments(self, value: Value, result: Slot) -> None:
        if value is Plain.OTHER:
            self.show(self.arguments, result)

    def keep_arguments(self, instance: Instance, site: Site) -> None:
        if self._is_error(instance):
            args, contents = self.make(site.node, "tuple", site.frame, place=("args",))
            for index, (slot, star) in enumerate(site.positional):
                self.flow(slot, contents.some if star else self.item(contents, index))
            self.add(self.field(instance, "args"), args)

    def _is_error(self, instance: Instance) -> bool:
        return any(builtin_error(base) for base in self.order(instance.node))

    @property
    def arguments(self) -> Slot:
        """The arguments of all exceptions that are not the Knowledge's."""
        return self.field(Plain.OTHER, "args")

    # ------------------------------------------------------------------ exceptions

    def handled(self, frame: Frame, node: ast.AST, result: Slot) -> None:
        """Let a slot have the exception that is being handled where a node stands."""
        handlers = (above for above in frame.names.above(node) if isinstance(above, ast.ExceptHandler))
        kind = next((handler.type for handler in handlers), None)
        if kind is None:
            self.in_flight(result)
        else:
            self.caught(self.slot(frame, kind), result)

    def in_flight(self, result: Slot) -> None:
        """Let a slot have any exception."""
        self.flow(self.raised, result)
        self.add_all(result, self.knowledge.in_flight())

    def caught(self, kinds: Slot, result: Slot) -> None:
        """Let a slot have the exceptions of the Knowledge's that are of some classes."""
        self.each_kind(kinds, lambda kind: self.add_all(result, self.knowledge.caught(kind) or ()))

    def each_kind(self, kinds: Slot, take: Watcher) -> None:
        """Call a watcher with each class that an `except` clause names, also in tuples that have a name."""
        every = Slot()

        def look(kind: Value) -> None:
            if isinstance(kind, Collection):
                self.flow(self.contents(kind).every, every)  # once, also where a tuple seems to hold itself
            else:
                take(kind)

        self.flow(kinds, every)
        self.watch(every, look)


def _is_record(decorator: ast.expr, asked: str) -> bool:
    """Whether a decorator makes a record's `__repr__` or `__eq__`."""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(name).rpartition(".")[2] in _RECORDS and not _switches_off(decorator, asked)


def _switches_off(call: ast.expr | None, asked: str) -> bool:
    """Whether a call says `repr=False` or `eq=False`."""
    keywords = call.keywords if isinstance(call, ast.Call) else []
    return any(word.arg == asked and getattr(word.value, "value", True) is False for word in keywords)


def builtin_error(value: Value) -> type[BaseException] | None:
    """Return the exception class of Python's own that a value is."""
    name = value.name.removeprefix("builtins.") if isinstance(value, External) else ""
    kind = getattr(builtins, name, None)
    return kind if isinstance(kind, type) and issubclass(kind, BaseException) else None
