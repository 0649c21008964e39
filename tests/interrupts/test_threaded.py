"""An interrupt on the main thread while it does what the helper thread of the threaded pull port does else."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next._threaded._events import PortEvents
from tests.control_path.pair import until
from tests.processes import SOON_S

DPU, HOST = "03:00.0", "b1:00.0"


@pytest.fixture
def ends(runtime_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[comch.Server, comch.Client]]:
    monkeypatch.setenv("COMCH_PULL", "threaded")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with comch.open_device(DPU) as dpu, comch.open_device(HOST) as host, dpu.open_representor(HOST) as rep:
        with comch.Server(dpu, rep, "svc") as server, comch.Client(host, "svc") as client:
            client.connection.send(b"hello")
            server.receive(timeout=SOON_S)
            yield server, client
    signal.signal(signal.SIGINT, before)


class Interrupting:
    """The engines of a driver, with an interrupt in each progress."""

    def __init__(self, engines: Any) -> None:
        self._engines = engines

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engines, name)

    def progress(self, pe: Any) -> bool:
        signal.raise_signal(signal.SIGINT)
        moved: bool = self._engines.progress(pe)
        return moved


def test_it_comes_out_of_the_call_that_it_has_met(ends: tuple[comch.Server, comch.Client]) -> None:
    server, client = ends
    helper: Any = client.engine._helper
    engines = helper._engines
    with client._lock:  # the helper thread waits
        helper._engines = Interrupting(engines)
        with pytest.raises(KeyboardInterrupt):
            client.connection.send(b"sent")
        helper._engines = engines
    assert server.receive(timeout=SOON_S).data == b"sent"
    client.connection.send(b"next")
    client.engine.progress()
    assert server.receive(timeout=SOON_S).data == b"next"


def test_a_message_that_it_meets_on_its_way_is_not_lost(monkeypatch: pytest.MonkeyPatch, request: Any) -> None:
    on_message = PortEvents._on_message
    due: list[int] = []

    def interrupted(*args: Any) -> None:
        if due:
            due.pop()
            signal.raise_signal(signal.SIGINT)
        on_message(*args)

    monkeypatch.setattr(PortEvents, "_on_message", interrupted)
    server, client = request.getfixturevalue("ends")
    connection = server.port.connections[0]
    with client._lock:  # the helper thread waits
        due.append(1)
        server.send_to(b"kept", connection)

        def met() -> bool:
            with pytest.raises((KeyboardInterrupt, comch.Again)):
                client.receive(timeout=0)
            return not due

        until(met)
    assert client.receive(timeout=SOON_S).data == b"kept"
