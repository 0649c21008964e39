"""A pair for each test, and the proof that it left nothing behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.descriptors import mapped, open_fds
from tests.streams.support import Pair, connected


@pytest.fixture
def pair() -> Iterator[Pair]:
    before = open_fds(), mapped()
    with connected() as made:
        yield made
    gc.collect()  # a test that holds an exception holds the frames that it left
    assert (open_fds(), mapped()) == before
