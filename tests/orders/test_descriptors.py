"""Descriptors belong to the context until it is closed; the send channel fires when a message in flight has ended."""

from __future__ import annotations

import os
import select
import threading
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from tests.orders.support import (
    NAME,
    OTHER_NAME,
    SOON_S,
    STILL_S,
    Pair,
    World,
    accepts,
    comch,
    connect,
    fill,
    introduce,
    receives_nothing,
    until,
    wait_readable,
)


def inode(fd: int) -> int:
    return os.fstat(fd).st_ino


def test_descriptors_stay_over_disconnect_and_reconnect(world: World) -> None:
    first, second = world.server(), world.server(OTHER_NAME)
    client = world.client()
    connection = connect(client, first)
    send_fd, recv_fd = client.send_fd, client.recv_fd
    inodes = inode(send_fd), inode(recv_fd)
    with select.epoll() as poller:
        poller.register(send_fd, select.EPOLLIN)
        poller.register(recv_fd, select.EPOLLIN)
        for server in [first, second, first, second]:
            peer = introduce(connection, server)
            settle_send(client, poller, send_fd)
            client.arm_recv()
            assert recv_fd not in [fd for fd, _ in poller.poll(0)]
            peer.send(b"wake up", timeout=SOON_S)
            until(lambda: recv_fd in [fd for fd, _ in poller.poll(0.01)])
            assert client.receive(timeout=SOON_S).data == b"wake up"
            client.disconnect()
            assert (client.send_fd, client.recv_fd) == (send_fd, recv_fd)
            assert (inode(send_fd), inode(recv_fd)) == inodes
            other = second if server is first else first
            connection = reconnect(client, other, OTHER_NAME if other is second else NAME)


def reconnect(client: Any, server: Any, name: str) -> Any:
    """Connect again; the server may report once that the former connection has ended."""
    connection = client.connect(name, timeout=0)
    until(lambda: accepts(server, connection))
    return connection


def settle_send(context: Any, poller: select.epoll, send_fd: int) -> None:
    """Consume the event of what has ended already: arming loses none."""
    for _ in range(3):
        context.arm_send()
        if send_fd not in [fd for fd, _ in poller.poll(STILL_S)]:
            return
    raise AssertionError("the send channel fires for ever although nothing is in flight")


def test_descriptors_end_with_close(world: World) -> None:
    world.server()
    client = world.client()
    client.connect(NAME, timeout=0)
    fds = client.send_fd, client.recv_fd
    client.close()
    for fd in fds:
        with pytest.raises(OSError):
            os.fstat(fd)


def test_a_descriptor_that_is_kept_armed_wakes_after_a_reconnect(world: World) -> None:
    """A thread sleeps in epoll over a disconnect and a connect of the main thread."""
    server, client = world.server(), world.client()
    introduce(connect(client, server), server)
    recv_fd = client.recv_fd
    with select.epoll() as poller:
        poller.register(recv_fd, select.EPOLLIN)
        client.disconnect()
        connection = reconnect(client, server, NAME)
        peer = introduce(connection, server)
        client.arm_recv()
        woken: list[Any] = []
        thread = threading.Thread(target=lambda: woken.extend(poller.poll(SOON_S)))
        thread.start()
        peer.send(b"x", timeout=SOON_S)
        thread.join(SOON_S)
        assert [fd for fd, _ in woken] == [recv_fd]


def test_the_service_descriptor_stays_while_clients_come_and_go(world: World) -> None:
    server = world.server()
    service_fd = server.service_fd
    with select.epoll() as poller:
        poller.register(service_fd, select.EPOLLIN)
        for _ in range(3):
            server.update_info()
            client = world.client()
            connection = client.connect(NAME, timeout=0)
            assert poller.poll(SOON_S)
            until(partial(accepts, server, connection))
            server.update_info()
            assert len(server.connections) == 1
            client.close()
            assert poller.poll(SOON_S)
            server.update_info()
            assert server.connections == []
        assert server.service_fd == service_fd


# The send channel


def test_the_send_channel_is_silent_while_nothing_was_sent(pair: Pair) -> None:
    client = pair.client
    with select.epoll() as poller:
        poller.register(client.send_fd, select.EPOLLIN)
        settle_send(client, poller, client.send_fd)
        for _ in range(20):
            client.arm_send()
            assert poller.poll(0.002) == []


