"""Summaries: contexts, objects and classes."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from migrate.python._looping import keyed, looped
from migrate.python._points_to.classes import ENUMS, TUPLES, TYPED
from migrate.python._points_to.domain import (
    Class,
    Collection,
    Descriptor,
    External,
    Instance,
    Module,
    Plain,
    Super,
    Token,
    Value,
)
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.library import (
    SUMMARIES,
    Summary,
    argument,
    called,
    elements,
    new,
    row,
    summary,
)
from migrate.python._points_to.library_collections import copy_row
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes

_THERE = frozenset({*dir(object), "__getattr__"})  # what an object with `__getattr__` has, and is never asked for by it
METACLASSES = frozenset({"builtins.type", "abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"})


# ---------------------------------------------------------------------- contexts


@summary("contextlib.closing", "contextlib.nullcontext", "contextlib.aclosing")
def _closing(heap: Attributes, site: Site) -> None:
    new(heap, site, "closing", argument(heap, site, 0))


def _reading(attribute: str) -> Summary:
    """Give what an heir has under this name."""

    def read(heap: Attributes, site: Site) -> None:
        heap.load(argument(heap, site, 0), attribute, site.result, None)

    return read


for _method, _attribute in {
    "contextlib.aclosing.__aenter__": "thing",
    "contextlib.closing.__enter__": "thing",
    "contextlib.nullcontext.__aenter__": "enter_result",
    "contextlib.nullcontext.__enter__": "enter_result",
    "weakref.ref.__call__": "object",
}.items():
    SUMMARIES[_method] = _reading(_attribute)


@summary(".enter_context", ".enter_async_context", ".enterContext")
def _enter_context(heap: Attributes, site: Site) -> None:
    heap.enter(argument(heap, site, 1), site.result)


@summary("contextlib.ContextDecorator.__call__", "contextlib.AsyncContextDecorator.__call__")
def _context_decorator(heap: Attributes, site: Site) -> None:
    heap.enter(argument(heap, site, 0), Slot())
    heap.flow(argument(heap, site, 1), site.result)


# ---------------------------------------------------------------------- objects


@summary("types.SimpleNamespace", "argparse.Namespace", "threading.local")
def _namespace(heap: Attributes, site: Site) -> None:
    collection, _ = heap.make(site.node, "namespace", site.frame)
    for name, slot in site.keywords.items():
        heap.flow(slot, heap.field(collection, name))
    for slot in site.splats:
        heap.watch(
            slot,
            lambda value: heap.on_items(
                heap.contents(value), lambda key, item: heap.flow(item, heap.field(collection, str(key)))
            ),
        )
    heap.add(site.result, collection)


@summary("contextvars.ContextVar")
def _context_variable(heap: Attributes, site: Site) -> None:
    new(heap, site, "variable", argument(heap, site, 9, "default"))


@summary(*(f"builtins.{kind}.__new__" for kind in ("object", "Exception", "int", "str", "float", "tuple")))
def _new(heap: Attributes, site: Site) -> None:
    def make(value: Value) -> None:
        if isinstance(value, Class) and not heap.has_base(value.node, METACLASSES):
            heap.add(site.result, Instance(value.node))
            if heap.has_base(value.node, TUPLES):
                copy_row(heap, argument(heap, site, 1), Instance(value.node))

    heap.watch(argument(heap, site, 0), make)


@summary("builtins.object.__setattr__", "builtins.setattr")
def _setattr(heap: Attributes, site: Site) -> None:
    name = heap.constant_argument(site, 1)
    heap.add(site.result, Plain.NONE)
    if isinstance(name, str):
        heap.store(argument(heap, site, 0), name, argument(heap, site, 2), site.node)
        return
    node = site.written.args[1] if site.written and len(site.written.args) == 3 else None
    if table := node and keyed(node, site.frame.names):
        _set_keys(heap, site, *table)
    else:
        heap.watch(argument(heap, site, 0), lambda value: _set_any(heap, site, value))


def _set_any(heap: Attributes, site: Site, owner: Value) -> None:
    """Store under a name that nobody sees."""
    stored = argument(heap, site, 2)
    if isinstance(owner, Instance | Collection):
        heap.flow(stored, heap.field(owner, "*"))
        heap.on_fields(owner, lambda _, slot: heap.flow(heap.field(owner, "*"), slot))
    else:
        heap.sink(stored, site.node)


def _set_keys(heap: Attributes, site: Site, mapping: ast.expr, item_name: ast.AST | None) -> None:
    """Store under each key of a mapping, its item where that is what is stored."""
    owner, stored = argument(heap, site, 0), argument(heap, site, 2)
    names, written = site.frame.names, site.written.args[2] if site.written else None
    is_item = isinstance(written, ast.Name) and item_name is not None and names.of[written] is names.of.get(item_name)

    def store(value: Value) -> None:
        if not (isinstance(value, Collection) and value.kind == "dict"):
            anywhere(value)
            return
        contents = heap.contents(value)
        heap.on_items(contents, lambda key, item: heap.store(owner, str(key), item if is_item else stored, site.node))
        heap.watch(contents.some, anywhere)

    def anywhere(_: Value) -> None:
        heap.watch(owner, lambda value: _set_any(heap, site, value))

    heap.watch(heap.slot(site.frame, mapping), store)


@summary("collections.namedtuple", "typing.NamedTuple")
def _namedtuple(heap: Attributes, site: Site) -> None:
    """Make the class that the call describes, when it is written as constants."""
    fields = site.written.args[1] if site.written and len(site.written.args) > 1 else None
    words: list[str] = []
    if isinstance(fields, ast.Constant):
        words = str(fields.value).replace(",", " ").split()
    for item in fields.elts if isinstance(fields, ast.List | ast.Tuple) else []:
        name = item.elts[0] if isinstance(item, ast.Tuple) else item
        words.append(str(getattr(name, "value", "")))
    body: list[ast.stmt] = [
        ast.AnnAssign(target=ast.Name(word, ast.Store()), annotation=ast.Constant(None), simple=1) for word in words
    ]
    node = ast.ClassDef("namedtuple", [], [], body, [])
    heap.define_class(site.frame, node, [heap.constant(External("typing.NamedTuple"))])
    heap.add(site.result, Class(node))
    given = [keyword.value for keyword in getattr(site.written, "keywords", ()) if keyword.arg == "defaults"]
    if given:
        count = len(given[0].elts) if isinstance(given[0], ast.List | ast.Tuple) else len(words)
        for word in words[len(words) - count :]:
            heap.flow(elements(heap, site.keywords["defaults"]), heap.field(Instance(node), word))


@summary(*TYPED)
def _typed_dict(heap: Attributes, site: Site) -> None:
    """Make the class that the call describes, whatever its keys."""
    node = ast.ClassDef("TypedDict", [], [], [], [])
    heap.define_class(site.frame, node, [heap.constant(External("typing.TypedDict"))])
    heap.add(site.result, Class(node))


@summary("._make")
def _make(heap: Attributes, site: Site) -> None:
    """Make a record of what an iterable has."""
    spread = Site(site.node, site.frame, [(argument(heap, site, 1), True)], result=site.result, place=called(site))
    heap.call(argument(heap, site, 0), spread)


@summary("._replace", "dataclasses.replace", "copy.replace")
def _replace(heap: Attributes, site: Site) -> None:
    record = argument(heap, site, 0)
    heap.flow(record, site.result)
    for name, slot in site.keywords.items():
        heap.store(record, name, slot, site.node)

    def spread(value: Value) -> None:
        for name in heap.record_names(value.node) if isinstance(value, Instance) else ():
            for slot in site.splats:
                heap.read_key(slot, name, heap.field(value, name))

    heap.watch(record, spread)


@summary(".__enter__", ".__aenter__")
def _enter(heap: Attributes, site: Site) -> None:
    """Enter what a function of `contextlib.contextmanager` gives; anything else of Python's own gives itself."""

    def give(value: Value) -> None:
        heap.flow(heap.entered(value) if isinstance(value, Collection) else heap.constant(value), site.result)

    heap.watch(argument(heap, site, 0), give)


