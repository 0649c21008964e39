"""A stage for each test, and the proof that it left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.blocking.stage import Stage
from tests.descriptors import collected_fds, mapped, open_fds
from tests.processes import StartPython


@pytest.fixture
def stage(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython
) -> Iterator[Stage]:
    before = collected_fds(), mapped()
    made = Stage(tmp_path, monkeypatch, start_python)
    yield made
    made.close()
    assert mapped() == before[1]
    if not made.serves_elsewhere:  # what the test has of another process stays until that is given up
        assert open_fds() == before[0]
