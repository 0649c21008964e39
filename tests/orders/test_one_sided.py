"""With `one_sided=True` a program sees endings as the first API showed them (design sections 2 and 4)."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.orders.support import (
    NAME,
    OTHER_NAME,
    REP,
    SOON_S,
    STILL_S,
    Pair,
    World,
    accepts,
    comch,
    connect,
    fill,
    introduce,
    is_up,
    raises_soon,
    receives_nothing,
    until,
    wait_readable,
)
from tests.processes import Child, StartPython
from tests.pull.support import FORMS
from tests.sleeps import at_first_sleep
from tests.topologies import limited

CLIENT = f"""
import sys
import comch_next as comch
device = comch.open_device("b1:00.0")
client = comch.Client(device, {NAME!r})
connection = client.connect(timeout={SOON_S})
connection.send(b"introduction")
print("connected", flush=True)
for line in sys.stdin:
    if line.strip() == "send":
        connection.send(b"last words")
        print("sent", flush=True)
    if line.strip() == "leave":
        client.close()
        print("left", flush=True)
"""

SERVER = f"""
import sys
import comch_next as comch
device = comch.open_device("03:00.0")
server = comch.Server(device, "b1:00.0", {NAME!r})
server.listen()
print("listening", flush=True)
message = server.receive(timeout={SOON_S})
message.reply(b"welcome")
print("connected", flush=True)
sys.stdin.read()
"""


def with_child_client(world: World, start: StartPython) -> tuple[Any, Any, Child]:
    server = world.server(one_sided=True)
    child = start("-c", CLIENT)
    message = server.receive(timeout=SOON_S)
    assert message.data == b"introduction"
    child.wait_for("connected")
    return server, message.connection, child


def send_until_reset(context: Any, connection: Any) -> None:
    """The first sends may still be accepted; the first that fails says CONNECTION_RESET."""
    raises_soon(comch.ConnectionReset, context.send_to, b"x", connection, timeout=0)


def test_a_receiver_hears_nothing_of_an_orderly_leave(one_sided: Pair) -> None:
    one_sided.server.disconnect(one_sided.peer)
    for _ in range(5):
        assert receives_nothing(one_sided.client)
    with pytest.raises(comch.TimeOut):
        one_sided.client.receive(timeout=STILL_S)
    one_sided.connection.update_info()
    one_sided.connection.update_info()


def test_what_had_arrived_is_read_after_the_leave(one_sided: Pair) -> None:
    for number in range(3):
        one_sided.peer.send(b"%d" % number, timeout=SOON_S)
    until(lambda: one_sided.peer.in_flight == 0)
    one_sided.server.disconnect(one_sided.peer)
    for number in range(3):
        assert one_sided.client.receive(timeout=0).data == b"%d" % number
    assert receives_nothing(one_sided.client)


def test_a_sender_hears_of_it_by_its_sends(one_sided: Pair) -> None:
    client, connection = one_sided.client, one_sided.connection
    one_sided.server.disconnect(one_sided.peer)
    send_until_reset(client, connection)
    for _ in range(2):
        with pytest.raises(comch.ConnectionReset):
            client.send_to(b"x", connection, timeout=0)
        with pytest.raises(comch.ConnectionAborted):
            connection.update_info()
    with pytest.raises(comch.ConnectionReset) as told:
        client.receive(timeout=0)
    assert told.value.connection is connection
    for _ in range(3):
        assert receives_nothing(client)


def test_an_error_state_ends_with_the_life_that_it_is_of(one_sided: Pair) -> None:
    server = one_sided.server
    one_sided.client.disconnect()
    send_until_reset(server, one_sided.peer)
    server.stop()
    until(lambda: server.state is comch.State.IDLE, server.engine)
    server.listen()
    fresh = one_sided.client.connect(NAME, timeout=0)
    until(lambda: is_up(fresh, server))


def test_messages_come_before_the_reset(one_sided: Pair) -> None:
    client, connection = one_sided.client, one_sided.connection
    one_sided.peer.send(b"last words", timeout=SOON_S)
    until(lambda: one_sided.peer.in_flight == 0)
    one_sided.server.disconnect(one_sided.peer)
    send_until_reset(client, connection)
    assert client.receive(timeout=0).data == b"last words"
    with pytest.raises(comch.ConnectionReset):
        client.receive(timeout=0)
    assert receives_nothing(client)


def test_the_same_client_connects_again(one_sided: Pair) -> None:
    client = one_sided.client
    one_sided.server.disconnect(one_sided.peer)
    send_until_reset(client, one_sided.connection)
    client.disconnect(one_sided.connection)
    fresh = client.connect(NAME, timeout=0)
    until(lambda: accepts(one_sided.server, fresh))
    introduce(fresh, one_sided.server)


def test_disconnect_after_an_unseen_leave(one_sided: Pair) -> None:
    one_sided.server.disconnect(one_sided.peer)
    one_sided.client.disconnect(one_sided.connection)
    fresh = one_sided.client.connect(NAME, timeout=0)
    until(lambda: accepts(one_sided.server, fresh))


def test_the_receive_channel_stays_silent_at_an_orderly_leave(one_sided: Pair) -> None:
    client = one_sided.client
    client.arm_recv()
    one_sided.server.disconnect(one_sided.peer)
    assert not wait_readable(client.recv_fd, STILL_S)


def test_a_service_notices_by_its_service_channel(world: World, one_sided: Pair) -> None:
    server = one_sided.server
    fd = server.service_fd
    server.update_info()
    assert server.connections == [one_sided.peer]
    one_sided.client.disconnect()
    assert wait_readable(fd, SOON_S)
    assert server.connections == [one_sided.peer]  # a snapshot
    server.update_info()
    assert server.connections == []
    assert receives_nothing(server)
    one_sided.peer.update_info()
    send_until_reset(server, one_sided.peer)
    with pytest.raises(comch.ConnectionReset):
        server.receive(timeout=0)
    assert receives_nothing(server)
    other = world.client()
    introduce(connect(other, server), server)


def test_a_service_reads_on_from_those_who_stay(world: World, one_sided: Pair) -> None:
    server = one_sided.server
    other = world.client(one_sided=True)
    connection = connect(other, server)
    one_sided.connection.send(b"first", timeout=SOON_S)
    one_sided.client.disconnect()
    connection.send(b"second", timeout=SOON_S)
    assert [server.receive(timeout=SOON_S).data for _ in range(2)] == [b"first", b"second"]
    assert receives_nothing(server)


def test_a_service_whose_client_died(world: World, start_python: StartPython) -> None:
    server, peer, child = with_child_client(world, start_python)
    child.say("send\n")
    child.wait_for("sent")
    server.arm_recv()
    child.kill()
    assert wait_readable(server.recv_fd, SOON_S)
    raises_soon(comch.ConnectionAborted, peer.update_info)
    assert server.receive(timeout=SOON_S).data == b"last words"
    with pytest.raises(comch.ConnectionReset) as told:
        server.receive(timeout=SOON_S)
    assert told.value.connection is peer
    assert receives_nothing(server)
    with pytest.raises(comch.ConnectionReset):
        server.send_to(b"x", peer, timeout=0)


def test_a_service_whose_modern_client_left(world: World, start_python: StartPython) -> None:
    """What the option changes is what this program sees, whatever the peer is."""
    server, peer, child = with_child_client(world, start_python)
    child.say("leave\n")
    child.wait_for("left")
    for _ in range(3):
        assert receives_nothing(server)
    peer.update_info()
    send_until_reset(server, peer)
    assert child.finish().returncode == 0


def test_a_client_whose_server_died(world: World, start_python: StartPython) -> None:
    child = start_python("-c", SERVER)
    child.wait_for("listening")
    client = world.client(one_sided=True)
    connection = client.connect(NAME, timeout=SOON_S)
    connection.send(b"hello")
    child.wait_for("connected")
    child.kill()
    raises_soon(comch.ConnectionAborted, connection.update_info)
    assert client.receive(timeout=SOON_S).data == b"welcome"
    with pytest.raises(comch.ConnectionReset):
        client.receive(timeout=SOON_S)
    assert receives_nothing(client)
    with pytest.raises(comch.ConnectionReset):
        client.send_to(b"x", connection, timeout=0)


def test_a_modern_peer_is_told_of_a_one_sided_leave(world: World) -> None:
    """Design silent: `one_sided` is what this side sees; the modern peer has asked for notices."""
    server = world.server()
    client = world.client(one_sided=True)
    peer = introduce(connect(client, server), server)
    client.disconnect()
    raises_soon(comch.Shutdown, peer.send, b"x", timeout=0)


def test_a_connect_that_nobody_accepts(world: World) -> None:
    client = world.client(one_sided=True)
    with pytest.raises(comch.ConnectionAborted):
        client.connect(NAME)
    server = world.server(one_sided=True)
    introduce(connect(client, server), server)


@pytest.mark.parametrize("make", ["Client", "Server", "Channel"])
def test_the_option_is_a_setting_like_the_others(world: World, make: str) -> None:
    context = world.keep(getattr(comch, make)())
    context.one_sided = True
    assert context.one_sided is True
    context.configure(one_sided=False)
    assert context.one_sided is False


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", ["Client", "Channel"])
@pytest.mark.parametrize("first", [True, False])
def test_the_option_may_change_between_two_connections(
    world: World, monkeypatch: pytest.MonkeyPatch, form: str, make: str, first: bool
) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    server = world.server()
    client = world.keep(getattr(comch, make)(device=world.host))
    descriptors = set()
    for one_sided in (first, not first, first):
        client.one_sided = one_sided
        connection = client.connect(NAME, timeout=0)
        until(partial(accepts, server, connection))
        descriptors.add((client.send_fd, client.recv_fd))
        server.disconnect(introduce(connection, server))
        if one_sided:
            assert receives_nothing(client)
        else:
            raises_soon(comch.Shutdown, client.receive, timeout=0)
        client.disconnect(connection)
    assert len(descriptors) == 1


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("before", ["listen", "port"])
def test_a_server_that_became_one_sided_accepts(
    world: World, monkeypatch: pytest.MonkeyPatch, form: str, before: str
) -> None:
    """Whatever opened its port before: two-sided servers, and ports of the program's own, wait for `accept`."""
    monkeypatch.setenv("COMCH_PULL", form)
    server = world.keep(comch.Server(world.dpu, world.rep, NAME, one_sided=before == "port"))
    if before == "port":
        comch.PullPort(server)
    else:
        server.listen()
        server.stop()
        until(lambda: server.state is comch.State.IDLE, server.engine)
        server.one_sided = True
    server.listen()
    introduce(connect(world.client(), server), server)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", ["Server", "Channel"])
