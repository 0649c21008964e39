"""Where contexts may be: limits, names, sides, and what they hold."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import comch_next as comch
from comch_next import (
    ConnectionAborted,
    InvalidValue,
    NotSupported,
)
from tests.control_path.pair import HOST, IDLE, Side, client, connect, leave, pair, server, until
from tests.topologies import limited


def test_a_server_is_full_when_it_is(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    limited(tmp_path, monkeypatch, max_clients=2)
    there = server()
    clients = [client() for _ in range(3)]
    for here in clients[:2]:
        connect(there, here)
    clients[2].context.start()
    refused = clients[2].connection
    until(lambda: clients[2].state is IDLE, there.engine, clients[2].engine)
    with pytest.raises(ConnectionAborted, match="refuses"):
        refused.update_info()
    assert len(there.up) == 2
    clients[0].context.stop()
    until(lambda: there.down, there.engine, clients[0].engine)
    connect(there, clients[2])
    leave(*clients, there)


def test_names_and_representors_are_separate_places() -> None:
    """One name on two representors, two names on one: four servers, and each client finds its own."""
    found = {}
    sides = []
    for rep, name in itertools.product(("b1:00.0", "b1:00.1"), ("one", "two")):
        there = Side(comch.Server(comch.open_device("03:00.0"), rep, name))
        there.context.start()
        here = client(name, host=rep)
        connect(there, here)
        here.send(f"{rep} {name}".encode())
        sides += [here, there]
        found[f"{rep} {name}".encode()] = there
    for text, there in found.items():
        until(lambda there=there: there.messages, there.engine)  # type: ignore[misc]
        assert there.messages == [text]
    for side in sides:
        side.context.stop()
    leave(*sides)


def test_the_sides_cannot_be_swapped() -> None:
    host, dpu = comch.open_device(HOST), comch.open_device("03:00.0")
    wrong = Side(comch.Client(dpu, "svc"))
    with pytest.raises(NotSupported, match="of the dpu"):
        wrong.context.start()
    with dpu.open_representor("b1:00.0") as rep:
        also_wrong = Side(comch.Server(host, rep, "svc"))
        with pytest.raises(NotSupported, match="of the host"):
            also_wrong.context.start()
        leave(also_wrong)
    with pytest.raises(NotSupported):
        comch.Server(comch.open_device(HOST), "b1:00.0", "svc")
    leave(wrong)


@pytest.mark.parametrize("rep", [3, "b9:00.0", "no address", object()])
def test_a_server_needs_a_representor(rep: Any) -> None:
    with comch.open_device("03:00.0") as device, pytest.raises((InvalidValue, comch.NotFound)):
        comch.Server(device, rep, "svc")


@pytest.mark.parametrize("device", [3, "03:00.0", object()])
def test_contexts_need_a_device(device: Any) -> None:
    with pytest.raises(InvalidValue, match="open device"):
        comch.Server(device, "b1:00.0", "svc")
    with pytest.raises(InvalidValue, match="open device"):
        comch.Client(device, "svc")


def test_what_is_held_cannot_be_closed() -> None:
    device = comch.open_device("03:00.0")
    rep = device.open_representor("b1:00.0")
    there = comch.Server(device, rep, "svc")
    for call in (device.close, rep.close):
        with pytest.raises(comch.InUse):
            call()
    there.close()
    rep.close()
    device.close()
    with pytest.raises(InvalidValue):
        comch.Server(device, rep, "svc")


def test_what_is_no_engine_or_device_is_refused() -> None:
    wrong: Any = "03:00.0"
    with comch.open_device(HOST) as device:
        for make in (
            lambda: comch.Client(device, "x", engine=wrong),
            lambda: comch.Mmap(wrong, 5),
            lambda: comch.Mmap.create_from_export(b"", wrong),
        ):
            with pytest.raises(InvalidValue, match="takes a"):
                make()


def test_a_running_context_cannot_be_destroyed() -> None:
    there, here = pair()
    for side in (there, here):
        with pytest.raises(comch.InUse, match="while RUNNING; stop it"):
            side.context.destroy()
    leave(here, there)
    for side in (there, here):
        side.context.destroy()
