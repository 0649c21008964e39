"""A stage for each test, and the proof that it left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.blocking.stage import Stage
from tests.descriptors import open_fds
from tests.processes import StartPython


@pytest.fixture
def stage(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython
) -> Iterator[Stage]:
    before = open_fds()
    made = Stage(tmp_path, monkeypatch, start_python)
    yield made
    made.close()
    assert open_fds() == before
