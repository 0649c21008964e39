"""An old endpoint's descriptors stay over disconnect and connect; its send channel fires as the new one's."""

from __future__ import annotations

import os
import select
from functools import partial
from typing import Any

import pytest

import comm_channel_compat as compat
from tests.orders.support import (
    DPU,
    HOST,
    NAME,
    REP,
    SOON_S,
    STILL_S,
    until,
)


def old_pair() -> tuple[Any, Any, Any, list[Any]]:
    dpu, host = compat.open_device(DPU), compat.open_device(HOST)
    rep = dpu.open_representor(REP)
    service, client = compat.Endpoint(), compat.Endpoint()
    service.set_device(dpu)
    service.set_device_rep(rep)
    client.set_device(host)
    for endpoint in (service, client):
        endpoint.set_send_queue_size(16)
        endpoint.set_recv_queue_size(16)
    service.listen(NAME)
    peer = client.connect(NAME)
    until(lambda: old_is_up(service, peer))
    return service, client, peer, [service, client, rep, dpu, host]


def old_is_up(service: Any, peer: Any) -> bool:
    with pytest.raises(compat.Again):
        service.recvfrom(4080)
    try:
        peer.update_info()
    except compat.ConnectionInprogress:
        return False
    return True


def old_destroy(made: list[Any]) -> None:
    for thing in made:
        thing.destroy() if isinstance(thing, compat.Endpoint) else thing.close()


def test_old_descriptors_stay_over_disconnect_and_connect() -> None:
    service, client, peer, made = old_pair()
    send_fd, recv_fd = client.get_event_channel()
    with select.epoll() as poller:
        poller.register(recv_fd, select.EPOLLIN)
        for _ in range(3):
            client.sendto(b"who", peer)
            _, from_client = old_receive(service)
            client.event_handle_arm_recv()
            service.sendto(b"me", from_client)
            assert poller.poll(SOON_S)
            assert client.recvfrom(4080)[0] == b"me"
            client.disconnect(peer)
            os.fstat(send_fd)
            peer = client.connect(NAME)
            until(partial(old_is_up, service, peer))
            assert client.get_event_channel() == (send_fd, recv_fd)
    old_destroy(made)


def old_receive(endpoint: Any) -> tuple[bytes, Any]:
    found: list[tuple[bytes, Any]] = []

    def receives() -> bool:
        try:
            found.append(endpoint.recvfrom(4080))
        except compat.Again:
            return False
        return True

    until(receives)
    return found[0]


def old_fill(endpoint: Any, peer: Any) -> None:
    for _ in range(100_000):
        try:
            endpoint.sendto(b"x", peer)
        except compat.Again:
            return
    raise AssertionError("the queue has no end")


def test_an_old_drain_loop_wakes_about_once_per_message() -> None:
    service, client, peer, made = old_pair()
    old_fill(client, peer)
    send_fd, _ = client.get_event_channel()
    wakes = 0
    with select.epoll() as poller:
        poller.register(send_fd, select.EPOLLIN)
        while True:
            client.event_handle_arm_send()
            peer.update_info()
            in_flight = peer.get_send_in_flight_messages()
            if in_flight == 0 or wakes > 1000:
                break
            if not poller.poll(STILL_S):
                old_receive(service)  # slower than the sender looks: one message after the other
            else:
                wakes += 1
    assert wakes <= 16 + 2, f"{wakes} wake-ups for 16 messages in flight"
    old_destroy(made)


def test_an_old_send_channel_is_silent_while_there_is_room() -> None:
    service, client, peer, made = old_pair()
    client.sendto(b"x", peer)
    old_receive(service)
    send_fd, _ = client.get_event_channel()
    fired = 0
    with select.epoll() as poller:
        poller.register(send_fd, select.EPOLLIN)
        for _ in range(20):
            client.event_handle_arm_send()
            fired += bool(poller.poll(0.005))
    assert fired <= 1
    old_destroy(made)
