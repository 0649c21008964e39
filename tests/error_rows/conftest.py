"""A world for each test, and the proof that it left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.error_rows.world import World
from tests.faults.exhausted import open_fds


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    before = open_fds()
    made = World(tmp_path)
    yield made
    made.close()
    assert open_fds() == before
