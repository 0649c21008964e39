"""What a peer costs this side is bounded by this side: memory, time, descriptors."""

from __future__ import annotations

import gc
import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import ErrorCode
from comch_next.driver.emulated._fabric import bells
from comch_next.driver.emulated._fabric import handshake as fabric
from tests.control_path.pair import Side, client, connect, leave, server, until
from tests.descriptors import open_fds
from tests.fabric.hostile import GOOD, Attacker, attacker, close_all
from tests.faults.exhausted import full_table
from tests.ring.ring import send
from tests.strangers.crowd import greeters
from tests.topologies import limited

LINGER_S = 600  # twice what any test may take


@pytest.fixture
def service() -> Iterator[tuple[Side, Side]]:
    """A server and its honest client, which are still there when the test ends."""
    there, here = server(), client()
    connect(there, here)
    yield there, here
    here.send(b"still here")
    until(lambda: there.messages, there.engine)
    leave(here, there)


# Memory


@pytest.mark.parametrize("terms", [(65535, 8192, 8192), (4080, 8192, 1), (65535, 64, 8192)])
@pytest.mark.parametrize("strict", [False, True])
def test_memory_above_the_limit_is_refused(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, terms: tuple[int, int, int], strict: bool
) -> None:
    limited(tmp_path, monkeypatch, max_connection_memory=1 << 20)
    there, here = server(), client()
    connect(there, here)
    size, sends, receives = terms
    with attacker(runtime_dir) as greedy:
        greedy.greet(fabric.Terms(size, strict, sends, receives))
        there.engine.wait(1.0)
        there.engine.progress()
        assert greedy.code() == ErrorCode.TOO_BIG
    assert len(there.up) == 1
    leave(here, there)


def test_a_client_is_told_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(tmp_path, monkeypatch, max_connection_memory=1 << 20)
    there, here = server(), client(recv_queue_size=8192)
    there.context.start()
    here.context.start()
    until(lambda: here.state is comch.State.IDLE, there.engine, here.engine)
    with pytest.raises(comch.BadState, match=f"the server refuses .{comch.describe(ErrorCode.TOO_BIG)}"):
        here.connection  # noqa: B018
    leave(here, there)


