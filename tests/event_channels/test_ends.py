"""Disconnection is one-sided, so it is no event for sender and receiver; the death of a process is."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from comm_channel_compat import Again, ConnectionAborted, ConnectionReset, Endpoint, PeerAddr
from tests.compat import support
from tests.event_channels.support import ALOOF, CLIENT, DRIVERS, SERVICE, SOON_S, fill, ready, settles
from tests.processes import StartPython

pytestmark = pytest.mark.usefixtures("form")


def armed(ep: Endpoint, channel: str) -> int:
    """A descriptor at rest."""
    fd = ep.get_event_channel()[channel == "recv"]
    arm = ep.event_handle_arm_recv if channel == "recv" else ep.event_handle_arm_send
    assert settles(fd, arm)
    return fd


@pytest.mark.parametrize("stays", ["client", "service"])
@pytest.mark.parametrize("how", ["disconnect", "destroy"])
def test_an_orderly_disconnection_does_not_wake_the_receiver(pair: support.Pair, stays: str, how: str) -> None:
    to_client = pair.introduce()
    leaver, leavers_peer = (pair.service, to_client) if stays == "client" else (pair.client, pair.to_service)
    ep, peer = (pair.client, pair.to_service) if stays == "client" else (pair.service, to_client)
    fd = armed(ep, "recv")
    if how == "disconnect":
        leaver.disconnect(leavers_peer)
    leaver.destroy()
    assert not ready(fd, 0.05)
    peer.update_info()  # now it has been seen
    assert not ready(fd, 0.01)
    ep.event_handle_arm_recv()
    assert not ready(fd, 0.01)


@pytest.mark.parametrize("channel", ["send", "recv"])
def test_a_message_that_fails_by_it_wakes_both(channel: str) -> None:
    pair = support.Pair(send_queue_size=8, recv_queue_size=8)
    pair.introduce()
    fill(pair.client, pair.to_service)
    fd = armed(pair.client, "recv") if channel == "recv" else pair.client.get_event_channel()[0]
    pair.service.destroy()
    assert ready(fd, SOON_S)
    with pytest.raises(ConnectionReset):
        support.eventually(pair.client.recvfrom, 100)


def test_a_departed_clients_messages_wake_the_receiver_all_the_same(pair: support.Pair) -> None:
    pair.introduce()
    fd = armed(pair.service, "recv")
    pair.client.sendto(b"last words", pair.to_service)
    pair.client.destroy()
    assert ready(fd, SOON_S)
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"last words"
    assert settles(fd, pair.service.event_handle_arm_recv)


def test_words_that_are_seen_to_be_the_last_wake_the_receiver(pair: support.Pair) -> None:
    to_client = pair.introduce()
    fd = armed(pair.service, "recv")
    pair.client.sendto(b"last words", pair.to_service)
    pair.client.destroy()
    to_client.update_info()  # the end has been seen, the words have not been received
    assert ready(fd, SOON_S)
    assert pair.service.recvfrom(100)[0] == b"last words"
    assert settles(fd, pair.service.event_handle_arm_recv)


def test_room_on_a_connection_that_is_seen_to_end_wakes_the_sender() -> None:
    pair = support.Pair(send_queue_size=8, recv_queue_size=8)
    pair.introduce()
    sent = fill(pair.client, pair.to_service)
    for _ in range(sent):
        support.eventually(pair.service.recvfrom, 100)
    pair.service.destroy()
    pair.to_service.update_info()  # the end has been seen, nothing has been lost by it
    assert ready(pair.client.get_event_channel()[0], SOON_S)


def test_the_death_of_a_client_wakes_the_receiver(service: Endpoint, start_python: StartPython) -> None:
    child = start_python("-c", CLIENT)
    peer = support.eventually(service.recvfrom, 100)[1]
    fd = armed(service, "recv")
    child.signal(signal.SIGKILL)
    assert ready(fd, SOON_S)
    _told_once(service, peer)


@pytest.mark.parametrize("channel", ["send", "recv"])
def test_the_death_of_a_service_wakes_both(start_python: StartPython, channel: str) -> None:
    child = start_python("-c", SERVICE)
    child.wait_for("listening")
    client = support.client(send_queue_size=8, recv_queue_size=8)
    peer = client.connect(support.NAME)
    if channel == "send":
        fill(client, peer)
        fd = client.get_event_channel()[0]
    else:
        support.eventually(client.sendto, b"hello", peer)
        fd = armed(client, "recv")
    child.signal(signal.SIGKILL)
    assert ready(fd, SOON_S)
    _told_once(client, peer)


def _told_once(ep: Endpoint, peer: PeerAddr) -> None:
    with pytest.raises(ConnectionReset) as caught:
        support.eventually(ep.recvfrom, 100)
    assert caught.value.connection is peer
    with pytest.raises(Again):
        ep.recvfrom(100)


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("channel", ["send", "recv"])
def test_a_service_that_ends_before_it_lets_a_client_in(
    start_python: StartPython, channel: str, end: signal.Signals
) -> None:
    child = start_python("-c", ALOOF, env=DRIVERS)
    child.wait_for("listening")
    client = support.client()
    peer = client.connect(support.NAME)
    fd = client.get_event_channel()[channel == "recv"]
    arm = client.event_handle_arm_recv if channel == "recv" else client.event_handle_arm_send
    with pytest.raises(Again):
        client.sendto(b"hello", peer)
    assert settles(fd, arm)
    child.signal(end)
    assert ready(fd, SOON_S)
    child.finish()
    if channel == "recv":  # again, as long as it has not been told
        arm()
        assert ready(fd, SOON_S)
    _told_once(client, peer)
    with pytest.raises(ConnectionAborted):
        peer.update_info()
    with pytest.raises(ConnectionReset):
        client.sendto(b"hello", peer)
    if channel == "recv":
        assert settles(fd, arm)
    client.disconnect(peer)
    assert support.service()  # the name is free, and the endpoint as good as new
    client.connect(support.NAME)
    with pytest.raises(Again):
        client.recvfrom(100)


@pytest.mark.parametrize("leave", [Endpoint.destroy, lambda ep: None])
def test_clients_that_come_and_go_leave_the_channels_at_rest(
    service: Endpoint, leave: Callable[[Endpoint], None]
) -> None:
    fd = armed(service, "recv")
    for _ in range(20):
        ep = support.client()
        support.let_in(service, ep.connect(support.NAME))
        leave(ep)
    assert settles(fd, service.event_handle_arm_recv)
