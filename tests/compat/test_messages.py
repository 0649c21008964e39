"""What sendto and recvfrom do with messages."""

from __future__ import annotations

import array

import pytest

from comm_channel_compat import Again, Endpoint, InvalidValue, NotConnected, PeerAddr
from tests.compat import support
from tests.differences import BATCH, differs
from tests.event_channels.support import fill

pytestmark = pytest.mark.usefixtures("form")


@pytest.mark.parametrize("length", [0, 1, 64, 4080])
def test_a_message_arrives_as_it_was_sent(pair: support.Pair, length: int) -> None:
    msg = bytes(n % 251 for n in range(length))
    pair.client.sendto(msg, pair.to_service)
    assert support.eventually(pair.service.recvfrom, 4080)[0] == msg


@pytest.mark.parametrize(
    "msg", [bytearray(b"abcd"), memoryview(b"abcd"), memoryview(b"_abcd_")[1:5], array.array("B", b"abcd")]
)
def test_any_buffer_is_a_message(pair: support.Pair, msg: bytes) -> None:
    pair.client.sendto(msg, pair.to_service)
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"abcd"


@pytest.mark.parametrize("msg", ["text", None, 5, ["a"]])
def test_what_is_no_message(pair: support.Pair, msg: bytes) -> None:
    with pytest.raises(InvalidValue):
        pair.client.sendto(msg, pair.to_service)


def test_a_message_above_the_maximum(pair: support.Pair) -> None:
    with pytest.raises(InvalidValue, match="4081"):
        pair.client.sendto(bytes(4081), pair.to_service)
    with pytest.raises(Again):
        pair.service.recvfrom(65535)


def test_a_copy_is_sent(pair: support.Pair) -> None:
    msg = bytearray(b"before")
    pair.client.sendto(msg, pair.to_service)
    msg[:] = b"after!"
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"before"


def test_the_service_answers_the_peer_it_learned(pair: support.Pair) -> None:
    pair.service.sendto(b"answer", pair.introduce())
    msg, peer = support.eventually(pair.client.recvfrom, 100)
    assert (msg, peer) == (b"answer", pair.to_service)


def test_one_peer_has_one_handle(pair: support.Pair) -> None:
    assert pair.introduce() is pair.introduce()


def test_nothing_has_come(pair: support.Pair) -> None:
    for ep in (pair.client, pair.service):
        with pytest.raises(Again):
            ep.recvfrom(100)


def test_a_buffer_that_is_too_small(pair: support.Pair) -> None:
    pair.client.sendto(b"12345", pair.to_service)
    pair.client.sendto(b"x", pair.to_service)
    for size in (4, 0):
        with pytest.raises(InvalidValue) as caught:
            support.eventually(pair.service.recvfrom, size)
        assert caught.value.length == 5
    assert pair.service.recvfrom(5)[0] == b"12345"
    assert pair.service.recvfrom(1)[0] == b"x"


@pytest.mark.parametrize("size", [None, -1, "5", 2.5])
def test_what_is_no_size(pair: support.Pair, size: int) -> None:
    pair.client.sendto(b"x", pair.to_service)
    with pytest.raises(InvalidValue) as caught:
        pair.service.recvfrom(size)
    assert caught.value.length is None
    assert support.eventually(pair.service.recvfrom, 1)[0] == b"x"


@pytest.mark.parametrize("flags", [1, 2, -1, None, "0"])
def test_no_flag_is_legal(pair: support.Pair, flags: int) -> None:
    with pytest.raises(InvalidValue, match="flags"):
        pair.client.sendto(b"x", pair.to_service, flags)
    with pytest.raises(InvalidValue, match="flags"):
        pair.service.recvfrom(100, flags)
    with pytest.raises(Again):
        pair.service.recvfrom(100)


def test_what_is_no_peer(pair: support.Pair) -> None:
    with pytest.raises(NotConnected):
        pair.client.sendto(b"x", None)  # type: ignore[arg-type]
    with pytest.raises(InvalidValue, match="peer"):
        pair.client.sendto(b"x", "peer")  # type: ignore[arg-type]


def test_the_peer_of_another_endpoint(pair: support.Pair) -> None:
    foreign = pair.introduce()
    with pytest.raises(NotConnected):
        pair.client.sendto(b"x", foreign)
    with pytest.raises(NotConnected):
        pair.client.disconnect(foreign)
    with pytest.raises(NotConnected):
        Endpoint().sendto(b"x", foreign)
    pair.service.sendto(b"x", foreign)  # it has come to no harm


def test_the_send_queue_is_full(form: str) -> None:
    pair = support.Pair(send_queue_size=8, recv_queue_size=8)
    sent = fill(pair.client, pair.to_service)
    if differs(form, "messages"):
        assert 16 + 8 <= sent < 16 + 8 + BATCH  # the port has a queue, too, a little longer than was asked for
    else:
        assert sent == 16  # as many in the receiver's queue as in flight
    pair.to_service.update_info()
    assert pair.to_service.get_send_in_flight_messages() == 8
    assert [support.eventually(pair.service.recvfrom, 10)[0] for _ in range(4)] == [b"0", b"1", b"2", b"3"]
    if differs(form, "messages"):
        drained = [support.eventually(pair.service.recvfrom, 10)[0] for _ in range(sent - 4)]
        assert drained == [b"%d" % n for n in range(4, sent)]
        support.eventually(pair.client.sendto, b"room again", pair.to_service)
        pair.destroy()
        return
    for n in range(16, 20):
        pair.client.sendto(b"%d" % n, pair.to_service)
    with pytest.raises(Again):
        pair.client.sendto(b"no", pair.to_service)
    assert [support.eventually(pair.service.recvfrom, 10)[0] for _ in range(16)] == [
        b"%d" % n for n in range(4, 20)
    ]
    pair.destroy()


def test_messages_come_in_order_of_arrival_across_peers(pair: support.Pair) -> None:
    clients = [support.client() for _ in range(3)]
    peers = [client.connect(support.NAME) for client in clients]
    for peer in peers:
        support.let_in(pair.service, peer)
    turns = [0, 2, 1, 1, 0, 2, 2, 1, 0, 0]
    for n, turn in enumerate(turns):
        clients[turn].sendto(b"%d" % n, peers[turn])
    senders: dict[PeerAddr, int] = {}
    for n, turn in enumerate(turns):
        msg, peer = support.eventually(pair.service.recvfrom, 10)
        assert msg == b"%d" % n
        assert senders.setdefault(peer, turn) == turn
    assert len(senders) == 3
    for client in clients:
        client.destroy()


def test_many_messages_both_ways(pair: support.Pair) -> None:
    to_client = pair.introduce()
    for n in range(5000):
        pair.client.sendto(b"ping %d" % n, pair.to_service)
        pair.service.sendto(b"pong %d" % n, to_client)
        assert support.eventually(pair.service.recvfrom, 100)[0] == b"ping %d" % n
        assert support.eventually(pair.client.recvfrom, 100)[0] == b"pong %d" % n


def test_what_was_sent_before_destroy_still_arrives(pair: support.Pair) -> None:
    pair.client.sendto(b"last words", pair.to_service)
    pair.client.destroy()
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"last words"


def test_user_data(pair: support.Pair) -> None:
    peer = pair.to_service
    assert peer.get_user_data() == 0
    for value in (1, 2**64 - 1, 0):
        peer.set_user_data(value)
        assert peer.get_user_data() == value
    for wrong in (-1, 2**64, None, "1", 1.0):
        with pytest.raises(InvalidValue):
            peer.set_user_data(wrong)  # type: ignore[arg-type]
    assert peer.get_user_data() == 0