@summary("._asdict")
def _asdict(heap: Attributes, site: Site) -> None:
    """Give the fields of a record as a dictionary."""
    collection, contents = heap.make(site.node, "dict", site.frame)

    def take(value: Value) -> None:
        heap.on_fields(value, lambda name, slot: heap.flow(slot, heap.item(contents, name)))

    heap.watch(argument(heap, site, 0), take)
    heap.add(contents.keys, Plain.OTHER)
    heap.add(site.result, collection)


@summary("builtins.getattr", "builtins.object.__getattribute__")
def _getattr(heap: Attributes, site: Site) -> None:
    name = heap.constant_argument(site, 1)
    heap.flow(argument(heap, site, 2), site.result)
    if isinstance(name, str):
        heap.load(argument(heap, site, 0), name, site.result, site.node)
        return
    node = site.written.args[1] if site.written and len(site.written.args) > 1 else None
    beginning = _beginning(node, site.frame) if node else ""
    known = looped(node, site.frame.names) if node else []
    without = _THERE if node and _is_missing(node, site.frame) else frozenset[str]()

    def look_up(value: Value) -> None:
        if known and isinstance(value, Instance | Class | Token):
            for field in known:
                heap.load(heap.constant(value), field, site.result, site.node)
        elif isinstance(value, Instance | Class):
            heap.load_all(value, beginning, site.result, without)
        elif isinstance(value, Module) and value.path in heap.modules:
            for name in sorted(heap.modules[value.path].names.module.variables):
                if name.startswith(beginning):
                    heap.flow(heap.module_name(value.path, name), site.result)
        else:
            heap.load(heap.constant(value), "*", site.result, site.node)
            heap.add(site.result, Plain.UNKNOWN)

    heap.watch(argument(heap, site, 0), look_up)


