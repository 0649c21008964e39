"""What a program drops without closing is given back like what it closes."""

from __future__ import annotations

import gc
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
import comm_channel_compat as compat
from tests.control_path.pair import client, connect, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Lane
from tests.processes import StartPython

DPU, HOST = "03:00.0", "b1:00.0"


def pushing_server() -> object:
    there = server()
    there.context.start()
    return there


def pulling_server(**options: Any) -> comch.Server:
    device = comch.open_device(DPU)
    there = comch.Server(device, device.open_representor(HOST), "svc", **options)
    there.listen()
    return there


def one_sided_server() -> comch.Server:
    return pulling_server(one_sided=True)


def awaited_server() -> comch.Server:
    """With its descriptors given out."""
    there = pulling_server()
    for fd in (there.recv_fd, there.send_fd, there.service_fd):
        assert fd >= 0
    return there


def old_endpoint() -> object:
    endpoint = compat.Endpoint()
    endpoint.set_device(compat.open_device(DPU))
    endpoint.set_device_rep(compat.open_device(DPU).open_representor(HOST))
    endpoint.listen("svc")
    return endpoint


def come_up(here: comch.Client) -> None:
    until(lambda: here.state is comch.State.RUNNING, here.engine)


SERVERS = [pushing_server, pulling_server, one_sided_server, awaited_server, old_endpoint]


@pytest.mark.parametrize("make", SERVERS)
def test_a_server_that_is_dropped(runtime_dir: Path, make: Callable[[], object]) -> None:
    """Its descriptors are back, its files gone, its name free."""
    before = collected_fds()
    made = make()
    del made
    gc.collect()
    assert open_fds() == before
    assert list(runtime_dir.iterdir()) == []
    there = server()
    there.context.start()
    leave(there)


def collected() -> tuple[int, int]:
    """Collect garbage: a helper thread that has just worked may have held some. The descriptors and threads left."""
    gc.collect()
    return open_fds(), threading.active_count()


