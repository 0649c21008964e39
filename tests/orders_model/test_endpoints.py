"""Generation 1 in every order of calls, against the model."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis.stateful import run_state_machine_as_test

import comm_channel_compat as cc
from tests.budget import SECONDS, repeat
from tests.compat import support
from tests.examples import examples
from tests.orders_model.endpoint_machine import EndpointOrders, ThreadedEndpointOrders, ready
from tests.processes import SOON_S


@pytest.mark.timeout(SECONDS + 120)
@pytest.mark.parametrize("machine", [EndpointOrders, ThreadedEndpointOrders])
def test_any_order_does_as_the_old_guide_says(
    machine: type[EndpointOrders], runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if machine.threaded:
        monkeypatch.setenv("COMCH_PULL", "threaded")
    repeat(partial(run_state_machine_as_test, machine, settings=examples(30)))
    assert list(runtime_dir.iterdir()) == []


def test_descriptors_live_until_destroy(pair: support.Pair) -> None:
    descriptors = pair.client.get_event_channel()
    pair.client.disconnect(pair.to_service)
    assert pair.client.get_event_channel() == descriptors
    pair.to_service = pair.client.connect(support.NAME)
    support.let_in(pair.service, pair.to_service)
    peer = pair.introduce()
    assert pair.client.get_event_channel() == descriptors
    pair.client.event_handle_arm_recv()
    pair.service.sendto(b"x", peer)
    assert ready(descriptors[1], SOON_S)


def test_send_is_ready_when_a_message_has_ended(pair: support.Pair) -> None:
    send_fd, _ = pair.client.get_event_channel()
    pair.client.event_handle_arm_send()
    assert not ready(send_fd, 0.01)
    with suppress(cc.Again):
        while True:
            pair.client.sendto(b"x", pair.to_service)
    pair.client.event_handle_arm_send()
    assert not ready(send_fd, 0.01)
    support.eventually(pair.service.recvfrom, 10)
    assert ready(send_fd, SOON_S)
