"""A world for each test, and the proof that it left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.descriptors import collected_fds, open_fds
from tests.error_rows.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    before = collected_fds()
    made = World(tmp_path)
    yield made
    made.close()
    assert open_fds() == before
