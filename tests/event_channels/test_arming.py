"""One shot for each arming, for one direction only, and nothing that came before is lost."""

from __future__ import annotations

import os
import select

import pytest

from comm_channel_compat import Again, ConnectionReset, Endpoint
from tests.compat import support
from tests.differences import differs
from tests.event_channels.support import SOON_S, fill, ready, settles
from tests.pull.support import helpers_rest, until

pytestmark = pytest.mark.usefixtures("form")


def crowded() -> support.Pair:
    """A pair whose queues are short."""
    return support.Pair(send_queue_size=8, recv_queue_size=8)


def test_they_are_real_and_stay_the_same(pair: support.Pair) -> None:
    for ep in (pair.client, pair.service):
        send_fd, recv_fd = ep.get_event_channel()
        assert send_fd != recv_fd
        assert ep.get_event_channel() == (send_fd, recv_fd)


def test_never_armed_is_never_ready(pair: support.Pair) -> None:
    send_fd, recv_fd = pair.service.get_event_channel()
    pair.introduce()
    pair.client.sendto(b"x", pair.to_service)
    assert not ready(recv_fd, 0.05)
    assert not ready(send_fd)
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"x"
    assert not ready(recv_fd)


def test_armed_before_arrival_is_ready_once(pair: support.Pair) -> None:
    pair.introduce()
    _, recv_fd = pair.service.get_event_channel()
    assert settles(recv_fd, pair.service.event_handle_arm_recv)
    pair.client.sendto(b"x", pair.to_service)
    assert ready(recv_fd, SOON_S)
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"x"
    assert ready(recv_fd)  # until it is armed again
    pair.service.event_handle_arm_recv()
    assert not ready(recv_fd, 0.01)


def test_armed_after_arrival_is_ready_at_once(pair: support.Pair) -> None:
    pair.introduce()
    pair.client.sendto(b"x", pair.to_service)
    _, recv_fd = pair.service.get_event_channel()
    for _ in range(3):  # as long as it waits
        pair.service.event_handle_arm_recv()
        assert ready(recv_fd, SOON_S)
    assert pair.service.recvfrom(100)[0] == b"x"


def test_armed_twice_is_armed_once(pair: support.Pair) -> None:
    pair.introduce()
    _, recv_fd = pair.service.get_event_channel()
    assert settles(recv_fd, pair.service.event_handle_arm_recv)
    pair.service.event_handle_arm_recv()
    assert not ready(recv_fd)
    pair.client.sendto(b"x", pair.to_service)
    assert ready(recv_fd, SOON_S)


def test_armed_before_the_channel_is_asked_for(pair: support.Pair) -> None:
    pair.introduce()
    pair.service.event_handle_arm_recv()
    pair.client.sendto(b"x", pair.to_service)
    assert ready(pair.service.get_event_channel()[1], SOON_S)


def test_neither_fires_for_the_other_direction(form: str) -> None:
    pair = crowded()
    to_client = pair.introduce()
    send_fd, recv_fd = pair.client.get_event_channel()
    fill(pair.client, pair.to_service)
    assert settles(recv_fd, pair.client.event_handle_arm_recv)
    pair.service.sendto(b"a message", to_client)
    assert ready(recv_fd, SOON_S)
    assert not ready(send_fd)
    assert support.eventually(pair.client.recvfrom, 100)[0] == b"a message"
    pair.client.event_handle_arm_recv()
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"0"
    if differs(form, "messages"):
        drain(pair.service, send_fd)  # several may have moved into its queue at once
    assert ready(send_fd, SOON_S)
    assert not ready(recv_fd)
    pair.client.sendto(b"there is room", pair.to_service)


def test_send_sleeps_while_nothing_is_in_flight(pair: support.Pair) -> None:
    send_fd, _ = pair.client.get_event_channel()
    for _ in range(2):
        pair.client.event_handle_arm_send()
        assert not ready(send_fd, 0.01), "there is room, which is no event"


def test_the_descriptors_are_the_endpoints_until_destroy(service: Endpoint, client: Endpoint) -> None:
    """Registered once, they wake the program in every life of the endpoint."""
    peer = client.connect(support.NAME)
    fds = client.get_event_channel()
    with select.epoll() as poller:
        for fd in fds:
            poller.register(fd, select.EPOLLIN)
        for life in range(3):
            support.let_in(service, peer)
            client.sendto(b"hello", peer)
            to_client = support.eventually(service.recvfrom, 100)[1]
            assert client.get_event_channel() == fds
            client.event_handle_arm_recv()
            service.sendto(b"%d" % life, to_client)
            assert (fds[1], select.EPOLLIN) in poller.poll(SOON_S)
            assert support.eventually(client.recvfrom, 100)[0] == b"%d" % life
            client.disconnect(peer)
            client.set_recv_queue_size(8 << life)
            peer = client.connect(support.NAME)
    support.let_in(service, peer)
    client.destroy()
    for fd in fds:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(fd)