def test_a_client_refuses_too(runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = server(recv_queue_size=8192)
    there.context.start()
    limited(tmp_path, monkeypatch, max_connection_memory=1 << 20)
    here = client()
    here.context.start()
    until(lambda: here.state is comch.State.IDLE, there.engine, here.engine)
    with pytest.raises(comch.BadState, match="max_connection_memory is 1048576"):
        here.connection  # noqa: B018
    until(lambda: there.down, there.engine)
    leave(here, there)


def test_what_this_side_wants_itself_is_no_strangers_doing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(tmp_path, monkeypatch, max_connection_memory=1 << 20)
    sizes: dict[str, Any] = {"recv_queue_size": 8192, "max_msg_size": 4080}
    there, here = server(tasks=8192, **sizes), client(tasks=8192, **sizes)
    connect(there, here)
    here.send(b"x" * 4080)
    until(lambda: there.messages, there.engine, here.engine)
    leave(here, there)


def test_the_limit_of_the_built_in_pair(service: tuple[Side, Side], runtime_dir: Path) -> None:
    """A gigabyte for one connection is refused, the sizes of real programs are not."""
    there, _ = service
    for terms, code in (
        (fabric.Terms(65535, True, 8192, 8192), ErrorCode.TOO_BIG),
        (fabric.Terms(4080, True, 8190, 8190), ErrorCode.SUCCESS),
        (fabric.Terms(65535, True, 512, 512), ErrorCode.SUCCESS),
    ):
        with attacker(runtime_dir) as greedy:
            greedy.greet(terms)
            there.engine.wait(1.0)
            there.engine.progress()
            assert greedy.code() == code
    until(lambda: len(there.down) == 2, there.engine)


# Descriptors whose closing takes long


def lingering(hall: socket.socket) -> int:
    """A socket whose last close waits for a peer that reads nothing."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, LINGER_S))
    sock.connect(hall.getsockname())
    sock.setblocking(False)
    with suppress(BlockingIOError):
        while True:
            sock.send(bytes(1 << 16))
    sock.setblocking(True)
    return sock.detach()


@pytest.fixture
def hall() -> Iterator[socket.socket]:
    """Where sockets connect that nobody reads from."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        yield made


def leave_with(bad: Attacker, hall: socket.socket, data: bytes, count: int) -> None:
    """Say something with so many sockets that linger, which nobody else keeps."""
    fds = [lingering(hall) for _ in range(count)]
    bad.say(data, fds)
    close_all(fds)  # which does not wait: they are on their way


@pytest.mark.parametrize("data", [GOOD, b"noise", b""], ids=["greeting", "noise", "nothing"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_greeting_with_sockets_that_linger(
    service: tuple[Side, Side], runtime_dir: Path, hall: socket.socket, data: bytes, count: int
) -> None:
    there, _ = service
    before = open_fds()
    with attacker(runtime_dir) as bad:
        leave_with(bad, hall, data, count)
        until(lambda: bad_is_gone(bad), there.engine)
    until(lambda: open_fds() <= before, there.engine)


def bad_is_gone(bad: Attacker) -> bool:
    """Whether it has been hung up on, whatever it was told before."""
    bad.sock.setblocking(False)
    try:
        while bad.hear():
            pass
    except BlockingIOError:
        return False
    return True


def test_words_that_linger(service: tuple[Side, Side], runtime_dir: Path, hall: socket.socket) -> None:
    """On a connection that is up, also those that the server never reads."""
    there, _ = service
    before = open_fds()
    with attacker(runtime_dir) as bad:
        bad.greet()
        until(lambda: len(there.up) == 2, there.engine)
        for _ in range(5):
            leave_with(bad, hall, b"noise", 2)
        until(lambda: there.down, there.engine)
    until(lambda: open_fds() <= before, there.engine)


def test_words_that_linger_before_the_greeting_is_refused(
    service: tuple[Side, Side], runtime_dir: Path, hall: socket.socket
) -> None:
    there, _ = service
    before = open_fds()
    with attacker(runtime_dir) as bad:
        for _ in range(5):
            leave_with(bad, hall, b"noise", 2)
        until(lambda: bad_is_gone(bad), there.engine)
    until(lambda: open_fds() <= before, there.engine)


def test_what_a_stream_socket_that_was_sent_many_times_takes(service: tuple[Side, Side], runtime_dir: Path) -> None:
    """A stream of which nothing is left to read gives credentials at its end, again and again."""
    there, _ = service
    before = open_fds()
    kept, sent = socket.socketpair()
    with attacker(runtime_dir) as bad, kept, sent:
        for _ in range(4):
            bad.say(b"noise", [sent.fileno()] * 253)
        used = time.thread_time()
        until(lambda: bad_is_gone(bad), there.engine)
        assert time.thread_time() - used < 0.5
    until(lambda: open_fds() <= before, there.engine)


@pytest.mark.parametrize("kernel", ["new", "old"])
def test_bells_rung_with_what_lingers(
    runtime_dir: Path, hall: socket.socket, kernel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newer kernels let nobody attach a descriptor; on older ones it is taken and closed."""
    if kernel == "old":
        monkeypatch.setattr(bells, "_SO_PASSRIGHTS", 9999)
    there, here = server(), client()
    connect(there, here)
    before = open_fds()
    with attacker(runtime_dir) as bad:
        bad.greet()
        until(lambda: len(there.up) == 2, there.engine)
        bad.hear()
        with socket.socket(fileno=bad.bells[0]) as bell:
            for _ in range(3):
                fd = lingering(hall)
                with suppress(OSError):
                    socket.send_fds(bell, [b"!"], [fd])
                    close_all([fd])
            bell.detach()
        there.engine.wait(0.1)
        there.engine.progress()
        for _ in range(3):  # which nobody hears any more
            fd = lingering(hall)
            with suppress(OSError), socket.socket(fileno=os.dup(bad.bells[0])) as bell:
                socket.send_fds(bell, [b"!"], [fd])
                close_all([fd])
    until(lambda: there.down, there.engine)
    leave(here, there)
    until(lambda: open_fds() <= before)


def nested(fd: int, depth: int) -> int:
    """A socket in which a socket lies in which ... it lies, as deep as Linux lets them lie."""
    for _ in range(depth):
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with here:
            try:
                socket.send_fds(here, [b""], [fd])
            except OSError:  # ETOOMANYREFS
                there.close()
                return fd
        os.close(fd)
        fd = there.detach()
    return fd


@pytest.mark.parametrize("depth", [1, 3, 17, 33, 60])
def test_sockets_that_linger_deep_in_others(
    service: tuple[Side, Side], runtime_dir: Path, hall: socket.socket, depth: int
) -> None:
    there, _ = service
    before = open_fds()
    with attacker(runtime_dir) as bad:
        for _ in range(5):
            fd = nested(lingering(hall), depth)
            bad.say(b"noise", [fd])
            os.close(fd)
        until(lambda: bad_is_gone(bad), there.engine)
    until(lambda: open_fds() <= before, there.engine)


@pytest.mark.parametrize("left", [0, 1, 3, 40])
def test_sockets_that_linger_when_descriptors_have_run_out(runtime_dir: Path, hall: socket.socket, left: int) -> None:
    """Neither this side nor Linux in its place waits for those that there is no room for."""
    with ExitStack() as stack:
        there = server()
        there.context.start()
        before = open_fds()
        for _ in range(3):
            bad = stack.enter_context(attacker(runtime_dir))
            leave_with(bad, hall, GOOD, 20)
        with full_table(left):
            until(lambda: not there.engine.progress())
        bad = stack.enter_context(attacker(runtime_dir))
        leave_with(bad, hall, GOOD, 20)
        until(lambda: bad_is_gone(bad), there.engine)
    until(lambda: open_fds() <= before, there.engine)
    leave(there)


def test_clients_that_linger_before_a_server_that_stops(runtime_dir: Path, hall: socket.socket) -> None:
    """They wait to be accepted, and have said something."""
    before = open_fds()
    with ExitStack() as stack:
        there = server()
        there.context.start()
        for _ in range(5):
            bad = stack.enter_context(attacker(runtime_dir))
            leave_with(bad, hall, GOOD, 2)
        leave(there)
    until(lambda: open_fds() <= before)


@pytest.mark.parametrize("stage", ["waiting", "accepted", "connected"])
def test_a_server_that_is_dropped(runtime_dir: Path, hall: socket.socket, stage: str) -> None:
    """It is closed when it is collected, with what lingers in its sockets."""
    with comch.open_device("03:00.0") as device:
        before = open_fds()
        there = comch.Server(device, "b1:00.0", "svc")
        there.listen()
        with attacker(runtime_dir) as bad:
            if stage == "connected":
                bad.greet()
                while not there.connections:
                    accept_all(there)
                    there.update_info()
            elif stage == "accepted":
                there.update_info()
            leave_with(bad, hall, b"noise", 2)
            del there
            gc.collect()
            until(lambda: bad_is_gone(bad))
        until(lambda: open_fds() <= before)


# Dead clients


def accept_all(there: comch.Server) -> None:
    """Let in who waits, and read nothing."""
    port = there.port
    assert port is not None
    while port.pending:
        port.accept()


def test_dead_clients_that_wait_hold_no_place(runtime_dir: Path) -> None:
    """They greeted and died before anybody let them in: the living come in all the same."""
    here = client()
    with comch.open_device("03:00.0") as device, comch.Server(device, "b1:00.0", "svc") as there:
        before = open_fds()
        for _ in range(8):
            with greeters(runtime_dir, 100):
                there.update_info()
            there.update_info()
        assert open_fds() - before < 3 * 512
        here.context.start()
        while here.state is comch.State.STARTING:
            comch.outcome(there.receive, timeout=0)
            here.engine.progress()
        assert here.state is comch.State.RUNNING
        leave(here)


@pytest.mark.parametrize("one_sided", [False, True])
def test_dead_clients_with_messages_hold_no_descriptors(runtime_dir: Path, one_sided: bool) -> None:
    """What they said stays readable, and that is all that stays of them."""
    with comch.open_device("03:00.0") as device, device.open_representor("b1:00.0") as rep:
        with comch.Server(device, rep, "svc", one_sided=one_sided) as there:
            before = open_fds()
            for number in range(50):
                with attacker(runtime_dir) as bad:
                    bad.greet()
                    while not there.connections:
                        accept_all(there)
                        there.update_info()
                    assert bad.code() == ErrorCode.SUCCESS
                    sender, receiver = bad.rings()
                    send(sender.tx, b"%d" % number)
                    sender.close()
                    receiver.close()
                while there.connections:
                    there.update_info()
            assert open_fds() - before < 50
            said: set[bytes | None] = set()
            while len(said) < 50:
                code, data, _, _ = there.try_receive()
                said |= {data} if code == ErrorCode.SUCCESS else set()
            assert said == {b"%d" % number for number in range(50)}


def test_dead_clients_with_messages_are_not_held_without_end(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that does not read refuses who comes after as many as it may have clients."""
    limited(tmp_path, monkeypatch, max_clients=4)
    with comch.open_device("03:00.0") as device, comch.Server(device, "b1:00.0", "svc") as there:
        codes = []
        for _ in range(12):
            with attacker(runtime_dir) as bad:
                bad.greet()
                there.update_info()
                accept_all(there)
                codes.append(bad.code())
                if codes[-1] == ErrorCode.SUCCESS:
                    sender, receiver = bad.rings()
                    send(sender.tx, b"read me")
                    sender.close()
                    receiver.close()
            there.update_info()
        assert codes == [ErrorCode.SUCCESS] * 4 + [ErrorCode.FULL] * 8
        assert [there.try_receive()[1] for _ in range(4)] == [b"read me"] * 4
