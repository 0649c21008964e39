"""Descriptors for poll and epoll: armed for one event, and no wake-up is ever lost."""

from __future__ import annotations

import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

import comch_next as comch
from comch_next.pull import PullPort
from tests.processes import SOON_S, StartPython
from tests.pull.support import PEER, Stage, ready, until


@contextmanager
def epoll(fd: int) -> Iterator[select.epoll]:
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        yield poller


def sleep_until(port: PullPort, check: Callable[[], object]) -> None:
    """Arm, check, and wait without a time-out, as a program does; the test's own deadline ends a lost wake-up."""
    with epoll(port.recv_fd) as poller:
        while True:
            port.arm_recv()
            if check():
                return
            assert poller.poll()


def test_epoll_without_a_time_out_while_another_process_sends(
    stage: Stage, form: str, start_python: StartPython
) -> None:
    server = stage.server(form)
    server.context.start()
    peer = start_python("-c", PEER)
    connections: list[comch.Connection] = []
    got: list[bytes] = []

    def serve() -> bool:
        while (connection := server.accept()) is not None:
            connections.append(connection)
        while (found := server.receive()) is not None:
            got.append(found[0])
        return len(got) == 20

    sleep_until(server, lambda: serve() or connections)
    peer.say("".join(f"send {number}\n" for number in range(20)))
    sleep_until(server, serve)
    assert got == [b"%d" % number for number in range(20)]
    peer.signal(signal.SIGKILL)
    sleep_until(server, lambda: comch.outcome(server.receive)[0] == comch.ErrorCode.CONNECTION_RESET)


def test_never_armed_is_never_ready(stage: Stage, form: str) -> None:
    server = stage.server(form)
    fds = [server.recv_fd, server.send_fd, server.service_fd]
    _, client = stage.meet(server, stage.client("driver"))
    assert client.send(b"x")
    until(lambda: client.port.in_flight(client.connection) == 0)
    assert not any(ready(fd) for fd in fds)
    assert until(server.receive)[0] == b"x"
    assert not any(ready(fd) for fd in fds)