def test_send_waits_until_the_client_is_let_in(service: Endpoint, client: Endpoint, form: str) -> None:
    peer = client.connect(support.NAME)
    send_fd, _ = client.get_event_channel()
    if differs(form, "waiting clients"):  # it comes up by itself
        support.eventually(client.sendto, b"", peer)
        client.event_handle_arm_send()
    else:
        with pytest.raises(Again):
            client.sendto(b"early", peer)
        client.event_handle_arm_send()
        assert not ready(send_fd, 0.01)
    support.let_in(service, peer)
    assert ready(send_fd, SOON_S)
    client.sendto(b"late", peer)


def test_a_peer_that_was_full_once_does_not_keep_send_ready(form: str) -> None:
    """A sender that waits for one peer is not roused for another, whose queue has long had room."""
    pair = crowded()
    first = pair.introduce()
    other = support.client(send_queue_size=8, recv_queue_size=8)
    to_service = other.connect(support.NAME)
    support.let_in(pair.service, to_service)
    support.eventually(other.sendto, b"hello", to_service)
    second = support.eventually(pair.service.recvfrom, 100)[1]
    send_fd, _ = pair.service.get_event_channel()
    fill(pair.service, first)
    if differs(form, "send_queue_size"):  # one queue for both peers: room for one is room for the other
        assert fill(pair.service, second) == 0
        drain(pair.client, send_fd)
        pair.service.sendto(b"for the other", second)
        assert support.eventually(other.recvfrom, 100)[0] == b"for the other"
        return
    assert support.eventually(pair.client.recvfrom, 100)[0] == b"0"
    support.eventually(pair.service.sendto, b"again", first)
    fill(pair.service, second)
    assert support.eventually(pair.client.recvfrom, 100)[0] == b"1"
    pair.service.event_handle_arm_send()
    assert ready(send_fd), "a message to the first peer has ended since the last one was refused"
    pair.service.event_handle_arm_send()
    assert not ready(send_fd, 0.01)
    assert support.eventually(other.recvfrom, 100)[0] == b"0"
    assert ready(send_fd, SOON_S)


def drain(ep: Endpoint, send_fd: int) -> None:
    """Receive until the other side's send descriptor is ready."""
    while until(helpers_rest) and not ready(send_fd):
        support.eventually(ep.recvfrom, 100)


def test_a_pending_connection_makes_receive_and_service_ready(service: Endpoint, client: Endpoint) -> None:
    _, recv_fd = service.get_event_channel()
    service.event_handle_arm_recv()
    service_fd = service.get_service_event_channel()
    assert not ready(recv_fd)
    assert not ready(service_fd)
    peer = client.connect(support.NAME)
    assert ready(recv_fd, SOON_S)
    assert ready(service_fd, SOON_S)
    support.let_in(service, peer)
    assert ready(recv_fd)  # until the next arming
    assert ready(service_fd)
    assert settles(recv_fd, service.event_handle_arm_recv)
    assert settles(service_fd, service.update_service_state_info)


@pytest.mark.parametrize("channel", ["receive", "service"])
def test_a_client_that_came_before_arming_is_not_lost(service: Endpoint, client: Endpoint, channel: str) -> None:
    client.connect(support.NAME)
    if channel == "receive":
        service.event_handle_arm_recv()
        fd = service.get_event_channel()[1]
    else:
        fd = service.get_service_event_channel()
    assert ready(fd, SOON_S)


def test_an_error_state_is_an_arrival(pair: support.Pair) -> None:
    """The first send after the peer has left fails in the background: whoever sleeps for messages must hear it."""
    pair.introduce()
    _, recv_fd = pair.client.get_event_channel()
    assert settles(recv_fd, pair.client.event_handle_arm_recv)
    pair.service.destroy()
    until(helpers_rest)  # one may have looked just before, and would take the message
    pair.to_service.update_info()
    pair.client.sendto(b"lost", pair.to_service)
    assert ready(recv_fd, SOON_S)
    pair.client.event_handle_arm_recv()
    assert ready(recv_fd, SOON_S)  # not told yet
    with pytest.raises(ConnectionReset):
        support.eventually(pair.client.recvfrom, 100)
    assert settles(recv_fd, pair.client.event_handle_arm_recv)


def test_between_two_connections_the_descriptors_stay_and_sleep(pair: support.Pair) -> None:
    pair.introduce()
    fds = pair.client.get_event_channel()
    pair.to_service.update_info()  # so that it knows of all that has ended
    pair.client.disconnect(pair.to_service)
    assert pair.client.get_event_channel() == fds
    pair.client.event_handle_arm_send()
    pair.client.event_handle_arm_recv()
    assert not any(ready(fd, 0.01) for fd in fds)
    pair.to_service = pair.client.connect(support.NAME)
    support.let_in(pair.service, pair.to_service)
    pair.client.sendto(b"hello", pair.to_service)
    peer = support.eventually(pair.service.recvfrom, 100)[1]
    _, recv_fd = pair.client.get_event_channel()
    assert settles(recv_fd, pair.client.event_handle_arm_recv)
    pair.service.sendto(b"x", peer)
    assert ready(recv_fd, SOON_S)
