"""Summaries: selectors, which give back the data that was registered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Collection, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import argument, names, new, row, summary
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes

_NAMES = "DefaultSelector SelectSelector PollSelector EpollSelector DevpollSelector KqueueSelector"


@summary(*names("selectors", _NAMES))
def _make(heap: Attributes, site: Site) -> None:
    """Make a selector: its only item is the key that stands for all of its keys."""
    key, _ = heap.make(site.node, "namespace", site.frame, place=("key",))
    new(heap, site, "selector", heap.constant(key))


def _keys(heap: Attributes, site: Site) -> Slot:
    """The keys of a selector."""
    keys = Slot()

    def find(value: Value) -> None:
        if isinstance(value, Collection) and value.kind == "selector":
            heap.flow(heap.contents(value).every, keys)
        else:
            heap.add(keys, Plain.OTHER)

    heap.watch(argument(heap, site, 0), find)
    return keys


@summary(".register", ".modify")
def _register(heap: Attributes, site: Site) -> None:
    has_data = len(site.positional) > 3 or "data" in site.keywords

    def keep(key: Value) -> None:
        if isinstance(key, Collection):
            heap.flow(argument(heap, site, 1, "fileobj"), heap.field(key, "fileobj"))
            heap.flow(argument(heap, site, 3, "data") if has_data else heap.none, heap.field(key, "data"))
            for name in ("fd", "events"):
                heap.add(heap.field(key, name), Plain.OTHER)

    keys = _keys(heap, site)
    heap.watch(keys, keep)
    heap.flow(keys, site.result)


@summary(".unregister", ".get_key")
def _key(heap: Attributes, site: Site) -> None:
    heap.flow(_keys(heap, site), site.result)


@summary(".select")
def _select(heap: Attributes, site: Site) -> None:
    new(heap, site, "list", row(heap, site, _keys(heap, site), heap.other))


@summary(".get_map")
def _map(heap: Attributes, site: Site) -> None:
    collection, contents = heap.make(site.node, "dict", site.frame, _keys(heap, site))
    heap.add(contents.keys, Plain.OTHER)
    heap.add(site.result, collection)
