"""What each kind of statement means for values; no reader looks further in than its own node."""

from __future__ import annotations

import ast

from migrate.python._points_to.classes import ENUMS
from migrate.python._points_to.domain import (
    Class,
    Collection,
    Descriptor,
    External,
    Function,
    Instance,
    Knowledge,
    Module,
    Plain,
    Token,
    Value,
)
from migrate.python._points_to.expressions import Expressions
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import IMPLICIT, Frame, Key
from migrate.python._points_to.items import key_of
from migrate.python._points_to.library_collections import merge
from migrate.python._points_to.slots import Slot
from migrate.python._points_to.texts import builtin_error
from migrate.python.modules import Project


class Statements(Expressions):
    """Reads the bodies of frames."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project, knowledge)
        self._throws: dict[Value, Slot] = {}

    # ------------------------------------------------------------------ definitions

    def read_function(self, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        function = Function(node, frame)
        self.defined[function] = None
        slot = self.constant(function)
        if isinstance(node, ast.Lambda):
            self.add(self.slot(frame, node), function)
            return
        self.flow(self._decorated(frame, node, slot), self.variable(frame, frame.names.of[node]))

    def _decorated(self, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, slot: Slot) -> Slot:
        for decorator in reversed(node.decorator_list):
            result = Slot()
            self._decorate(frame, decorator, slot, result)
            slot = result
        return slot

    def _decorate(self, frame: Frame, decorator: ast.expr, slot: Slot, result: Slot) -> None:
        def apply(value: Value) -> None:
            known = not isinstance(value, Plain | External) or (
                isinstance(value, External) and self.summary_of(value.name) is not None
            )
            if known:
                self.call_value(value, Site(decorator, frame, [(slot, False)], result=result))
            else:
                self.flow(slot, result)  # a decorator that nobody knows gives the function itself

        self.watch(self.slot(frame, decorator), apply)

    def read_class(self, frame: Frame, node: ast.ClassDef) -> None:
        self.define_class(frame, node, [self.slot(frame, base) for base in node.bases])
        slot = self.constant(Class(node))
        self.flow(self._decorated(frame, node, slot), self.variable(frame, frame.names.of[node]))
        site = Site(IMPLICIT, frame, [(slot, False)])
        site.keywords |= {word.arg: self.slot(frame, word.value) for word in node.keywords if word.arg}

        def registers(base: Value) -> None:
            if isinstance(base, Class):
                self.call(self.field(base, "__init_subclass__"), site)

        self.search(node, "__init_subclass__", registers, after=node)
        self.watch(self.kinds(node), lambda kind: self._make_class(kind, node, site))
        self.later(lambda: self._make_members(frame, node))

    def _make_members(self, frame: Frame, node: ast.ClassDef) -> None:
        """Make each member of an enumeration of its value."""
        methods: dict[str, Value] = {"__new__": Class(node), "__init__": Instance(node)}

        def make(value: Value) -> None:
            if isinstance(value, Function | Descriptor):
                return
            is_row = isinstance(value, Collection) and value.kind == "tuple"
            row = Site(IMPLICIT, frame, [(self.constant(value), is_row)])
            self.fill_record(Instance(node), row)
            for method, owner in methods.items():
                if binder := self.binder(node, method):
                    self.call(self.field(binder, method), row.after(self.constant(owner)))

        for name in sorted(self.classes[node].bound) if self.has_base(node, ENUMS) else ():
            self.watch(self.field(Class(node), name), make)

    def _make_class(self, kind: Value, node: ast.ClassDef, site: Site) -> None:
        """Call a metaclass of the project, which makes a class."""
        if not isinstance(kind, Class) or kind.node not in self.classes:
            return
        self.classes[kind.node].created = True
        self.add(self.field(kind, "type.made"), Class(node))
        body, contents = self.make(node, "dict", site.frame)
        for name in sorted(self.classes[node].bound):
            self.flow(self.field(Class(node), name), self.item(contents, name))

        def bind(name: Key, slot: Slot) -> None:
            self.flow(slot, self.field(Class(node), str(name)))

        self.on_items(contents, bind)
        if self.binder(kind.node, "__prepare__"):
            prepared = Site(IMPLICIT, site.frame, [(self.other, False), (self.other, False)])
            self.call(self.attribute(kind, "__prepare__"), prepared)
            self.watch(prepared.result, lambda value: self.on_items(self.contents(value), bind))
        given = [self.other, self.other, self.constant(body)]  # its name, its bases, and the names that its body binds
        words = {name: slot for name, slot in site.keywords.items() if name != "metaclass"}
        made = Site(IMPLICIT, site.frame, [(slot, False) for slot in given], words)
        for name, owner in (("__new__", kind), ("__init__", Class(node))):
            if binder := self.binder(kind.node, name):
                self.call(self.field(binder, name), made.after(self.constant(owner)))

    def read_return(self, frame: Frame, node: ast.Return) -> None:
        self.flow(self.slot(frame, node.value) if node.value else self.none, frame.returned)

    # ------------------------------------------------------------------ assignments

    def assign(self, frame: Frame, target: ast.expr, value: Slot) -> None:
        """Let a slot flow into a target, whatever its form."""
        if isinstance(target, ast.Name):
            self.flow(value, self.variable(frame, frame.names.of[target]))
        elif isinstance(target, ast.Attribute):
            self.store(self.slot(frame, target.value), self.attribute_name(frame, target), value, target)
        elif isinstance(target, ast.Subscript):
            key, owner = self.slot(frame, target.slice), self.slot(frame, target.value)
            if isinstance(target.slice, ast.Slice):
                self.watch(owner, lambda whole: self.store_slice(whole, key, value, target))
            else:
                self.store_item(owner, key_of(target.slice), key, value, target)
        elif isinstance(target, ast.Starred):
            self.assign(frame, target.value, value)
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(frame, target, value)

    def _unpack(self, frame: Frame, target: ast.Tuple | ast.List, value: Slot) -> None:
        star = next((place for place, item in enumerate(target.elts) if isinstance(item, ast.Starred)), None)
        for place, item in enumerate(target.elts):
            part = Slot()
            if star is None or place < star:
                self.unpack(value, place, part, len(target.elts) if star is None else None)
            elif place > star:
                self.unpack(value, place - len(target.elts), part)
            else:
                self._take_rest(frame, item, value, place, len(target.elts) - 1, part)
            self.assign(frame, item, part)

    def _take_rest(self, frame: Frame, item: ast.expr, value: Slot, start: int, others: int, part: Slot) -> None:
        """Make the list of `*rest`: from a tuple of known length with its items in their places."""

        def take(source: Value) -> None:
            length = self.contents(source).length if isinstance(source, Collection) and source.kind == "tuple" else None
            rest, contents = self.make(item, "list", frame, place=() if length is None else (length,))
            if length is None:
                self.flow(self.elements(source), contents.some)
            else:
                contents.length = max(length - others, 0)
                for index in range(contents.length):
                    self.flow(self.item(self.contents(source), start + index), self.item(contents, index))
            self.add(part, rest)

        self.watch(value, take)

    def read_assign(self, frame: Frame, node: ast.Assign) -> None:
        value = self.slot(frame, node.value)
        for target in node.targets:
            self.assign(frame, target, value)

    def read_target_value(self, frame: Frame, node: ast.AnnAssign | ast.NamedExpr) -> None:
        if node.value is not None:
            self.assign(frame, node.target, self.slot(frame, node.value))

    def read_augmented(self, frame: Frame, node: ast.AugAssign) -> None:
        old, result = Slot(), Slot()
        target = node.target
        if isinstance(target, ast.Name):
            old = self.variable(frame, frame.names.of[target])
        elif isinstance(target, ast.Attribute):
            self.load(self.slot(frame, target.value), self.attribute_name(frame, target), old, None)
        else:
            self.read_item(self.slot(frame, target.value), target, frame, self.slot(frame, target.slice), old)
        self._operate(frame, node, node.op, old, self.slot(frame, node.value), result)
        self.watch(old, lambda value: self.extend(value, self.slot(frame, node.value)))
        self.assign(frame, target, result)

    def extend(self, value: Value, added: Slot) -> None:
        """`items += more` puts them into the same list, `table |= more` into the same dictionary."""
        if isinstance(value, Collection) and value.kind == "dict":
            merge(self, added, value)
        elif isinstance(value, Collection):
            self.iterate(added, self.contents(value).some)

    # ------------------------------------------------------------------ loops, with, raise

    def read_loop(self, frame: Frame, node: ast.For | ast.AsyncFor | ast.comprehension) -> None:
        item = Slot()
        self.iterate(self.slot(frame, node.iter), item)
        self.assign(frame, node.target, item)

    def read_with(self, frame: Frame, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            entered = Slot()
            self.enter(self.slot(frame, item.context_expr), entered)
            if item.optional_vars is not None:
                self.assign(frame, item.optional_vars, entered)

    def read_raise(self, frame: Frame, node: ast.Raise) -> None:
        def raised(value: Value) -> None:
            if isinstance(value, Class):
                self.call_value(value, Site(node.exc or IMPLICIT, frame, result=self.raised))
            elif isinstance(value, Instance):
                self.add(self.raised, value)

        if node.exc is not None:
            self.watch(self.slot(frame, node.exc), raised)
        if node.cause is not None:
            self.flow(self.slot(frame, node.cause), self.field(Plain.OTHER, "__cause__"))

    def read_handler(self, frame: Frame, node: ast.ExceptHandler) -> None:
        if node.name is None:
            return
        target = self.variable(frame, frame.names.of[node])
        for kind in node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]:
            if kind is not None:
                self.each_kind(self.slot(frame, kind), lambda value: self._caught(value, target))

    def _caught(self, value: Value, target: Slot) -> None:
        if isinstance(value, Class):
            self.add(target, Instance(value.node))
        elif not isinstance(value, Token):
            self.add(target, self.opaque(value))
        self.flow(self._thrown(value), target)
        self.add_all(target, self.knowledge.caught(value) or ())

    def _thrown(self, caught: Value) -> Slot:
        """Return a slot with the exceptions of the project that a class catches: one for all handlers that name it."""
        if caught not in self._throws:
            throws = self._throws[caught] = Slot()

            def raised(thrown: Value) -> None:
                if isinstance(thrown, Instance) and self._catches(caught, thrown):
                    self.add(throws, thrown)

            self.watch(self.raised, raised)
        return self._throws[caught]

    def _catches(self, caught: Value, thrown: Instance) -> bool:
        if isinstance(caught, Class):
            return self.extends(thrown.node, caught)
        bases = [builtin_error(base) for base in self.order(thrown.node)]
        kind = builtin_error(caught)
        return kind is None or any(base is not None and issubclass(base, kind) for base in bases)

    # ------------------------------------------------------------------ imports

    def read_import(self, frame: Frame, node: ast.Import) -> None:
        for alias in node.names:
            name = alias.name if alias.asname else alias.name.partition(".")[0]
            self.add_all(self.variable(frame, frame.names.of[alias]), self.module_values(frame, name))

    def read_import_from(self, frame: Frame, node: ast.ImportFrom) -> None:
        home = Slot()
        self.add_all(home, self.module_values(frame, node.module or "", node.level))
        for alias in node.names:
            if alias.name != "*":
                slot = self.variable(frame, frame.names.of[alias])
                self.load(home, alias.name, slot, None)
                if any(isinstance(value, Module) and value.path is None for value in home.values):
                    inner = self.knowledge.module(f"{'.' * node.level}{node.module or ''}.{alias.name}")
                    self.add_all(slot, [inner] if inner else [])
