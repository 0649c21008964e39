"""Summaries: collections, iteration and what makes and changes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Collection, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import (
    Summary,
    apply,
    apply_star,
    argument,
    elements,
    given,
    names,
    new,
    owners,
    row,
    summary,
)
from migrate.python._points_to.slots import Slot

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes


def _collection(kind: str, *, start: int = 0) -> Summary:
    def make(heap: Attributes, site: Site) -> None:
        new(heap, site, kind, elements(heap, *given(heap, site, start)))

    return make


summary(
    *names("builtins", "list reversed set frozenset"),
    *names("itertools", "chain cycle islice"),
    *names("", "union intersection difference symmetric_difference"),
    *names("collections", "deque UserList"),
    "weakref.WeakSet",
)(_collection("list"))


@summary("itertools.chain.from_iterable")
def _chain(heap: Attributes, site: Site) -> None:
    new(heap, site, "list", elements(heap, elements(heap, argument(heap, site, 0))))


summary("builtins.tuple")(_collection("tuple"))
for _module in ("queue", "asyncio", "multiprocessing"):
    _queues = names(_module, "Queue LifoQueue PriorityQueue SimpleQueue JoinableQueue")
    summary(*_queues)(_collection("list", start=9))


@summary("itertools.tee")
def _tee(heap: Attributes, site: Site) -> None:
    """Make a tuple of iterators, each of which has everything."""
    items = elements(heap, *given(heap, site)[:1])
    copy, _ = heap.make(site.node, "list", site.frame, items, place=(*site.place, "copy"))
    new(heap, site, "tuple", heap.constant(copy))


@summary(*names("itertools", "combinations permutations combinations_with_replacement pairwise"))
def _choices(heap: Attributes, site: Site) -> None:
    """Make tuples, each of several items of one iterable."""
    items = elements(heap, argument(heap, site, 0, "iterable"))
    choice, _ = heap.make(site.node, "tuple", site.frame, items, place=(*site.place, "row"))
    new(heap, site, "list", heap.constant(choice))


@summary("itertools.product", "builtins.zip")
def _rows(heap: Attributes, site: Site) -> None:
    _make_rows(heap, site)


@summary("itertools.zip_longest")
def _long_rows(heap: Attributes, site: Site) -> None:
    fill = site.keywords.get("fillvalue") or heap.constant(Plain.NONE)
    _make_rows(heap, site, fill)


def _make_rows(heap: Attributes, site: Site, *fills: Slot) -> None:
    columns = [elements(heap, slot) for slot, _ in site.positional]
    for column in columns:
        for fill in fills:
            heap.flow(fill, column)
    new(heap, site, "list", row(heap, site, *columns))
    starred = any(star for _, star in site.positional)
    if len(columns) == 1 or starred or "repeat" in site.keywords:
        for value in row(heap, site).values:
            for fill in fills:
                heap.flow(fill, heap.contents(value).some)
            for column in columns:
                if starred:
                    heap.iterate(column, heap.contents(value).some)
                heap.flow(column, heap.contents(value).some)


@summary("builtins.enumerate")
def _enumerate(heap: Attributes, site: Site) -> None:
    new(heap, site, "list", row(heap, site, heap.other, elements(heap, argument(heap, site, 0, "iterable"))))


@summary("builtins.iter", "builtins.aiter")
def _iter(heap: Attributes, site: Site) -> None:
    result = Slot()
    if len(site.positional) > 1:
        apply(heap, site, argument(heap, site, 0), result)
    else:
        heap.iterate(argument(heap, site, 0), result)
    new(heap, site, "list", result)


@summary("builtins.next", "builtins.anext", ".__next__", ".__anext__")
def _next(heap: Attributes, site: Site) -> None:
    heap.watch(argument(heap, site, 0), lambda value: heap.advance(value, site.result))
    for default in given(heap, site, 1):
        heap.flow(default, site.result)


@summary("itertools.starmap")
def _starmap(heap: Attributes, site: Site) -> None:
    result = Slot()
    apply_star(heap, site, argument(heap, site, 0), result, elements(heap, argument(heap, site, 1)), Slot())
    new(heap, site, "list", result)


@summary("builtins.map")
def _map(heap: Attributes, site: Site) -> None:
    result, rows = Slot(), [elements(heap, slot) for slot in given(heap, site, 1)]
    if any(star for _, star in site.positional):
        some, _ = heap.make(site.node, "list", site.frame, *rows, place=(*site.place, "row"))
        apply_star(heap, site, argument(heap, site, 0), result, heap.constant(some), Slot())
    else:
        apply(heap, site, argument(heap, site, 0), result, *rows)
    new(heap, site, "list", result)


@summary("builtins.filter", *names("itertools", "filterfalse takewhile dropwhile"))
def _filter(heap: Attributes, site: Site) -> None:
    items = elements(heap, argument(heap, site, 1))
    apply(heap, site, argument(heap, site, 0), Slot(), items)
    new(heap, site, "list", items)


@summary("itertools.groupby")
def _groupby(heap: Attributes, site: Site) -> None:
    items = elements(heap, argument(heap, site, 0, "iterable"))
    key, (group, _) = Slot(), heap.make(site.node, "list", site.frame, items, place=("group",))
    apply(heap, site, argument(heap, site, 1, "key"), key, items)
    new(heap, site, "list", row(heap, site, key, heap.constant(group)))


@summary("itertools.repeat")
def _repeat(heap: Attributes, site: Site) -> None:
    new(heap, site, "list", argument(heap, site, 0))


@summary("heapq.nlargest", "heapq.nsmallest")
def _best(heap: Attributes, site: Site) -> None:
    items = elements(heap, argument(heap, site, 1, "iterable"))
    new(heap, site, "list", items)
    apply(heap, site, argument(heap, site, 2, "key"), Slot(), items)


@summary("builtins.max", "builtins.min", "random.choice")
def _choose(heap: Attributes, site: Site) -> None:
    is_one = len(site.positional) == 1 and not site.positional[0][1]
    chosen = elements(heap, *given(heap, site)) if is_one else Slot()
    for slot in () if is_one else given(heap, site):
        heap.flow(slot, chosen)
    heap.flow(chosen, site.result)
    heap.flow(argument(heap, site, 9, "default"), site.result)
    apply(heap, site, argument(heap, site, 9, "key"), Slot(), chosen)


@summary(*names("heapq", "heapify heappush heappop heappushpop heapreplace"))
def _heap(heap: Attributes, site: Site) -> None:
    """Put an item into a list, take one out, or both: the others change places."""
    items, added = argument(heap, site, 0), argument(heap, site, 1)

    def change(value: Value) -> None:
        heap.blur(heap.contents(value))
        heap.flow(added, heap.contents(value).some)

    owners(heap, items, change)
    heap.flow(elements(heap, items), site.result)
    heap.flow(added, site.result)


@summary("builtins.sorted", "heapq.merge")
def _in_order(heap: Attributes, site: Site) -> None:
    _collection("list")(heap, site)
    apply(heap, site, argument(heap, site, 9, "key"), Slot(), elements(heap, *given(heap, site)))


@summary("builtins.sum")
def _sum(heap: Attributes, site: Site) -> None:
    heap.flow(elements(heap, argument(heap, site, 0)), site.result)
    heap.flow(argument(heap, site, 1, "start"), site.result)


@summary(*names("random", "sample choices"))
def _chosen(heap: Attributes, site: Site) -> None:
    new(heap, site, "list", elements(heap, argument(heap, site, 0, "population")))


@summary("itertools.accumulate")
def _accumulate(heap: Attributes, site: Site) -> None:
    items, made = elements(heap, argument(heap, site, 0, "iterable")), Slot()
    heap.flow(items, made)
    heap.flow(argument(heap, site, 2, "initial"), made)
    apply(heap, site, argument(heap, site, 1, "func"), made, made, items)
    new(heap, site, "list", made)


@summary("functools.reduce")
def _reduce(heap: Attributes, site: Site) -> None:
    items = elements(heap, argument(heap, site, 1))
    heap.flow(items, site.result)
    heap.flow(argument(heap, site, 2), site.result)
    apply(heap, site, argument(heap, site, 0), site.result, site.result, items)


# ---------------------------------------------------------------------- dictionaries


@summary(
    "builtins.dict",
    *names("collections", "OrderedDict ChainMap UserDict"),
    *names("weakref", "WeakKeyDictionary WeakValueDictionary"),
    "types.MappingProxyType",
)
def _dict(heap: Attributes, site: Site) -> None:
    collection, contents = heap.make(site.node, "dict", site.frame)
    heap.add(site.result, collection)
    for slot in given(heap, site):
        merge(heap, slot, collection)
    for name, slot in site.keywords.items():
        heap.flow(slot, heap.item(contents, name))
        heap.add(contents.keys, Plain.OTHER)
    for slot in site.splats:
        merge(heap, slot, collection)


@summary("collections.defaultdict")
def _defaultdict(heap: Attributes, site: Site) -> None:
    collection, contents = heap.make(site.node, "dict", site.frame)
    heap.add(site.result, collection)
    apply(heap, site, argument(heap, site, 0), contents.some)
    for slot in given(heap, site, 1):
        merge(heap, slot, collection)


def merge(heap: Attributes, source: Slot, target: Value) -> None:
    """Copy a dictionary, or an iterable of pairs, into a dictionary."""
    contents = heap.contents(target)

    def copy(value: Value) -> None:
        if isinstance(value, Collection) and value.kind == "dict":
            heap.flow(heap.contents(value).some, contents.some)
            heap.flow(heap.contents(value).keys, contents.keys)
            heap.on_items(heap.contents(value), lambda key, slot: heap.flow(slot, heap.item(contents, key)))
        else:
            pairs = heap.elements(value)
            heap.unpack(pairs, 0, contents.keys)
            heap.unpack(pairs, 1, contents.some)

    heap.watch(source, copy)


def copy_row(heap: Attributes, source: Slot, target: Value) -> None:
    """Copy a tuple or list into a value, each item to its place, and what is in anything else to any place."""
    contents = heap.contents(target)

    def copy(value: Value) -> None:
        if isinstance(value, Collection) and value.kind in ("tuple", "list"):
            heap.flow(heap.contents(value).some, contents.some)
            heap.on_items(heap.contents(value), lambda key, slot: heap.flow(slot, heap.item(contents, key)))
        else:
            heap.flow(heap.elements(value), contents.some)

    heap.watch(source, copy)


@summary("builtins.dict.fromkeys")
def _fromkeys(heap: Attributes, site: Site) -> None:
    collection, contents = heap.make(site.node, "dict", site.frame, argument(heap, site, 1))
    heap.iterate(argument(heap, site, 0), contents.keys)
    heap.add(contents.some, Plain.NONE)
    heap.add(site.result, collection)
