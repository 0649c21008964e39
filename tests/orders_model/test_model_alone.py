"""The model by itself: it has to be right before anything is compared with it."""

from __future__ import annotations

import pytest

from comch_next.errors import (
    Again,
    AlreadyExist,
    BadState,
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    InvalidValue,
    NotConnected,
    NotSupported,
    Shutdown,
)
from tests.orders_model.endpoint_model import EndpointWorld, in_force
from tests.orders_model.model import OK, SILENT, Context, End, EndState, Phase
from tests.orders_model.world import World

PLACE = {"device": "03:00.0", "device_rep": "b1:00.0", "name": "svc"}


def pair(world: World, *, one_sided: bool = False, **server: object) -> tuple[Context, End, Context, End]:
    """A client and a server that are connected, and their ends."""
    listening = world.make("Server", **PLACE, one_sided=one_sided, **server)
    client = world.make("Client", device="b1:00.0", name="svc", one_sided=one_sided)
    assert world.listen(listening) == OK
    assert world.connect(client) == OK
    world.accept(listening)
    assert client.end is not None
    return client, client.end, listening, client.end.peer


@pytest.fixture
def world() -> World:
    return World(threaded=False)


def test_settings_are_frozen_while_active(world: World) -> None:
    client, *_ = pair(world)
    assert client.set(name="other", max_msg_size=64) == {BadState}
    assert (client.settings.name, client.settings.max_msg_size) == ("svc", None)
    assert world.disconnect(client, None) == OK
    assert client.set(name="other", max_msg_size=64) == OK
    assert world.connect(client) == {ConnectionAborted}
    assert client.settings.name == "other"


def test_an_illegal_value_among_several_has_no_effect(world: World) -> None:
    client = world.make("Client")
    assert client.set(name="svc", max_msg_size=0) == {InvalidValue}
    assert client.settings.name is None


def test_what_is_missing_and_what_is_on_the_wrong_side(world: World) -> None:
    client, server = world.make("Client"), world.make("Server")
    assert world.connect(client, "svc") == SILENT.MISSING
    assert world.listen(server, "svc") == SILENT.MISSING
    client.set(device="03:00.0")
    assert world.connect(client) == {NotSupported}


def test_a_name_belongs_to_one_server_per_representor(world: World) -> None:
    assert world.listen(world.make("Server", **PLACE)) == OK
    second = world.make("Server", **PLACE)
    assert world.listen(second) == {AlreadyExist}
    second.set(device_rep="b1:00.1")
    assert world.listen(second) == OK


def test_a_channel_takes_its_role_from_the_first_call(world: World) -> None:
    channel = world.make("Channel", **PLACE)
    assert channel.role is None
    assert world.listen(channel) == OK
    assert channel.role == "server"
    assert world.connect(channel) == SILENT.OTHER_ROLE


@pytest.mark.parametrize("threaded", [False, True])
def test_a_client_waits_for_its_server_on_the_drivers_form(threaded: bool) -> None:
    world = World(threaded=threaded)
    server, client = world.make("Server", **PLACE), world.make("Client", device="b1:00.0", name="svc")
    world.listen(server)
    world.connect(client)
    assert client.end is not None
    assert client.end.update_info() == (OK if threaded else {ConnectionInprogress})
    assert world.send(client.end, b"x") == (OK if threaded else {Again})


def test_two_sizes_do_not_agree(world: World) -> None:
    server = world.make("Server", **PLACE, max_msg_size=64)
    client = world.make("Client", device="b1:00.0", name="svc", max_msg_size=100)
    world.listen(server)
    world.connect(client)
    assert client.end is not None
    assert client.end.state is EndState.REFUSED
    world.disconnect(client, None)
    client.set(max_msg_size=64)
    world.connect(client)
    world.accept(server)
    assert world.send(client.end, bytes(65)) == {InvalidValue}
    assert world.send(client.end, bytes(64)) == OK


