"""What one thread sets while another one connects the context."""

from __future__ import annotations

import pytest

import comch_next as comch
from tests.processes import SOON_S


@pytest.mark.usefixtures("runtime_dir")
def test_it_waits_for_the_next_life() -> None:
    """A setter that was allowed before the other thread connected: the context is not made anew while it runs."""
    dpu = comch.open_device("03:00.0")
    server = comch.Server(dpu, dpu.open_representor("b1:00.0"), "svc", one_sided=True)
    client = comch.Client(comch.open_device("b1:00.0"), "svc", one_sided=True)
    server.listen()
    client.connect(timeout=0)
    client._settings["recv_queue_size"], client._outdated = 32, True  # as a setter does when it goes on
    first = client._handle
    client.disconnect()
    client.connect(timeout=0)
    assert client._handle is not first
    assert client._contexts.get_recv_queue_size(client._handle) == 32
    client._outdated = True
    client.close()
    server.close()


@pytest.mark.usefixtures("runtime_dir")
def test_an_engine_that_a_context_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its helper thread has nothing to do with that context, and no lock of it is asked for there."""
    monkeypatch.setenv("COMCH_PULL", "threaded")
    with (
        comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc"),
        comch.open_device("b1:00.0") as device,
        comch.ProgressEngine() as first,
        comch.ProgressEngine() as second,
    ):
        mover = comch.Client(device, "svc", engine=first)
        mover.engine = second
        mover.connect(timeout=SOON_S)
        view = mover._contexts
        with comch.Client(device, "svc", engine=first) as other:
            assert other.state is mover.state is comch.State.RUNNING
            assert mover._contexts is view
        mover.close()
