"""The ends of C objects: children before their parents, once, whoever ends them."""

from __future__ import annotations

import gc
import inspect
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from itertools import chain
from typing import Any
from weakref import ref

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.native._handle import lives
from comch_next.driver.protocol import new_lock
from tests.control_path.pair import ignore, until
from tests.faults.forking import Forking
from tests.native.conftest import Log
from tests.native.test_callbacks import Loop
from tests.processes import StartPython

DEADLINE_S = 60.0
ENGINE_CALLS = ["destroy", "request_notification", "get_notification_handle", "progress", "get_num_inflight_tasks"]
FORK_ENDS = {"BadState": None, "KeyError": KeyError()}
ENDS = {
    "doca_task_free",
    "doca_comch_client_destroy",
    "doca_pe_destroy",
    "doca_mmap_destroy",
    "doca_buf_dec_refcount",
    "doca_buf_inventory_destroy",
    "doca_dev_close",
    "doca_devinfo_destroy_list",
}
PARENTS = {
    "doca_task_free": ["doca_comch_client_destroy"],
    "doca_comch_client_destroy": ["doca_pe_destroy", "doca_dev_close"],
}


def ends(log: Log) -> list[str]:
    return [call for call in log() if call in ENDS]


def expect_order(calls: list[str]) -> None:
    """Each object ended once, tasks apart, and none before those that were made of it."""
    assert sorted(set(calls) - {"doca_devinfo_destroy_list"}) == sorted({*PARENTS, *chain(*PARENTS.values())})
    for child, parents in PARENTS.items():
        for parent in parents:
            assert calls.count(parent) == 1
            assert calls.index(parent) > len(calls) - 1 - calls[::-1].index(child)


def test_what_is_dropped_ends_in_order(stub: Log) -> None:
    loop = Loop()
    loop.run()
    held = loop.client.task_send_alloc_init(loop.client.connection, b"held")
    stub()
    del loop, held
    gc.collect()
    expect_order(ends(stub))
    assert not lives()


def test_a_context_that_is_dropped_ends_in_the_progress_of_its_engine(stub: Log) -> None:
    loop = Loop()
    engine = loop.engine
    loop.run()
    stub()
    del loop
    gc.collect()
    assert "doca_comch_client_destroy" not in ends(stub)
    deadline = time.monotonic() + DEADLINE_S
    while "doca_comch_client_destroy" not in ends(stub):
        assert time.monotonic() < deadline
        engine.progress()
    engine.destroy()


def test_an_engine_that_is_destroyed_ends_the_contexts_that_the_program_has_dropped(stub: Log) -> None:
    loop = Loop()
    engine, kept = loop.engine, loop.client
    del loop
    with pytest.raises(comch.InUse):
        engine.destroy()
    del kept
    engine.destroy()
    calls = ends(stub)
    assert calls.index("doca_comch_client_destroy") < len(calls) - 1 - calls[::-1].index("doca_pe_destroy")


def test_contexts_that_are_dropped_with_their_engine_end_once(stub: Log) -> None:
    """The end of each asks the engine to end: not the more deeply, the more there are."""
    loop, count, deepest = Loop(), 60, sys.getrecursionlimit()
    others = [comch.Client(loop.device, f"svc {number}", engine=loop.engine) for number in range(count - 1)]
    for client in (loop.client, *others):
        client.start()
    loop.engine.progress()
    stub()
    del client, loop, others
    sys.setrecursionlimit(len(inspect.stack()) + 2 * count)
    try:
        gc.collect()
    finally:
        sys.setrecursionlimit(deepest)
    calls = ends(stub)
    assert [calls.count(end) for end in ("doca_comch_client_destroy", "doca_pe_destroy")] == [count, 1]
    assert not lives()


def test_a_context_that_never_had_an_engine_is_destroyed_at_once(stub: Log) -> None:
    client = comch.Client(comch.devices()[0].open(), "svc")
    client.set_state_changed_cb(print)
    assert client.state is comch.State.IDLE
    del client
    gc.collect()
    assert [call for call in ends(stub) if call != "doca_devinfo_destroy_list"] == [
        "doca_comch_client_destroy",
        "doca_dev_close",
    ]