def _is_missing(node: ast.expr, frame: Frame) -> bool:
    """Whether a name is the one that `__getattr__` is asked for."""
    bindings = frame.names.of[node].bindings if isinstance(node, ast.Name) else ()
    functions = [frame.names.function(binding) for binding in bindings if isinstance(binding, ast.arg)]
    return len(bindings) == 1 and any(getattr(function, "name", "") == "__getattr__" for function in functions)


def _beginning(node: ast.expr, frame: Frame) -> str:
    """What a computed text begins with: `"on_" + kind`, f"on_{kind}", "on_%s" % kind, or a name for one of these."""
    if isinstance(node, ast.Name):
        bindings = frame.names.of[node].bindings
        above = frame.names.parents[bindings[0]] if len(bindings) == 1 else None
        return _beginning(above.value, frame) if isinstance(above, ast.Assign) else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _beginning(node.left, frame)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return _beginning(node.left, frame).partition("%")[0]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        return _beginning(node.func.value, frame).partition("{")[0]
    first = node.values[0] if isinstance(node, ast.JoinedStr) and node.values else node
    return str(first.value) if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


@summary("inspect.getmembers", "inspect.getmembers_static")
def _members(heap: Attributes, site: Site) -> None:
    """Give the names of a class with what it has under them; of anything else, what nobody knows."""

    def take(value: Value) -> None:
        if isinstance(value, Class):
            held = Slot()
            heap.load_all(value, "", held)
            new(heap, site, "list", row(heap, site, heap.other, held))
        elif isinstance(value, Plain | External):
            heap.add(site.result, Plain.OTHER)
        else:
            heap.leave(site)

    heap.watch(argument(heap, site, 0), take)


@summary("builtins.globals")
def _globals(heap: Attributes, site: Site) -> None:
    heap.namespace(site.frame.path, site.result)


@summary("builtins.locals")
def _locals(heap: Attributes, site: Site) -> None:
    if isinstance(site.frame.node, ast.Module):
        _globals(heap, site)
    else:
        heap.add(site.result, Plain.UNKNOWN)


@summary("importlib.import_module", "builtins.__import__", "pytest.importorskip")
def _import(heap: Attributes, site: Site) -> None:
    """Give the module that is named by a constant; `__import__` gives the package around a module."""
    name = heap.constant_argument(site, 0)
    if isinstance(name, str) and len(site.positional) == 1 and not name.startswith("."):
        heap.add_all(site.result, heap.module_values(site.frame, name))
    if not isinstance(name, str) or "." in name:
        heap.add(site.result, Plain.UNKNOWN)