@pytest.mark.parametrize("make", SERVERS[1:])
def test_a_server_that_is_dropped_with_its_helper_thread(
    runtime_dir: Path, make: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread ends, too."""
    monkeypatch.setenv("COMCH_PULL", "threaded")
    before, threads = collected_fds(), threading.active_count()
    made = make()
    assert threading.active_count() > threads
    del made
    until(lambda: collected() == (before, threads))
    assert list(runtime_dir.iterdir()) == []


def test_a_context_that_is_dropped_leaves_the_programs_engine_and_its_helper_thread(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMCH_PULL", "threaded")
    before, threads = collected_fds(), threading.active_count()
    engine = comch.ProgressEngine()
    device = comch.open_device(HOST)
    comch.PullPort(comch.Client(device, "svc", engine=engine))
    engine.destroy()
    until(lambda: collected() == (before, threads))


def test_an_engine_keeps_its_contexts(runtime_dir: Path) -> None:
    """A program may have nothing but the engine: all that is connected to it goes on, and goes with it."""
    before = collected_fds()
    engine: Any = comch.ProgressEngine()
    there = server(engine=engine)
    there.context.event_msg_recv_register(lambda connection, data: there_is.append(data))
    there.context.start()
    there_is: list[bytes] = []
    del there
    gc.collect()
    here = client()
    here.context.start()
    until(lambda: here.state is comch.State.RUNNING, engine, here.engine)
    here.send(b"heard")
    until(lambda: there_is == [b"heard"], engine)
    del engine
    gc.collect()
    assert list(runtime_dir.iterdir()) == []
    until(lambda: here.state is comch.State.IDLE, here.engine)
    leave(here)
    assert open_fds() == before


@pytest.mark.parametrize("one_sided", [False, True])
def test_a_pulling_client_that_is_dropped(one_sided: bool) -> None:
    """The server hears that it has left; what it sent before arrives."""
    there = server()
    there.context.start()
    before = collected_fds()
    here = comch.Client(comch.open_device(HOST), "svc", one_sided=one_sided)
    here.connect(timeout=0)
    until(lambda: there.up, there.engine)
    come_up(here)
    here.connection.send(b"last words")
    del here
    gc.collect()
    until(lambda: there.down, there.engine)
    assert there.messages == [b"last words"]
    assert [ok for _, ok in there.down] == [True]
    there.up.clear()
    there.down.clear()
    there.senders.clear()
    gc.collect()
    assert open_fds() == before
    leave(there)


def test_a_pair_that_is_dropped() -> None:
    before = collected_fds()
    there, here = server(), client()
    connect(there, here)
    here.send(b"x")
    there.engine.progress()
    del there, here
    gc.collect()
    assert open_fds() == before


def test_a_connection_keeps_its_context() -> None:
    """Whoever has one may go on with it."""
    there = server()
    there.context.start()
    here: Any = comch.Client(comch.open_device(HOST), "svc")
    here.connect(timeout=0)
    until(lambda: there.up, there.engine)
    come_up(here)
    connection = here.connection
    del here
    gc.collect()
    connection.send(b"still")
    until(lambda: there.messages == [b"still"], there.engine)
    del connection
    gc.collect()
    until(lambda: there.down, there.engine)
    leave(there)


def test_a_fast_path_that_is_dropped() -> None:
    before = collected_fds()
    lane = Lane().run()
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"on its way")
    del lane
    gc.collect()
    assert open_fds() == before


def test_memory_and_engines_that_are_dropped() -> None:
    before = collected_fds()
    device = comch.open_device(DPU)
    mmap = comch.Mmap(device, 1 << 16, comch.AccessFlag.PCI_READ_WRITE)
    mmap.start()
    inventory = comch.BufInventory(4)
    inventory.start()
    engine = comch.ProgressEngine()
    buf = inventory.buf_get_by_addr(mmap, mmap.addr, 10)
    del mmap, inventory, engine, buf, device
    gc.collect()
    assert open_fds() == before


def test_what_a_view_shows_stays_while_the_view_does() -> None:
    device = comch.open_device(DPU)
    mmap = comch.Mmap(device, 1 << 16, comch.AccessFlag.PCI_READ_WRITE)
    mmap.start()
    view = mmap.view
    del mmap
    gc.collect()
    view[:4] = b"here"
    assert bytes(view[:4]) == b"here"
    device.close()


def test_a_dropped_context_in_a_circle_does_not_keep_its_device() -> None:
    device = comch.open_device("b1:00.0")
    context = comch.Client(device, "svc")
    context.user_data = context
    gc.disable()
    try:
        del context
        device.close()
    finally:
        gc.enable()


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("make", [comch.Server, comch.Client, comch.Channel])
def test_an_engine_is_destroyed_after_contexts_that_never_began(make: type[comch.Client], one_sided: bool) -> None:
    """They lie in circles, which the engine has collected before it refuses."""
    engine = comch.ProgressEngine()
    make(engine=engine, one_sided=one_sided)
    engine.destroy()


def test_a_finalizer_of_the_program_comes_after_the_library_s(start_python: StartPython) -> None:
    """Memory stays mapped until nothing can reach it, whatever the collector has finalized before."""
    program = """
        import gc
        from contextlib import suppress
        from tests.fast_path.lane import Lane

        lane = Lane().run()
        lane.inbox.post()

        class Owner:
            def __del__(self):
                for context in self.contexts:
                    with suppress(Exception):
                        context.close()
                self.view[:4] = b"here"
                print(bytes(self.view[:4]))

        owner = Owner()
        owner.itself = owner
        owner.contexts = lane.inbox.consumer, lane.outbox.producer, lane.here.context, lane.there.context
        owner.view = lane.inbox.mmap.view
        del lane, owner
        gc.collect()
    """
    assert start_python("-c", textwrap.dedent(program)).finish() == (0, "b'here'\n", "")