def test_a_context_that_was_not_made_to_the_end_is_destroyed(stub: Log) -> None:
    with comch.devices()[0].open() as device:
        library: Any = load().clients.library  # type: ignore[attr-defined]
        library["doca_ctx_set_state_changed_cb"] = lambda *_: comch.ErrorCode.NO_MEMORY
        before = lives()
        stub()
        with pytest.raises(comch.NoMemory):
            comch.Client(device, "svc")
        assert stub() == ["doca_comch_client_create", "doca_comch_client_destroy"]
        assert lives() == before


def test_a_dropped_task_goes_back_to_its_pool(stub: Log) -> None:
    loop = Loop()
    loop.run()
    stub()
    loop.client.task_send_alloc_init(loop.client.connection, b"dropped")
    gc.collect()
    assert stub() == ["doca_comch_client_task_send_alloc_init"]
    loop.send(b"next")
    assert stub() == ["doca_task_free", "doca_comch_client_task_send_alloc_init"]
    loop.engine.progress()
    loop.close()


def test_tasks_that_are_dropped_one_after_the_other_need_no_collector(stub: Log) -> None:
    loop = Loop()
    loop.run()
    stub()
    gc.disable()
    try:
        for _ in range(3):
            loop.client.task_send_alloc_init(loop.client.connection, b"dropped")
    finally:
        gc.enable()
    assert stub() == [
        *["doca_comch_client_task_send_alloc_init", "doca_task_free"] * 2,
        "doca_comch_client_task_send_alloc_init",
    ]
    loop.close()


