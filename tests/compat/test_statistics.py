"""The statistics of a peer: a snapshot that only update_info takes."""

from __future__ import annotations

import pytest

from comm_channel_compat import Again, PeerAddr
from tests.compat import support
from tests.compat.support import statistics
from tests.differences import differs

pytestmark = pytest.mark.usefixtures("form")


def test_all_are_zero_at_first(pair: support.Pair) -> None:
    assert statistics(pair.to_service) == (0, 0, 0, 0, 0)


def test_only_update_info_changes_them(pair: support.Pair) -> None:
    to_client = pair.introduce()
    pair.service.sendto(b"abc", to_client)
    support.eventually(pair.client.recvfrom, 100)
    for peer in (pair.to_service, to_client):
        assert statistics(peer) == (0, 0, 0, 0, 0)
        peer.update_info()
    assert statistics(pair.to_service) == (1, 5, 1, 3, 0)
    assert statistics(to_client) == (1, 3, 1, 5, 0)
    pair.client.sendto(b"more", pair.to_service)
    assert statistics(pair.to_service) == (1, 5, 1, 3, 0)


def test_received_is_what_the_program_was_given(pair: support.Pair, form: str) -> None:
    to_client = pair.introduce()
    pair.client.sendto(b"waiting", pair.to_service)
    to_client.update_info()
    if differs(form, "messages"):
        until_statistics(to_client, (0, 0, 2, 12, 0))  # what has moved counts
    else:
        assert statistics(to_client)[2:4] == (1, 5)
    support.eventually(pair.service.recvfrom, 100)
    to_client.update_info()
    assert statistics(to_client)[2:4] == (2, 12)


def test_in_flight_is_submitted_minus_completed(form: str) -> None:
    pair = support.Pair(send_queue_size=16, recv_queue_size=8)
    for _ in range(12):
        pair.client.sendto(b"x", pair.to_service)
    pair.to_service.update_info()
    if differs(form, "messages"):
        until_statistics(pair.to_service, (12, 12, 0, 0, 0))  # what has moved is in flight no longer
    else:
        assert statistics(pair.to_service) == (12, 12, 0, 0, 4)
    before = statistics(pair.to_service)
    for _ in range(12):
        support.eventually(pair.service.recvfrom, 1)
    assert statistics(pair.to_service) == before
    pair.to_service.update_info()
    assert statistics(pair.to_service) == (12, 12, 0, 0, 0)
    pair.destroy()


def until_statistics(peer: PeerAddr, wanted: tuple[int, ...]) -> None:
    """Nobody receives meanwhile."""

    def fitting() -> None:
        peer.update_info()
        if statistics(peer) != wanted:
            raise Again

    support.eventually(fitting)


def test_they_can_be_read_after_the_end(pair: support.Pair) -> None:
    pair.introduce()
    pair.to_service.update_info()
    pair.destroy()
    assert statistics(pair.to_service) == (1, 5, 0, 0, 0)
    assert pair.to_service.get_user_data() == 0
