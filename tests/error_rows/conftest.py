"""A world for each test, and the proof that it left nothing behind."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.descriptors import open_fds
from tests.error_rows.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    gc.collect()  # what an earlier test has left is none of this one's
    before = open_fds()
    made = World(tmp_path)
    yield made
    made.close()
    assert open_fds() == before
