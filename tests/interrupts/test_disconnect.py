"""An interrupt while a client of generation 1 leaves: it has left, and its calls say so."""

from __future__ import annotations

import signal

import pytest

from comch_next import NotConnected
from comch_next._link import Link
from tests.threads.duel import connect
from tests.threads.faces import FACES


def test_a_client_that_is_interrupted_when_it_leaves_has_left(monkeypatch: pytest.MonkeyPatch) -> None:
    face = FACES["objects"]
    server, client = face.make(server=True), face.make(server=False)
    connect(face, server, client)
    forget = Link.forget

    def forget_interrupted(*args: object) -> None:
        forget(*args)  # type: ignore[arg-type]
        signal.raise_signal(signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(Link, "forget", forget_interrupted)
        with pytest.raises(KeyboardInterrupt):
            client.context.disconnect(client.connection)
    with pytest.raises(NotConnected):
        client.context.recvfrom(4080)
    client.connection = client.context.connect("svc")
    for end in (client, server):
        face.close(end)
