"""Attributes of every kind of value: of modules, objects, tokens, collections and the standard library's objects."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from migrate.python._points_to import library
from migrate.python._points_to.classes import ENUMS, OBJECT
from migrate.python._points_to.domain import (
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
    Super,
    Token,
    Value,
)
from migrate.python._points_to.elements import CONTAINERS
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import Frame, Key
from migrate.python._points_to.items import key_of
from migrate.python._points_to.slots import Slot
from migrate.python._points_to.texts import Texts
from migrate.python.modules import Project, is_standard

MAX_DOTS = 4  # `place = place.parent` in a loop would go on for ever
HOOKS = frozenset({"excepthook", "unraisablehook"})  # which are given an exception, as `__exit__` is, or have it
CHAINED = frozenset({"__cause__", "__context__"})  # what Python itself stores on an exception
CLASS_METHODS = frozenset({"_make"})  # of classes of the standard library
VARIABLES = "variables"  # the place of a collection that is the namespace of a module or object
CALLED_BY_NAME = frozenset({"__init__", "__new__", "__setattr__", "__getattribute__", "__getitem__", "__setitem__"})
GIVEN = "(given)"  # the field of an instance with what its library's class was made of, whatever it calls that
_THREAD = ("group", "target", "name", "args", "kwargs")
# What classes of the standard library are made of: each is then an attribute of that name, or of `_` and that name.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "contextlib.aclosing": ("thing",),
    "contextlib.closing": ("thing",),
    "contextlib.nullcontext": ("enter_result",),
    "logging.LoggerAdapter": ("logger", "extra"),
    "multiprocessing.Process": _THREAD,
    "multiprocessing.context.Process": _THREAD,
    "threading.Thread": _THREAD,
    "threading.Timer": ("interval", "function", "args", "kwargs"),
    "weakref.ref": ("object", "callback"),
}
BARE = frozenset({"abc.ABC", "typing.Generic", "typing.Protocol"})  # whose objects have what every object has
WRAPPING = frozenset({"collections.UserDict", "collections.UserList"})  # their `data` has what they have


class Attributes(Texts):
    """Reads and stores attributes, and calls what is not of the project."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        super().__init__(project, knowledge)
        self._module_names: dict[tuple[Path, str], Slot] = {}
        self._namespaces: dict[Path, list[Value]] = {}
        self._dictionaries: set[Value] = set()
        self._looses: dict[Slot, Slot] = {}

    # ------------------------------------------------------------------ reading

    def load(self, source: Slot, name: str, result: Slot, node: ast.expr | None) -> None:
        """Let a slot have an attribute of everything that another one has."""
        self.watch(source, lambda value: self._load(value, name, result, node))

    def _load(self, value: Value, name: str, result: Slot, node: ast.expr | None) -> None:
        if isinstance(value, Instance | Class | Super):
            self.flow(self.attribute(value, name), result)
            if name == "__class__" and isinstance(value, Instance):
                self.add(result, Class(value.node))
            elif name == "__dict__" and isinstance(value, Instance):
                self.own_dictionary(value, result)
            elif name == "__dict__":
                self.add(result, Plain.UNKNOWN)
            elif name in CHAINED:
                self._load(Plain.OTHER, name, result, node)
        elif isinstance(value, Token):
            self.token_attribute(value, name, result, node)
        elif isinstance(value, Module):
            self._load_from_module(value, name, result)
        elif isinstance(value, External):
            self.add(result, External(f"{value.name}.{name}") if _is_named(value, name) else self.opaque(value))
        elif isinstance(value, Collection):
            self._load_from_collection(value, name, result)
        elif isinstance(value, Descriptor | Function | Bound | Partial):
            self._load_from_function(value, name, result)
        elif value is Plain.OTHER:
            self.flow(self.field(value, name), result)
            self.add(result, Bound(External(f".{name}"), (value,)) if f".{name}" in library.SUMMARIES else value)
            if name == "__context__":
                self.in_flight(result)
        elif value is Plain.UNKNOWN:
            self.add(result, value)
            if name == "getMessage":  # of a record that logging passes to a handler
                self.add(result, Bound(External(f".{name}"), (value,)))

    def load_all(
        self, value: Instance | Class, beginning: str, result: Slot, without: frozenset[str] = frozenset()
    ) -> None:
        """Let a slot have every attribute of a class or an instance whose name begins so, but for some."""

        def found(base: Value) -> None:
            known = self.classes.get(base.node) if isinstance(base, Class) else None
            for name in sorted(known.bound) if known else ():
                field(name, result)
            if not isinstance(base, Class) and self.opaque(base) is Plain.UNKNOWN:
                self.add(result, Plain.UNKNOWN)  # Python's own classes have no methods that a program begins so

        def field(name: str, _: Slot) -> None:
            if name.startswith(beginning) and name not in without:
                self.flow(self.attribute(value, name), result)

        self.search(value.node, "", found)
        self.on_fields(value, field)
        self.flow(self.field(value, "*"), result)

    def _load_from_function(self, value: Value, name: str, result: Slot) -> None:
        self.flow(self.field(value, name), result)
        if name in ("setter", "getter", "deleter") and isinstance(value, Descriptor):
            self.add(result, Bound(External(f".{name}"), (value,)))
        elif name == "__self__" and isinstance(value, Bound):
            self.add(result, value.arguments[0])
        elif name == "func" and isinstance(value, Partial):
            for function, _ in self._partials[value]:
                self.flow(function, result)
        elif name == "args" and isinstance(value, Partial):
            for _, given in self._partials[value]:
                slots = [slot for slot, _ in given.positional]
                self.add(result, self.make(given.node, "tuple", given.frame, *slots, place=(name,))[0])
        elif name == "keywords" and isinstance(value, Partial):
            for _, given in self._partials[value]:
                slots = [*given.keywords.values(), *given.splats]
                self.add(result, self.make(given.node, "dict", given.frame, *slots, place=(name,))[0])
        elif name in ("__func__", "__wrapped__", "func", "fget"):
            self.add(result, value.function if isinstance(value, Bound | Descriptor) else value)
        elif name == "register" and isinstance(value, Descriptor | Partial):  # functools.singledispatch
            self.add(result, Bound(External("functools.register"), (value,)))
        elif name == "__call__":
            self.add(result, value)
        else:
            self.otherwise(result, lambda: self.add(result, Plain.OTHER))

    def _load_from_collection(self, value: Collection, name: str, result: Slot) -> None:
        if name == "__dict__" and value.kind in ("namespace", "arguments"):
            self.add(result, self.dictionary(value))
        elif value.kind == "namespace":
            self.flow(self.field(value, name), result)
        elif f".{name}" in library.SUMMARIES and value.kind != "arguments":
            self.add(result, Bound(External(f".{name}"), (value,)))
        elif name == "queue":  # of queue.Queue: what is in it
            self.add(result, value)
        else:
            self.flow(self.field(value, name), result)
            self.otherwise(result, lambda: self.add(result, Plain.OTHER))

    def dictionary(self, value: Collection) -> Collection:
        """Return the fields of a namespace as a dictionary."""
        return self._mirror(value, Collection(value.node, "dict", (*value.place, VARIABLES), value.context))

    def own_dictionary(self, value: Instance, result: Slot) -> None:
        """Let a slot have the fields of an object as a dictionary, and what nobody knows if a library adds some."""

        def found(base: Value) -> None:
            is_plain = isinstance(base, External) and (base == OBJECT or base.name in BARE)
            if not isinstance(base, Class) and not is_plain:
                self.add(result, Plain.UNKNOWN)

        self.listed.add(value)
        self.add(result, self._mirror(value, Collection(value.node, "dict", ("fields", VARIABLES))))
        self.search(value.node, "", found)

    def _mirror(self, value: Collection | Instance, table: Collection) -> Collection:
        """Return a dictionary of the fields of a value: what is stored in either is in both."""
        if value not in self._dictionaries:
            self._dictionaries.add(value)
            contents = self.contents(table)
            self.add(contents.keys, Plain.OTHER)
            self.on_fields(value, lambda name, slot: self.flow(slot, self.item(contents, name)))
            self.on_items(contents, lambda key, slot: self.flow(slot, self.field(value, str(key))))
        return table

    def _load_from_module(self, value: Module, name: str, result: Slot) -> None:
        if value.path is None:
            self.add(result, External(f"{value.name}.{name}"))
            return
        if value.path in self.modules:
            self.flow(self.module_name(value.path, name), result)
        inner = self.project.submodule(value.path, name)
        if inner is not None:
            self.add(result, Module(f"{value.name}.{name}", inner))
        if name == "__dict__":
            self.namespace(value.path, result)
        elif name.startswith("__"):
            self.add(result, Plain.OTHER)

    def namespace(self, path: Path, result: Slot) -> None:
        """Let a slot have the variables of a module as a dictionary: nobody knows what is read from it."""
        self.add(result, Plain.UNKNOWN)
        if path not in self.modules or path in self._namespaces:
            self.add_all(result, self._namespaces.get(path, ()))
            return
        table = Collection(self.project.trees[path], "dict", (VARIABLES,))
        self._namespaces[path] = [table]
        module, contents = Module("", path), self.contents(table)
        self.on_items(contents, lambda key, slot: self.flow(slot, self.target(module, str(key))))

        def store_anywhere(_: Value) -> None:
            for name in self.modules[path].names.module.variables:
                self.item(contents, name)

        self.watch(contents.some, store_anywhere)
        self.add(result, table)

    def module_values(self, frame: Frame, name: str, level: int = 0) -> list[Value]:
        """What importing a module gives."""
        path = self.project.resolve(frame.path, name, level)
        if path is not None:
            return [Module(name, path)]
        token = self.knowledge.module("." * level + name)
        return [token or Module("." * level + name)]

    def module_name(self, path: Path, name: str) -> Slot:
        """The slot of a name of a module, as other modules see it."""
        key = (path, name)
        if key not in self._module_names:
            slot = self._module_names[key] = Slot()
            frame = self.modules[path]
            variable = frame.names.module.variables.get(name)
            if variable is not None:
                self.flow(self.variable(frame, variable), slot)
            self.flow(self.field(Module("", path), name), slot)  # what other modules store there
            if variable is None or not variable.bindings:
                for node in self.stars(frame, name):
                    self.star(frame, node, name, slot)
                getter = frame.names.module.variables.get("__getattr__")
                if getter is not None and getter.bindings and not name.startswith("__"):
                    self.call_with(self.variable(frame, getter), [self.other], slot)
        return self._module_names[key]

    def stars(self, frame: Frame, name: str) -> list[ast.ImportFrom]:
        stars, body = frame.names.module.stars, self.project.trees[frame.path].body
        for star in reversed(stars if len(stars) > 1 else ()):
            if star in body and self._brings(frame, star, name):
                first = place = body.index(star)  # it hides what imports before it have brought, which nothing has used
                while first and isinstance(body[first - 1], ast.Import | ast.ImportFrom):
                    first -= 1
                return [other for other in stars if other not in body[first:place]]
        return stars

    def _brings(self, frame: Frame, star: ast.ImportFrom, name: str) -> bool:
        """Whether a star import binds a name in any case."""
        home = self.project.home(frame.path, star)
        if home is None:
            token = self.knowledge.module(("." * star.level) + (star.module or ""))
            return token is not None and name in self.knowledge.exports(token)
        return self.project.binds(home, name)

    def star(self, frame: Frame, node: ast.ImportFrom, name: str, slot: Slot) -> None:
        home = self.project.home(frame.path, node)
        if home is not None and home in self.modules:
            if name in self.project.exports(home) or (self.project.is_open(home) and not name.startswith("_")):
                self.flow(self.module_name(home, name), slot)
                if inner := self.project.submodule(home, name):  # which `__all__` names
                    self.add(slot, Module(name, inner))
            return
        token = self.knowledge.module(("." * node.level) + (node.module or ""))
        if token is not None:
            self.give(slot, self.knowledge.exports(token).get(name), node)
        elif not is_standard(node.module or "."):
            self.add(slot, External(f"{node.module}.{name}"))

    def token_attribute(self, token: Token, name: str, slot: Slot, node: ast.expr | None) -> None:
        known = self.knowledge.attribute(token, name)
        self.give(slot, (Plain.UNKNOWN,) if known is None else known, node or self.node_of(token))
        self.flow(self.field(token, name), slot)

    def inherited(self, base: External, receiver: Instance | Class, name: str, slot: Slot) -> None:
        if base == OBJECT and name not in ("__new__", "__setattr__", "__getattribute__"):
            return
        if not is_standard(base.name):
            self.add(slot, Plain.UNKNOWN)
            return
        if not name.startswith("__") and _lacks(base, name):
            return
        if base.name in ENUMS and name in ("value", "_value_"):
            for member in sorted(self.classes[receiver.node].bound if receiver.node in self.classes else ()):
                self.flow(self.field(Class(receiver.node), member), slot)
            return
        if base.name in ENUMS and name == "__members__":
            members = Collection(receiver.node, "dict", (name,))
            contents = self.contents(members)
            self.add(contents.some, Instance(receiver.node))
            self.add(contents.keys, Plain.OTHER)
            self.add(slot, members)
            return
        method = External(f"{base.name}.{name}" if name.startswith("__") else f".{name}")

        def add() -> None:
            if name in CLASS_METHODS:
                self.add(slot, Bound(method, (Class(receiver.node),)))
            elif name.startswith("__") or self.summary_of(method.name) is not None:
                self.add(slot, Bound(method, (receiver,)) if isinstance(receiver, Instance) else method)
            elif name == "data" and base.name in WRAPPING:
                self.add(slot, receiver)
            else:
                self.add(slot, Plain.OTHER)
                self.flow(self.field(Plain.OTHER, name), slot)
                self.flow(self.field(receiver, GIVEN), slot)

        if name.startswith("__"):
            add()
        else:
            self.otherwise(slot, add)  # a field of the project's own is more likely

    # ------------------------------------------------------------------ storing

    def store(self, source: Slot, name: str, stored: Slot, node: ast.expr) -> None:
        """Store to an attribute of everything that a slot has."""

        def store(value: Value) -> None:
            if value is Plain.UNKNOWN or (isinstance(value, Module) and value.path is None):
                self.sink(stored, node)  # builtins.NAME can be read as NAME everywhere
                if name in HOOKS:
                    self.in_flight(self.field(Plain.OTHER, "exc_value"))
                    self.call_with(stored, [self.left] * 3, Slot())
            else:
                self.flow(stored, self.target(value, name))

        self.watch(source, store)

    def target(self, value: Value, name: str) -> Slot:
        """The slot that takes what is stored to an attribute of a value."""
        if isinstance(value, Instance):
            return self.stored(value, name)
        if isinstance(value, Module) and value.path is not None:
            frame = self.modules.get(value.path)
            variable = frame.names.module.variables.get(name) if frame else None
            return self.variable(frame, variable) if frame and variable else self.field(Module("", value.path), name)
        if isinstance(value, External | Module):
            return self.field(Plain.OTHER, name)
        return self.field(value, name)

    # ------------------------------------------------------------------ calling what is not of the project

    def call_external(self, name: str, site: Site) -> None:
        """Call by the table of summaries; a call that has none gives no token, or takes what it is given."""
        if name.endswith(".__init__") and is_standard(name) and site.positional:
            self._keep_given(name.removesuffix(".__init__"), site)
        summary = self.summary_of(name)
        if summary is not None:
            constructs = name.endswith(".__init__") and name not in library.SUMMARIES
            summary(self, replace(site, positional=site.positional[1:]) if constructs else site)
        elif not name or is_standard(name.lstrip(".")) or name.startswith("."):
            self._call_unknown_standard(name, site)
        else:
            self.leave(site)

    def _keep_given(self, owner: str, site: Site) -> None:
        """Let an heir of a class of the standard library have what that is made of, by the names of the parameters."""
        names = PARAMETERS.get(owner, ())

        def keep(value: Value) -> None:
            if not isinstance(value, Instance):
                return
            rest = self.field(value, GIVEN)
            for place, (slot, is_star) in enumerate(site.positional[1:]):
                if is_star:
                    self.iterate(slot, rest)
                elif place < len(names):
                    self._keep(value, names[place], slot)
                else:
                    self.flow(slot, rest)
            for name, slot in site.keywords.items():
                self._keep(value, name, slot)
            for slot in site.splats:
                self.watch(slot, lambda given: self.flow(self.contents(given).every, rest))

        self.watch(site.positional[0][0], keep)

    def _keep(self, instance: Instance, name: str, slot: Slot) -> None:
        for attribute in (name, f"_{name}"):
            self.flow(slot, self.field(instance, attribute))

    def summary_of(self, name: str) -> library.Summary | None:
        """What is known of a function, class or method of the standard library."""
        owner, _, method = name.rpartition(".")
        names = [name, owner if method == "__init__" else ""]
        names += [f".{method}"] if owner in CONTAINERS or method in ("__enter__", "__aenter__") else []
        return next((library.SUMMARIES[name] for name in names if name in library.SUMMARIES), None)

    def constant_argument(self, site: Site, index: int) -> Key | None:
        """The value of an argument that is written as a constant where the call stands."""
        given = site.written.args if site.written else []
        place = index - (len(site.positional) - len(given))
        return key_of(given[place]) if 0 <= place < len(given) else None

    def _call_unknown_standard(self, name: str, site: Site) -> None:
        """Only what is not a plain value may come back from the standard library, or be called by it."""
        self.add(site.result, Plain.OTHER)
        if name.partition(".")[0] in library.INERT or name in library.PLAIN:
            self.derive(site)
            return
        for slot in site.slots():
            self.watch(self._loose(slot), lambda _: self.leave(site))

    def _loose(self, slot: Slot) -> Slot:
        """Return a slot that gets a value once another one has or holds more than a plain value: one for all calls."""
        if slot not in self._looses:
            loose = self._looses[slot] = Slot()

            def look(value: Value) -> None:
                if isinstance(value, Collection):
                    self.flow(self._loose(self.contents(value).every), loose)
                    self.flow(self._loose(self.contents(value).keys), loose)
                elif not isinstance(value, Plain | External | Module | Class):
                    self.add(loose, Plain.UNKNOWN)

            self.watch(slot, look)
        return self._looses[slot]


def _is_named(owner: External, name: str) -> bool:
    """Whether an attribute of something in a library is worth a name of its own."""
    dots = owner.name.count(".")
    plain = name in CALLED_BY_NAME or (name != "*" and not name.startswith("__"))
    return plain and dots < (2 if owner.name.startswith("builtins.") else MAX_DOTS)


def _lacks(base: External, name: str) -> bool:
    """Whether objects of a class of Python's own certainly have no such attribute by it."""
    if base.name in BARE:
        return name != "register"
    kind = getattr(builtins, base.name.removeprefix("builtins."), None) if base.name.startswith("builtins.") else None
    return isinstance(kind, type) and not hasattr(kind, name)