def test_recv_armed_before_arrival_is_ready_once(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    server.port.arm_recv()
    assert not ready(server.port.recv_fd)
    assert client.send(b"x")
    assert ready(server.port.recv_fd, SOON_S)
    assert server.receive() == b"x"
    assert ready(server.port.recv_fd)  # until it is armed again
    server.port.arm_recv()
    assert not ready(server.port.recv_fd)


def test_recv_armed_after_arrival_is_ready_at_once(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    assert client.send(b"x")
    until(lambda: client.port.in_flight(client.connection) == 0)
    server.port.arm_recv()
    assert ready(server.port.recv_fd)
    server.port.arm_recv()
    assert ready(server.port.recv_fd)  # it still waits
    assert server.receive() == b"x"
    server.port.arm_recv()
    assert not ready(server.port.recv_fd)


def test_armed_twice_is_armed(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    server.port.arm_recv()
    server.port.arm_recv()
    assert not ready(server.port.recv_fd)
    assert client.send(b"x")
    assert ready(server.port.recv_fd, SOON_S)


def test_no_descriptor_fires_for_the_other_direction(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=2)
    server, end = stage.meet(stage.server("driver", recv_queue_size=1), client)
    while end.send(b"full"):
        pass
    client.arm_send()
    client.arm_recv()
    assert not ready(client.send_fd)
    assert not ready(client.recv_fd)
    assert server.send(b"a message")
    assert ready(client.recv_fd, SOON_S)
    assert not ready(client.send_fd)
    assert until(client.receive)[0] == b"a message"
    client.arm_recv()
    assert server.receive() == b"full"
    assert ready(client.send_fd, SOON_S)
    assert not ready(client.recv_fd)
    assert end.send(b"there is room")


def test_send_is_ready_once_for_each_send_that_ends(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=2)
    server, end = stage.meet(stage.server("driver", recv_queue_size=1), client)
    client.arm_send()
    assert not ready(client.send_fd), "there is room, but nothing in flight that could end"
    for _ in range(3):  # one in the queue of the receiver, two in flight
        assert end.send(b".")
    until(lambda: client.in_flight(end.connection) == 2)
    for _ in range(2):
        client.arm_send()
        assert not ready(client.send_fd)
        assert server.receive()
        assert ready(client.send_fd, SOON_S)
        until(lambda: client.in_flight(end.connection) < 2)
    client.arm_send()
    assert not ready(client.send_fd), "there is room, and the program knows of all that has ended"


def test_a_send_that_ended_before_the_arming_is_not_missed(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=2)
    server, end = stage.meet(stage.server("driver", recv_queue_size=1), client)
    while end.send(b"."):
        pass
    until(lambda: client.in_flight(end.connection) == 2)
    assert server.receive()
    client.arm_send()
    assert ready(client.send_fd, SOON_S)


def test_the_drain_loop_sleeps(stage: Stage, form: str) -> None:
    """The guide's loop before a disconnect: as many wake-ups as messages, and none for the room that there is."""
    client = stage.client(form, send_queue_size=64)
    server, end = stage.meet(stage.server("driver", recv_queue_size=1), client)
    while end.send(b"."):
        pass
    wakeups = 0
    waiting = client.in_flight(end.connection)
    while waiting:
        client.arm_send()
        if not ready(client.send_fd):
            assert server.receive()
            assert ready(client.send_fd, SOON_S)
        wakeups += 1
        waiting = client.in_flight(end.connection)
    assert wakeups <= 2 * 64


def test_send_waits_for_the_connection_to_come_up(stage: Stage, form: str) -> None:
    server, client = stage.server("driver"), stage.client(form)
    server.context.start()
    client.context.start()
    connection = client.context.connection  # type: ignore[attr-defined]
    assert client.send(connection, b"early") is False
    client.arm_send()
    assert not ready(client.send_fd)
    until(server.accept)
    assert ready(client.send_fd, SOON_S)
    until(lambda: client.send(connection, b"late"))


def test_a_send_that_is_withdrawn_does_not_make_send_ready(stage: Stage) -> None:
    """There is room for it later, but another connection is waited for."""
    server = stage.server("driver", send_queue_size=2)
    ends = [stage.meet(server, stage.client("driver", recv_queue_size=1)) for _ in range(2)]
    for end, _ in ends:
        while end.send(b"."):
            pass
    (given_up, first), (waiting, second) = ends
    assert first.receive()
    server.arm_send()
    assert ready(server.send_fd)
    server.withdraw(given_up.connection)
    server.arm_send()
    assert not ready(server.send_fd)
    assert second.receive()
    assert ready(server.send_fd, SOON_S)
    assert waiting.send(b"there is room")


def test_withdrawing_nothing_is_harmless(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server("driver", recv_queue_size=1), stage.client(form, send_queue_size=1))
    client.port.withdraw(client.connection)
    while client.send(b"."):
        pass
    for _ in range(2):
        client.port.withdraw(client.connection)
    client.port.in_flight(client.connection)
    client.port.arm_send()
    assert not ready(client.port.send_fd)  # nobody waits for room, and nothing has ended
    assert not client.send(b".")
    client.port.arm_send()
    assert not ready(client.port.send_fd)
    assert server.receive()
    assert ready(client.port.send_fd, SOON_S)
    client.context.close()
    with pytest.raises(comch.NotConnected):
        client.send(b".")
    client.port.withdraw(client.connection)


@pytest.mark.parametrize("channel", ["send", "recv"])
def test_a_lost_peer_makes_both_ready(stage: Stage, form: str, channel: str) -> None:
    client = stage.client(form, send_queue_size=1)
    server, end = stage.meet(stage.server("driver", recv_queue_size=1), client)
    while end.send(b"."):
        pass
    fd = client.send_fd if channel == "send" else client.recv_fd
    (client.arm_send if channel == "send" else client.arm_recv)()
    assert not ready(fd)
    server.context.close()
    assert ready(fd, SOON_S)
    with pytest.raises(comch.Shutdown):
        until(lambda: end.send(b".") if channel == "send" else client.receive())


@pytest.mark.parametrize("channel", ["recv", "service"])
def test_a_new_client_makes_recv_and_service_ready(stage: Stage, form: str, channel: str) -> None:
    server, client = stage.server(form), stage.client("driver")
    server.context.start()
    fd = getattr(server, f"{channel}_fd")
    arm = getattr(server, f"arm_{channel}")
    arm()
    assert not ready(fd)
    client.context.start()
    assert ready(fd, SOON_S)
    assert until(server.accept)
    arm()
    assert not ready(fd)
    stage.client("driver").context.start()
    assert ready(fd, SOON_S)


@pytest.mark.parametrize("channel", ["recv", "service"])
def test_a_client_that_came_before_arming_is_not_lost(stage: Stage, form: str, channel: str) -> None:
    server, client = stage.server(form), stage.client("driver")
    server.context.start()
    client.context.start()
    if form == "threaded":  # it has come up by itself
        connection = client.context.connection  # type: ignore[attr-defined]
        until(lambda: client.status(connection) == comch.ErrorCode.SUCCESS)
    getattr(server, f"arm_{channel}")()
    assert ready(getattr(server, f"{channel}_fd"), SOON_S)


def test_service_is_ready_when_a_client_goes(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    server.port.arm_service()
    assert not ready(server.port.service_fd)
    client.context.close()
    assert ready(server.port.service_fd, SOON_S)


def test_a_client_has_no_service_descriptor(stage: Stage, form: str) -> None:
    client = stage.client(form)
    with pytest.raises(comch.NotSupported):
        _ = client.service_fd
    with pytest.raises(comch.NotSupported):
        client.arm_service()


def test_thousands_of_rounds_lose_no_wake_up(stage: Stage, form: str, start_python: StartPython) -> None:
    rounds = 3000
    server = stage.server(form)
    server.context.start()
    peer = start_python("-c", PEER)
    connection = until(server.accept)
    peer.say(f"echo {rounds}\n")
    with epoll(server.recv_fd) as poller:
        for number in range(rounds):
            assert server.send(connection, b"?")
            for _ in range(number * 7 % 400):  # so that arming meets the arrival at every point
                pass
            while (found := server.receive()) is None:
                server.arm_recv()
                assert poller.poll(SOON_S), f"round {number} lost its wake-up"
            assert found[0] == b"!"


def test_thousands_of_full_queues_lose_no_wake_up(stage: Stage, form: str) -> None:
    """The other direction: a sender that sleeps whenever its queue is full, and a reader in another thread."""
    rounds = 3000
    client = stage.client(form, send_queue_size=1)
    server, end = stage.meet(stage.server("driver", recv_queue_size=1), client)
    got: list[bytes] = []

    def read() -> None:
        deadline = time.monotonic() + 2 * SOON_S
        while len(got) < rounds and time.monotonic() < deadline:
            if (found := server.port.receive()) is not None:
                got.append(found[0])

    reader = threading.Thread(target=read)
    reader.start()
    try:
        with epoll(client.send_fd) as poller:
            for number in range(rounds):
                while not end.send(b"%d" % number):
                    client.arm_send()
                    assert poller.poll(SOON_S), f"message {number} lost its wake-up"
    finally:
        reader.join()
    assert got == [b"%d" % number for number in range(rounds)]
