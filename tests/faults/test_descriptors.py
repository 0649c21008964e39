"""Descriptors run out: a typed error, no spinning, no leak, and all is well when there are some again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import Client, ErrorCode, NoMemory, Server, State, TimeOut
from tests.control_path import pair
from tests.descriptors import collected_fds, open_fds
from tests.differences import differs
from tests.faults.exhausted import full_table, lowered_limit
from tests.processes import SOON_S, Child, StartPython
from tests.pull.support import Stage, ready
from tests.sleeps import counted_sleeps

pytestmark = pytest.mark.usefixtures("form")

# For every line it reads: connect, ask for an echo, leave, and say the code of what went wrong.
CALLER = """
import contextlib, sys
import comch_next as comch
device = comch.open_device("b1:00.0")
def ask(timeout):
    with contextlib.closing(comch.Client(device, "svc")) as client:
        client.connect(timeout=timeout)
        client.connection.send(b"?", timeout=timeout)
        return client.receive(timeout=timeout).data
print("ready", flush=True)
for line in sys.stdin:
    print("code", comch.outcome(ask, 60)[0].name, flush=True)
"""

ECHO = """
import comch_next as comch
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
server.listen()
print("listening", flush=True)
while True:
    try:
        message = server.receive()
        message.reply(message.data)
    except comch.DocaError:
        pass
"""

TYPED = (ErrorCode.NO_MEMORY, ErrorCode.INITIALIZATION, ErrorCode.CONNECTION_ABORTED)
WAIT_S = 0.4


@pytest.fixture
def server() -> Iterator[Server]:
    device = comch.open_device("03:00.0")
    with Server(device, "b1:00.0", "svc") as made:
        with pytest.raises(comch.Again):
            made.receive(timeout=0)
        with pytest.raises(TimeOut):
            made.receive(timeout=0.001)  # which makes its descriptor
        yield made
    device.close()


@pytest.fixture
def one_sided() -> Iterator[Server]:
    with comch.open_device("03:00.0") as device, device.open_representor("b1:00.0") as representor:
        made = Server(device, representor, "svc", one_sided=True)
        made.listen()
        with pytest.raises(TimeOut):
            made.receive(timeout=0.001)
        yield made
        made.close()


@pytest.fixture
def caller(start_python: StartPython) -> Child:
    child = start_python("-c", CALLER)
    child.wait_for("ready")
    return child


def idle_receive(server: Server, *refused: Child) -> None:
    """Sleep in receive for a while, without spinning, and go on until these callers have been refused."""
    while True:
        with counted_sleeps(WAIT_S) as slept, pytest.raises(TimeOut):
            server.receive(timeout=WAIT_S)
        assert slept.seconds == pytest.approx(WAIT_S)
        if all(caller.has_said("code") for caller in refused):
            return


def serve_one(server: Server, caller: Child) -> None:
    """All is well: the caller's echo comes."""
    message = server.receive(timeout=SOON_S)
    message.reply(message.data)
    assert caller.wait_for("code") == "code SUCCESS"


@pytest.mark.parametrize("left", range(8))
def test_a_server_out_of_descriptors_refuses(server: Server, caller: Child, left: int) -> None:
    """Wherever they run out on a client's way in, it is told, nothing leaks, and nobody spins."""
    before = collected_fds()
    with full_table(left):
        caller.say("\n")
        message = None
        while message is None and not caller.has_said("code"):
            with suppress(TimeOut):
                message = server.receive(timeout=WAIT_S)
        idle_receive(server)
    if message is None:
        assert caller.wait_for("code") == "code CONNECTION_ABORTED"
        pair.until(lambda: open_fds() == before)  # what came with the client is closed by a thread, perhaps later
        caller.say("\n")
        message = server.receive(timeout=SOON_S)
    else:
        assert left >= 5  # the connection, two bells, and two rings until they are mapped
    message.reply(message.data)
    assert caller.wait_for("code") == "code SUCCESS"
    pair.until(lambda: comch.outcome(server.receive, timeout=0) and open_fds() == before)


def test_a_connection_holds_three() -> None:
    there = pair.server()
    there.context.start()
    clients = []
    for _ in range(4):
        here = pair.client()
        idle = open_fds()
        pair.connect(there, here)
        assert open_fds() == idle + 3 + 3  # both ends of it are here
        clients.append(here)
    pair.leave(*clients, there)


@pytest.mark.parametrize("exhausted", [full_table, lowered_limit])
def test_a_blocked_server_does_not_spin(
    server: Server, caller: Child, exhausted: Callable[[], AbstractContextManager[None]]
) -> None:
    with exhausted():
        caller.say("\n")
        idle_receive(server, *([caller] if exhausted is full_table else []))
    if exhausted is full_table:
        assert caller.wait_for("code") == "code CONNECTION_ABORTED"
        caller.say("\n")
    serve_one(server, caller)  # with a lowered limit it could not even be refused: it has been waiting


