"""A server and a client of one process that send and receive without callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

import comch_next as comch
from comch_next import (
    Again,
    Client,
    Server,
)
from tests.processes import SOON_S


@contextmanager
def listening(name: str = "svc", **options: int) -> Iterator[Server]:
    with comch.open_device("03:00.0") as device, Server(device, "b1:00.0", name, **options) as made:  # type: ignore[arg-type]
        yield made


@contextmanager
def dialled(name: str = "svc", **options: int) -> Iterator[Client]:
    """A client of a server in another process, which may take its time to let it in."""
    with comch.open_device("b1:00.0") as device, closing(Client(device, name, **options)) as made:  # type: ignore[arg-type]
        made.connect(timeout=SOON_S)
        yield made


@contextmanager
def connected(there: Server, **options: int) -> Iterator[Client]:
    """A client in the same process: the server accepts it here."""
    with comch.open_device("b1:00.0") as device:
        made = Client(device, there.name, **options)  # type: ignore[arg-type]
        connection = made.connect(timeout=0)
        with pytest.raises(Again):
            there.receive(timeout=0)
        made.engine.progress()
        connection.update_info()
        try:
            yield made
        finally:
            made.close()
