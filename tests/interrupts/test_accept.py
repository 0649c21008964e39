"""An interrupt in a call that lets a client in: the client's messages come with its connection."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

import comch_next as comch
import comm_channel_compat as compat
from tests.interrupts.strike import each_place
from tests.orders.support import SOON_S, World, is_up, until

# Signals are held back while a client is let in: an interrupt at any place of that comes at its end.
_STEP = 9

pytestmark = pytest.mark.usefixtures("runtime_dir")


@pytest.fixture
def world() -> Iterator[World]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    made = World()
    yield made
    made.close()
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("one_sided", [False, True])
def test_a_server_that_pulls(world: World, one_sided: bool) -> None:
    for strike in each_place(20, _STEP):
        server, client = world.server(one_sided=one_sided), world.client()
        connection = client.connect(server.name, timeout=0)
        strike.hit(lambda: server.try_receive())  # noqa: B023
        until(lambda: is_up(connection, server))  # noqa: B023
        connection.send(b"hello")
        message = server.receive(timeout=SOON_S)
        assert (message.data, message.connection.in_flight) == (b"hello", 0), strike.place
        client.close()
        server.close()


def test_an_endpoint_of_generation_1(world: World) -> None:
    for strike in each_place(20, _STEP):
        service = compat.Endpoint()
        service.set_device(compat.wrap(world.dpu))
        service.set_device_rep(compat.wrap(world.rep))
        service.listen("svc")
        client = world.client()
        connection = client.connect("svc", timeout=0)
        strike.hit(lambda: recv(service))  # noqa: B023
        while service.get_pending_connections() or client.state is not comch.State.RUNNING:
            recv(service)
            is_up(connection)
        connection.send(b"hello")
        data, peer = service.recvfrom(100)
        assert (data, peer.get_user_data()) == (b"hello", 0), strike.place
        client.close()
        service.destroy()


def recv(service: Any) -> None:
    with suppress(compat.Again):
        service.recvfrom(100)
