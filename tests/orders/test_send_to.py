"""`send_to` and `disconnect` with a connection that is given: none, stale, or of another context."""

from __future__ import annotations

from typing import Any

import pytest

from tests.orders.support import (
    NAME,
    OTHER_NAME,
    SOON_S,
    Pair,
    World,
    accepts,
    comch,
    connect,
    fill,
    introduce,
    raises_soon,
    receives_nothing,
    until,
)
from tests.sleeps import takes_at_most

WRONG_VALUE = (comch.InvalidValue, TypeError)


def test_data_comes_first(pair: Pair) -> None:
    pair.client.send_to(b"up", pair.connection)
    assert pair.server.receive(timeout=SOON_S).data == b"up"
    pair.server.send_to(b"down", pair.peer, timeout=0)
    assert pair.client.receive(timeout=SOON_S).data == b"down"
    pair.client.send_to(data=b"by name", connection=pair.connection, timeout=1)
    assert pair.server.receive(timeout=SOON_S).data == b"by name"


@pytest.mark.parametrize("data", [b"", bytearray(b"array"), memoryview(b"view"), memoryview(b"gaps")[::2], b"x" * 4080])
def test_what_can_be_sent(pair: Pair, data: Any) -> None:
    pair.client.send_to(data, pair.connection)
    assert pair.server.receive(timeout=SOON_S).data == bytes(data)
    assert pair.client.try_send_to(data, pair.connection) == comch.ErrorCode.SUCCESS
    assert pair.server.receive(timeout=SOON_S).data == bytes(data)
    pair.client.send_to(data, pair.connection, length=len(data) // 2)
    assert pair.server.receive(timeout=SOON_S).data == bytes(data)[: len(data) // 2]


@pytest.mark.parametrize("data", ["text", None, 5, [], [b"x"], (b"x", b"y"), [1, 2]])
def test_what_cannot_be_sent(pair: Pair, data: Any) -> None:
    with pytest.raises(WRONG_VALUE):
        pair.client.send_to(data, pair.connection)
    assert receives_nothing(pair.server)


def test_a_message_that_is_too_long(pair: Pair) -> None:
    with pytest.raises(comch.InvalidValue):
        pair.client.send_to(b"x" * (pair.client.max_msg_size + 1), pair.connection)
    assert receives_nothing(pair.server)


@pytest.mark.parametrize("side", ["client", "server"])
@pytest.mark.parametrize("timeout", [0, 1, None])
def test_to_none(pair: Pair, side: str, timeout: float | None) -> None:
    with pytest.raises(comch.NotConnected), takes_at_most(0.5):
        getattr(pair, side).send_to(b"x", None, timeout=timeout)


def test_to_none_before_connect(world: World) -> None:
    with pytest.raises(comch.NotConnected):
        world.client().send_to(b"x", None)
    with pytest.raises(comch.NotConnected):
        world.keep(comch.Server()).send_to(b"x", None)


@pytest.mark.parametrize("wrong", [b"x", 3, "peer", object(), ()])
def test_to_what_is_no_connection(pair: Pair, wrong: Any) -> None:
    with pytest.raises(WRONG_VALUE):
        pair.client.send_to(b"x", wrong)


def test_to_a_connection_of_another_context(world: World, pair: Pair) -> None:
    other = world.client()
    introduce(connect(other, pair.server), pair.server)
    for context, foreign in (
        (pair.client, pair.peer),  # the server's end of the same connection
        (pair.server, pair.connection),
        (other, pair.connection),
        (pair.client, other.connection),
    ):
        with pytest.raises(comch.InvalidValue):
            context.send_to(b"x", foreign, timeout=0)
    assert receives_nothing(pair.server)
    assert receives_nothing(pair.client)
    assert receives_nothing(other)


def test_to_a_stale_connection_of_the_same_client(world: World, pair: Pair) -> None:
    pair.client.disconnect()
    with pytest.raises(comch.NotConnected):
        pair.client.send_to(b"x", pair.connection)
    fresh = pair.client.connect(NAME, timeout=0)
    until(lambda: accepts(pair.server, fresh))
    with pytest.raises(comch.NotConnected):  # never to the new connection by mistake
        pair.client.send_to(b"stale", pair.connection)
    introduce(fresh, pair.server)


def test_to_a_client_that_the_server_dropped(pair: Pair) -> None:
    pair.server.disconnect(pair.peer)
    with pytest.raises(comch.NotConnected):
        pair.server.send_to(b"x", pair.peer, timeout=0)


def test_to_a_peer_that_left(pair: Pair) -> None:
    pair.client.disconnect()
    raises_soon(comch.Shutdown, pair.server.send_to, b"x", pair.peer, timeout=0)


def test_a_full_queue(world: World) -> None:
    pair = Pair(world, recv_queue_size=2, send_queue_size=2)
    fill(pair.connection)
    with pytest.raises(comch.Again):
        pair.client.send_to(b"x", pair.connection, timeout=0)
    with pytest.raises(comch.TimeOut), takes_at_most(2):
        pair.client.send_to(b"x", pair.connection, timeout=0.05)
    pair.server.receive(timeout=SOON_S)
    pair.client.send_to(b"x", pair.connection, timeout=SOON_S)


def test_to_a_connection_in_progress(world: World) -> None:
    world.server()
    client = world.client()
    connection = client.connect(NAME, timeout=0)
    with pytest.raises(comch.Again):
        client.send_to(b"x", connection, timeout=0)


# disconnect(connection=None)


@pytest.mark.parametrize("given", [True, False])
def test_disconnect_with_and_without_its_connection(world: World, pair: Pair, given: bool) -> None:
    if given:
        pair.client.disconnect(pair.connection)
    else:
        pair.client.disconnect()
    with pytest.raises(comch.NotConnected):
        pair.connection.send(b"x")
    fresh = pair.client.connect(NAME, timeout=0)
    until(lambda: accepts(pair.server, fresh))
    introduce(fresh, pair.server)


def test_disconnect_of_a_foreign_connection(world: World, pair: Pair) -> None:
    other = world.client()
    introduce(connect(other, pair.server), pair.server)
    for context, foreign in (
        (pair.client, pair.peer),
        (pair.client, other.connection),
        (pair.server, pair.connection),
    ):
        with pytest.raises((comch.InvalidValue, comch.NotConnected)):  # design silent: which of them
            context.disconnect(foreign)
    introduce(pair.connection, pair.server)
    introduce(other.connection, pair.server)


def test_disconnect_of_a_stale_connection_leaves_the_new_one(world: World, pair: Pair) -> None:
    pair.client.disconnect(pair.connection)
    fresh = pair.client.connect(NAME, timeout=0)
    until(lambda: accepts(pair.server, fresh))
    with pytest.raises((comch.InvalidValue, comch.NotConnected)):  # design silent: which of them
        pair.client.disconnect(pair.connection)
    introduce(fresh, pair.server)


def test_disconnect_twice(pair: Pair) -> None:
    pair.client.disconnect()
    with pytest.raises((comch.BadState, comch.NotConnected)):
        pair.client.disconnect()


def test_disconnect_before_connect(world: World) -> None:
    client = world.client()
    with pytest.raises((comch.BadState, comch.NotConnected)):
        client.disconnect()
    introduce(connect(client, server := world.server()), server)


@pytest.mark.parametrize("wrong", [3, "peer", object()])
def test_disconnect_of_what_is_no_connection(pair: Pair, wrong: Any) -> None:
    with pytest.raises(WRONG_VALUE):
        pair.client.disconnect(wrong)
    introduce(pair.connection, pair.server)


def test_disconnect_while_in_progress_gives_up(world: World) -> None:
    world.server()
    second = world.server(OTHER_NAME)
    client = world.client()
    client.connect(NAME, timeout=0)
    client.disconnect()
    introduce(connect(client, second, OTHER_NAME), second)
