"""Summaries: what calls back (threads, timers, executors, hooks, asyncio)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Bound, Class, Function, Module, Partial, Plain, Value
from migrate.python._points_to.functions import Site
from migrate.python._points_to.library import (
    SUMMARIES,
    Summary,
    apply,
    apply_star,
    argument,
    awaited,
    behind,
    called,
    elements,
    names,
    new,
    row,
    summary,
)
from migrate.python._points_to.slots import Slot
from migrate.python.known_calls import APPLYING

if TYPE_CHECKING:
    from migrate.python._points_to.attributes import Attributes


# ---------------------------------------------------------------------- threads, timers, executors, hooks


Place = tuple[int, str]  # of an argument, and its keyword
_NOWHERE = (9, "")
_MAKING_FUTURES = frozenset({"asyncio.to_thread", ".submit", ".run_in_executor"})


def _starts(function: Place, args: Place, kwargs: Place = _NOWHERE) -> Summary:
    """The summary of what calls an argument with a tuple of arguments and a dictionary of keywords."""

    def start(heap: Attributes, site: Site) -> None:
        heap.add(site.result, Plain.OTHER)
        called, *given = (argument(heap, site, *place) for place in (function, args, kwargs))
        apply_star(heap, site, called, Slot(), *given)

    return start


for _names, _summary in {
    "threading.Thread multiprocessing.Process multiprocessing.Process.Process multiprocessing.context.Process": _starts(
        (1, "target"), (3, "args"), (4, "kwargs")
    ),
    "threading.Timer": _starts((1, "function"), (2, "args"), (3, "kwargs")),
    ".enter .enterabs": _starts((3, "action"), (4, "argument"), (5, "kwargs")),
    "multiprocessing.Pool multiprocessing.pool.Pool multiprocessing.pool.ThreadPool": _starts(
        (1, "initializer"), (2, "initargs")
    ),
    "concurrent.futures.ThreadPoolExecutor concurrent.futures.ProcessPoolExecutor": _starts(
        (2, "initializer"), (3, "initargs")
    ),
}.items():
    summary(*_names.split())(_summary)


@summary("multiprocessing.get_context")
def _context(heap: Attributes, site: Site) -> None:
    """Give what has the names of the module itself."""
    heap.add(site.result, Module("multiprocessing"))


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


for _name, _index in APPLYING.items():
    summary(_name)(_later(_index, gives=_name in _MAKING_FUTURES))


def _method(function: str) -> Summary:
    """The summary of a method that does what a function does with what is behind the object."""
    return lambda heap, site: SUMMARIES[function](heap, replace(site, positional=site.positional[1:]))


summary(".map", ".imap", ".imap_unordered")(_method("builtins.map"))
summary(".starmap", ".starmap_async")(_method("itertools.starmap"))
summary(".create_task")(_method("asyncio.create_task"))


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


# ---------------------------------------------------------------------- asyncio


@summary(*names("asyncio", "create_task ensure_future run_coroutine_threadsafe"))
def _task(heap: Attributes, site: Site) -> None:
    new(heap, site, "future", awaited(heap, argument(heap, site, 0)))


@summary(*names("asyncio", "run wait_for shield run_until_complete"))
def _run(heap: Attributes, site: Site) -> None:
    heap.await_(argument(heap, site, 0), site.result)


@summary(".run_until_complete", ".run")
def _run_on(heap: Attributes, site: Site) -> None:
    """Run a coroutine, or a function with the arguments behind it, as a context does."""
    behind_it = replace(site, positional=site.positional[2:], place=called(site))

    def run(value: Value) -> None:
        if isinstance(value, Function | Bound | Partial | Class):
            heap.call_value(value, behind_it)
        else:
            heap.await_(heap.constant(value), site.result)
            heap.add(site.result, Plain.OTHER)

    heap.watch(argument(heap, site, 1), run)
    if len(site.positional) == 1:
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
    heap.add(contents.some, Plain.OTHER)
    if "return_exceptions" in site.keywords:
        heap.in_flight(contents.some)
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