@pytest.mark.parametrize("silent", [False, True], ids=["told", "silent"])
@pytest.mark.parametrize("most", [None, 1])
@pytest.mark.parametrize("dropped", ["before", "afterwards"])
def test_a_dropped_task_keeps_no_context_from_its_end(
    stub: Log, dropped: str, most: int | None, silent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is dropped before the stop, or while the context waits for it."""
    loop = Loop()
    loop.run()
    loop.engine.max_events = most
    tasks = [loop.client.task_send_alloc_init(loop.client.connection, b"dropped")]
    if dropped == "before":
        tasks.clear()
    if silent:
        monkeypatch.setenv("STUB_SAYS_NOTHING", "1")
    loop.client.stop()
    if dropped == "afterwards":
        for _ in range(2):
            loop.engine.progress()
            assert loop.client.state is comch.State.STOPPING
        tasks.clear()
    for _ in range(2):
        loop.engine.progress()
    assert loop.client.state is comch.State.IDLE
    handle: Any = loop.engine._handle
    loop.engine.progress()
    assert not handle.life.orphans  # progress has nothing more to do for it
    loop.close()


def test_a_submitted_task_needs_no_one_to_hold_it(stub: Log) -> None:
    loop = Loop()
    loop.run()
    loop.send(b"x")
    gc.collect()
    loop.engine.progress()
    assert loop.told[-1] == ("done", "SUCCESS")
    loop.close()


def test_buffers_go_back_before_their_inventory_and_map(stub: Log) -> None:
    inventory, mmap = comch.BufInventory(4), comch.Mmap(None, 4096)
    buf = inventory.buf_get_by_addr(mmap, mmap.addr, 64)
    stub()
    del mmap, inventory, buf
    gc.collect()
    first, *others = ends(stub)
    assert first == "doca_buf_dec_refcount"
    assert sorted(others) == ["doca_buf_inventory_destroy", "doca_mmap_destroy"]
    assert not lives()


class Owner:
    """What has an object of the library's, whose callback leads to it."""

    thing: object

    def __init__(self) -> None:
        self.told: list[object] = []

    def tell(self, *values: object) -> None:
        self.told.append(values)


def mmap_of(owner: Owner, device: comch.Device) -> comch.Mmap:
    mmap = comch.Mmap(device, 4096, comch.AccessFlag.LOCAL_READ_WRITE)
    mmap.set_free_cb(owner.tell, owner)
    mmap.start()
    return mmap


def engine_of(owner: Owner, _: comch.Device) -> comch.ProgressEngine:
    engine = comch.ProgressEngine()
    engine._hand_errors_to(owner.tell)
    return engine


@pytest.mark.parametrize(("make", "end"), [(mmap_of, "doca_mmap_destroy"), (engine_of, "doca_pe_destroy")])
def test_what_a_callback_leads_to_can_be_dropped(
    stub: Log, make: Callable[[Owner, comch.Device], object], end: str
) -> None:
    """And no callback runs."""
    with comch.devices()[0].open() as device:
        owner = Owner()
        told, owner.thing, dropped = owner.told, make(owner, device), ref(owner)
        stub()
        del owner
        gc.collect()
        assert dropped() is None
        assert (ends(stub), told) == ([end], [])


@pytest.mark.parametrize("dropped", [True, False], ids=["dropped", "at exit"])
def test_no_free_callback_runs_for_a_map_that_is_not_destroyed(
    stub: Log, start_python: StartPython, dropped: bool
) -> None:
    program = """
import comch_next as comch
mmap = comch.Mmap()
mmap.set_free_cb(print)
"""
    ended = start_python("-c", program + "del mmap" * dropped, fresh=True).finish()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert ends(stub) == ["doca_mmap_destroy"]


def test_what_was_ended_is_not_ended_again(stub: Log) -> None:
    loop = Loop()
    loop.client.start()
    handle = loop.client._handle
    contexts = loop.client._contexts
    loop.engine.progress()
    loop.close()
    assert {"doca_comch_client_destroy", "doca_pe_destroy", "doca_dev_close"} < set(ends(stub))
    with pytest.raises(comch.InvalidValue, match="the client has been destroyed"):
        contexts.start(handle)
    gc.collect()
    assert "doca_comch_client_destroy" not in ends(stub)


def test_what_the_last_close_of_a_device_ends(stub: Log) -> None:
    device = comch.devices()[0].open()
    again, devinfo = device.devinfo.open(), device.devinfo
    listed = device.representors()[0]
    representor = listed.open()
    opened = representor.devinfo_rep
    again.close()
    assert (devinfo.pci_addr_str, listed.pci_addr_str, opened.pci_addr_str) == ("0000:b1:00.0", "", "")
    stub()
    device.close()
    assert stub() == ["doca_devinfo_rep_destroy_list", "doca_dev_rep_close", "doca_dev_close"]
    for info in (devinfo, listed, opened):
        with pytest.raises(comch.InvalidValue, match="has been destroyed"):
            info.pci_addr_str  # noqa: B018
    with pytest.raises(comch.InvalidValue):
        listed.open()
    representor.close()
    with pytest.raises(comch.InvalidValue):
        representor.close(strict=True)
    del listed, representor
    gc.collect()
    assert stub() == []


def test_what_a_receive_has_received_is_asked_of_a_living_task_only(stub: Log) -> None:
    driver: Any = load()
    library, tasks = driver.msgqs.library, driver.post_recv_tasks
    for call in ("doca_ctx_set_state_changed_cb", "doca_task_free"):
        library[call] = lambda *_: comch.ErrorCode.SUCCESS  # there is no such context
    with comch.devices()[0].open() as device:
        queue = driver.msgqs.create(device._handle)
        consumer = driver.msgqs.consumer_create(queue)
        freed = driver.consumers.task_post_recv_alloc_init(consumer, None)
        assert (tasks.get_producer_id(freed), tasks.get_imm_data(freed)) == (0, None)
        tasks.free(freed)
        left = driver.consumers.task_post_recv_alloc_init(consumer, None)
        stub()
        for get in (tasks.get_producer_id, tasks.get_imm_data):
            with pytest.raises(comch.BadState, match="freed before"):
                get(freed)
        driver.contexts.destroy(consumer)
        for get in (tasks.get_producer_id, tasks.get_imm_data):
            with pytest.raises(comch.InvalidValue, match="consumer of the task has been destroyed"):
                get(left)
        assert stub() == ["doca_comch_consumer_destroy"]
        driver.msgqs.destroy(queue)


def test_what_a_queue_needs_ends_after_it(stub: Log) -> None:
    """Also where the program has dropped it before, and started, in which state it cannot be destroyed."""
    driver: Any = load()
    library = driver.msgqs.library
    library["doca_ctx_set_state_changed_cb"] = lambda *_: comch.ErrorCode.SUCCESS  # there is no such context
    with comch.devices()[0].open() as device:
        queue, completion = driver.msgqs.create(device._handle), driver.consumer_completions.create()
        consumer = driver.msgqs.consumer_create(queue)
        driver.consumers.set_completion(consumer, completion, None)
        driver.msgqs.start(queue)
        stub()
        del completion, queue
        assert stub() == []
        del consumer
        assert sorted(stub()) == [
            "doca_comch_consumer_completion_destroy", "doca_comch_consumer_completion_stop",
            "doca_comch_consumer_destroy", "doca_comch_msgq_destroy", "doca_comch_msgq_stop",
        ]  # fmt: skip


def test_a_device_in_use_keeps_its_representors(stub: Log) -> None:
    """Its close is refused, whatever has been listed of it."""
    device = comch.devices()[0].open()
    client, representor = comch.Client(device, "svc"), device.representors()[0].open()
    devices = load().devices
    library: Any = devices.library  # type: ignore[attr-defined]
    close, library["doca_dev_close"] = library["doca_dev_close"], lambda _: comch.ErrorCode.IN_USE
    with pytest.raises(comch.InUse):
        device.close()
    library["doca_dev_close"] = close
    assert representor.devinfo_rep.pci_addr_str == ""
    client.destroy()
    device.close()


def test_a_list_may_go_while_its_device_is_closed(stub: Log) -> None:
    """As the collector may find it at any time."""
    device = comch.devices()[0].open()
    lists = [device.representors() for _ in range(3)]
    handle: Any = device._handle
    life, *_ = handle.life.children
    found = life.handle

    def collected() -> object:
        lists[1:] = lists[2:]
        return found()

    life.handle = collected
    stub()
    device.close()
    assert stub() == ["doca_devinfo_rep_destroy_list"] * 3 + ["doca_dev_close"]


AT_EXIT = """
from tests.native.test_callbacks import Loop
kept = Loop()
kept.run()
task = kept.client.task_send_alloc_init(kept.client.connection, b"held")
kept.send(b"in flight")
kept.told = None  # a callback would stumble
print("ready")
"""


def test_what_is_left_at_exit_ends_in_order(stub: Log, start_python: StartPython) -> None:
    ended = start_python("-c", AT_EXIT, fresh=True).finish()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ready\n", "")
    calls = ends(stub)
    expect_order(calls)
    assert calls.count("doca_task_free") == 2


LATE = """
import atexit, threading, time
from contextlib import suppress
late = []
atexit.register(lambda: late[0]())  # before the library's own, and so after it
import comch_next as comch
from tests.native.test_callbacks import Loop
kept = Loop()
kept.run()
kept.told = None
connection, listed = kept.client.connection, comch.devices()[0]
polls = [lambda: kept.engine.progress(), lambda: kept.engine.num_inflight_tasks, lambda: kept.client.max_msg_size]
go_on, went_on = [True], []

def poll():
    while go_on:
        time.sleep(0.001)
        for call in polls:
            went_on.append(comch.outcome(call)[0].name)

thread = threading.Thread(target=poll, daemon=True)
thread.start()

def look():
    del went_on[:]
    while len(went_on) < 2 * len(polls):
        time.sleep(0.001)
    go_on.clear()
    thread.join()
    print(*sorted(set(went_on)), kept.engine.progress(), kept.client.state.name)
    for call in (
        lambda: kept.client.task_send_alloc_init(connection, b"x"), connection.update_info,
        kept.client.start, kept.engine.request_notification, lambda: listed.pci_addr_str, kept.device.representors,
    ):
        print(comch.outcome(call)[0].name)

late.append(look)
"""


def test_what_has_ended_at_exit_is_not_called_any_more(stub: Log, start_python: StartPython) -> None:
    """By a thread that runs on, or by the program's own that ends later. One that only polls is not refused."""
    ended = start_python("-c", LATE, fresh=True).finish()
    told = ["INVALID_VALUE SUCCESS False IDLE", "INVALID_VALUE", "CONNECTION_ABORTED", *["INVALID_VALUE"] * 4]
    assert (ended.returncode, ended.stdout.splitlines(), ended.stderr) == (0, told, "")
    calls = stub()
    ends_at = calls.index("doca_comch_client_destroy"), calls.index("doca_pe_destroy")
    assert ends_at[0] < ends_at[1]
    assert set(calls[ends_at[1] :]) <= ENDS | {"doca_dev_close"}


STUCK = """
import threading
from tests.native.test_callbacks import Loop
kept, entered = Loop(), threading.Event()
kept.client.event_msg_recv_register(lambda *_: entered.set() or threading.Event().wait())
kept.run()
kept.send(b"x")
threading.Thread(target=kept.engine.progress, daemon=True).start()
entered.wait()
"""


def test_a_callback_that_does_not_return_keeps_its_context_at_exit(stub: Log, start_python: StartPython) -> None:
    """And its engine and device, which it may use. The process ends all the same."""
    ended = start_python("-c", STUCK, fresh=True).finish()
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert ends(stub) == ["doca_devinfo_destroy_list"]


def test_a_forked_child_ends_nothing(stub: Log) -> None:
    loop = Loop()
    loop.run()
    stub()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            refused = [type(_refusal(call)).__name__ for call in (loop.engine.progress, loop.client.stop)]
            loop.client = None  # type: ignore[assignment]
            gc.collect()
            os.write(writing, " ".join(refused).encode())
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 100) == b"BadState BadState"
    assert stub() == []
    loop.close()
    for descriptor in (reading, writing):
        os.close(descriptor)


