"""The count of messages in flight as a guard before an end, and the ends that come without it."""

from __future__ import annotations

import select

import pytest

from comm_channel_compat import Again, ConnectionAborted, ConnectionReset, Endpoint, PeerAddr
from tests.compat import support
from tests.event_channels.support import SERVICE, fill
from tests.processes import StartPython

pytestmark = pytest.mark.usefixtures("form")


def read_all(service: Endpoint) -> int:
    """How many messages can be read, waiting a little for the last."""
    _, recv_fd = service.get_event_channel()
    poller, count = select.poll(), 0
    poller.register(recv_fd, select.POLLIN)
    while True:
        try:
            service.recvfrom(100)
            count += 1
        except Again:
            service.event_handle_arm_recv()
            if not poller.poll(100):
                return count


def nothing_in_flight(ep: Endpoint, peer: PeerAddr, service: Endpoint) -> int:
    """Wait as the guide says, while the service reads; how many it has read meanwhile."""
    count = 0
    while True:
        peer.update_info()
        if peer.get_send_in_flight_messages() == 0:
            return count
        support.eventually(service.recvfrom, 100)
        count += 1


@pytest.mark.parametrize("end", ["disconnect", "destroy"])
def test_who_waits_for_zero_loses_nothing(end: str) -> None:
    pair = support.Pair(send_queue_size=8, recv_queue_size=8)
    pair.introduce()
    sent = fill(pair.client, pair.to_service)
    read = nothing_in_flight(pair.client, pair.to_service, pair.service)
    if end == "disconnect":
        pair.client.disconnect(pair.to_service)
    else:
        pair.client.destroy()
    assert read + read_all(pair.service) == sent


def test_who_does_not_wait_loses_what_is_in_flight() -> None:
    pair = support.Pair(send_queue_size=8, recv_queue_size=8)
    pair.introduce()
    sent = fill(pair.client, pair.to_service)
    pair.to_service.update_info()
    in_flight = pair.to_service.get_send_in_flight_messages()
    assert 0 < in_flight <= 8
    pair.client.destroy()
    assert read_all(pair.service) == sent - in_flight


def test_destroy_drops_what_has_not_been_read(pair: support.Pair) -> None:
    pair.introduce()
    for _ in range(5):
        pair.client.sendto(b"never read", pair.to_service)
    pair.service.destroy()
    pair.to_service.update_info()  # not told
    other = support.service()
    with pytest.raises(Again):
        other.recvfrom(100)


def test_a_client_outlives_its_service(start_python: StartPython) -> None:
    """The same endpoint connects to the service that takes the dead one's place."""
    client = support.client()
    for _ in range(3):
        child = start_python("-c", SERVICE)
        child.wait_for("listening")
        peer = client.connect(support.NAME)
        support.eventually(client.sendto, b"hello", peer)
        child.say("send welcome\n")
        assert support.eventually(client.recvfrom, 100) == (b"welcome", peer)
        child.kill()
        with pytest.raises(ConnectionReset):
            support.eventually(client.recvfrom, 100)
        client.disconnect(peer)
        with pytest.raises(ConnectionAborted):
            client.connect(support.NAME)
