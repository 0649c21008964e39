"""An interrupt while a client of generation 1 leaves: it comes, the client has left, and its calls say so."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from comch_next import NotConnected
from comch_next._link import Link
from comch_next._peer import Peer
from tests.threads.duel import connect
from tests.threads.faces import FACES, End

FACE = FACES["objects"]


@pytest.fixture
def ends() -> Iterator[tuple[End, End]]:
    """A client and its server."""
    server, client = FACE.make(server=True), FACE.make(server=False)
    connect(FACE, server, client)
    yield client, server
    for end in (client, server):
        FACE.close(end)


def test_a_client_that_is_interrupted_when_it_leaves_has_left(
    ends: tuple[End, End], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = ends
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


def test_nothing_asks_a_connection_for_its_text_when_a_client_leaves(
    ends: tuple[End, End], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a signal raises in a text that C code makes for an error is lost up to Python 3.10."""
    client, _ = ends
    asked: list[object] = []
    monkeypatch.setattr(Peer, "__repr__", asked.append)
    client.context.disconnect(client.connection)
    assert not asked
