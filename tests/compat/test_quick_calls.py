"""The quick calls of the old faces: what succeeds at once runs in C, and nothing else differs."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import comm_channel_compat as cc
from comm_channel_compat import Again, Endpoint, InvalidValue, NotConnected
from tests.compat import support
from tests.frames import TURNS, fewest, frames

names: Any = cc  # the C names are made from tables, which mypy does not see
sendto, recvfrom = names.doca_comm_channel_ep_sendto, names.doca_comm_channel_ep_recvfrom


def test_a_message_of_the_objects_runs_no_python_code(pair: support.Pair) -> None:
    peer = pair.introduce()
    found = []

    def message() -> None:
        pair.client.sendto(b"there", pair.to_service)
        found.append(pair.service.recvfrom(100))

    assert fewest(message) == []
    assert found == [(b"there", peer)] * TURNS


def test_a_message_of_the_c_names_runs_no_python_code(pair: support.Pair) -> None:
    peer = pair.introduce()
    found = []

    def message() -> None:
        found.append(sendto(pair.client, b"there", 5, 0, pair.to_service))
        found.append(recvfrom(pair.service, 100, 0))

    assert fewest(message) == []
    assert found == [0, (0, b"there", 5, peer)] * TURNS


def test_nothing_that_has_come_runs_no_python_code(pair: support.Pair) -> None:
    pair.introduce()
    port: Any = pair.service._compat_port
    soon = port._port.poller.polled  # as in a tight loop: for one that has been away it were time to poll the sockets

    raised: list[Again] = []

    def nothing() -> None:
        try:
            soon()
            pair.service.recvfrom(100)
        except Again as error:
            raised.append(error)

    assert fewest(nothing) == []
    assert {str(error) for error in raised} == {"recvfrom: no message has come; try again"}
    answers = []
    assert fewest(lambda: answers.append((soon(), recvfrom(pair.service, 100, 0))[1])) == []
    assert answers == [(names.DOCA_ERROR_AGAIN, None, None, None)] * TURNS


def test_flags_and_keywords_mean_what_they_meant(pair: support.Pair) -> None:
    pair.introduce()
    pair.client.sendto(b"first", pair.to_service, 0)
    pair.client.sendto(msg=b"second", peer=pair.to_service, flags=0)
    assert pair.service.recvfrom(100, 0)[0] == b"first"
    assert pair.service.recvfrom(size=100)[0] == b"second"
    for call in (lambda: pair.client.sendto(b"x", pair.to_service, 1), lambda: pair.service.recvfrom(100, 1)):
        with pytest.raises(InvalidValue, match="flags"):
            call()
    with pytest.raises(TypeError):
        pair.client.sendto(b"x")  # type: ignore[call-arg]


def test_a_length_that_is_not_the_messages_is_the_length_that_is_sent(pair: support.Pair) -> None:
    pair.introduce()
    assert sendto(pair.client, b"there", 3, 0, pair.to_service) == 0
    assert recvfrom(pair.service, 100, 0)[1] == b"the"
    assert sendto(pair.client, b"there", 6, 0, pair.to_service) != 0
    assert sendto(pair.client, b"there", 2**70, 0, pair.to_service) != 0


def test_a_message_that_is_too_long_stays(pair: support.Pair) -> None:
    peer = pair.introduce()
    pair.client.sendto(b"longer", pair.to_service)
    with pytest.raises(InvalidValue) as refusal:
        pair.service.recvfrom(5)
    assert refusal.value.length == 6
    assert recvfrom(pair.service, 5, 0)[2] == 6
    assert pair.service.recvfrom(6) == (b"longer", peer)


@pytest.mark.parametrize("stranger", [None, object(), 3])
def test_what_is_no_peer_is_refused_as_ever(pair: support.Pair, stranger: object) -> None:
    pair.introduce()
    with pytest.raises((InvalidValue, NotConnected)):
        pair.client.sendto(b"x", stranger)  # type: ignore[arg-type]


def test_the_peer_of_another_endpoint_is_refused_as_ever(pair: support.Pair) -> None:
    peer = pair.introduce()
    with pytest.raises(NotConnected):
        pair.client.sendto(b"x", peer)


def test_after_a_new_connection_the_calls_are_of_that_one(pair: support.Pair) -> None:
    pair.introduce()
    left = pair.to_service
    pair.client.disconnect(left)
    with pytest.raises(NotConnected):
        pair.client.sendto(b"x", left)
    with pytest.raises(NotConnected):
        pair.client.recvfrom(100)
    pair.to_service = pair.client.connect(support.NAME)
    support.let_in(pair.service, pair.to_service)
    peer = pair.introduce()
    assert fewest(lambda: pair.service.sendto(b"back", peer)) == []
    assert [pair.client.recvfrom(100) for _ in range(TURNS)] == [(b"back", pair.to_service)] * TURNS


class Counting(Endpoint):
    """A program's own way to send."""

    sent = 0

    def sendto(self, *args: object) -> None:
        self.sent += 1
        super().sendto(*args)  # type: ignore[arg-type]


def test_a_programs_own_method_comes_first(pair: support.Pair) -> None:
    pair.client.destroy()
    own = Counting()
    support.made.append(own)
    own.set_device(support.client().get_device())
    pair.to_service = own.connect(support.NAME)
    support.let_in(pair.service, pair.to_service)
    own.sendto(b"own", pair.to_service)
    assert own.sent == 1
    assert support.eventually(pair.service.recvfrom, 100)[0] == b"own"


def test_the_threaded_form_sees_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_PULL", "threaded")
    pair = support.Pair()
    pair.introduce()
    assert "sendto" in frames(lambda: pair.client.sendto(b"x", pair.to_service))


def test_a_dropped_endpoint_is_collected() -> None:
    pair = support.Pair()
    pair.introduce()
    gone = [weakref.ref(ep) for ep in (pair.client, pair.service)]
    support.made.clear()
    del pair
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_flags_of_any_length_are_refused(pair: support.Pair) -> None:
    endpoint: Any = pair.client
    number = 10**5000  # which Python does not write
    with pytest.raises(InvalidValue, match="flags are a whole number of 16610 bits"):
        endpoint.recvfrom(64, number)
    with pytest.raises(InvalidValue, match="with flags a whole number of 16610 bits"):
        endpoint.sendto(b"x", number, number)