def test_the_send_channel_fires_once_a_message_in_flight_has_ended(world: World) -> None:
    pair = Pair(world, recv_queue_size=4, send_queue_size=4)
    client = pair.client
    sent = fill(pair.connection)
    assert pair.connection.in_flight == 4
    with select.epoll() as poller:
        poller.register(client.send_fd, select.EPOLLIN)
        settle_send(client, poller, client.send_fd)
        pair.server.receive(timeout=SOON_S)
        assert poller.poll(SOON_S)
        pair.connection.send(b"x", timeout=SOON_S)
    for _ in range(sent):
        pair.server.receive(timeout=SOON_S)


def test_one_shot(world: World) -> None:
    """A ready descriptor stays readable until it is armed again, and fires once only."""
    pair = Pair(world, recv_queue_size=4, send_queue_size=4)
    fill(pair.connection)
    with select.epoll() as poller:
        poller.register(pair.client.send_fd, select.EPOLLIN)
        settle_send(pair.client, poller, pair.client.send_fd)
        pair.server.receive(timeout=SOON_S)
        assert poller.poll(SOON_S)
        assert poller.poll(0)
        settle_send(pair.client, poller, pair.client.send_fd)
        assert poller.poll(STILL_S) == []


@pytest.mark.parametrize("number", [1, 4, 16])
def test_a_drain_loop_wakes_about_once_per_message(world: World, number: int) -> None:
    """As before a disconnect of the old guide: sleep on the send channel until nothing is in flight."""
    pair = Pair(world, recv_queue_size=4, send_queue_size=16)
    client, connection, server = pair.client, pair.connection, pair.server
    while connection.in_flight < number:
        connection.send(b"x", timeout=0)
    step, received = threading.Semaphore(0), threading.Event()

    def consume() -> None:
        """One message for each permission, and all of them from then on."""
        while True:
            assert step.acquire(timeout=SOON_S)
            if received.is_set():
                return
            with suppress(comch.Again):  # one wake-up too many: the count below fails
                server.receive(timeout=0)

    consumer = threading.Thread(target=consume)
    consumer.start()
    wakes = looks = 0
    with select.epoll() as poller:
        poller.register(client.send_fd, select.EPOLLIN)
        while True:
            looks += 1
            client.arm_send()
            if connection.in_flight == 0:
                break
            step.release()
            wakes += bool(poller.poll(SOON_S))
    received.set()
    step.release()
    consumer.join(SOON_S)
    assert looks == wakes + 1
    assert 1 <= wakes <= number + 2, f"{wakes} wake-ups for {number} messages"


def test_the_send_channel_is_not_fired_by_what_is_received(pair: Pair) -> None:
    client = pair.client
    with select.epoll() as poller:
        poller.register(client.send_fd, select.EPOLLIN)
        settle_send(client, poller, client.send_fd)
        pair.peer.send(b"x", timeout=SOON_S)
        assert poller.poll(STILL_S) == []
    assert client.receive(timeout=SOON_S).data == b"x"


def test_the_receive_channel_is_not_fired_by_what_is_sent(pair: Pair) -> None:
    client = pair.client
    client.arm_recv()
    pair.connection.send(b"x", timeout=SOON_S)
    pair.server.receive(timeout=SOON_S)
    assert not wait_readable(client.recv_fd, STILL_S)


def test_arming_after_the_arrival_loses_nothing(pair: Pair) -> None:
    pair.peer.send(b"x", timeout=SOON_S)
    until(lambda: pair.peer.in_flight == 0)
    pair.client.arm_recv()
    assert wait_readable(pair.client.recv_fd, SOON_S)
    assert pair.client.receive(timeout=0).data == b"x"


def test_a_server_sees_the_same_descriptors_all_its_life(world: World) -> None:
    server = world.server()
    fds = server.send_fd, server.recv_fd
    for _ in range(3):
        client = world.client()
        peer = introduce(connect(client, server), server)
        server.disconnect(peer)
        client.close()
        assert (server.send_fd, server.recv_fd) == fds
        until(lambda: receives_nothing(server))
