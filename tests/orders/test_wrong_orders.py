"""Calls in a wrong order, after each of which the right one still works."""

from __future__ import annotations

from typing import Any

import pytest

from tests.orders.support import (
    NAME,
    OTHER_NAME,
    REP,
    World,
    comch,
    connect,
    introduce,
    talk,
)

# What may be raised for a setting that is missing; which of them the design leaves open.
MISSING = (comch.BadState, comch.BadConfig, comch.InvalidValue)
WRONG_SIDE = (comch.NotPermitted, comch.NotSupported)


def test_connect_without_a_device(world: World) -> None:
    client = world.keep(comch.Client())
    with pytest.raises(MISSING, match="device"):
        client.connect(NAME)
    server = world.server()
    client.device = world.host
    talk(client, server)


def test_connect_without_a_name(world: World) -> None:
    server, client = world.server(), world.client()
    with pytest.raises(MISSING, match="name"):
        client.connect()
    talk(client, server)


@pytest.mark.parametrize("missing", ["device", "device_rep", "name"])
def test_listen_without_a_setting(world: World, missing: str) -> None:
    settings = {"device": world.dpu, "device_rep": world.rep, "name": NAME}
    left_out = settings.pop(missing)
    server = world.keep(comch.Server())
    server.configure(**settings)
    with pytest.raises(MISSING, match="representor|device_rep" if missing == "device_rep" else missing):
        server.listen()
    server.configure(**{missing: left_out})
    server.listen()
    talk(world.client(), server)


@pytest.mark.parametrize("missing", ["device", "name"])
def test_start_without_a_setting(world: World, missing: str) -> None:
    client = world.keep(comch.Client())
    client.configure(**{"device": {"name": NAME}, "name": {"device": world.host}}[missing])
    with pytest.raises(MISSING, match=missing):
        client.start()


def test_start_without_callbacks_is_bad_config(world: World) -> None:
    client = world.client()
    client.configure(name=NAME)
    with pytest.raises(comch.BadConfig):
        client.start()


@pytest.mark.parametrize(
    ("setting", "value"), [("max_msg_size", 64), ("recv_queue_size", 4), ("send_queue_size", 4), ("device", None)]
)
def test_settings_are_fixed_while_connected(world: World, setting: str, value: Any) -> None:
    server, client = world.server(), world.client()
    connection = connect(client, server)
    with pytest.raises(comch.BadState):
        setattr(client, setting, world.other_host if setting == "device" else value)
    with pytest.raises(comch.BadState):
        client.configure(max_msg_size=64)
    with pytest.raises(comch.BadState):
        server.configure(max_msg_size=64)
    introduce(connection, server)


def test_connect_twice(world: World) -> None:
    server, client = world.server(), world.client()
    connection = connect(client, server)
    for name in (NAME, OTHER_NAME):
        with pytest.raises(comch.BadState):
            client.connect(name, timeout=0)
    introduce(connection, server)


def test_listen_twice(world: World) -> None:
    server = world.server()
    with pytest.raises(comch.BadState):
        server.listen(OTHER_NAME)
    talk(world.client(), server)


def test_listen_on_a_host_device(world: World) -> None:
    server = world.keep(comch.Server())

    def listen() -> None:
        server.device = world.host
        server.device_rep = REP
        server.listen(NAME)

    with pytest.raises(WRONG_SIDE):
        listen()


def test_connect_on_a_dpu_device(world: World) -> None:
    world.server()
    client = world.keep(comch.Client())

    def connect_there() -> None:
        client.device = world.dpu
        client.connect(NAME)

    with pytest.raises(WRONG_SIDE):
        connect_there()


def test_connect_before_listen_may_be_repeated(world: World) -> None:
    client = world.client()
    for _ in range(3):
        with pytest.raises(comch.ConnectionAborted):
            client.connect(NAME)
    talk(client, world.server())


def test_a_name_that_is_taken_may_be_replaced(world: World) -> None:
    world.server()
    second = world.keep(comch.Server())
    second.configure(device=world.dpu, device_rep=world.rep)
    with pytest.raises(comch.AlreadyExist):
        second.listen(NAME)
    second.listen(OTHER_NAME)
    talk(world.client(), second, OTHER_NAME)


def test_a_closed_context_is_closed(world: World) -> None:
    client = world.client()
    client.close()
    with pytest.raises((comch.BadState, comch.InvalidValue)):  # design silent: which of them
        client.connect(NAME)
    with pytest.raises((comch.BadState, comch.InvalidValue)):  # design silent: which of them
        client.max_msg_size = 64
    with pytest.raises(comch.BadState, match="has been closed; make another"):
        client.receive(timeout=0)
