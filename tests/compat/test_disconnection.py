"""One-sided disconnection, the error state of a peer, and processes that die."""

from __future__ import annotations

import signal
from typing import Any, cast

import pytest

from comch_next import Connection, ErrorCode, PullPort, outcome
from comm_channel_compat import (
    Again,
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    Endpoint,
    InvalidValue,
    NotConnected,
    PeerAddr,
    _peers,
)
from comm_channel_compat._known import known
from comm_channel_compat._peers import Peers
from tests.compat import support
from tests.compat.support import statistics
from tests.differences import differs
from tests.event_channels.support import fill
from tests.processes import StartPython
from tests.pull.support import helpers_rest, until

pytestmark = pytest.mark.usefixtures("form")


def error_state(ep: Endpoint, peer: PeerAddr) -> None:
    """Everything that is to be observed of a peer in the error state whose messages have been read."""
    with pytest.raises(ConnectionReset) as caught:
        support.eventually(ep.recvfrom, 100)
    assert caught.value.connection is peer
    for _ in range(3):
        with pytest.raises(ConnectionReset):
            ep.sendto(b"x", peer)
        with pytest.raises(ConnectionAborted):
            peer.update_info()
        with pytest.raises(Again):
            ep.recvfrom(100)


def ends(pair: support.Pair, stays: str) -> tuple[Endpoint, PeerAddr, Endpoint, PeerAddr]:
    """The endpoint that stays with its peer, and the one that leaves with its own."""
    to_client = pair.introduce()
    client, service = (pair.client, pair.to_service), (pair.service, to_client)
    return (*client, *service) if stays == "client" else (*service, *client)


