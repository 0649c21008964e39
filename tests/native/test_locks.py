"""Calls of several threads: what another has ended never reaches the library, and none of them is seen half done."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.native._device import Dev
from comch_next.driver.protocol import WeakSet
from tests.native.conftest import Log
from tests.native.test_callbacks import Loop
from tests.native.test_lives import Late
from tests.processes import SOON_S

_ALREADY_S = 0.2  # that a thread has to do what it must not


@pytest.mark.parametrize("most", [None, 1])
def test_a_callback_that_waits_for_the_progress_of_another_thread(
    stub: Log, most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("comch_next.driver.native._engine.LONGEST_S", 0.01)
    loop = Loop()
    loop.engine.max_events = most
    codes: list[comch.ErrorCode] = []

    def wait(*_: object) -> None:
        other = threading.Thread(target=lambda: codes.append(comch.outcome(loop.engine.progress)[0]), daemon=True)
        other.start()
        other.join(SOON_S)

    loop.client.set_state_changed_cb(wait)
    loop.client.start()
    loop.client.set_state_changed_cb(lambda *_: None)
    assert codes == [comch.ErrorCode.BAD_STATE]
    loop.close()


@pytest.fixture(autouse=True)
def ended(stub: Log) -> Iterator[None]:
    """What a test has dropped ends with it."""
    yield
    gc.collect()


def test_a_message_is_not_allocated_for_a_connection_that_has_just_ended(stub: Log) -> None:
    loop = Loop()
    loop.run()
    client: Any = loop.client._handle
    connection: Any = loop.client.connection._handle
    lock, client.life.lock = client.life.lock, Late(connection.gone)
    stub()
    with pytest.raises(comch.InvalidValue, match="has ended"):
        load().clients.task_send_alloc_init(client, connection, bytearray(b"x"))
    assert stub() == []
    client.life.lock = lock
    loop.close()


@pytest.mark.parametrize("call", ["start", "get_imm_data_len"])
def test_an_object_that_another_thread_has_just_destroyed(stub: Log, call: str) -> None:
    completions = load().consumer_completions
    handle: Any = completions.create()
    handle.life.lock = Late(lambda: completions.destroy(handle))
    stub()
    with pytest.raises(comch.InvalidValue, match="has been destroyed"):
        getattr(completions, call)(handle)
    assert stub() == ["doca_comch_consumer_completion_destroy"]


def test_a_context_that_has_just_been_destroyed_is_not_connected(stub: Log) -> None:
    driver = load()
    with comch.devices()[0].open() as device:
        handle: Any = comch.Client(device, "svc")._handle
        engine: Any = driver.engines.create()
        handle.life.lock = Late(lambda: driver.contexts.destroy(handle))
        with pytest.raises(comch.InvalidValue, match="has been destroyed"):
            driver.engines.connect_ctx(engine, handle)
        driver.engines.destroy(engine)


def in_two_threads(enter: Callable[[Callable[[], None]], object], call: Callable[[], object]) -> list[object]:
    """Make a call twice: the second one while the first is where `enter` puts what it is given. Return the results."""
    results: list[object] = []
    other = threading.Thread(target=lambda: results.append(call()))

    def begin_other() -> None:
        if other.ident is None:
            other.start()
            other.join(_ALREADY_S)

    enter(begin_other)
    results.append(call())
    other.join(SOON_S)
    return results


def test_one_thread_at_a_time_takes_buffers_of_an_inventory(stub: Log) -> None:
    inventories: Any = load().buf_inventories
    inventory, mmap = inventories.create(2), comch.Mmap(None, 64)
    name = "doca_buf_inventory_buf_get_by_args"
    inside: list[int] = [0]
    most, take = 0, inventories.library[name]

    def enter(begin_other: Callable[[], None]) -> None:
        def taken(*args: Any) -> int:
            nonlocal most
            inside[0] += 1
            most = max(most, inside[0])
            begin_other()
            inside[0] -= 1
            return int(take(*args))

        inventories.library[name] = taken

    assert len(in_two_threads(enter, lambda: inventories.buf_get_by_args(inventory, mmap._handle, 0, 1, 0, 0))) == 2
    assert most == 1


def test_a_buffer_that_is_taken_while_another_one_goes_back(stub: Log) -> None:
    """It may be the same in C."""
    driver: Any = load()
    inventory, mmap = driver.buf_inventories.create(2), comch.Mmap(None, 64)
    take = partial(driver.buf_inventories.buf_get_by_args, inventory, mmap._handle, 0, 1, 0, 0)
    library, taken = driver.bufs.library, list[Any]()
    other = threading.Thread(target=lambda: taken.append(take()))

    def dec(_: object, count: Any) -> int:
        count[0] = 1
        other.start()
        other.join(_ALREADY_S)
        return 0

    buf, before = take(), library["doca_buf_dec_refcount"]
    library["doca_buf_dec_refcount"] = dec
    driver.bufs.dec_refcount(buf)
    other.join(SOON_S)
    library["doca_buf_dec_refcount"] = before
    assert list(inventory.life.children) == [taken[0].life]


def test_two_threads_that_open_a_device_have_one_handle(stub: Log) -> None:
    devices: Any = load().devices
    info = devices.create_list()[0]

    def enter(begin_other: Callable[[], None]) -> None:
        class Opened(WeakSet[Dev]):
            def __iter__(self) -> Iterator[Dev]:
                yield from list(super().__iter__())
                begin_other()

        devices._open = Opened()

    first, second = in_two_threads(enter, lambda: devices.open(info))
    assert first is second
    assert [devices.close(first) for _ in range(2)] == [None, None]


def test_a_free_callback_may_wait_for_other_threads(stub: Log) -> None:
    """Which use other memory, or are refused."""
    inventory, mmap = comch.BufInventory(1), comch.Mmap()
    refused: list[comch.ErrorCode] = []

    def use_memory() -> None:
        inventory.destroy()
        refused.append(comch.outcome(load().mmaps.destroy, mmap._handle)[0])

    def freed(*_: object) -> None:
        other = threading.Thread(target=use_memory, daemon=True)
        other.start()
        other.join(SOON_S)

    mmap.set_free_cb(freed)
    mmap.destroy()
    assert refused == [comch.ErrorCode.INVALID_VALUE]


def test_a_map_whose_destruction_is_refused_stays(stub: Log) -> None:
    mmap = comch.Mmap()
    mmaps: Any = mmap._mmaps
    destroy, mmaps.library["doca_mmap_destroy"] = (
        mmaps.library["doca_mmap_destroy"],
        lambda _: comch.ErrorCode.NOT_PERMITTED,
    )
    with pytest.raises(comch.NotPermitted):
        mmap.destroy()
    mmaps.library["doca_mmap_destroy"] = destroy
    mmap.max_num_devices = 1
    mmap.destroy()
    assert stub().count("doca_mmap_destroy") == 1
