"""What one thread sets while another one connects the context."""

from __future__ import annotations

import pytest

import comch_next as comch


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
