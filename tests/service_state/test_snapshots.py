"""Peers and pending connections are those of the last update_service_state_info, whatever has happened since."""

from __future__ import annotations

import signal

import pytest

from comm_channel_compat import Again, ConnectionReset, Endpoint, PeerAddr
from tests.compat import support
from tests.differences import differs
from tests.event_channels.support import CLIENT, SOON_S, ready, settles
from tests.processes import StartPython
from tests.service_state.support import drain, guests, state, until

pytestmark = pytest.mark.usefixtures("form")


def test_nothing_is_known_before_the_first(service: Endpoint) -> None:
    guests(service, 1)
    assert service.get_peer_addr_list() == []
    assert service.get_pending_connections() == 0


def test_a_client_is_pending_then_a_peer(service: Endpoint, form: str) -> None:
    first, second = support.client(), support.client()
    assert state(service) == ([], 0)
    first.connect(support.NAME)
    second.connect(support.NAME)
    assert service.get_pending_connections() == 0
    if differs(form, "waiting clients"):
        assert service.get_peer_addr_list() == []  # as it was
        until(service, lambda peers, pending: (len(peers), pending) == (2, 0))  # they come up by themselves
        return
    assert state(service) == ([], 2)
    drain(service)
    assert (service.get_peer_addr_list(), service.get_pending_connections()) == ([], 2)
    peers, pending = state(service)
    assert (len(peers), pending) == (2, 0)


def test_the_peers_are_those_of_recvfrom(service: Endpoint) -> None:
    """In the order of their coming, before any of them has said a word."""
    came = guests(service, 3)
    peers = until(service, lambda peers, _: len(peers) == 3)
    for number, guest in enumerate(came):
        guest.say(b"%d" % number)
    said = dict(support.eventually(service.recvfrom, 100)[::-1] for _ in came)
    assert [said[peer] for peer in peers] == [b"0", b"1", b"2"]
    for peer in peers:
        service.sendto(b"welcome", peer)
    assert [support.eventually(guest.ep.recvfrom, 100)[0] for guest in came] == [b"welcome"] * 3


def test_a_list_handed_out_is_the_programs_own(service: Endpoint) -> None:
    guests(service, 1)
    peers = until(service, lambda peers, _: len(peers) == 1)
    peers.clear()
    assert len(service.get_peer_addr_list()) == 1


@pytest.mark.parametrize("how", ["disconnect", "destroy"])
def test_who_has_left_is_not_listed(service: Endpoint, how: str) -> None:
    staying, leaving = guests(service, 2)
    before = until(service, lambda peers, _: len(peers) == 2)
    fd = service.get_service_event_channel()
    assert settles(fd, service.update_service_state_info)
    if how == "disconnect":
        leaving.ep.disconnect(leaving.peer)
    leaving.ep.destroy()
    assert ready(fd, SOON_S)
    assert service.get_peer_addr_list() == before
    assert until(service, lambda peers, _: len(peers) == 1) == before[:1]
    assert settles(fd, service.update_service_state_info)
    staying.say(b"still here")
    assert support.eventually(service.recvfrom, 100) == (b"still here", before[0])


def test_who_was_disconnected_is_not_listed(service: Endpoint) -> None:
    guests(service, 2)
    peers = until(service, lambda peers, _: len(peers) == 2)
    service.disconnect(peers[0])
    assert state(service)[0] == peers[1:]


def test_a_dead_process_is_not_listed(service: Endpoint, start_python: StartPython) -> None:
    child = start_python("-c", CLIENT)
    msg, peer = support.eventually(service.recvfrom, 100)
    assert msg == b"hello"
    assert state(service)[0] == [peer]
    fd = service.get_service_event_channel()
    assert settles(fd, service.update_service_state_info)
    child.signal(signal.SIGKILL)
    assert ready(fd, SOON_S)
    assert until(service, lambda peers, _: not peers) == []
    with pytest.raises(ConnectionReset) as caught:
        support.eventually(service.recvfrom, 100)
    assert caught.value.connection is peer


def test_a_service_sleeps_in_its_channel(service: Endpoint, start_python: StartPython) -> None:
    """Clients come, and go one way and the other; the service waits for nothing but its descriptor."""
    fd = service.get_service_event_channel()
    children = [start_python("-c", CLIENT) for _ in range(2)]
    seen: set[PeerAddr] = set()
    while len(seen) < 2:
        assert ready(fd, SOON_S)
        drain_all(service)
        seen.update(state(service)[0])
    children[0].say("disconnect\n")
    while len(state(service)[0]) == 2:
        assert ready(fd, SOON_S)
    children[1].signal(signal.SIGKILL)
    while state(service)[0]:
        assert ready(fd, SOON_S)


def drain_all(service: Endpoint) -> None:
    while True:
        try:
            service.recvfrom(100)
        except Again:
            return


def test_a_message_is_no_event_of_the_service(pair: support.Pair) -> None:
    pair.introduce()
    fd = pair.service.get_service_event_channel()
    assert settles(fd, pair.service.update_service_state_info)
    pair.client.sendto(b"x", pair.to_service)
    assert not ready(fd, 0.05)


def test_asking_for_the_channel_again_loses_nothing(pair: support.Pair) -> None:
    pair.introduce()
    fd = pair.service.get_service_event_channel()
    assert settles(fd, pair.service.update_service_state_info)
    pair.client.destroy()
    assert ready(fd, SOON_S)
    assert pair.service.get_service_event_channel() == fd
    assert ready(fd)