@summary("sys.modules.get", "sys.modules.pop")
def _loaded(heap: Attributes, site: Site) -> None:
    """Give the module of the project that is named by a constant, or what nobody knows."""
    name = heap.constant_argument(site, 0)
    path = heap.project.resolve(site.frame.path, name) if isinstance(name, str) else None
    heap.add(site.result, Plain.UNKNOWN if path is None else Module("", path))
    heap.flow(argument(heap, site, 1), site.result)


@summary("builtins.type")
def _type(heap: Attributes, site: Site) -> None:
    if len(site.positional) > 1:
        heap.leave(site)  # a class that is made by a call
        return

    def kind(value: Value) -> None:
        heap.add(site.result, Class(value.node) if isinstance(value, Instance) else Plain.OTHER)

    heap.watch(argument(heap, site, 0), kind)


@summary("builtins.type.__call__")
def _instance(heap: Attributes, site: Site) -> None:
    rest = replace(site, positional=site.positional[1:])

    def make(value: Value) -> None:
        if isinstance(value, Class):
            heap.construct(value, rest)

    heap.watch(argument(heap, site, 0), make)


@summary(*(f"{kind}.__new__" for kind in METACLASSES))
def _made_class(heap: Attributes, site: Site) -> None:
    heap.watch(argument(heap, site, 0), lambda kind: heap.flow(heap.field(kind, "type.made"), site.result))


@summary(*(f"{kind}.__init__" for kind in ENUMS))
def _member(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)
    heap.derive(site)


@summary(*ENUMS)
def _enumeration(heap: Attributes, site: Site) -> None:
    """Make a class by a call, whose members are not followed."""
    heap.leave(site)


@summary("builtins.type.__init__")
def _made(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.NONE)


@summary("builtins.super")
def _super(heap: Attributes, site: Site) -> None:
    frame, given_class = site.frame, argument(heap, site, 0)
    above = frame.names.above(site.node)
    node = next((place for place in above if isinstance(place, ast.ClassDef)), None)
    function: ast.AST = frame.node
    while site.positional == [] and not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and frame.parent:
        frame = frame.parent
        function = frame.node
    receiver = argument(heap, site, 1)
    if not site.positional and isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = [*function.args.posonlyargs, *function.args.args]
        if arguments:
            receiver = heap.parameter(frame, arguments[0])

    def make(value: Value) -> None:
        classes: list[ast.ClassDef | None] = [each.node for each in given_class.values if isinstance(each, Class)]
        for each in classes or [node]:
            if each is not None and isinstance(value, Instance | Class):
                heap.add(site.result, Super(each, value))

    heap.watch(receiver, make)


def _descriptor(kind: str) -> Summary:
    def make(heap: Attributes, site: Site) -> None:
        def wrap(value: Value) -> None:
            if isinstance(value, Descriptor):
                heap.add(site.result, value)
            elif not isinstance(value, Plain):
                heap.add(site.result, Descriptor(kind, value))

        heap.watch(argument(heap, site, 0, "fget"), wrap)
        setter = argument(heap, site, 1, "fset")
        heap.watch(site.result, lambda value: heap.flow(setter, heap.field(value, "property.setter")))

    return make


for _kind in ("property", "staticmethod", "classmethod"):
    SUMMARIES[f"builtins.{_kind}"] = _descriptor(_kind)
SUMMARIES["functools.cached_property"] = SUMMARIES["builtins.property"]


def _accessor(name: str) -> Summary:
    """Keep one more function of a property."""

    def keep(heap: Attributes, site: Site) -> None:
        heap.watch(
            argument(heap, site, 0),
            lambda value: heap.flow(argument(heap, site, 1), heap.field(value, f"property.{name}")),
        )
        heap.flow(argument(heap, site, 0), site.result)

    return keep


for _name in ("setter", "deleter"):
    SUMMARIES[f".{_name}"] = _accessor(_name)