@pytest.mark.parametrize("ends", FORK_ENDS)
@pytest.mark.parametrize("most", [None, 1])
@pytest.mark.parametrize("event", ["message", "completion", "state"])
def test_a_child_that_leaves_its_callback(stub: Log, event: str, most: int | None, ends: str) -> None:
    callback = Forking(FORK_ENDS[ends])
    loop = Loop()
    loop.engine.max_events = most
    if event == "message":
        loop.client.event_msg_recv_register(callback)
    elif event == "completion":
        loop.client.task_send_set_conf(callback, callback, 8)
    else:
        loop.client.set_state_changed_cb(lambda _, old, new: {comch.State.RUNNING: callback}.get(new, ignore)())
    loop.client.start()
    if event != "state":
        loop.engine.progress()
        loop.send(b"x")  # to itself
    assert callback.told_by_child(lambda: until(lambda: callback.pids, loop.engine)) == ends
    loop.close()


@pytest.mark.parametrize("ends", FORK_ENDS)
@pytest.mark.parametrize("call", ["start", "stop"])
def test_a_child_that_leaves_a_callback_outside_of_progress(stub: Log, call: str, ends: str) -> None:
    callback = Forking(FORK_ENDS[ends])
    loop = Loop()
    if call == "stop":
        loop.run()
    loop.client.set_state_changed_cb(callback)
    assert callback.told_by_child(getattr(loop.client, call)) == ends
    loop.close()


