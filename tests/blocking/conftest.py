"""A stage for each test, and the proof that it left nothing behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.blocking.stage import Stage
from tests.processes import StartPython


@pytest.fixture
def stage(
    runtime_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start_python: StartPython
) -> Iterator[Stage]:
    start_python("-c", "").finish()  # so that what starts children is there
    before = _descriptors()
    made = Stage(tmp_path, monkeypatch, start_python)
    yield made
    made.close()
    assert _descriptors() == before


def _descriptors() -> int:
    """Count the open descriptors but those of pipes, which child processes have."""
    links = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(FileNotFoundError):  # that of the folder itself
            links.append(os.readlink(f"/proc/self/fd/{number}"))
    return sum(not link.startswith("pipe:") for link in links)
