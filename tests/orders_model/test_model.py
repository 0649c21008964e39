"""The modern API in every order of calls, against the model; and the model by itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import comch_next as comch
from tests.orders_model import budget
from tests.orders_model.machine import Orders, ThreadedOrders
from tests.orders_model.model import SILENT
from tests.orders_model.stage import Stage, Subject, error_of, until


@pytest.mark.timeout(budget.SECONDS + 120)
@pytest.mark.parametrize("machine", [Orders, ThreadedOrders])
def test_any_order_does_as_the_model_says(
    machine: type[Orders], runtime_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if machine.threaded:
        monkeypatch.setenv("COMCH_PULL", "threaded")
    budget.run(machine, examples=40)
    assert list(runtime_dir.iterdir()) == []


@pytest.mark.xfail(strict=True, reason="the Shutdown of the old connection is reported on the new one, for ever")
@pytest.mark.parametrize("form", ["driver", "threaded"])
def test_a_new_connection_begins_without_the_end_of_the_old_one(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its mending model.DEVIATIONS.STALE_SHUTDOWN becomes False."""
    monkeypatch.setenv("COMCH_PULL", form)
    stage = Stage(threaded=form == "threaded")
    server = stage.add("Server", {"device": "03:00.0", "device_rep": "b1:00.0", "name": "svc"})
    client = stage.add("Client", {"device": "b1:00.0", "name": "svc"})
    try:
        server.real.listen()
        meet(server, client)
        server.real.connections[0].send(b"old", timeout=1)
        server.real.disconnect(server.real.connections[0])
        until(lambda: error_of(client.real.connection.update_info) or client.real.state is comch.State.IDLE, "the end")
        client.real.disconnect()
        meet(server, client)
        for _ in range(2):  # the design leaves open whether "old" can still be read
            assert error_of(lambda: client.real.receive(timeout=0)) in (None, comch.Again)
        server.real.connections[0].send(b"new", timeout=1)
        assert client.real.receive(timeout=1).data == b"new"
    finally:
        stage.close()


@pytest.mark.xfail(strict=True, reason="a refused connect of a closed client leaves a port open")
@pytest.mark.parametrize("form", ["driver", "threaded"])
def test_a_closed_client_stays_closed(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its mending model.DEVIATIONS.CLOSED_OPENS_PORT becomes False."""
    monkeypatch.setenv("COMCH_PULL", form)
    with comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        client.close()
        before = len(os.listdir("/proc/self/fd"))
        assert error_of(lambda: client.connect(timeout=0)) in SILENT.CLOSED
        assert error_of(lambda: client.receive(timeout=0)) in SILENT.CLOSED
        assert len(os.listdir("/proc/self/fd")) == before


def meet(server: Subject, client: Subject) -> None:
    """Connect, and be in the server's snapshot."""
    connection = client.real.connect(timeout=0)

    def up() -> bool:
        error_of(lambda: server.real.receive(timeout=0))
        server.real.update_info()
        return error_of(connection.update_info) is None and len(server.real.connections) == 1

    until(up, "the client is up")