def test_a_server_that_was_stopped_may_be_anything_again(
    world: World, monkeypatch: pytest.MonkeyPatch, form: str, make: str
) -> None:
    """Generation 1 had no stop: here it ends the life in which properties are frozen, once the context is IDLE."""
    monkeypatch.setenv("COMCH_PULL", form)
    server = world.keep(getattr(comch, make)(device=world.dpu, device_rep=world.rep, one_sided=True))
    server.listen(NAME)
    descriptors = server.send_fd, server.recv_fd, server.service_fd
    introduce(connect(world.client(), server), server)
    for one_sided in (True, False):
        assert server.stop() is comch.State.STOPPING
        if form == "driver":  # the other's helper goes on to IDLE by itself
            with pytest.raises(comch.BadState):
                server.max_msg_size = 512
        until(lambda: server.state is comch.State.IDLE, server.engine)
        with pytest.raises(comch.NotConnected):
            server.receive(timeout=0)
        server.configure(max_msg_size=512, one_sided=one_sided)
        server.listen(OTHER_NAME)
        introduce(connect(world.client(), server, OTHER_NAME), server)
        assert (server.send_fd, server.recv_fd, server.service_fd) == descriptors


@pytest.mark.parametrize("make", ["Client", "Channel"])
def test_a_client_that_was_stopped_may_connect_again(world: World, make: str) -> None:
    server = world.server()
    client = world.keep(getattr(comch, make)(device=world.host, one_sided=True))
    connection = connect(client, server)
    client.stop()
    until(lambda: client.state is comch.State.IDLE, client.engine)
    client.send_queue_size = 4
    with pytest.raises(comch.NotConnected):
        client.send_to(b"x", connection, timeout=0)
    again = client.connect(NAME, timeout=0)
    until(partial(accepts, server, again))
    introduce(again, server)


