"""What old programs do that the old guide warns of, in objects and under the C names."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Any

import pytest

from comch_next.driver.emulated._fabric import handshake
from comm_channel_compat import Again, ConnectionAborted, ConnectionReset, InvalidValue, NotConnected, flat
from tests.compat import support
from tests.differences import differs
from tests.event_channels.support import fill
from tests.processes import SOON_S

pytestmark = pytest.mark.usefixtures("form")

c: Any = flat  # its names are made at import, from the tables, where mypy cannot see them
FLAGS = (1, 2, 0x80000000)  # what other channels' calls took there: DONTWAIT, PEEK and the like


@pytest.fixture
def pair(runtime_dir: object) -> support.Pair:
    return support.Pair(send_queue_size=8, recv_queue_size=8)


def eventually(call: Callable[[], Any]) -> Any:
    """The first answer of a flat call that is not AGAIN."""
    deadline = time.monotonic() + SOON_S
    while (answer := call())[0] == c.DOCA_ERROR_AGAIN:
        assert time.monotonic() < deadline
    return answer


def insist(call: Callable[[], object]) -> None:
    """Call it until it raises, or ought to have."""
    deadline = time.monotonic() + SOON_S
    while time.monotonic() < deadline:
        call()


def test_a_length_that_is_not_reset_between_retries(pair: support.Pair) -> None:
    """The in/out length of one call is passed to the next: a short message must not shrink the buffer for good."""
    for msg in (b"x", b"a much longer message", b"yy"):
        pair.client.sendto(msg, pair.to_service)
    rc, msg, length, peer = eventually(lambda: c.doca_comm_channel_ep_recvfrom(pair.service, 64, 0))
    assert (rc, msg, length) == (c.DOCA_SUCCESS, b"x", 1)
    for _ in range(3):  # the habit: `length` is still 1; the message stays, and the need is told each time
        rc, msg, needed, nobody = c.doca_comm_channel_ep_recvfrom(pair.service, length, 0)
        assert (rc, msg, needed, nobody) == (c.DOCA_ERROR_INVALID_VALUE, None, 21, None)
    rc, msg, length, again = c.doca_comm_channel_ep_recvfrom(pair.service, needed, 0)
    assert (rc, msg, length, again) == (c.DOCA_SUCCESS, b"a much longer message", 21, peer)
    assert c.doca_comm_channel_ep_recvfrom(pair.service, length, 0)[:3] == (c.DOCA_SUCCESS, b"yy", 2)


def test_a_small_buffer_keeps_the_message_in_objects(pair: support.Pair) -> None:
    pair.client.sendto(b"12345", pair.to_service)
    for _ in range(3):
        with pytest.raises(InvalidValue) as caught:
            support.eventually(pair.service.recvfrom, 4)
        assert caught.value.length == 5
    assert pair.service.recvfrom(5)[0] == b"12345"


def test_again_of_a_full_queue_and_of_an_empty_one(pair: support.Pair, form: str) -> None:
    """The same code for both: each is over by itself, and neither says anything of the other direction."""
    with pytest.raises(Again, match="no message has come"):
        pair.client.recvfrom(64)
    sent = fill(pair.client, pair.to_service)
    assert sent == 16 or (differs(form, "messages") and sent >= 16 + 8)
    with pytest.raises(Again, match="queue is full"):
        pair.client.sendto(b"x", pair.to_service)
    assert c.doca_comm_channel_ep_sendto(pair.client, b"x", 1, 0, pair.to_service) == c.DOCA_ERROR_AGAIN
    assert c.doca_comm_channel_ep_recvfrom(pair.client, 64, 0)[0] == c.DOCA_ERROR_AGAIN
    for number in range(sent):
        assert support.eventually(pair.service.recvfrom, 64)[0] == b"%d" % number
    assert c.doca_comm_channel_ep_recvfrom(pair.service, 64, 0)[0] == c.DOCA_ERROR_AGAIN
    assert c.doca_comm_channel_ep_sendto(pair.client, b"x", 1, 0, pair.to_service) == c.DOCA_SUCCESS


@pytest.mark.parametrize("flags", FLAGS)
def test_flags_of_another_generation(pair: support.Pair, flags: int) -> None:
    """They are refused, and nothing is sent or taken."""
    sendto, recvfrom = c.doca_comm_channel_ep_sendto, c.doca_comm_channel_ep_recvfrom
    assert sendto(pair.client, b"x", 1, flags, pair.to_service) == c.DOCA_ERROR_INVALID_VALUE
    pair.client.sendto(b"kept", pair.to_service)
    assert eventually(lambda: recvfrom(pair.service, 64, flags))[0] == c.DOCA_ERROR_INVALID_VALUE
    assert eventually(lambda: recvfrom(pair.service, 64, 0))[1] == b"kept"


def test_a_peer_used_after_disconnect(pair: support.Pair) -> None:
    old = pair.to_service
    assert c.doca_comm_channel_ep_disconnect(pair.client, old) == c.DOCA_SUCCESS
    assert c.doca_comm_channel_ep_sendto(pair.client, b"x", 1, 0, old) == c.DOCA_ERROR_NOT_CONNECTED
    assert c.doca_comm_channel_ep_disconnect(pair.client, old) == c.DOCA_ERROR_NOT_CONNECTED
    assert c.doca_comm_channel_peer_addr_update_info(old) == c.DOCA_ERROR_CONNECTION_ABORTED
    pair.client.connect(support.NAME)
    with pytest.raises(NotConnected):
        pair.client.sendto(b"x", old)


def test_a_peer_of_another_endpoint(pair: support.Pair) -> None:
    foreign = pair.introduce()
    send = c.doca_comm_channel_ep_sendto(pair.client, b"x", 1, 0, foreign)
    leave = c.doca_comm_channel_ep_disconnect(pair.client, foreign)
    assert (send, leave) == (c.DOCA_ERROR_NOT_CONNECTED, c.DOCA_ERROR_NOT_CONNECTED)
    pair.service.sendto(b"unharmed", foreign)
    assert support.eventually(pair.client.recvfrom, 64)[0] == b"unharmed"


def test_statistics_of_a_dead_peer(pair: support.Pair) -> None:
    """They stay as they were at its end, however often they are asked for."""
    pair.introduce()
    before = support.statistics(pair.to_service)
    pair.client.sendto(b"1234", pair.to_service)
    pair.service.destroy()
    pair.client.sendto(b"lost", pair.to_service)
    for _ in range(3):
        with pytest.raises(ConnectionAborted):
            pair.to_service.update_info()
        rc, sent = c.doca_comm_channel_peer_addr_get_send_messages(pair.to_service)
        assert (rc, sent) == (c.DOCA_SUCCESS, 3)
        assert support.statistics(pair.to_service)[4] == 0
    assert before == (0, 0, 0, 0, 0)


def test_a_message_between_a_leave_and_its_notice_is_lost(pair: support.Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds room in the ring, but no queue: so it fails on its way, and the peer is in the error state."""
    pair.introduce()
    notify = handshake.farewell

    def late(sock: socket.socket, *, quiet: bool) -> None:
        pair.client.sendto(b"lost", pair.to_service)
        notify(sock, quiet=quiet)

    with monkeypatch.context() as patched:
        patched.setattr(handshake, "farewell", late)
        pair.service.destroy()
    with pytest.raises(ConnectionAborted):
        insist(pair.to_service.update_info)  # a thread that has just looked does not look again at once
    with pytest.raises(ConnectionReset):
        pair.client.sendto(b"x", pair.to_service)
