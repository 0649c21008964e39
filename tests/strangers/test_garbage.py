"""What a program drops without closing is given back like what it closes; a process that ends says goodbye."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
import comm_channel_compat as compat
from tests.control_path.pair import client, connect, leave, server, until
from tests.descriptors import open_fds
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
    gc.collect()
    before = open_fds()
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
    gc.collect()
    before, threads = open_fds(), threading.active_count()
    made = make()
    assert threading.active_count() > threads
    del made
    until(lambda: collected() == (before, threads))
    assert list(runtime_dir.iterdir()) == []


def test_a_context_that_is_dropped_leaves_the_programs_engine_and_its_helper_thread(
    runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMCH_PULL", "threaded")
    gc.collect()
    before, threads = open_fds(), threading.active_count()
    engine = comch.ProgressEngine()
    device = comch.open_device(HOST)
    comch.PullPort(comch.Client(device, "svc", engine=engine))
    engine.destroy()
    until(lambda: collected() == (before, threads))


def test_an_engine_keeps_its_contexts(runtime_dir: Path) -> None:
    """A program may have nothing but the engine: all that is connected to it goes on, and goes with it."""
    gc.collect()
    before = open_fds()
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
    before = open_fds()
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
    gc.collect()
    before = open_fds()
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
    gc.collect()
    before = open_fds()
    lane = Lane().run()
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"on its way")
    del lane
    gc.collect()
    assert open_fds() == before


def test_memory_and_engines_that_are_dropped() -> None:
    gc.collect()
    before = open_fds()
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


# A process that ends

PROGRAM = """
import sys
import comch_next as comch
{make}
print("up", flush=True)
sys.stdin.readline()
{end}
"""
CLIENTS = {
    "pulling": "here = comch.Client(comch.open_device('b1:00.0'), 'svc'); here.connect()",
    "one-sided": "here = comch.Client(comch.open_device('b1:00.0'), 'svc', one_sided=True); here.connect()",
    "with tasks": "from tests.control_path.pair import *; here = client(); here.context.start()\n"
    "until(lambda: here.state is State.RUNNING, here.engine)",
    "in a frame that an exception left": "def run():\n"
    "    here = comch.Client(comch.open_device('b1:00.0'), 'svc'); here.connect(); 1 / 0\n"
    "try: run()\nexcept ZeroDivisionError as error: kept = error",
}
ENDS = {"end": "", "exit": "sys.exit(3)", "exception": "raise ValueError", "interrupt": "raise KeyboardInterrupt"}


def depart(child: Any) -> None:
    child.say("end\n")
    child.finish()


def ends_seen(start: Callable[[], Any], depart: Callable[[Any], object] = depart) -> list[bool]:
    """How each end of a child's connection looked to a server here: True for a leave, False for a death."""
    there = server()
    there.context.start()
    child = start()
    until(lambda: there.up, there.engine)
    child.wait_for("up")
    depart(child)
    until(lambda: there.down, there.engine)
    leave(there)
    return [ok for _, ok in there.down]


@pytest.mark.parametrize("make", ["pulling", "one-sided"])
def test_a_threaded_client_whose_process_ends_has_left(make: str, start_python: StartPython) -> None:
    program = PROGRAM.format(make=CLIENTS[make], end="")
    assert ends_seen(partial(start_python, "-c", program, env={"COMCH_PULL": "threaded"})) == [True]


@pytest.mark.parametrize("make", CLIENTS)
def test_a_client_whose_process_ends_has_left(make: str, start_python: StartPython) -> None:
    left = make != "one-sided"  # there nobody is told, and it is a death
    assert ends_seen(partial(start_python, "-c", PROGRAM.format(make=CLIENTS[make], end=""))) == [left]


@pytest.mark.parametrize("end", ENDS)
def test_however_it_ends(end: str, start_python: StartPython) -> None:
    assert ends_seen(partial(start_python, "-c", PROGRAM.format(make=CLIENTS["pulling"], end=ENDS[end]))) == [True]


def test_one_that_is_killed_has_died(start_python: StartPython) -> None:
    start = partial(start_python, "-c", PROGRAM.format(make=CLIENTS["pulling"], end=""))
    assert ends_seen(start, lambda child: child.signal(signal.SIGKILL)) == [False]


