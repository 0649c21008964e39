"""Connected endpoints for the tests of the old faces."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest

from comm_channel_compat import Endpoint, NotConnected
from tests.compat import support


@pytest.fixture(autouse=True)
def ended(runtime_dir: object) -> Iterator[None]:
    """Every endpoint of a test is destroyed at its end, unless the test has done so."""
    yield
    while support.made:
        with suppress(NotConnected):
            support.made.pop().destroy()


@pytest.fixture(params=["driver", "threaded"])
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The form of the pull port, here and in child processes. Modules that ask for it are run on both.

    What differs by nature is named in comch_next._threaded; a test of that asks `tests.differences.differs`.
    """
    monkeypatch.setenv("COMCH_PULL", str(request.param))
    return str(request.param)


@pytest.fixture
def pair() -> support.Pair:
    """A service and a client that are connected."""
    return support.Pair()


@pytest.fixture
def service() -> Endpoint:
    """An endpoint that listens as support.NAME."""
    return support.service()


@pytest.fixture
def client() -> Endpoint:
    """An endpoint that may connect."""
    return support.client()
