"""Summaries: what calls back, and what stands for something else (threads, tasks, partial, getattr, decorators)."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from migrate.python._points_to.domain import (
    Class,
    Collection,
    Descriptor,
    External,
    Instance,
    Plain,
    Super,
    Value,
)
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import (
    SUMMARIES,
    Summary,
    apply,
    apply_star,
    argument,
    awaited,
    behind,
    elements,
    given,
    names,
    new,
    row,
    summary,
)
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes


# ---------------------------------------------------------------------- threads, timers, executors, hooks


@summary("threading.Thread", *names("multiprocessing", "Process Process.Process"), "multiprocessing.context.Process")
def _thread(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)
    args, kwargs = argument(heap, site, 3, "args"), argument(heap, site, 4, "kwargs")
    apply_star(heap, site, argument(heap, site, 1, "target"), Slot(), args, kwargs)


@summary("threading.Timer")
def _timer(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)
    args, kwargs = argument(heap, site, 2, "args"), argument(heap, site, 3, "kwargs")
    apply_star(heap, site, argument(heap, site, 1, "function"), Slot(), args, kwargs)


def _later(index: int, *, gives: bool = False) -> Summary:
    """The summary of what calls an argument, now or later, with the ones behind it."""

    def call(heap: Attributes, site: Site) -> None:
        result = Slot()
        behind(heap, site, index, result, "func" if index else "")
        if gives:
            new(heap, site, "future", awaited(heap, result))
        else:
            heap.add_all(site.result, (Plain.OTHER,) if index else ())
            heap.flow(argument(heap, site, index), site.result)

    return call


for _function, _names in {
    _later(0): "atexit.register",
    _later(1): ".callback .addCleanup .addClassCleanup .call_soon .call_soon_threadsafe .push_async_callback"
    " weakref.finalize .after_idle contextlib.ExitStack.callback",
    _later(2): ".call_later .call_at .add_reader .add_writer .add_signal_handler",
    _later(0, gives=True): "asyncio.to_thread",
    _later(1, gives=True): ".submit",
    _later(2, gives=True): ".run_in_executor",
}.items():
    SUMMARIES.update(dict.fromkeys(_names.split(), _function))


@summary(".map", ".imap", ".imap_unordered", ".starmap")
def _pool_map(heap: Attributes, site: Site) -> None:
    result = Slot()
    apply(heap, site, argument(heap, site, 1), result, *(elements(heap, slot) for slot in given(site, 2)))
    new(heap, site, "list", result)


@summary(".apply_async", ".apply")
def _apply_async(heap: Attributes, site: Site) -> None:
    result = Slot()
    args, kwargs = argument(heap, site, 2, "args"), argument(heap, site, 3, "kwds")
    apply_star(heap, site, argument(heap, site, 1), result, args, kwargs)
    new(heap, site, "future", result)


@summary(".add_done_callback")
def _done(heap: Attributes, site: Site) -> None:
    apply(heap, site, argument(heap, site, 1), Slot(), argument(heap, site, 0))


@summary("signal.signal")
def _signal(heap: Attributes, site: Site) -> None:
    apply(heap, site, argument(heap, site, 1), Slot(), heap.other, heap.other)
    heap.flow(argument(heap, site, 1), site.result)
    heap.add(site.result, Plain.OTHER)


@summary(".register", ".modify")
def _selector(heap: Attributes, site: Site) -> None:
    heap.flow(argument(heap, site, 3, "data"), heap.field(Plain.OTHER, "data"))
    heap.add(site.result, Plain.OTHER)


@summary("functools.register")
def _singledispatch(heap: Attributes, site: Site) -> None:
    heap.flow(argument(heap, site, 1), site.result)
    heap.add(site.result, External("identity"))


# ---------------------------------------------------------------------- asyncio


@summary(*names("asyncio", "create_task ensure_future run_coroutine_threadsafe"))
def _task(heap: Attributes, site: Site) -> None:
    new(heap, site, "future", awaited(heap, argument(heap, site, 0)))


@summary(".create_task")
def _task_of(heap: Attributes, site: Site) -> None:
    new(heap, site, "future", awaited(heap, argument(heap, site, 1)))


@summary(*names("asyncio", "run wait_for shield run_until_complete"))
def _run(heap: Attributes, site: Site) -> None:
    heap.await_(argument(heap, site, 0), site.result)


@summary(".run_until_complete", ".run")
def _run_on(heap: Attributes, site: Site) -> None:
    heap.await_(argument(heap, site, 1), site.result)
    heap.add(site.result, Plain.OTHER)


@summary(".create_future", "asyncio.Future", "concurrent.futures.Future")
def _future(heap: Attributes, site: Site) -> None:
    new(heap, site, "future")


@summary("asyncio.gather")
def _gather(heap: Attributes, site: Site) -> None:
    collection, contents = heap.make(site.node, "list", site.frame)
    for index, (slot, star) in enumerate(site.positional):
        known = not any(earlier for _, earlier in site.positional[: index + 1])
        target = heap.item(contents, index) if known else contents.some
        heap.flow(awaited(heap, elements(heap, slot) if star else slot), target)
    heap.add(contents.some, Plain.OTHER)  # an exception, with return_exceptions
    heap.add(site.result, collection)


@summary("asyncio.wait", "concurrent.futures.wait")
def _wait(heap: Attributes, site: Site) -> None:
    tasks, _ = heap.make(site.node, "list", site.frame, elements(heap, argument(heap, site, 0)), place=("tasks",))
    heap.flow(row(heap, site, heap.constant(tasks), heap.constant(tasks)), site.result)


@summary("asyncio.as_completed", "concurrent.futures.as_completed")
def _as_completed(heap: Attributes, site: Site) -> None:
    new(heap, site, "list", elements(heap, argument(heap, site, 0)))


@summary("asyncio.start_server", "asyncio.start_unix_server")
def _start_server(heap: Attributes, site: Site) -> None:
    apply(heap, site, argument(heap, site, 0), Slot(), heap.other, heap.other)
    heap.add(site.result, Plain.OTHER)


# ---------------------------------------------------------------------- contexts


@summary("contextlib.closing", "contextlib.nullcontext", "contextlib.aclosing")
def _closing(heap: Attributes, site: Site) -> None:
    new(heap, site, "closing", argument(heap, site, 0))


@summary(".enter_context", ".enter_async_context", ".enterContext")
def _enter_context(heap: Attributes, site: Site) -> None:
    heap.enter(argument(heap, site, 1), site.result)


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


@summary("builtins.object.__new__", "builtins.Exception.__new__")
def _new(heap: Attributes, site: Site) -> None:
    def make(value: Value) -> None:
        if isinstance(value, Class):
            heap.add(site.result, Instance(value.node))

    heap.watch(argument(heap, site, 0), make)


@summary("builtins.object.__setattr__", "builtins.setattr")
def _setattr(heap: Attributes, site: Site) -> None:
    name = heap.constant_argument(site, 1)
    heap.add(site.result, Plain.NONE)
    if isinstance(name, str):
        heap.store(argument(heap, site, 0), name, argument(heap, site, 2), site.node)
        return

    def store(value: Value) -> None:
        if isinstance(value, Instance | Collection):
            heap.flow(argument(heap, site, 2), heap.field(value, "*"))
            heap.on_fields(value, lambda slot: heap.flow(heap.field(value, "*"), slot))
        else:
            heap.sink(argument(heap, site, 2), site.node)

    heap.watch(argument(heap, site, 0), store)


@summary("collections.namedtuple", "typing.NamedTuple")
def _namedtuple(heap: Attributes, site: Site) -> None:
    """Make the class that the call describes, when it is written as constants."""
    fields = site.node.args[1] if isinstance(site.node, ast.Call) and len(site.node.args) > 1 else None
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
    if "defaults" in site.keywords:
        for word in words:
            heap.flow(elements(heap, site.keywords["defaults"]), heap.field(Instance(node), word))


@summary("._replace")
def _replace(heap: Attributes, site: Site) -> None:
    heap.flow(argument(heap, site, 0), site.result)
    for name, slot in site.keywords.items():
        heap.store(argument(heap, site, 0), name, slot, site.node)


@summary("builtins.getattr", "builtins.object.__getattribute__")
def _getattr(heap: Attributes, site: Site) -> None:
    name = heap.constant_argument(site, 1)
    heap.flow(argument(heap, site, 2), site.result)
    if isinstance(name, str):
        heap.load(argument(heap, site, 0), name, site.result, site.node)
    else:
        heap.load(argument(heap, site, 0), "*", site.result, site.node)
        heap.add(site.result, Plain.UNKNOWN)


@summary("builtins.type")
def _type(heap: Attributes, site: Site) -> None:
    def kind(value: Value) -> None:
        heap.add(site.result, Class(value.node) if isinstance(value, Instance) else Plain.OTHER)

    heap.watch(argument(heap, site, 0), kind)


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
        heap.watch(site.result, lambda value: heap.flow(setter, heap.field(value, "setter")))

    return make


for _kind in ("property", "staticmethod", "classmethod"):
    SUMMARIES[f"builtins.{_kind}"] = _descriptor(_kind)
SUMMARIES["functools.cached_property"] = SUMMARIES["builtins.property"]


@summary(".setter")
def _setter(heap: Attributes, site: Site) -> None:
    heap.watch(argument(heap, site, 0), lambda value: heap.flow(argument(heap, site, 1), heap.field(value, "setter")))
    heap.flow(argument(heap, site, 0), site.result)


# ---------------------------------------------------------------------- functions made of functions


@summary("functools.partial", "functools.partialmethod")
def _partial(heap: Attributes, site: Site) -> None:
    inner = Site(site.node, site.frame, site.positional[1:], site.keywords, site.splats)
    heap.add(site.result, heap.make_partial(site.node, site.frame, argument(heap, site, 0), inner))


@summary("types.MethodType")
def _method(heap: Attributes, site: Site) -> None:
    inner = Site(site.node, site.frame, site.positional[1:])
    heap.add(site.result, heap.make_partial(site.node, site.frame, argument(heap, site, 0), inner))


@summary("weakref.ref", "weakref.WeakMethod")
def _reference(heap: Attributes, site: Site) -> None:
    inner = Site(site.node, site.frame, site.positional[:1])
    heap.add(site.result, heap.make_partial(site.node, site.frame, heap.constant(External("identity")), inner))
    apply(heap, site, argument(heap, site, 1), Slot(), heap.other)


@summary("functools.wraps")
def _wraps(heap: Attributes, site: Site) -> None:
    heap.add(site.result, External("identity"))


@summary(*names("operator", "attrgetter itemgetter methodcaller"))
def _operator(heap: Attributes, site: Site) -> None:
    """Make a function of one object, for a name or key that is written as a constant."""
    function = Slot()
    inner = Site(site.node, site.frame, site.positional[1:], site.keywords, site.splats)
    inner.operand = heap.constant_argument(site, 0)

    def called(value: Value) -> None:
        if isinstance(value, External):
            heap.add(function, External(f"{value.name}()"))

    if isinstance(site.node, ast.Call):
        heap.watch(heap.slot(site.frame, site.node.func), called)
    heap.add(site.result, heap.make_partial(site.node, site.frame, function, inner))


@summary("operator.attrgetter()")
def _attrgetter(heap: Attributes, site: Site) -> None:
    slot = site.positional[-1][0]
    for name in str(site.operand).split("."):
        source, slot = slot, Slot()
        heap.load(source, name, slot, None)
    heap.flow(slot, site.result)


@summary("operator.itemgetter()")
def _itemgetter(heap: Attributes, site: Site) -> None:
    heap.read_key(site.positional[-1][0], site.operand, site.result)


@summary("operator.methodcaller()")
def _methodcaller(heap: Attributes, site: Site) -> None:
    method = Slot()
    heap.load(site.positional[-1][0], str(site.operand), method, None)
    heap.call(method, Site(site.node, site.frame, site.positional[:-1], site.keywords, site.splats, site.result))


@summary("dataclasses.field")
def _field(heap: Attributes, site: Site) -> None:
    heap.flow(argument(heap, site, 9, "default"), site.result)
    apply(heap, site, argument(heap, site, 9, "default_factory"), site.result)
