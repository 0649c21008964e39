"""Summaries: the methods of collections, queues, futures and generators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Collection, Instance, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import apply, argument, elements, given, names, new, owners, row, summary
from migrate.python._points_to.library_collections import copy_row, merge
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes


# ---------------------------------------------------------------------- methods


@summary(*names("", "append add appendleft put put_nowait push set_result set insert_left"))
def _put(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.NONE)
    owners(heap, argument(heap, site, 0), lambda value: heap.flow(argument(heap, site, 1), heap.contents(value).some))


@summary(".insert")
def _insert(heap: Attributes, site: Site) -> None:
    def insert(value: Value) -> None:
        heap.blur(heap.contents(value))
        heap.flow(argument(heap, site, 2), heap.contents(value).some)

    heap.add(site.result, Plain.NONE)
    owners(heap, argument(heap, site, 0), insert)


@summary(".extend", ".extendleft")
def _extend(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.NONE)
    items = elements(heap, argument(heap, site, 1))
    owners(heap, argument(heap, site, 0), lambda value: heap.flow(items, heap.contents(value).some))


@summary(".update", "builtins.dict.__init__", "collections.OrderedDict.__init__", "collections.UserDict.__init__")
def _update(heap: Attributes, site: Site) -> None:
    def update(value: Value) -> None:
        is_dict = isinstance(value, Instance) or (isinstance(value, Collection) and value.kind == "dict")
        for slot in given(heap, site, 1):
            if is_dict:
                merge(heap, slot, value)
            else:
                heap.flow(elements(heap, slot), heap.contents(value).some)
        for name, slot in site.keywords.items():
            heap.flow(slot, heap.item(heap.contents(value), name))
            heap.add(heap.contents(value).keys, Plain.OTHER)
        for slot in site.splats:
            merge(heap, slot, value)

    heap.add(site.result, Plain.NONE)
    owners(heap, argument(heap, site, 0), update)


@summary(
    *(f"{name}.__init__" for name in ("builtins.list", "builtins.set", "collections.deque", "collections.UserList"))
)
def _fill(heap: Attributes, site: Site) -> None:
    items = elements(heap, *given(heap, site, 1))
    owners(heap, argument(heap, site, 0), lambda value: heap.flow(items, heap.contents(value).some))


@summary("builtins.tuple.__init__")
def _fill_row(heap: Attributes, site: Site) -> None:
    """Let a tuple of a class of the program's own have the items that make it, at their places."""

    def fill(owner: Value) -> None:
        if isinstance(owner, Instance) and heap.binder(owner.node, "__new__") is None:
            copy_row(heap, argument(heap, site, 1), owner)

    heap.watch(argument(heap, site, 0), fill)


def _reads(heap: Attributes, site: Site, value: Value, default: int | None) -> None:
    wanted = heap.constant_argument(site, 1)
    if isinstance(value, Collection) and value.kind == "dict" and wanted is not None:
        heap.flow(heap.get(heap.contents(value), wanted), site.result)
    else:
        heap.flow(heap.contents(value).every, site.result)
    if value is Plain.OTHER:
        heap.add(site.result, value)
    if isinstance(value, Collection) and value.kind == "dict" and default is not None:
        if len(site.positional) > default or "default" in site.keywords:
            heap.flow(argument(heap, site, default, "default"), site.result)
        elif default == 2 and "get" in ast_name(site):
            heap.add(site.result, Plain.NONE)


def ast_name(site: Site) -> str:
    """The name of the method that a call calls, as it is written."""
    function = getattr(site.written, "func", None)
    return str(getattr(function, "attr", ""))


@summary(*names("", "get get_nowait __getitem__ recv result"))
def _get(heap: Attributes, site: Site) -> None:
    def get(value: Value) -> None:
        if isinstance(value, Collection) and value.kind == "variable":  # of a context: what was set, or the default
            heap.flow(heap.contents(value).every, site.result)
            heap.flow(argument(heap, site, 1), site.result)
        else:
            _reads(heap, site, value, 2)

    owners(heap, argument(heap, site, 0), get)


@summary(".pop", ".popleft")
def _pop(heap: Attributes, site: Site) -> None:
    def pop(value: Value) -> None:
        if isinstance(value, Collection) and value.kind != "dict":
            heap.blur(heap.contents(value))
            heap.flow(heap.contents(value).every, site.result)
        else:
            _reads(heap, site, value, 2)

    owners(heap, argument(heap, site, 0), pop)


@summary(".setdefault")
def _setdefault(heap: Attributes, site: Site) -> None:
    def default(value: Value) -> None:
        contents, wanted = heap.contents(value), heap.constant_argument(site, 1)
        slot = contents.some if wanted is None else heap.item(contents, wanted)
        heap.flow(argument(heap, site, 2), slot)
        heap.flow(argument(heap, site, 1), contents.keys)
        heap.flow(contents.every if wanted is None else slot, site.result)

    owners(heap, argument(heap, site, 0), default)


@summary(".__setitem__")
def _set_item(heap: Attributes, site: Site) -> None:
    def store(value: Value) -> None:
        contents, wanted = heap.contents(value), heap.constant_argument(site, 1)
        heap.flow(argument(heap, site, 2), contents.some if wanted is None else heap.item(contents, wanted))
        heap.flow(argument(heap, site, 1), contents.keys)

    heap.add(site.result, Plain.NONE)
    owners(heap, argument(heap, site, 0), store)


@summary(".values")
def _values(heap: Attributes, site: Site) -> None:
    owners(heap, argument(heap, site, 0), lambda value: new(heap, site, "list", heap.contents(value).every))


@summary(".keys")
def _keys(heap: Attributes, site: Site) -> None:
    owners(heap, argument(heap, site, 0), lambda value: new(heap, site, "list", heap.contents(value).keys))


@summary(".items", ".popitem")
def _items(heap: Attributes, site: Site) -> None:
    def items(value: Value) -> None:
        pair = row(heap, site, heap.contents(value).keys, heap.contents(value).every)
        if ast_name(site) == "popitem":
            heap.flow(pair, site.result)
        else:
            new(heap, site, "list", pair)

    owners(heap, argument(heap, site, 0), items)


@summary(".sort", ".reverse", ".rotate")
def _sort(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.NONE)
    owners(heap, argument(heap, site, 0), lambda value: heap.blur(heap.contents(value)))
    apply(heap, site, argument(heap, site, 9, "key"), Slot(), elements(heap, argument(heap, site, 0)))


@summary(".send", ".asend", ".throw")
def _send(heap: Attributes, site: Site) -> None:
    def send(value: Value) -> None:
        if isinstance(value, Collection):
            if value in heap.generators:
                heap.flow(argument(heap, site, 1), heap.generators[value].sent)
            heap.flow(heap.contents(value).every, site.result)
        else:
            heap.flow(argument(heap, site, 1), heap.contents(value).some)
            heap.add(site.result, Plain.OTHER)

    owners(heap, argument(heap, site, 0), send)
