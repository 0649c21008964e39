"""Summaries: functions made of functions, and what is read from classes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Descriptor, External, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import apply, argument, names, summary
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes

HINT = External("typing.get_type_hints()")  # a type that is read from an annotation


@summary("functools.partial")
def _partial(heap: Attributes, site: Site) -> None:
    inner = Site(site.node, site.frame, site.positional[1:], site.keywords, site.splats)
    heap.add(site.result, heap.make_partial(site.node, site.frame, argument(heap, site, 0), inner))


@summary("functools.partialmethod")
def _partialmethod(heap: Attributes, site: Site) -> None:
    """Make a function that takes the object first, before the arguments that are given now."""
    caller = heap.constant(External("functools.partialmethod()"))
    inner = Site(site.node, site.frame, site.positional, site.keywords, site.splats, operand=len(site.positional))
    heap.add(site.result, Descriptor("method", heap.make_partial(site.node, site.frame, caller, inner)))


@summary("functools.partialmethod()")
def _call_partialmethod(heap: Attributes, site: Site) -> None:
    count = site.operand if isinstance(site.operand, int) else 1
    (function, _), given, later = site.positional[0], site.positional[1:count], site.positional[count:]
    heap.call(function, replace(site, positional=[*later[:1], *given, *later[1:]]))


@summary("struct.Struct")
def _structure(heap: Attributes, site: Site) -> None:
    """Make an object whose methods keep nothing of what they are given, as the functions of its module."""
    heap.add(site.result, External("struct.Struct()"))


@summary("types.MethodType")
def _method(heap: Attributes, site: Site) -> None:
    inner = Site(site.node, site.frame, site.positional[1:])
    heap.add(site.result, heap.make_partial(site.node, site.frame, argument(heap, site, 0), inner))


@summary("weakref.ref", "weakref.WeakMethod")
def _reference(heap: Attributes, site: Site) -> None:
    inner = Site(site.node, site.frame, site.positional[:1])
    heap.add(site.result, heap.make_partial(site.node, site.frame, heap.constant(External("identity")), inner))
    apply(heap, site, argument(heap, site, 1), Slot(), heap.other)


@summary(*names("operator", "attrgetter itemgetter methodcaller"))
def _operator(heap: Attributes, site: Site) -> None:
    """Make a function of one object, for a name or key that is written as a constant."""
    function = Slot()
    inner = Site(site.node, site.frame, site.positional[1:], site.keywords, site.splats)
    inner.operand = heap.constant_argument(site, 0)

    def called(value: Value) -> None:
        if isinstance(value, External):
            heap.add(function, External(f"{value.name}()"))

    if site.written:
        heap.watch(heap.slot(site.frame, site.written.func), called)
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


@summary("typing.get_type_hints", "typing_extensions.get_type_hints", "inspect.get_annotations")
def _type_hints(heap: Attributes, site: Site) -> None:
    """Give a dictionary of types, each of which stands for all."""
    collection, contents = heap.make(site.node, "dict", site.frame, heap.constant(HINT))
    heap.add(contents.keys, Plain.OTHER)
    heap.add(site.result, collection)


@summary("dataclasses.field")
def _field(heap: Attributes, site: Site) -> None:
    heap.flow(argument(heap, site, 9, "default"), site.result)
    apply(heap, site, argument(heap, site, 9, "default_factory"), site.result)
