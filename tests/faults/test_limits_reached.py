"""Descriptors and memory that run out: a typed error, nothing leaked, and work goes on when there are some again."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import DEFAULT, Mock

import pytest

import comch_next as comch
from comch_next import Client, State
from comch_next.driver.emulated._fabric import status
from tests.control_path.pair import Side, client, connect, leave, server, until
from tests.control_path.pulled import dialled
from tests.descriptors import collected_fds, open_fds
from tests.inside import inside
from tests.processes import SOON_S, StartPython

SERVICE = """
import os, resource, sys
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as there:
    used = max(int(each) for each in os.listdir("/proc/self/fd")) + 1
    resource.setrlimit({limit}, ({soft}, resource.RLIM_INFINITY if {limit} != resource.RLIMIT_NOFILE else 4096))
    print("listening", flush=True)
    for message in there:
        if message.data == b"more":
            resource.setrlimit({limit}, (4096, 4096))
        message.reply(message.data)
"""


@contextmanager
def descriptors(spare: int) -> Iterator[None]:
    """This process may open so many more descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    probe = os.open("/dev/null", os.O_RDONLY)
    os.close(probe)
    resource.setrlimit(resource.RLIMIT_NOFILE, (probe + spare, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("spare", range(14))
def test_a_pair_with_few_descriptors_left(spare: int) -> None:
    """Wherever in the handshake they run out: typed errors only, no leak, and all is well afterwards."""
    there, here = server(), client()
    there.context.start()
    before = collected_fds()
    with descriptors(spare):
        assert comch.outcome(here.context.start)[0] in (comch.ErrorCode.SUCCESS, comch.ErrorCode.INITIALIZATION)
        for _ in range(20):
            there.engine.progress()
            here.engine.progress()
    if here.state is not State.RUNNING:
        until(lambda: here.state is not State.STARTING, there.engine, here.engine)
    if here.state is State.IDLE:
        # It may be the client that could not take the welcome: then the server saw it come and go.
        until(lambda: len(there.down) == len([ok for _, ok in there.up if ok]), there.engine)
        until(lambda: open_fds() <= before, there.engine, here.engine)
        connect(there, here)
    here.send(b"x")
    until(lambda: there.messages == [b"x"], there.engine, here.engine)
    leave(here, there)


def test_a_full_server_goes_on_with_whom_it_has(start_python: StartPython) -> None:
    child = start_python("-c", SERVICE.format(limit="resource.RLIMIT_NOFILE", soft="used + 12"))
    child.wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        clients: list[Client] = []
        refused = 0
        for _ in range(8):
            here = Client(device, "svc")
            try:
                here.connect(timeout=0.2 if clients else SOON_S)
            except (comch.ConnectionAborted, comch.TimeOut):
                refused += 1
                here.close()
            else:
                clients.append(here)
        assert clients
        assert refused
        for here in clients:
            here.connection.send(b"hello")
            assert here.receive(timeout=SOON_S).data == b"hello"
        clients[0].connection.send(b"more")
        assert clients[0].receive(timeout=SOON_S).data == b"more"
        with dialled() as late:
            late.connection.send(b"late")
            assert late.receive(timeout=SOON_S).data == b"late"
        for here in clients:
            here.close()


def test_no_memory_file_may_grow(start_python: StartPython) -> None:
    """RLIMIT_FSIZE forbids the rings: every client is refused with the reason, the server stays."""
    child = start_python("-c", SERVICE.format(limit="resource.RLIMIT_FSIZE", soft="1000"))
    child.wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        for _ in range(3):
            here = Client(device, "svc")
            with pytest.raises(comch.ConnectionAborted, match="emory"):
                here.connect(timeout=SOON_S)
            here.close()
    assert child.process.poll() is None


NO_FILE = """
import os, resource, signal
import comch_next as comch
signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python alone ignores it
resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
writable = comch.AccessFlag.PCI_READ_WRITE
with comch.open_device("03:00.0") as device, comch.Mmap(device, bytearray(4096), writable) as brought:
    brought.start()
    calls = {
        "map": lambda: comch.Mmap(device, 4096),
        "export": lambda: brought.export_pci(device),
        "server": lambda: comch.Server(device, "b1:00.0", "svc").listen(),
    }
    for name, call in calls.items():
        print(name, comch.outcome(call)[0].name)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGXFSZ})
    os.kill(os.getpid(), signal.SIGXFSZ)
    print(comch.outcome(calls["map"])[0].name, *signal.sigpending())
"""


def test_the_signal_of_a_limit_reached_ends_no_program(start_python: StartPython, tmp_path: Path) -> None:
    """As in a C program. One that has been sent by somebody stays."""
    done = start_python("-c", NO_FILE, env={"COMCH_TRACE": str(tmp_path / "trace")}).finish()
    assert done.returncode == 0, done
    assert done.stdout.splitlines() == [
        "map NO_MEMORY",
        "export NO_MEMORY",
        "server SUCCESS",
        f"NO_MEMORY {signal.SIGXFSZ!s}",
    ]
    assert "the trace ends here" in done.stderr


@pytest.mark.parametrize(("make", "number"), [(server, 1), (server, 2), (client, 1)])
def test_sockets_that_cannot_be_watched(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Side], number: int) -> None:
    """Linux limits how many a user may watch. A start that fails by it leaves nothing behind."""
    there, made = server("another"), make()
    there.context.name = made.context.name
    if make is client:
        there.context.start()
    watch, before = inside(made.context).watch, open_fds()
    full = Mock(wraps=watch.register, side_effect=[DEFAULT] * (number - 1) + [OSError(errno.ENOSPC, "no watch left")])
    inside(made.context).watch = Mock(wraps=watch, register=full, closed=False)
    with pytest.raises(comch.Initialization, match="no watch left"):
        made.context.start()
    assert open_fds() == before
    inside(made.context).watch = watch
    made.context.start()
    leave(made, there)


def test_no_room_for_memory_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Linux says where memory may not be overcommitted."""
    with comch.open_device("b1:00.0") as device:
        monkeypatch.setattr(os, "posix_fallocate", Mock(side_effect=OSError(errno.ENOSPC, "no space")))
        with pytest.raises(comch.NoMemory):
            comch.Mmap(device, 4096)


def test_a_start_that_fails_at_its_end_leaves_the_name_free(monkeypatch: pytest.MonkeyPatch, runtime_dir: Path) -> None:
    """What it is published with may be imported only then, for which there is no descriptor."""
    side = server()
    with monkeypatch.context() as exhausted:
        exhausted.setattr(status.Status, "encode", Mock(side_effect=OSError(errno.EMFILE, "no descriptors")))
        with pytest.raises(comch.Initialization, match="no descriptors"):
            side.context.start()
    assert (side.context.state, list(runtime_dir.iterdir())) == (State.IDLE, [])
    side.context.start()
    leave(side)
