"""Calls: what a called value leads to, and what leaves the project."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

from migrate.python._points_to.callbacks import Callbacks
from migrate.python._points_to.classes import TUPLES, TYPED
from migrate.python._points_to.domain import (
    Arguments,
    Bound,
    Class,
    Collection,
    Descriptor,
    External,
    Function,
    Instance,
    Knowledge,
    Module,
    Partial,
    Plain,
    Token,
    Value,
)
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import IMPLICIT, Frame
from migrate.python._points_to.slots import Slot
from migrate.python.modules import Project

MAX_PARTIALS = 3  # of each other: a name that is given ever new ones leads to all of them in every order


class Calls(Callbacks):
    """Calls of functions, classes, objects, tokens and what is not of the project."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project, knowledge)
        self.raised = Slot()
        self.sinks: dict[Token, dict[ast.expr, None]] = {}
        self.deep_sinks: dict[Token, dict[ast.expr, None]] = {}
        self._partials: dict[Partial, list[tuple[Slot, Site]]] = {}
        self._escaped: set[tuple[Value, bool]] = set()
        self._sunk: set[tuple[Slot, ast.expr]] = set()

    # ------------------------------------------------------------------ dispatch

    def call(self, function: Slot, site: Site) -> None:
        """Call everything that a slot has."""
        self.watch(function, lambda value: self.call_value(value, site))

    def call_with(self, function: Slot, arguments: list[Slot], result: Slot) -> None:
        site = Site(IMPLICIT, next(iter(self.modules.values())), [(slot, False) for slot in arguments], result=result)
        self.call(function, site)

    def call_value(self, value: Value, site: Site) -> None:
        """Call one value."""
        if isinstance(value, Function):
            self.call_function(value, site)
        elif isinstance(value, Bound):
            self.call_value(value.function, site.after(*(self.constant(argument) for argument in value.arguments)))
        elif isinstance(value, Class):
            if self.is_given(value.node, "__call__"):
                self.call(self.attribute(value, "__call__"), site)
            else:
                self.construct(value, site)
        elif isinstance(value, Token):
            self._call_token(value, site)
        elif isinstance(value, Instance):
            self._call_instance(value, site)
        elif isinstance(value, Partial):
            self._call_partial(value, site)
        elif isinstance(value, Descriptor):
            self.call_value(value.function, site)
        elif isinstance(value, External):
            self.call_external(value.name, site)
        elif value is Plain.OTHER:
            self.call_external("", site)
        elif value is Plain.UNKNOWN or isinstance(value, Module | Collection):
            self.leave(site)

    def call_external(self, name: str, site: Site) -> None:
        """Call a function, class or method that is not of the project."""
        raise NotImplementedError

    def leave(self, site: Site) -> None:
        """Let all arguments of a call go where they cannot be followed."""
        for slot in site.slots():
            self.sink(slot, site.node)
        self.add(site.result, Plain.UNKNOWN)

    def _call_instance(self, value: Instance, site: Site) -> None:
        """Call what an object calls as `__call__`; a call that goes through it again is followed no further."""
        if value in site.through:
            self.leave(site)
        else:
            self.call(self.attribute(value, "__call__"), replace(site, through=(*site.through, value)))

    def _call_partial(self, value: Partial, site: Site) -> None:
        """Call what a partial is made of; arguments of one of itself, or of many others, are followed no further."""
        is_last = value in site.through or len(site.through) >= MAX_PARTIALS
        for function, given in self._partials[value]:
            merged = replace(site, keywords={**given.keywords, **site.keywords}, through=(*site.through, value))
            merged.positional = [*given.positional, *site.positional]
            merged.splats, merged.operand = [*given.splats, *site.splats], given.operand
            if is_last:
                self.leave(merged)
            else:
                self.call(function, merged)

    def make_partial(self, node: ast.AST, frame: Frame, function: Slot, site: Site) -> Partial:
        """Make the value that calls a function with arguments given now."""
        value = Partial(node, frame)
        self._partials.setdefault(value, []).append((function, site))
        return value

    # ------------------------------------------------------------------ tokens

    def _call_token(self, token: Token, site: Site) -> None:
        """Ask the Knowledge, again whenever more is known of the arguments."""
        if self.knowledge.stores(token):
            self._store(site)
            return

        def ask() -> None:
            arguments = self._arguments(site)
            answer = self.knowledge.call(token, site.node, arguments)
            if answer is None:
                self.leave(site)
            else:
                self.give(site.result, answer, site.node, site.frame, site.place)
                self.later_of(token, site, arguments)

        def ask_again(_: Value) -> None:
            self.later(ask)

        def look_inside(value: Value) -> None:
            if isinstance(value, Collection):
                self.watch(self.contents(value).every, ask_again)

        for slot in site.slots():
            self.watch(slot, ask_again)
        for slot in site.stars():
            self.watch(slot, look_inside)
        self.later(ask)

    def _store(self, site: Site) -> None:
        """Let cells have the items of the first argument."""
        source, *cells = (slot for slot, _ in site.positional)
        self.unpack(source, 0, site.result)
        for index, cell in enumerate(cells, 1):
            item = Slot()
            self.unpack(source, index, item)
            self._store_in(cell, item)

    def _store_in(self, cell: Slot, item: Slot) -> None:
        def store(value: Value) -> None:
            if isinstance(value, Collection):
                self.flow(item, self.item(self.contents(value), 0))

        self.watch(cell, store)

    def _arguments(self, site: Site) -> Arguments:
        positional: list[frozenset[Value]] = []
        behind = [value for slot in site.splats for value in slot.values if isinstance(value, Collection)]
        hidden = [self.contents(value).every for value in behind]
        starred, is_open, longest = bool(site.splats), any(slot.values for slot in hidden), 0.0
        for slot, star in site.positional:
            contents = [self.contents(value) for value in slot.values if isinstance(value, Collection)]
            lengths = {inside.length for inside in contents}
            if not star:
                positional.append(frozenset(slot.values))
            elif len(lengths) == 1 and len(contents) == len(slot.values) and None not in lengths:
                for index in range(lengths.pop() or 0):
                    slots = [self.item(inside, index) for inside in contents]
                    positional.append(frozenset(value for item in slots for value in item.values))
            else:
                starred = True
                hidden += [inside.every for inside in contents]
                is_open = is_open or len(contents) < len(slot.values)
                longest += max((inside.most for inside in contents), default=0)
        keywords = {name: frozenset(slot.values) for name, slot in site.keywords.items()}
        unseen = frozenset(value for slot in hidden for value in slot.values)
        most = math.inf if is_open else len(positional) + longest
        return Arguments(positional, keywords, starred, unseen, most)

    # ------------------------------------------------------------------ classes

    def construct(self, value: Class, site: Site) -> None:
        """Make an instance of a class, as `type.__call__` does."""
        instance = Instance(value.node)
        info = self.classes.get(value.node)
        if info is None:
            return
        info.created = True
        if self.binder(value.node, "__new__"):
            made = Slot()
            self.call(self.attribute(value, "__new__"), replace(site.after(self.constant(value)), result=made))
            self.flow(made, site.result)
        elif not self.has_base(value.node, TYPED):
            self.add(site.result, instance)
        done: set[Value] = set()

        def found(base: Value) -> None:
            if base in done:
                return
            done.add(base)
            inner = replace(site.after(self.constant(instance)), result=Slot())
            if isinstance(base, Class):
                bound = self.classes[base.node].bound if base.node in self.classes else frozenset()
                if "__init__" in bound:
                    self.call(self.field(base, "__init__"), inner)
            elif isinstance(base, External) and base.name in TYPED:
                self.call_external("builtins.dict", site)
            elif isinstance(base, External):
                self.call_external(f"{base.name}.__init__", inner)
            elif base is Plain.UNKNOWN:
                self.leave(replace(site, result=Slot()))

        self.search(value.node, "__init__", found)
        self.keep_arguments(instance, site)
        self.later(lambda: self.fill_record(instance, site))

    def keep_arguments(self, instance: Instance, site: Site) -> None:
        """Let an exception have the arguments that make it."""
        raise NotImplementedError

    def fill_record(self, instance: Instance, site: Site) -> None:
        """Let arguments flow into the annotated fields of a dataclass, NamedTuple or the like."""
        if self.binder(instance.node, "__init__"):
            return
        names = self.record_names(instance.node)
        given: set[str] = set()
        for index, (slot, star) in enumerate(site.positional):
            for offset, name in enumerate(names[index:] if star else names[index : index + 1]):
                if star:
                    self.unpack(slot, offset, self.field(instance, name))
                else:
                    given.add(name)
                    self.flow(slot, self.field(instance, name))
        for name, slot in site.keywords.items():
            if name in names:
                given.add(name)
                self.flow(slot, self.field(instance, name))
        for slot in site.splats:
            for name in names:
                self.read_key(slot, name, self.field(instance, name))
        for name in names:
            binder = self.binder(instance.node, name)
            if binder is not None and name not in given:
                self.flow(self.field(binder, name), self.field(instance, name))
        if names and self.binder(instance.node, "__post_init__"):
            passed = [self.field(instance, name) for name in names if name in self.passed_on(instance.node)]
            self.call_with(self.attribute(instance, "__post_init__"), passed, Slot())

    def record_names(self, node: ast.ClassDef) -> list[str]:
        """The annotated fields of a class and its bases, in order."""
        names: dict[str, None] = {}
        for base in reversed(self.order(node)):
            for statement in base.node.body if isinstance(base, Class) else []:
                if isinstance(statement, ast.AnnAssign) and _is_field(statement):
                    names[ast.unparse(statement.target)] = None
        return list(names)

    def is_record_field(self, node: ast.ClassDef, name: str) -> bool:
        return self.binder(node, "__init__") is None and name in self.record_names(node)

    def passed_on(self, node: ast.ClassDef) -> frozenset[str]:
        """The fields that `__post_init__` gets as arguments."""
        return frozenset(
            statement.target.id
            for base in self.order(node)
            if isinstance(base, Class)
            for statement in base.node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
            if "InitVar" in ast.unparse(statement.annotation)
        )

    def record(self, value: Instance) -> Slot:
        slot = Slot()
        if self.is_tuple(value.node):
            for name in self.record_names(value.node):
                self.flow(self.field(value, name), slot)
        return slot

    def record_at(self, value: Instance, wanted: object) -> Slot:
        names = self.record_names(value.node) if self.is_tuple(value.node) else []
        if isinstance(wanted, int) and -len(names) <= wanted < len(names):
            return self.field(value, names[wanted])
        return self.record(value)

    def is_tuple(self, node: ast.ClassDef) -> bool:
        """Whether objects of a class are tuples."""
        return self.has_base(node, TUPLES)

    # ------------------------------------------------------------------ what leaves the project

    def sink(self, slot: Slot, node: ast.expr) -> None:
        if (slot, node) not in self._sunk:  # a call that leads to many unknown functions gives them all the same
            self._sunk.add((slot, node))
            self.watch(slot, lambda value: self._escape(value, node, False))

    def _escape(self, value: Value, node: ast.expr, deep: bool) -> None:
        if isinstance(value, Token):
            (self.deep_sinks if deep else self.sinks).setdefault(value, {})[node] = None
            return
        if isinstance(value, Plain | External | Module) or (value, deep) in self._escaped:
            return
        self._escaped.add((value, deep))
        if isinstance(value, Collection):
            self.watch(self.contents(value).every, lambda item: self._escape(item, node, deep))
            self.watch(self.contents(value).keys, lambda item: self._escape(item, node, deep))
        elif isinstance(value, Instance):
            self.on_fields(value, lambda _, slot: self.watch(slot, lambda item: self._escape(item, node, True)))
        elif isinstance(value, Function | Bound | Partial | Descriptor):
            if isinstance(value, Bound):
                for argument in value.arguments:
                    self._escape(argument, node, deep)
            if (value, not deep) not in self._escaped:
                self.call_from_outside(value, node)

    def call_from_outside(self, value: Value, node: ast.expr) -> None:
        """Call a value as unknown code would; what it returns goes out as well."""
        frame = next(iter(self.modules.values()))
        site = Site(node, frame, [(self.unknown, True)], splats=[self.unknown], is_outside=True)
        self.call_value(value, site)
        self.sink(site.result, node)


def _is_field(statement: ast.AnnAssign) -> bool:
    annotation = ast.unparse(statement.annotation)
    left_out = isinstance(statement.value, ast.Call) and any(
        keyword.arg == "init" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in statement.value.keywords
    )
    return not left_out and "ClassVar" not in annotation and "KW_ONLY" not in annotation