@pytest.mark.parametrize("ends", FORK_ENDS)
def test_a_child_that_leaves_the_free_callback_of_a_map(stub: Log, ends: str) -> None:
    callback = Forking(FORK_ENDS[ends])
    with comch.devices()[0].open() as device:
        mmap = comch.Mmap(device, 4096, comch.AccessFlag.LOCAL_READ_WRITE)
        mmap.set_free_cb(callback)
        mmap.start()
        assert callback.told_by_child(mmap.destroy) == ends


def _refusal(call: object) -> BaseException | None:
    try:
        call()  # type: ignore[operator]
    except comch.DocaError as error:
        return error
    return None


class Late:
    """A lock that another thread had, which has destroyed what it is for."""

    def __init__(self, destroy: Callable[[], object]) -> None:
        self.lock, self.destroy = new_lock(), destroy

    def acquire(self, *how: Any) -> bool:
        self.lock.acquire(*how)
        destroy, self.destroy = self.destroy, lambda: None
        destroy()
        return True

    def release(self) -> None:
        self.lock.release()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


@pytest.mark.parametrize("call", ["destroy", "take_back_tasks", "start"])
def test_what_another_thread_has_just_destroyed_is_left_alone(stub: Log, call: str) -> None:
    with comch.devices()[0].open() as device:
        contexts = load().contexts
        handle: Any = comch.Client(device, "svc")._handle
        handle.life.lock = Late(lambda: contexts.destroy(handle))
        stub()
        with pytest.raises(comch.InvalidValue, match="has been destroyed"):
            getattr(contexts, call)(handle)
        assert stub() == ["doca_comch_client_destroy"]


