"""Messages: their order, views of them, and how long they may be."""

from __future__ import annotations

import itertools

import pytest

from comch_next import (
    InvalidValue,
    Message,
)
from tests.control_path.pair import IDLE, RUNNING, STARTING, client, connect, ignore, leave, pair, server, until


def test_messages_come_before_the_farewell() -> None:
    there, here = pair()
    order: list[object] = []
    leave(here, there)
    there, here = server(), client()
    there.context.event_msg_recv_register(lambda _, data: order.append(data))
    there.context.event_connection_status_changed_register(ignore, lambda *_: order.append("down"))
    there.context.start()
    here.context.start()
    until(lambda: here.state is RUNNING, there.engine, here.engine)
    for number in range(40):
        here.send(b"%d" % number)
    here.context.stop()
    until(lambda: here.state is IDLE, here.engine)
    until(lambda: "down" in order, there.engine)
    assert order == [*(b"%d" % number for number in range(40)), "down"]
    leave(here, there)


def test_the_order_of_arrival_over_clients() -> None:
    there = server()
    clients = [client() for _ in range(4)]
    for here in clients:
        connect(there, here)
    for number in range(80):
        clients[number * 7 % 4].send(b"%d" % number)
    until(lambda: len(there.messages) == 80, there.engine)
    assert there.messages == [b"%d" % number for number in range(80)]
    leave(*clients, there)


def test_a_view_is_released_after_the_callback() -> None:
    there, here = server(), client()
    views: list[memoryview] = []

    def on_view(connection: object, data: memoryview) -> None:
        assert isinstance(data, memoryview)
        views.append(data)
        there.messages.append(bytes(data))

    there.context.event_msg_recv_register(on_view, view=True)
    connect(there, here)
    for data in (b"", b"one", b"two" * 100):
        here.send(data)
    until(lambda: len(views) == 3, there.engine)
    assert there.messages == [b"", b"one", b"two" * 100]
    for view in views:
        with pytest.raises(ValueError, match="released"):
            bytes(view)
    leave(here, there)


def test_a_view_that_a_callback_still_exports_does_no_harm() -> None:
    """A program that keeps a slice of the view cannot make the engine fail, or see a later message through it."""
    there, here = server(), client()
    kept: list[memoryview] = []

    def on_view(connection: object, data: memoryview) -> None:
        kept.append(data[1:])
        there.messages.append(bytes(data))

    there.context.event_msg_recv_register(on_view, view=True)
    connect(there, here)
    here.send(b"first")
    here.send(b"second")
    until(lambda: len(there.messages) == 2, there.engine)
    assert there.messages == [b"first", b"second"]
    assert [bytes(view) for view in kept] == [b"irst", b"econd"]
    leave(here, there)


SIZES = [None, 100, 200, 4080, 65535]


@pytest.mark.parametrize(("at_server", "at_client"), list(itertools.product(SIZES, SIZES)))
def test_message_sizes_are_negotiated(at_server: int | None, at_client: int | None) -> None:
    there, here = server(max_msg_size=at_server), client(max_msg_size=at_client)
    assert (there.context.max_msg_size, here.context.max_msg_size) == (at_server or 4080, at_client or 4080)
    there.context.start()
    here.context.start()
    until(lambda: here.state is not STARTING, there.engine, here.engine)
    if None not in (at_server, at_client) and at_server != at_client:
        assert here.state is IDLE
        assert here.states == [(IDLE, STARTING), (STARTING, IDLE)]
        assert there.up == []
        leave(here, there)
        return
    agreed = at_server or at_client or 4080
    assert here.state is RUNNING
    assert (there.context.max_msg_size, here.context.max_msg_size) == (agreed, agreed)
    for side, other in ((here, there), (there, here)):
        with pytest.raises(InvalidValue, match=f"above this connection's {agreed}"):
            side.task(b"x" * (agreed + 1))
        side.send(b"x" * agreed)
        until(lambda: other.messages == [b"x" * agreed], there.engine, here.engine)  # noqa: B023
    leave(here, there)


@pytest.mark.parametrize("size", [0, -1, 65536, 1 << 70, "100", True])
def test_message_sizes_out_of_range(size: int) -> None:
    here = client()
    with pytest.raises(InvalidValue, match="whole number from 1 to 65535"):
        here.context.max_msg_size = size
    here.context.max_msg_size = None
    assert here.context.max_msg_size == 4080
    leave(here)


def test_message_is_a_pair() -> None:
    assert Message._fields == ("data", "connection")
