"""A pair for each test, and the proof that it left nothing behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.descriptors import collected_fds, mapped, open_fds
from tests.streams.support import Pair, connected

FORMS = ("driver", "threaded", "driver, one-sided", "threaded, one-sided")


@pytest.fixture(params=FORMS)
def pair(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pair]:
    """A pair in each form: how its contexts receive, and whose endings they report."""
    pull, _, one_sided = request.param.partition(", ")
    monkeypatch.setenv("COMCH_PULL", pull)
    before = collected_fds(), mapped()
    with connected(one_sided=bool(one_sided)) as made:
        yield made
    gc.collect()  # a test that holds an exception holds the frames that it left
    assert (open_fds(), mapped()) == before
