"""Connected endpoints for the tests of the old faces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from comm_channel_compat import Endpoint, NotConnected
from tests.compat import support


@pytest.fixture
def pair() -> Iterator[support.Pair]:
    """A service and a client that are connected."""
    made = support.Pair()
    yield made
    for ep in (made.client, made.service):
        destroy_if_alive(ep)


@pytest.fixture
def service() -> Iterator[Endpoint]:
    """An endpoint that listens as support.NAME."""
    made = support.service()
    yield made
    destroy_if_alive(made)


@pytest.fixture
def client() -> Iterator[Endpoint]:
    """An endpoint that may connect."""
    made = support.client()
    yield made
    destroy_if_alive(made)


def destroy_if_alive(ep: Endpoint) -> None:
    """A test may have destroyed its endpoints itself."""
    with suppress(NotConnected):
        ep.destroy()