def test_the_option_is_fixed_while_connected(one_sided: Pair) -> None:
    with pytest.raises(comch.BadState):
        one_sided.client.one_sided = False


def test_without_the_option_the_leave_is_told(pair: Pair) -> None:
    pair.server.disconnect(pair.peer)
    with pytest.raises(comch.Shutdown):
        pair.client.receive(timeout=SOON_S)
    with pytest.raises(comch.ConnectionAborted):
        pair.connection.update_info()


def test_iteration_over_a_one_sided_server(one_sided: Pair, world: World) -> None:
    """A leave is no event for the loop; the messages of those who stay are."""
    other = world.client()
    connection = connect(other, one_sided.server)
    one_sided.client.disconnect()
    connection.send(b"one", timeout=SOON_S)
    connection.send(b"two", timeout=SOON_S)
    seen = []
    for message in one_sided.server:
        seen.append(message.data)
        if len(seen) == 2:
            break
    assert seen == [b"one", b"two"]


@pytest.mark.parametrize("one_sided", [True, False])
def test_try_receive_waits_when_it_is_asked_to(world: World, one_sided: bool) -> None:
    ends = Pair(world, one_sided=one_sided)
    assert ends.client.try_receive(4080, timeout=STILL_S) == (comch.ErrorCode.TIME_OUT, None, None, None)
    with at_first_sleep(lambda: ends.peer.send(b"late")):
        assert ends.client.try_receive(4080, timeout=None) == (comch.ErrorCode.SUCCESS, b"late", 4, ends.connection)
    ends.server.send_to(b"waits", ends.peer)
    with pytest.raises(comch.InvalidValue, match="takes a timeout of 0 or more seconds"):
        ends.server.send_to(b"no", ends.peer, -1)
    assert ends.client.try_receive(4080, timeout=-1) == (comch.ErrorCode.INVALID_VALUE, None, None, None)


