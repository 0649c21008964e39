"""A Channel becomes a server by `listen` and a client by `connect`."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from tests.orders.support import (
    NAME,
    OTHER_NAME,
    SOON_S,
    World,
    comch,
    connect,
    introduce,
    is_up,
    open_descriptors,
    until,
)

WRONG_SIDE = (comch.NotPermitted, comch.NotSupported)
MISSING = (comch.BadState, comch.BadConfig, comch.InvalidValue)


def channels(world: World) -> tuple[Any, Any]:
    listening, connecting = world.keep(comch.Channel()), world.keep(comch.Channel())
    listening.device = world.dpu
    listening.device_rep = world.rep
    connecting.device = world.host
    for channel in (listening, connecting):
        channel.max_msg_size = 1000
        channel.recv_queue_size = 8
    return listening, connecting


def test_two_channels_talk(world: World) -> None:
    listening, connecting = channels(world)
    listening.listen(NAME)
    connection = connect(connecting, listening)
    peer = introduce(connection, listening)
    listening.send_to(b"down", peer, timeout=SOON_S)
    message = connecting.receive(timeout=SOON_S)
    assert message.data == b"down"
    assert message.connection is connection
    message.reply(b"up")
    assert listening.receive(timeout=SOON_S).data == b"up"


def test_a_channel_talks_to_a_server_and_a_client(world: World) -> None:
    server, (listening, connecting) = world.server(max_msg_size=1000), channels(world)
    introduce(connect(connecting, server), server)
    listening.listen(OTHER_NAME)
    client = world.client(max_msg_size=1000)
    introduce(connect(client, listening, OTHER_NAME), listening)


def test_the_options_of_the_constructor(world: World) -> None:
    server = world.server(max_msg_size=500)
    channel = world.keep(comch.Channel(device=world.host, name=NAME, max_msg_size=500))
    connection = channel.connect(timeout=0)
    until(lambda: is_up(connection, server))
    introduce(connection, server)


def test_a_role_once_taken_is_kept_while_active(world: World) -> None:
    listening, connecting = channels(world)
    listening.listen(NAME)
    with pytest.raises(comch.BadState):
        listening.connect(NAME, timeout=0)
    connection = connect(connecting, listening)
    with pytest.raises(comch.BadState):
        connecting.listen(OTHER_NAME)
    introduce(connection, listening)


def test_a_failed_connect_decides_nothing(world: World) -> None:
    """The tool of the -l option may try to connect, and serve when nobody listens."""
    channel = world.keep(comch.Channel(device=world.dpu, device_rep=world.rep))
    with pytest.raises(WRONG_SIDE):
        channel.connect(NAME)
    channel.listen(NAME)  # design silent
    client = world.client()
    introduce(connect(client, channel), channel)


def test_a_channel_on_the_wrong_side(world: World) -> None:
    channel = world.keep(comch.Channel(device=world.host))
    with pytest.raises((*WRONG_SIDE, *MISSING)):
        channel.listen(NAME)


@pytest.mark.parametrize("call", ["listen", "connect"])
def test_a_channel_without_a_device(world: World, call: str) -> None:
    with pytest.raises(MISSING, match="device"):
        getattr(world.keep(comch.Channel()), call)(NAME)


def test_a_channel_without_a_role_does_nothing(world: World) -> None:
    channel = world.keep(comch.Channel(device=world.host))
    with pytest.raises(comch.BadState):  # design silent
        channel.receive(timeout=0)
    with pytest.raises((comch.BadState, comch.NotConnected)):  # design silent
        channel.disconnect()
    with pytest.raises(comch.NotConnected):
        channel.send_to(b"x", None, timeout=0)


def test_a_client_channel_has_no_service_descriptor(world: World) -> None:
    server = world.server()
    channel = world.keep(comch.Channel(device=world.host))
    connect(channel, server)
    with pytest.raises((comch.NotSupported, comch.BadState, AttributeError)):  # design silent: which of them
        _ = channel.service_fd


def test_a_channel_connects_elsewhere_after_disconnect(world: World) -> None:
    first, second = world.server(), world.server(OTHER_NAME)
    channel = world.keep(comch.Channel(device=world.host))
    introduce(connect(channel, first), first)
    channel.disconnect()
    introduce(connect(channel, second, OTHER_NAME), second)


def test_channels_leave_nothing(world: World) -> None:
    gc.collect()  # what an earlier test has left is none of this one's
    before = open_descriptors()
    for _ in range(5):
        listening, connecting = channels(world)
        listening.listen(NAME)
        introduce(connect(connecting, listening), listening)
        connecting.close()
        listening.close()
    assert len(open_descriptors()) <= len(before)


def test_a_client_does_not_listen_and_a_server_does_not_connect() -> None:
    assert not hasattr(comch.Client, "listen")  # design silent: otherwise Server and Client are what one writes
    assert not hasattr(comch.Server, "connect")
