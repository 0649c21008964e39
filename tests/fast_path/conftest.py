"""A lane for each test, and the proof that it left nothing behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.descriptors import open_fds
from tests.fast_path.lane import Lane


@pytest.fixture
def lane() -> Iterator[Lane]:
    gc.collect()  # what an earlier test has left is none of this one's
    before = open_fds()
    made = Lane()
    yield made
    made.close()
    assert open_fds() == before