def test_nor_does_a_one_sided_one(one_sided: Server, caller: Child) -> None:
    for _ in range(2):
        with lowered_limit():
            caller.say("\n")
            idle_receive(one_sided)
        serve_one(one_sided, caller)


def test_a_blocked_server_accepts_as_soon_as_it_can(
    server: Server, caller: Child, start_python: StartPython, form: str
) -> None:
    """Also in a call that follows at once. A helper thread sleeps until the next event: another client."""
    callers = [caller]
    with lowered_limit():
        caller.say("\n")
        idle_receive(server)
        with pytest.raises(comch.Again):
            server.receive(timeout=0)
    if differs(form, "idle"):
        callers.append(start_python("-c", CALLER))
        callers[-1].wait_for("ready")
        callers[-1].say("\n")
    for _ in callers:
        message = server.receive(timeout=SOON_S)
        message.reply(message.data)
    assert [waiting.wait_for("code") for waiting in callers] == ["code SUCCESS"] * len(callers)


def test_many_callers_are_all_refused(server: Server, start_python: StartPython) -> None:
    callers = [start_python("-c", CALLER) for _ in range(4)]
    for each in callers:
        each.wait_for("ready")
    with full_table():
        for each in callers:
            each.say("\n")
        idle_receive(server, *callers)
        idle_receive(server)
    for each in callers:
        assert each.wait_for("code") == "code CONNECTION_ABORTED"
        each.say("\n")
        serve_one(server, each)


def test_with_callbacks_too(start_python: StartPython, caller: Child) -> None:
    side = pair.server()
    side.context.start()
    with full_table(4):
        caller.say("\n")
        pair.until(lambda: side.up, side.engine)
        assert [ok for _, ok in side.up] == [False]
        assert caller.wait_for("code") == "code CONNECTION_ABORTED"
    caller.say("\n")
    pair.until(lambda: len(side.up) == 2 and side.messages, side.engine)
    side.send(b"!")
    assert caller.wait_for("code") == "code SUCCESS"
    pair.leave(side)


def test_connections_that_are_up_carry_on(server: Server) -> None:
    with comch.open_device("b1:00.0") as device:
        client = Client(device, "svc")
        client.connect(timeout=0)
        with pytest.raises(comch.Again):
            server.receive(timeout=0)
        pair.until(lambda: client.state is State.RUNNING, client.engine)
        with lowered_limit():
            for number in range(1000):
                client.connection.send(b"%d" % number, timeout=SOON_S)
                assert server.receive(timeout=SOON_S).data == b"%d" % number
            client.close()
            idle_receive(server)


def test_closing_needs_no_descriptor(runtime_dir: Path) -> None:
    there, here = pair.pair()
    assert list(runtime_dir.iterdir())
    with lowered_limit():
        pair.leave(here, there)
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize("left", range(12))
def test_a_client_out_of_descriptors(start_python: StartPython, left: int, form: str) -> None:
    start_python("-c", ECHO).wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        client = Client(device, "svc")
        assert client.engine  # made now, so that its descriptors do not count
        before = collected_fds()
        with full_table(left):
            code, connection = comch.outcome(client.connect)
        if connection is None:
            assert code in TYPED
            assert client.state is State.IDLE
            more = 3 if differs(form, "the engine") else 0  # it has another handle, and a thread to rouse
            # What came with the welcome is closed by a thread: on a busy machine the call has not waited for that.
            pair.until(lambda: before <= open_fds() <= before + more)
            connection = client.connect(timeout=SOON_S)
        connection.send(b"works", timeout=SOON_S)
        assert client.receive(timeout=SOON_S).data == b"works"
        client.close()


@pytest.mark.parametrize("left", range(4))
def test_a_server_that_cannot_listen(runtime_dir: Path, left: int) -> None:
    with comch.open_device("03:00.0") as device:
        server = Server(device, "b1:00.0", "svc")
        with full_table(left):
            code, _ = comch.outcome(server.listen)
        assert code in TYPED
        assert server.state is State.IDLE
        assert [path.suffix for path in runtime_dir.iterdir()] in ([], [".lock"])
        server.listen()
        server.close()
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize("name", ["send", "recv", "service"])
def test_a_descriptor_to_wait_on(name: str) -> None:
    stage = Stage()
    port = stage.server("driver")
    before = collected_fds()
    with full_table():
        for call in (getattr(port, f"arm_{name}"), lambda: getattr(port, f"{name}_fd")):
            with pytest.raises(NoMemory):
                call()
    assert open_fds() == before
    getattr(port, f"arm_{name}")()
    assert not ready(getattr(port, f"{name}_fd"))  # made, and nothing has happened
    stage.close()
