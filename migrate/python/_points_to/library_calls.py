"""Summaries: what calls back (threads, timers, executors, hooks, asyncio)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from migrate.python._points_to.domain import Module, Plain
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


@summary("multiprocessing.get_context")
def _context(heap: Attributes, site: Site) -> None:
    """Give what has the names of the module itself."""
    heap.add(site.result, Module("multiprocessing"))


@summary(*names("multiprocessing", "Pool pool.Pool pool.ThreadPool"))
def _pool(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)
    apply_star(heap, site, argument(heap, site, 1, "initializer"), Slot(), argument(heap, site, 2, "initargs"), Slot())


@summary(*names("concurrent.futures", "ThreadPoolExecutor ProcessPoolExecutor"))
def _executor(heap: Attributes, site: Site) -> None:
    heap.add(site.result, Plain.OTHER)
    apply_star(heap, site, argument(heap, site, 2, "initializer"), Slot(), argument(heap, site, 3, "initargs"), Slot())


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
    _later(1): ".callback .addCleanup .addClassCleanup .addfinalizer .call_soon .call_soon_threadsafe .after_idle"
    " .push_async_callback weakref.finalize contextlib.ExitStack.callback pytest.raises pytest.warns",
    _later(2): ".assertRaises .assertWarns .call_later .call_at .add_reader .add_writer .add_signal_handler",
    _later(0, gives=True): "asyncio.to_thread",
    _later(1, gives=True): ".submit",
    _later(2, gives=True): ".run_in_executor",
}.items():
    SUMMARIES.update(dict.fromkeys(_names.split(), _function))


@summary(".enter", ".enterabs")
def _schedule(heap: Attributes, site: Site) -> None:
    """Call what is given to a sched.scheduler."""
    heap.add(site.result, Plain.OTHER)
    args, kwargs = argument(heap, site, 4, "argument"), argument(heap, site, 5, "kwargs")
    apply_star(heap, site, argument(heap, site, 3, "action"), Slot(), args, kwargs)


@summary(".map", ".imap", ".imap_unordered")
def _pool_map(heap: Attributes, site: Site) -> None:
    result = Slot()
    apply(heap, site, argument(heap, site, 1), result, *(elements(heap, slot) for slot in given(site, 2)))
    new(heap, site, "list", result)


@summary(".starmap", ".starmap_async")
def _pool_starmap(heap: Attributes, site: Site) -> None:
    result = Slot()
    apply_star(heap, site, argument(heap, site, 1), result, elements(heap, argument(heap, site, 2)), Slot())
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
