"""Getters of a peer's statistics are counters without any idiom; the check of their codes is all there is to join."""

from __future__ import annotations

import pytest

from migrate.outcome import Options
from migrate.rewriting import rewrite

COUNTERS = {
    "get_send_messages": "SENT_MESSAGES",
    "get_send_bytes": "SENT_BYTES",
    "get_recv_messages": "RECV_MESSAGES",
    "get_recv_bytes": "RECV_BYTES",
}
OBJECTS = """\
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("svc")
peer.update_info()
print(peer.GETTER())
"""
FLAT = """\
import doca_comm_channel as cc


def main():
    ep = cc.Endpoint()
    peer = ep.connect("svc")
    rc = cc.doca_comm_channel_peer_addr_update_info(peer)
    if rc:
        return rc
    rc, count = cc.doca_comm_channel_peer_addr_GETTER(peer)
    if rc:
        return rc
    print(count)


main()
"""


def _new(text: str, getter: str, *, idioms: bool) -> str:
    return rewrite(text.replace("GETTER", getter).encode(), options=Options(idioms=idioms)).new.decode()


@pytest.mark.parametrize("getter", COUNTERS)
def test_an_object_is_asked_for_a_counter_at_once(getter: str) -> None:
    plain = _new(OBJECTS, getter, idioms=False)
    assert plain.endswith(f"peer.update_info()\nprint(peer.get_counter(comch.Counter.{COUNTERS[getter]}))\n")
    assert _new(OBJECTS, getter, idioms=True) == plain


@pytest.mark.parametrize("getter", COUNTERS)
def test_a_flat_getter_is_the_outcome_of_that_and_raises_where_checks_are_joined(getter: str) -> None:
    counter = f"comch.Counter.{COUNTERS[getter]}"
    plain, joined = (_new(FLAT, getter, idioms=idioms) for idioms in (False, True))
    assert f"    rc, count = comch.outcome(peer.get_counter, {counter})\n" in plain
    assert "lambda" not in plain
    assert f"        peer.update_info()\n        count = peer.get_counter({counter})\n" in joined
    assert "outcome" not in joined
