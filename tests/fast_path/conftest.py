"""A lane for each test, and the proof that it left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fast_path.lane import Lane
from tests.faults.exhausted import open_fds


@pytest.fixture
def lane() -> Iterator[Lane]:
    before = open_fds()
    made = Lane()
    yield made
    made.close()
    assert open_fds() == before