@pytest.mark.parametrize("end", ENDS)
def test_a_server_whose_process_ends_has_left(runtime_dir: Path, end: str, start_python: StartPython) -> None:
    make = "there = comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'svc'); there.listen(); message = None"
    take = f"while message is None: message = comch.outcome(there.receive, timeout=1)[1]\n{ENDS[end]}"
    child = start_python("-c", PROGRAM.format(make=make, end=take))
    child.wait_for("up")
    here = client()
    here.context.start()
    child.say("serve\n")
    until(lambda: here.state is comch.State.RUNNING, here.engine)
    here.send(b"end")
    child.finish()
    assert list(runtime_dir.iterdir()) == []
    until(lambda: here.state is comch.State.IDLE, here.engine)
    with pytest.raises(comch.DocaError, match="has left"):
        here.context.connection  # noqa: B018
    leave(here)


def test_a_forked_child_that_ends_says_nothing_for_its_parent(start_python: StartPython) -> None:
    there = server()
    there.context.start()
    end = "import os\nif os.fork() == 0: sys.exit()\nos.wait(); print('forked', flush=True); sys.stdin.readline()"
    child = start_python("-c", PROGRAM.format(make=CLIENTS["pulling"], end=end))
    until(lambda: there.up, there.engine)
    child.wait_for("up")
    child.say("fork\n")
    child.wait_for("forked")
    for _ in range(5):
        there.engine.wait(0.002)
        there.engine.progress()
    assert not there.down
    depart(child)
    until(lambda: there.down, there.engine)
    leave(there)


# What the killed leave at the meeting place

LISTEN = """
import sys
import comch_next as comch
servers = [comch.Server(comch.open_device("03:00.0"), "b1:00.0", sys.argv[1] + str(n)) for n in range(int(sys.argv[2]))]
for server in servers: server.listen()
print("listening", flush=True)
sys.stdin.readline()
"""


def killed(start_python: StartPython, name: str, count: int) -> None:
    child = start_python("-c", LISTEN, name, str(count))
    child.wait_for("listening")
    child.kill()


def test_the_next_server_sweeps_what_the_killed_left(runtime_dir: Path, start_python: StartPython) -> None:
    killed(start_python, "a name of its own ", 5)
    assert len(list(runtime_dir.iterdir())) == 10
    there = server()
    there.context.start()
    assert len(list(runtime_dir.iterdir())) == 2
    leave(there)


def test_no_number_of_them_is_too_many(runtime_dir: Path, start_python: StartPython) -> None:
    """One start does not sweep for ever; several do it all."""
    killed(start_python, "many ", 150)
    for _ in range(20):
        there = server()
        there.context.start()
        leave(there)
    assert list(runtime_dir.iterdir()) == []


def test_the_living_are_not_swept(runtime_dir: Path, start_python: StartPython) -> None:
    child = start_python("-c", LISTEN, "alive ", "5")
    child.wait_for("listening")
    living = sorted(runtime_dir.iterdir())
    killed(start_python, "dead ", 5)
    there = server()
    there.context.start()
    leave(there)
    assert sorted(runtime_dir.iterdir()) == living
    child.finish()


def test_what_is_none_of_its_own_is_not_swept(runtime_dir: Path) -> None:
    strange = ["notes.txt", "a.lock", "0" * 32 + ".sock", "0" * 31 + ".lock", "1" * 32 + ".lock.old"]
    for name in strange:
        (runtime_dir / name).write_text("precious")
    (runtime_dir / ("2" * 32 + ".lock")).mkdir()
    (runtime_dir / ("3" * 32 + ".lock")).symlink_to("notes.txt")
    there = server()
    there.context.start()
    leave(there)
    assert {path.name for path in runtime_dir.iterdir()} == {*strange, "2" * 32 + ".lock", "3" * 32 + ".lock"}


def test_a_sweep_takes_no_name_from_whoever_comes_for_it(start_python: StartPython) -> None:
    """Servers that start at the same moment over the same remains: each gets its name."""
    killed(start_python, "name ", 20)
    program = LISTEN.replace("for server", "print('ready', flush=True); sys.stdin.readline()\nfor server")
    children = [start_python("-c", program, f"name {digit}", "10") for digit in ("", 1)]
    for child in children:
        child.wait_for("ready")
    for child in children:
        child.say("go\n")
    for child in children:
        child.wait_for("listening")
    for child in children:
        assert child.finish().returncode == 0


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