def test_flush_ends_with_a_snapshot_of_nothing_in_flight(world: World) -> None:
    ends = Pair(world, one_sided=True, send_queue_size=8, recv_queue_size=8)
    sent = fill(ends.connection)
    with pytest.raises(comch.TimeOut):
        ends.connection.flush(timeout=STILL_S)
    with at_first_sleep(lambda: [ends.server.receive() for _ in range(sent)]):
        ends.connection.flush()
        assert ends.connection.in_flight == 0
        assert ends.connection.get_counter(comch.Counter.SENT_MESSAGES) == sent + 1


def test_flush_raises_what_update_info_raises(one_sided: Pair, world: World) -> None:
    one_sided.server.disconnect(one_sided.peer)
    one_sided.connection.flush()
    send_until_reset(one_sided.client, one_sided.connection)
    with pytest.raises(comch.ConnectionAborted):
        one_sided.connection.flush()
    with pytest.raises(comch.ConnectionInprogress):
        world.client(one_sided=True).connect(NAME, timeout=0).flush()


def test_options_given_at_once_are_measured_as_one_by_one(world: World) -> None:
    with pytest.raises(comch.InvalidValue):
        comch.Client(device=world.host, recv_queue_size=9000, one_sided=True)
    assert comch.Client(device=world.host, recv_queue_size=9, one_sided=True).recv_queue_size == 16


@pytest.mark.parametrize("order", [("device", "recv_queue_size"), ("recv_queue_size", "device")])
def test_sizes_are_rounded_for_the_device_that_is_set_last(
    order: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a program has set is rounded to what the device can do, and named as it was set."""
    limited(tmp_path, monkeypatch, max_queue_size=100)
    with comch.open_device("b1:00.0") as device:
        values = {"device": device, "recv_queue_size": 100}
        client = comch.Client(one_sided=True)
        for option in order:
            setattr(client, option, values[option])
        assert client.recv_queue_size == 100
        with pytest.raises(comch.ConnectionAborted):
            client.connect("nobody")
        client.close()
        late = comch.Client(one_sided=True, recv_queue_size=101)
        assert late.recv_queue_size == 128
        late.device = device
        with pytest.raises(comch.InvalidValue, match="recv_queue_size is 101; legal are whole numbers from 1 to 100"):
            late.connect("nobody")
        late.close()


@pytest.mark.parametrize("order", list(permutations(("device", "device_rep", "name", "one_sided"))), ids="-".join)
@pytest.mark.parametrize("make", ["Server", "Channel"])
def test_an_address_is_no_representor_whatever_the_order(world: World, make: str, order: tuple[str, ...]) -> None:
    """Of the old API a handle only; without the option an address will do."""
    place = {"device": world.dpu, "device_rep": REP, "name": NAME, "one_sided": True}
    context = world.keep(getattr(comch, make)())
    refused = 0
    for option in order:
        try:
            setattr(context, option, place[option])
        except comch.InvalidValue as error:
            assert "Representor" in str(error)  # noqa: PT017 - which of the four is refused depends on the order
            refused += 1
    assert refused == 1
    context.configure(device=world.dpu, device_rep=world.rep, name=NAME, one_sided=True)
    context.listen()


def test_a_refused_size_leaves_the_option_off(world: World) -> None:
    """`configure` sets all or nothing."""
    client = world.keep(comch.Client(device=world.host, recv_queue_size=9))
    with pytest.raises(comch.InvalidValue):
        client.configure(one_sided=True, send_queue_size=0)
    assert (client.one_sided, client.recv_queue_size) == (False, 9)
    connect(client, world.server())
