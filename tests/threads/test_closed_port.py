"""What a thread sees of a port or descriptor that another one has closed: an error that says so, no endless None."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import comch_next as comch
from comch_next import BadState
from comch_next._threaded._channels import Bell
from tests.processes import SOON_S
from tests.pull.support import FORMS


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> comch.Server:
    monkeypatch.setenv("COMCH_PULL", request.param)
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
    server.listen()
    return server


CALLS: dict[str, Callable[[comch.PullPort], Any]] = {
    "receive": lambda port: port.receive(),
    "accept": lambda port: port.accept(),
    "pending": lambda port: port.pending,
    "connections": lambda port: port.connections,
    "recv_fd": lambda port: port.recv_fd,
    "arm_recv": lambda port: port.arm_recv(),
    "arm_send": lambda port: port.arm_send(),
    "arm_service": lambda port: port.arm_service(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("server", FORMS, indirect=True)
def test_a_closed_port_says_so(server: comch.Server, call: str) -> None:
    port = server.port
    assert port is not None
    server.close()
    with pytest.raises(comch.BadState, match="or its pull port, has been closed; open another on a context"):
        CALLS[call](port)


@pytest.mark.parametrize("server", FORMS, indirect=True)
def test_a_receive_that_waits_ends_with_its_context(server: comch.Server) -> None:
    ends: list[BaseException] = []

    def wait() -> None:
        try:
            server.receive()
        except BaseException as error:
            ends.append(error)

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    server.close()
    waiting.join(SOON_S)
    (error,) = ends
    assert isinstance(error, (comch.BadState, comch.InvalidValue, comch.NotConnected)), error


def test_a_bell_that_another_thread_has_closed_is_silent_and_refuses() -> None:
    bell = Bell()
    bell.arm()
    bell.close()
    bell.ring()
    with pytest.raises(BadState, match="has been closed, perhaps by another thread"):
        bell.arm()


@pytest.mark.usefixtures("runtime_dir")
def test_a_client_that_is_destroyed_while_it_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc"), comch.open_device("b1:00.0") as device:
        client = comch.Client(device, "svc")
        client.connect(timeout=0)
        port = client.port
        assert port is not None
        monkeypatch.setattr(port, "_forget", lambda _: client.destroy())
        client.disconnect()
        assert client.port is None
