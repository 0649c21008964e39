"""Summaries: functools.singledispatch and singledispatchmethod, which choose by the type of an argument.

A generic function is a Partial whose fields are its functions: `first` takes what no other one is registered for; each
of the `others` has a field with the types that it is registered for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Bound, Descriptor, External, Function, Partial, Plain, Token, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.heap import Frame
from migrate.python._points_to.library import SUMMARIES, Summary, argument, summary
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes

_FIRST, _OTHERS, _TYPES = "functools.first", "functools.others", "functools.types"  # no attribute has a dot
REGISTER = External("functools.register")


def _maker(dispatch: str, *, method: bool) -> Summary:
    def make(heap: Attributes, site: Site) -> None:
        inner = Site(site.node, site.frame)
        made = heap.make_partial(site.node, site.frame, heap.constant(External(dispatch)), inner)
        inner.positional.append((heap.constant(made), False))
        heap.flow(argument(heap, site, 0), heap.field(made, _FIRST))
        heap.add(site.result, Descriptor("method", made) if method else made)

    return make


def _dispatcher(place: int) -> Summary:
    """Call the functions that are registered for the types of the argument at a place, or the first."""

    def dispatch(heap: Attributes, site: Site) -> None:
        given = replace(site, positional=site.positional[1:])
        chosen = argument(heap, given, place)

        def call(generic: Value) -> None:
            others = heap.field(generic, _OTHERS)
            heap.watch(others, lambda function: _call(heap, function, given, place, chosen))
            heap.otherwise(Slot(), lambda: _call_first(heap, generic, given, place, chosen))

        heap.watch(argument(heap, site, 0), call)

    return dispatch


SUMMARIES["functools.singledispatch"] = _maker("functools.dispatch()", method=False)
SUMMARIES["functools.singledispatchmethod"] = _maker("functools.dispatchmethod()", method=True)
SUMMARIES["functools.dispatch()"] = _dispatcher(0)
SUMMARIES["functools.dispatchmethod()"] = _dispatcher(1)


def _call(heap: Attributes, function: Value, site: Site, place: int, chosen: Slot) -> None:
    """Call a registered function with what may be of its types."""
    types, passed = heap.field(function, _TYPES), Slot()

    def check(value: Value) -> None:
        heap.watch(types, lambda kind: None if _is_of(heap, value, kind) is False else heap.add(passed, value))

    heap.watch(chosen, check)
    heap.call_value(function, _with(site, place, passed))


def _call_first(heap: Attributes, generic: Value, site: Site, place: int, chosen: Slot) -> None:
    """Call the first function, now that all others are known, with what is of none of their types."""
    passed = Slot()

    def check(value: Value) -> None:
        types = (kind for other in heap.field(generic, _OTHERS).values for kind in heap.field(other, _TYPES).values)
        if not any(_is_of(heap, value, kind) for kind in types):
            heap.add(passed, value)

    heap.watch(chosen, check)
    heap.call(heap.field(generic, _FIRST), _with(site, place, passed))


def _with(site: Site, place: int, chosen: Slot) -> Site:
    """The same call with another argument at a place."""
    before, behind = site.positional[:place], site.positional[place + 1 :]
    return replace(site, positional=[*before, (chosen, False), *behind])


def _is_of(heap: Attributes, value: Value, kind: Value) -> bool | None:
    """Whether a value is an instance of a type; None if that is not known."""
    if isinstance(value, Token) and isinstance(kind, Token):
        return heap.knowledge.is_instance(value, kind)
    known = isinstance(kind, External) and kind.name.startswith("builtins.") and kind.name != "builtins.object"
    if isinstance(value, Token) and known:
        return False
    return False if isinstance(kind, Token) and value in (Plain.OTHER, Plain.NONE) else None


# ---------------------------------------------------------------------- registering


@summary(REGISTER.name)
def _register(heap: Attributes, site: Site) -> None:
    """Register a function for the type of its annotation, or for the one that is given."""

    (generic,) = argument(heap, site, 0).values  # the object that the method was taken from

    def register(kind: Value) -> None:
        if isinstance(kind, Function | Bound | Partial | Descriptor):
            _enter(heap, generic, kind, _annotated(heap, kind))
            heap.add(site.result, kind)
        elif len(site.positional) > 2:
            types = heap.constant(kind)
            heap.watch(argument(heap, site, 2), lambda function: _enter(heap, generic, function, types))
            heap.flow(argument(heap, site, 2), site.result)
        else:
            heap.add(site.result, Bound(REGISTER, (generic, kind)))

    heap.watch(argument(heap, site, 1), register)


def _enter(heap: Attributes, generic: Value, function: Value, types: Slot) -> None:
    home = generic.function if isinstance(generic, Descriptor) else generic
    heap.flow(types, heap.field(function, _TYPES))
    heap.add(heap.field(home, _OTHERS), function)


def _annotated(heap: Attributes, function: Value) -> Slot:
    """The types in the annotation of the first parameter that has one."""
    node = function.node if isinstance(function, Function) else None
    arguments = [*node.args.posonlyargs, *node.args.args] if node else []
    annotation = next((argument.annotation for argument in arguments if argument.annotation), None)
    frame = function.context if isinstance(function, Function) else None
    types = Slot()
    for part in _alternatives(annotation):
        if isinstance(frame, Frame) and isinstance(part, ast.Name | ast.Attribute):
            heap.flow(_named(heap, frame, part), types)
        else:
            heap.add(types, Plain.UNKNOWN)
    return types


def _alternatives(annotation: ast.expr | None) -> Iterator[ast.expr | None]:
    if isinstance(annotation, ast.BinOp):
        yield from _alternatives(annotation.left)
        yield from _alternatives(annotation.right)
    else:
        yield annotation


def _named(heap: Attributes, frame: Frame, node: ast.expr) -> Slot:
    """What a name, or `module.name`, is in an annotation."""
    if not isinstance(node, ast.Attribute):
        return heap.slot(frame, node)
    slot = Slot()
    heap.load(_named(heap, frame, node.value), node.attr, slot, None)
    return slot