def test_a_send_is_refused_when_both_queues_are_full(world: World) -> None:
    _, end, _, peer = pair(world, recv_queue_size=2)
    end.send_queue_size = 3
    assert [world.send(end, b"x") for _ in range(6)] == [OK] * 5 + [{Again}]
    assert end.in_flight == 3
    peer.take()
    assert end.in_flight == 2
    assert (end.sent, peer.received) == (5, 1)


def test_messages_come_in_the_order_of_their_sending(world: World) -> None:
    _, first, server, peer = pair(world)
    other = world.make("Client", device="b1:00.0", name="svc")
    world.connect(other)
    world.accept(server)
    assert other.end is not None
    for end, data in ((first, b"1"), (other.end, b"2"), (first, b"3")):
        world.send(end, data)
    received = []
    while due := server.due():
        received.append(due[0].take())
    assert received == [b"1", b"2", b"3"]
    assert peer.received == 2


def test_a_two_sided_end_is_seen_after_its_messages(world: World) -> None:
    client, end, _, peer = pair(world)
    world.send(peer, b"last")
    world.disconnect(peer.owner, peer)
    assert end.state is EndState.NOTIFIED
    assert end.update_info() == {ConnectionAborted}
    assert world.send(end, b"x") == {Shutdown}
    assert client.due() == [end]
    end.take()
    assert client.receive_errors() == {Shutdown}
    assert client.phase is Phase.ENDED
    assert world.disconnect(client, None) == OK
    assert world.disconnect(client, None) == {BadState}


def test_a_one_sided_end_is_seen_by_the_first_send(world: World) -> None:
    client, end, _, peer = pair(world, one_sided=True)
    world.disconnect(peer.owner, peer)
    assert end.update_info() == OK
    assert client.receive_errors() == {Again}
    assert world.send(end, b"lost") == OK
    assert end.update_info() == {ConnectionAborted}
    assert world.send(end, b"x") == {ConnectionReset}
    assert client.receive_errors() == {ConnectionReset}
    assert end.sent == 1


def test_what_is_in_flight_is_lost_when_its_sender_leaves(world: World) -> None:
    client, end, server, peer = pair(world, recv_queue_size=2)
    for number in range(4):
        world.send(end, b"%d" % number)
    world.disconnect(client, None)
    assert [message.data for message in peer.inbox] == [b"0", b"1"]
    assert server.due() == [peer]


def test_send_to_nobody_and_to_another_context(world: World) -> None:
    client, end, server, peer = pair(world)
    assert world.send_to(client, b"x", None) == {NotConnected}
    assert world.send_to(client, b"x", peer) == {InvalidValue}
    assert world.send_to(server, b"x", peer) == OK
    world.disconnect(client, end)
    assert world.send_to(client, b"x", end) == {NotConnected}


def test_close_is_done_once(world: World) -> None:
    client, _, server, peer = pair(world)
    world.close(client)
    assert peer.state is EndState.NOTIFIED
    world.close(client)
    assert client.phase is Phase.CLOSED
    assert world.connect(client) == SILENT.CLOSED
    assert server.connected() == []


def test_sizes_of_generation_1_are_rounded() -> None:
    assert [in_force("recv_queue_size", wanted) for wanted in (1, 8, 9, 64, 65)] == [8, 8, 16, 64, 128]
    assert [in_force("max_msg_size", wanted) for wanted in (1, 64, 65)] == [64, 64, 65]


def test_an_endpoint_is_one_sided() -> None:
    world = EndpointWorld(threaded=False)
    service, client = world.make_endpoint(), world.make_endpoint()
    service.set(device="03:00.0")
    service.set(device_rep="b1:00.0")
    client.set(device="b1:00.0")
    assert world.ep_listen(service, "svc") == OK
    assert world.ep_connect(client, "svc") == OK
    world.accept(service)
    end = client.end
    assert world.ep_destroy(service) == OK
    assert end is not None
    assert end.update_info() == OK
    assert world.ep_sendto(client, b"lost", end) == OK
    assert world.ep_sendto(client, b"x", end) == {ConnectionReset}
    assert world.ep_disconnect(client, end) == OK
    assert world.ep_disconnect(client, end) == {NotConnected}
