"""The modern API in every order of calls, against the model; and the model by itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis.stateful import run_state_machine_as_test

import comch_next as comch
from tests.budget import SECONDS, repeat
from tests.descriptors import collected_fds, open_fds
from tests.examples import examples
from tests.orders_model.machine import Orders, ThreadedOrders
from tests.orders_model.model import SILENT
from tests.orders_model.stage import Stage, Subject, error_of, until
from tests.processes import SOON_S


@pytest.mark.timeout(SECONDS + 120)
@pytest.mark.parametrize("machine", [Orders, ThreadedOrders])
def test_any_order_does_as_the_model_says(
    machine: type[Orders], runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if machine.threaded:
        monkeypatch.setenv("COMCH_PULL", "threaded")
    repeat(partial(run_state_machine_as_test, machine, settings=examples(30)))
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.parametrize("form", ["driver", "threaded"])
def test_a_new_connection_begins_without_the_end_of_the_old_one(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    stage = Stage(threaded=form == "threaded")
    server = stage.add("Server", {"device": "03:00.0", "device_rep": "b1:00.0", "name": "svc"})
    client = stage.add("Client", {"device": "b1:00.0", "name": "svc"})
    try:
        server.real.listen()
        meet(server, client)
        server.real.connections[0].send(b"old", timeout=SOON_S)
        server.real.disconnect(server.real.connections[0])
        until(lambda: error_of(client.real.connection.update_info) or client.real.state is comch.State.IDLE, "the end")
        client.real.disconnect()
        meet(server, client)
        for _ in range(2):  # the design leaves open whether "old" can still be read
            assert error_of(lambda: client.real.receive(timeout=0)) in (None, comch.Again)
        server.real.connections[0].send(b"new", timeout=SOON_S)
        assert client.real.receive(timeout=SOON_S).data == b"new"
    finally:
        stage.close()


@pytest.mark.parametrize("form", ["driver", "threaded"])
def test_a_closed_client_stays_closed(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        client.close()
        before = collected_fds()
        assert error_of(lambda: client.connect(timeout=0)) in SILENT.CLOSED
        assert error_of(lambda: client.receive(timeout=0)) in SILENT.CLOSED
        assert open_fds() == before


def meet(server: Subject, client: Subject) -> None:
    """Connect, and be in the server's snapshot."""
    connection = client.real.connect(timeout=0)

    def up() -> bool:
        error_of(lambda: server.real.receive(timeout=0))
        server.real.update_info()
        return error_of(connection.update_info) is None and len(server.real.connections) == 1

    until(up, "the client is up")


@pytest.mark.parametrize("kind", ["Client", "Server", "Channel"])
def test_an_unknown_attribute_is_refused(kind: str) -> None:
    with pytest.raises(AttributeError):
        getattr(comch, kind)().devise = 1


@pytest.mark.parametrize("kind", ["Client", "Server", "Channel"])
def test_an_engine_reads_back(kind: str) -> None:
    engine = comch.ProgressEngine()
    assert getattr(comch, kind)(engine=engine).engine is engine


def test_an_incomplete_server_disconnects_nobody() -> None:
    server: Any = comch.Server()
    with pytest.raises(comch.DocaError):
        server.disconnect(None)


@pytest.mark.parametrize("name", ["", "x" * 128])
def test_an_illegal_name_is_refused_where_it_is_given(name: str) -> None:
    with comch.open_device("03:00.0") as device:
        server: Any = comch.Server(device)
        with pytest.raises(comch.InvalidValue):
            server.name = name


def test_a_one_sided_client_is_not_told_by_its_settings() -> None:
    stage = Stage(threaded=False)
    server = stage.add("Server", {"device": "03:00.0", "device_rep": "b1:00.0", "name": "svc"})
    client = stage.add("Client", {"device": "b1:00.0", "name": "svc", "one_sided": True})
    try:
        server.real.listen()
        meet(server, client)
        connection = client.real.connection
        server.real.disconnect(server.real.connections[0])
        connection.update_info()
        with pytest.raises(comch.BadState):
            client.real.max_msg_size = 100
        with pytest.raises(comch.NotPermitted):
            client.real.connect(timeout=0)
    finally:
        stage.close()


def test_a_one_sided_client_has_left_when_it_disconnects() -> None:
    stage = Stage(threaded=False)
    server = stage.add("Server", {"device": "03:00.0", "device_rep": "b1:00.0", "name": "svc"})
    client = stage.add("Client", {"device": "b1:00.0", "name": "svc", "one_sided": True})
    try:
        server.real.listen()
        meet(server, client)
        connection = client.real.connection
        server.real.disconnect(server.real.connections[0])
        connection.update_info()
        client.real.disconnect()
        with pytest.raises(comch.NotConnected):
            connection.send(b"x", timeout=0)
    finally:
        stage.close()
