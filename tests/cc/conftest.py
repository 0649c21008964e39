"""A world for each test, and the proof that it left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cc.world import World
from tests.descriptors import collected_fds, open_fds
from tests.topologies import faulty


@pytest.fixture
def world(runtime_dir: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    before = collected_fds()
    made = World(lambda fault: faulty(tmp_path, monkeypatch, fault))
    yield made
    made.close()
    assert open_fds() == before
