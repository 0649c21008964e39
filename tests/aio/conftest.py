"""Every behaviour is asked of both forms of the port below: the driver's own, and the one with a helper thread."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.aio.support import Ground
from tests.processes import Threads
from tests.pull.support import FORMS


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, runtime_dir: object) -> str:
    """The form under test; a peer in another process is of it, too, unless it is told otherwise."""
    if request.param == "threaded":
        monkeypatch.setenv("COMCH_PULL", "threaded")
    return str(request.param)


@pytest.fixture
def ground(form: str, threads: Threads) -> Iterator[Ground]:
    """Both devices; closing them fails when a context is left."""
    made = Ground(form)
    yield made
    made.close()
    assert threads() == 0