def test_a_context_that_another_thread_has_just_destroyed_is_idle(stub: Log) -> None:
    """As in the emulated library, so that nobody who asks need know; the real one is not asked."""
    with comch.devices()[0].open() as device:
        context = comch.Client(device, "svc")
        handle: Any = context._handle
        handle.life.lock = Late(context.destroy)
        stub()
        assert (context.state, context.state) == (comch.State.IDLE, comch.State.IDLE)
        assert stub() == ["doca_comch_client_destroy"]


@pytest.mark.parametrize("call", ENGINE_CALLS)
def test_an_engine_that_another_thread_has_just_destroyed(stub: Log, call: str) -> None:
    engines = load().engines
    handle: Any = engines.create()
    engines.get_notification_handle(handle)
    handle.life.lock = Late(lambda: engines.destroy(handle))
    stub()
    with pytest.raises(comch.InvalidValue, match="has been destroyed"):
        getattr(engines, call)(handle)
    assert stub() == ["doca_pe_destroy"]


@pytest.mark.parametrize("make", [comch.Mmap, lambda: comch.BufInventory(1)], ids=["map", "inventory"])
def test_what_two_threads_destroy_is_destroyed_once(stub: Log, make: Callable[[], Any]) -> None:
    thing = make()
    noun: Any
    noun, call = (thing._mmaps, "doca_mmap_destroy") if isinstance(thing, comch.Mmap) else (
        load().buf_inventories, "doca_buf_inventory_destroy")  # fmt: skip
    handle, codes = thing._handle, list[comch.ErrorCode]()
    other = threading.Thread(target=lambda: codes.append(comch.outcome(noun.destroy, handle)[0]))

    def destroy(_: object) -> int:
        codes.append(comch.ErrorCode.SUCCESS)
        if len(codes) == 1:
            other.start()
            other.join(0.2)
        return 0

    noun.library[call] = destroy
    noun.destroy(handle)
    other.join(DEADLINE_S)
    assert codes == [comch.ErrorCode.SUCCESS, comch.ErrorCode.INVALID_VALUE]


@pytest.mark.parametrize("call", ["doca_mmap_set_memrange", "doca_mmap_add_dev", "doca_mmap_destroy"])
def test_an_interrupt_leaves_no_map_half_changed(stub: Log, call: str) -> None:
    """It comes while the library runs: what that has done is known when it is raised."""
    with comch.devices()[0].open() as device:
        mmap = comch.Mmap()
        handle: Any = mmap._handle
        library: Any = mmap._mmaps.library  # type: ignore[attr-defined]

        def interrupted(*_: object) -> int:
            signal.raise_signal(signal.SIGINT)
            return 0

        library[call] = interrupted
        changes: list[Callable[[], object]] = [
            lambda: mmap.set_memrange(bytearray(8)), lambda: mmap.add_dev(device), mmap.destroy,
        ]  # fmt: skip
        for change in changes:
            try:
                change()
            except KeyboardInterrupt:
                break
        known = {
            "doca_mmap_set_memrange": handle.life.memory is not None,
            "doca_mmap_add_dev": len(handle.devices) == 1,
            "doca_mmap_destroy": handle.pointer is None,
        }
        assert known[call]
        if handle.pointer is not None:
            mmap.destroy()
