"""A lane for each test, and the proof that it left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Lane


@pytest.fixture
def lane() -> Iterator[Lane]:
    before = collected_fds()
    made = Lane()
    yield made
    made.close()
    assert open_fds() == before