def test_a_service_leaves_without_having_let_a_client_in(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_PULL", "driver")  # the other form lets everybody in by itself
    service = support.service()
    monkeypatch.setenv("COMCH_PULL", form)
    client = support.client()
    peer = client.connect(support.NAME)
    with pytest.raises(ConnectionInprogress):
        peer.update_info()
    service.destroy()
    error_state(client, peer)
    client.disconnect(peer)


@pytest.mark.parametrize("stays", ["client", "service"])
@pytest.mark.parametrize("how", ["disconnect", "destroy"])
class TestTheOtherSideLeaves:
    def test_it_is_not_told(self, pair: support.Pair, stays: str, how: str) -> None:
        ep, peer, other, others_peer = ends(pair, stays)
        other.sendto(b"one", others_peer)
        other.sendto(b"two", others_peer)
        leave(other, others_peer, how)
        peer.update_info()
        assert [support.eventually(ep.recvfrom, 100) for _ in range(2)] == [(b"one", peer), (b"two", peer)]
        for _ in range(3):
            with pytest.raises(Again):
                ep.recvfrom(100)
            peer.update_info()

    def test_not_even_for_a_moment(self, pair: support.Pair, stays: str, how: str) -> None:
        _, peer, other, others_peer = ends(pair, stays)
        with peer._connection._context._lock:  # so that no other thread goes a step further than these calls do
            leave(other, others_peer, how)
            for _ in range(20):
                peer.update_info()

    def test_the_first_send_fails_in_the_background(self, pair: support.Pair, stays: str, how: str) -> None:
        ep, peer, other, others_peer = ends(pair, stays)
        peer.update_info()
        messages, size = statistics(peer)[:2]
        leave(other, others_peer, how)
        until(helpers_rest)  # one may have looked just before, and would take the message
        with pytest.raises(Again):
            ep.recvfrom(100)
        ep.sendto(b"lost", peer)
        error_state(ep, peer)
        assert statistics(peer)[:2] == (messages + 1, size + 4)
        assert statistics(peer)[4] == 0

    def test_what_had_arrived_is_read_first(self, pair: support.Pair, stays: str, how: str) -> None:
        ep, peer, other, others_peer = ends(pair, stays)
        other.sendto(b"one", others_peer)
        other.sendto(b"two", others_peer)
        leave(other, others_peer, how)
        until(helpers_rest)
        peer.update_info()
        ep.sendto(b"lost", peer)
        with pytest.raises(ConnectionAborted):
            peer.update_info()
        assert [support.eventually(ep.recvfrom, 100) for _ in range(2)] == [(b"one", peer), (b"two", peer)]
        error_state(ep, peer)

    def test_a_send_that_cannot_be_is_refused(self, pair: support.Pair, stays: str, how: str) -> None:
        ep, peer, other, others_peer = ends(pair, stays)
        leave(other, others_peer, how)
        peer.update_info()
        with pytest.raises(InvalidValue):
            ep.sendto(bytes(4081), peer)
        with pytest.raises(InvalidValue):
            ep.sendto("text", peer)  # type: ignore[arg-type]
        with pytest.raises(InvalidValue):
            ep.sendto(b"x", peer, 1)
        peer.update_info()

    def test_disconnect_ends_the_error_state(self, pair: support.Pair, stays: str, how: str) -> None:
        ep, peer, other, others_peer = ends(pair, stays)
        leave(other, others_peer, how)
        peer.update_info()
        ep.sendto(b"lost", peer)
        ep.disconnect(peer)
        with pytest.raises(NotConnected):
            ep.sendto(b"x", peer)
        with pytest.raises(NotConnected if stays == "client" else Again):
            ep.recvfrom(100)


def test_a_message_in_flight_fails_when_the_other_side_leaves(form: str) -> None:
    pair = support.Pair(send_queue_size=8, recv_queue_size=8)
    if differs(form, "messages"):
        sent = fill(pair.client, pair.to_service)  # fewer may all have moved
    else:
        sent = 9
        for _ in range(sent):
            pair.client.sendto(b"x", pair.to_service)
    pair.service.destroy()
    with pytest.raises(ConnectionAborted):
        support.eventually(_until_aborted, pair.to_service)
    error_state(pair.client, pair.to_service)
    assert statistics(pair.to_service)[::4] == (sent, 0)


def _until_aborted(peer: PeerAddr) -> None:
    peer.update_info()
    raise Again


def leave(ep: Endpoint, peer: PeerAddr, how: str) -> None:
    if how == "destroy":
        ep.destroy()
    else:
        ep.disconnect(peer)


@pytest.mark.parametrize("side", ["client", "service"])
def test_a_peer_that_was_disconnected_is_dead(pair: support.Pair, side: str) -> None:
    ep, peer, *_ = ends(pair, side)
    peer.set_user_data(7)
    peer.update_info()
    before = statistics(peer)
    ep.disconnect(peer)
    with pytest.raises(NotConnected):
        ep.disconnect(peer)
    with pytest.raises(NotConnected):
        ep.sendto(b"x", peer)
    with pytest.raises(ConnectionAborted):
        peer.update_info()
    assert statistics(peer) == before
    assert peer.get_user_data() == 7


def test_messages_of_a_disconnected_peer_are_dropped(pair: support.Pair) -> None:
    to_client = pair.introduce()
    pair.client.sendto(b"too late", pair.to_service)
    pair.service.disconnect(to_client)
    for _ in range(3):
        with pytest.raises(Again):
            pair.service.recvfrom(100)


def test_messages_that_a_departed_peer_left_are_dropped_too(pair: support.Pair) -> None:
    to_client = pair.introduce()
    pair.client.sendto(b"left behind", pair.to_service)
    pair.client.destroy()
    to_client.update_info()
    pair.service.disconnect(to_client)
    for _ in range(3):
        with pytest.raises(Again):
            pair.service.recvfrom(1)


def test_an_old_peer_does_not_reach_the_new_connection(pair: support.Pair) -> None:
    old = pair.to_service
    pair.client.disconnect(old)
    pair.to_service = pair.client.connect(support.NAME)
    support.let_in(pair.service, pair.to_service)
    with pytest.raises(NotConnected):
        pair.client.sendto(b"x", old)
    with pytest.raises(NotConnected):
        pair.client.disconnect(old)
    with pytest.raises(ConnectionAborted):
        old.update_info()
    pair.client.sendto(b"new", pair.to_service)
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"new"


def test_other_peers_come_to_no_harm(pair: support.Pair) -> None:
    staying = support.client()
    peer = staying.connect(support.NAME)
    support.let_in(pair.service, peer)
    leaving = pair.introduce()
    pair.client.destroy()
    until(helpers_rest)
    leaving.update_info()
    pair.service.sendto(b"lost", leaving)
    staying.sendto(b"still here", peer)
    said: list[object] = []
    for _ in range(2):
        try:
            said.append(support.eventually(pair.service.recvfrom, 100)[0])
        except ConnectionReset as error:
            said.append(error.connection)
    assert set(said) == {b"still here", leaving}
    staying.destroy()


def test_hundreds_may_leave_at_once(service: Endpoint) -> None:
    clients = [support.client() for _ in range(400)]
    peers = [client.connect(support.NAME) for client in clients]
    for client, peer in zip(clients, peers, strict=True):
        support.let_in(service, peer)
        client.destroy()
    with pytest.raises(Again):
        service.recvfrom(100)


def test_peers_that_have_left_in_order_are_not_kept(service: Endpoint) -> None:
    """A service is not told of them, so it cannot disconnect them."""
    first: PeerAddr | None = None
    for _ in range(200):
        client = support.client()
        to_service = client.connect(support.NAME)
        support.let_in(service, to_service)
        client.sendto(b"hello", to_service)
        _, peer = support.eventually(service.recvfrom, 100)
        first = peer if first is None else first
        client.destroy()
    assert first is not None
    assert len(service._compat_peers) < 100
    service.sendto(b"lost", first)
    error_state(service, first)
    service.disconnect(first)


CLIENT = """
import sys
from comm_channel_compat import *
from tests.compat import support
client = support.client()
peer = client.connect(support.NAME)
for msg in (b"one", b"two"):
    support.eventually(client.sendto, msg, peer)
print("sent", flush=True)
sys.stdin.read()
"""

SERVICE = """
import sys
from comm_channel_compat import *
from tests.compat import support
service = support.service()
print("listening", flush=True)
msg, peer = support.eventually(service.recvfrom, 100)
for msg in (b"one", b"two"):
    service.sendto(msg, peer)
print("sent", flush=True)
sys.stdin.read()
"""


def test_a_client_process_that_dies(service: Endpoint, start_python: StartPython) -> None:
    child = start_python("-c", CLIENT)
    msg, peer = support.eventually(service.recvfrom, 100)
    assert msg == b"one"
    child.wait_for("sent")
    child.signal(signal.SIGKILL)
    child.process.wait()
    assert support.eventually(service.recvfrom, 100) == (b"two", peer)
    error_state(service, peer)
    service.disconnect(peer)
    with pytest.raises(NotConnected):
        service.sendto(b"x", peer)


def test_a_service_process_that_dies(client: Endpoint, start_python: StartPython) -> None:
    child = start_python("-c", SERVICE)
    child.wait_for("listening")
    peer = client.connect(support.NAME)
    support.eventually(client.sendto, b"hello", peer)
    child.wait_for("sent")
    child.signal(signal.SIGKILL)
    child.process.wait()
    with pytest.raises(ConnectionReset):  # at once, before what had arrived is read
        support.eventually(_until_noticed, client, peer)
    assert [support.eventually(client.recvfrom, 100)[0] for _ in range(2)] == [b"one", b"two"]
    error_state(client, peer)
    client.disconnect(peer)
    with pytest.raises(ConnectionAborted):
        client.connect(support.NAME)


def _until_noticed(client: Endpoint, peer: PeerAddr) -> None:
    client.sendto(b"x", peer)
    raise Again


def test_a_client_process_that_ends_without_disconnecting(
    service: Endpoint, start_python: StartPython, form: str
) -> None:
    child = start_python("-c", CLIENT)
    peer = support.eventually(service.recvfrom, 100)[1]
    assert child.finish().returncode == 0
    assert support.eventually(service.recvfrom, 100) == (b"two", peer)
    until(helpers_rest)
    if differs(form, "a process's end"):
        service.sendto(b"the first one after a leave", peer)
    error_state(service, peer)


# Threads


def after_a_leave(pair: support.Pair) -> tuple[PeerAddr, Endpoint, PullPort]:
    """A peer that has left in order, as the service knows, and the service with its port."""
    to_client, ep = pair.introduce(), pair.service
    pair.client.destroy()
    until(helpers_rest)
    to_client.update_info()
    port = ep._compat_channel.port
    assert port is not None
    return to_client, ep, port


def test_of_two_sends_to_a_peer_that_has_left_one_is_accepted(pair: support.Pair) -> None:
    """The other one comes while the first is being decided."""
    to_client, ep, port = after_a_leave(pair)
    known, refused = port.max_msg_size_of, []

    def meanwhile(connection: Connection) -> int:
        port.max_msg_size_of = known  # type: ignore[method-assign]
        refused.append(outcome(ep.sendto, b"two", to_client)[0])
        return known(connection)

    port.max_msg_size_of = meanwhile  # type: ignore[method-assign]
    refused.append(outcome(ep.sendto, b"one", to_client)[0])
    assert sorted(refused) == [ErrorCode.SUCCESS, ErrorCode.CONNECTION_RESET]
    error_state(ep, to_client)
    assert statistics(to_client)[0] == 1


def test_a_peer_that_is_disconnected_while_a_thread_sends_is_not_reported(pair: support.Pair) -> None:
    to_client, ep, port = after_a_leave(pair)
    known = port.max_msg_size_of

    def meanwhile(connection: Connection) -> int:
        port.max_msg_size_of = known  # type: ignore[method-assign]
        ep.disconnect(to_client)
        return 4080

    port.max_msg_size_of = meanwhile  # type: ignore[method-assign]
    outcome(ep.sendto, b"x", to_client)
    for _ in range(3):
        with pytest.raises(Again):
            ep.recvfrom(100)


def test_a_peer_is_one_object_for_two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[Any] = []
    peers, connection = Peers(), cast(Any, object())

    def make(connection: Any) -> PeerAddr:
        if not met:
            met.append(None)
            met[0] = peers[connection]  # in the other thread, meanwhile
        return PeerAddr(connection)

    monkeypatch.setattr(_peers, "known", lambda cls, modern, _: known(cls, modern, make))
    assert peers[connection] is peers[connection] is met[0] is known(PeerAddr, connection, make)


def test_a_peer_is_disconnected_while_its_end_is_reported(pair: support.Pair) -> None:
    class Emptied(Peers):
        def __missing__(self, connection: Connection) -> PeerAddr:
            peer = super().__missing__(connection)
            self.clear()  # in another thread, meanwhile
            return peer

    to_client = pair.introduce()
    assert Emptied().pop_of(to_client.modern) is to_client
