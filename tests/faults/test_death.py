"""kill -9 at awkward moments: one report per connection, nothing hangs, and the next life knows nothing of the last."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import Client, ConnectionAborted, ConnectionReset, ErrorCode, Server, State
from tests.control_path.pair import Side, client, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.differences import differs
from tests.inside import inside
from tests.processes import SOON_S, StartPython
from tests.pull.support import PEER, Stage
from tests.pull.support import until as pull_until

pytestmark = pytest.mark.usefixtures("form")

# Serves echoes of which each names this life of the server.
SERVER = """
import sys
import comch_next as comch
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
server.listen()
print("listening", flush=True)
while True:
    try:
        message = server.receive()
        message.reply(sys.argv[1].encode() + b" " + message.data)
    except comch.DocaError:
        pass
"""

# Sends without end and never reads; the other side decides when it dies.
FLOOD = """
import comch_next as comch
client = comch.Client(comch.open_device("b1:00.0"), "svc", send_queue_size=64)
client.connect(timeout=60)
number = 0
while True:
    client.connection.send(b"%d" % number + bytes(number % 4000))
    number += 1
"""


@pytest.fixture
def stage(runtime_dir: Path) -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def drain(context: Client | Server) -> list[bytes]:
    """Every message up to the report of a death."""
    messages: list[bytes] = []
    with pytest.raises(ConnectionReset):
        messages.extend(iter(lambda: context.receive(timeout=SOON_S).data, None))
    return messages


@pytest.mark.parametrize("after", [1, 2, 3, 50, 500])
def test_a_sender_killed_amid_its_stream(start_python: StartPython, after: int) -> None:
    """Wherever its writing stopped: whole messages without a gap, then one report, then nothing."""
    with comch.open_device("03:00.0") as device, Server(device, "b1:00.0", "svc") as there:
        child = start_python("-c", FLOOD)
        messages = [there.receive(timeout=SOON_S).data for _ in range(after)]
        child.signal(signal.SIGKILL)
        messages += drain(there)
        assert messages == [b"%d" % number + bytes(number % 4000) for number in range(len(messages))]
        for _ in range(3):
            with pytest.raises(comch.Again):
                there.receive(timeout=0)


@pytest.mark.parametrize("depth", [1, 64])
def test_a_receiver_killed_with_sends_pending(start_python: StartPython, depth: int) -> None:
    """Each accepted task completes once; those that had not reached its queue fail."""
    there = server(tasks=depth, recv_queue_size=1)
    there.context.start()
    child = start_python("-c", PEER)
    until(lambda: there.up, there.engine)
    child.stop()  # not dead: nothing completes, nothing fails
    tasks = [there.send(b"%d" % number) for number in range(depth)]
    for _ in range(50):
        there.engine.wait(0.002)
        there.engine.progress()
    assert (there.failed, there.down) == ([], [])
    child.signal(signal.SIGKILL)
    until(lambda: len(there.done) + len(there.failed) == depth and there.down, there.engine)
    for _ in range(50):
        there.engine.progress()
    assert sorted(map(id, there.done + there.failed)) == sorted(map(id, tasks))
    assert all(task.status == ErrorCode.CONNECTION_RESET for task in there.failed)
    assert [ok for _, ok in there.down] == [False]
    leave(there)


@pytest.mark.parametrize("word", ["header", "body"])
def test_a_writer_killed_within_a_record(stage: Stage, word: str) -> None:
    """Between header and body of a record `head` has not moved: the reader never sees the half."""
    there, here = stage.pair("driver", "driver")
    assert here.send(b"whole")
    tx = inside(here.connection).tx
    half = b"\xff" * (8 if word == "header" else 40)
    start = int(tx.pos)
    for offset, byte in enumerate(half):
        tx.data[start + offset] = byte
    assert there.receive() == b"whole"
    assert there.port.receive() is None
    inside(here.connection).sock.shutdown(socket.SHUT_RDWR)  # what the kernel does for a dead process
    with pytest.raises(ConnectionReset):
        pull_until(there.port.receive)
    assert there.port.receive() is None


def test_a_reader_killed_between_claim_and_copy(stage: Stage) -> None:
    """It had claimed a message that it never took: that one counts as arrived, nothing waits for it."""
    there, here = stage.pair("driver", "driver")
    assert here.send(b"claimed")
    inside(there.connection).rx.shared.claim = 1
    inside(there.connection).sock.shutdown(socket.SHUT_RDWR)
    pull_until(lambda: here.port.status(here.connection) == ErrorCode.CONNECTION_RESET)
    assert here.port.in_flight(here.connection) == 0
    assert here.port.failed(here.connection) == 0


@pytest.mark.parametrize("moment", ["before it says hello", "before it is accepted"])
def test_a_client_killed_on_its_way_in(start_python: StartPython, runtime_dir: Path, moment: str, form: str) -> None:
    with comch.open_device("03:00.0") as device, Server(device, "b1:00.0", "svc") as there:
        before = collected_fds()
        if moment == "before it says hello":
            (path,) = runtime_dir.glob("*.sock")
            code = f"s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect({str(path)!r})"
            program = f"import socket\n{code}"
        else:
            program = 'import comch_next as c; c.Client(c.open_device("b1:00.0"), "svc").connect(timeout=0)'
        child = start_python("-c", program + "\nprint('waits', flush=True)\nimport time; time.sleep(1000)")
        child.wait_for("waits")
        comes_up = moment == "before it is accepted" and differs(form, "waiting clients")  # by itself
        if comes_up:
            pull_until(lambda: there._port is not None and there._port.connections)
        child.kill()
        if comes_up:
            with pytest.raises(ConnectionReset):
                there.receive(timeout=SOON_S)
        with pytest.raises(comch.TimeOut):
            there.receive(timeout=0.1)
        with pytest.raises(comch.Again):
            there.receive(timeout=0)
        pull_until(lambda: comch.outcome(there.receive, timeout=0) and open_fds() <= before + 2)  # its wait


def test_a_server_killed_before_it_accepts(start_python: StartPython) -> None:
    program = SERVER.split("while")[0] + "import time; time.sleep(1000)"
    child = start_python("-c", program, "first")
    child.wait_for("listening")
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        connection = here.connect(timeout=0)
        child.kill()
        pull_until(lambda: comch.outcome(connection.update_info)[0] != ErrorCode.CONNECTION_INPROGRESS)
        with pytest.raises(ConnectionAborted):
            connection.update_info()
        here.close()


def test_a_restart_under_the_same_name(start_python: StartPython) -> None:
    """Eight clients with messages of the old life under way: all reconnect, and none meets anything old."""
    device = comch.open_device("b1:00.0")
    clients = [Client(device, "svc") for _ in range(8)]
    for life in ("one", "two", "three"):
        child = start_python("-c", SERVER, life)
        child.wait_for("listening")
        for number, each in enumerate(clients):
            connection = each.connect(timeout=SOON_S)
            for turn in range(3):
                connection.send(f"{life} {number} {turn}".encode(), timeout=SOON_S)
        for number, each in enumerate(clients):
            assert each.receive(timeout=SOON_S).data == f"{life} {life} {number} 0".encode()
        child.stop()
        for each in clients:
            each.connection.send(b"never read", timeout=SOON_S)
        child.signal(signal.SIGKILL)
        child.process.wait()
        for number, each in enumerate(clients):
            left = drain(each)
            answers = [f"{life} {life} {number} {turn}".encode() for turn in (1, 2)]
            assert left == answers[: len(left)]
            each.disconnect()
            assert each.state is State.IDLE
    for each in clients:
        each.close()
    device.close()


def test_the_server_outlives_its_eight_clients(start_python: StartPython) -> None:
    with comch.open_device("03:00.0") as device, Server(device, "b1:00.0", "svc") as there:
        children = [start_python("-c", PEER) for _ in range(8)]
        for child in children:
            child.say("send hello\n")
        senders = {there.receive(timeout=SOON_S).connection for _ in children}
        assert len(senders) == 8
        for child in children:
            child.kill()
        dead = []
        for _ in children:
            with pytest.raises(ConnectionReset) as caught:
                there.receive(timeout=SOON_S)
            dead.append(caught.value.connection)
        assert set(dead) == senders
        with pytest.raises(comch.TimeOut):
            there.receive(timeout=0.05)


def test_a_death_is_told_while_others_send_without_end(stage: Stage, start_python: StartPython) -> None:
    """A queue that never runs dry hides no loss, and keeps no descriptors of the dead."""
    port = stage.server("driver")
    busy = stage.meet(port, stage.client("driver", send_queue_size=64))[1]
    child = start_python("-c", PEER)
    dying = pull_until(port.accept)
    child.kill()
    told = []
    for _ in range(200_000):
        while busy.port.in_flight(busy.connection) < 8 and busy.send(b"more"):
            pass
        code, found = comch.outcome(port.receive)
        if code == ErrorCode.CONNECTION_RESET:
            told.append(code)
            break
        assert found is not None
    assert told
    assert port.status(dying) == ErrorCode.CONNECTION_RESET


def reached(side: Side, state: State) -> bool:
    return side.state is state


def test_a_dead_server_frees_its_name_at_once(start_python: StartPython) -> None:
    for life in range(5):
        child = start_python("-c", SERVER, str(life))
        child.wait_for("listening")
        here = client()
        here.context.start()
        until(partial(reached, here, State.RUNNING), here.engine)
        child.signal(signal.SIGKILL)
        child.process.wait()
        until(partial(reached, here, State.IDLE), here.engine)
        leave(here)
