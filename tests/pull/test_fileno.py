"""Contexts and engines go where Python takes what has a `fileno`."""

from __future__ import annotations

import select
import selectors

import comch_next as comch
from tests.processes import SOON_S


def test_contexts_and_their_engine() -> None:
    device, host = comch.open_device("03:00.0"), comch.open_device("b1:00.0")
    with comch.Server(device, "b1:00.0", "svc") as server, selectors.DefaultSelector() as selector:
        selector.register(server, selectors.EVENT_READ)
        client = comch.Client(host, "svc")
        connection = client.connect(timeout=0)
        server.arm_recv()
        assert [key.fileobj for key, _ in selector.select(SOON_S)] == [server]
        comch.outcome(server.receive, timeout=0)
        client.connection.flush(timeout=SOON_S)
        client.engine.request_notification()
        assert select.select([client.engine], [], [], SOON_S)[0] == [client.engine]
        client.engine.clear_notification()
        client.engine.progress()
        connection.send(b"x")
        assert server.receive(timeout=SOON_S).reply(b"y")
        client.arm_recv()
        assert select.select([client], [], [], SOON_S)[0] == [client]
        assert client.receive(timeout=0).data == b"y"
        assert (client.fileno(), client.engine.fileno()) == (client.recv_fd, client.engine.notification_handle)
        client.close()
    device.close()
    host.close()
