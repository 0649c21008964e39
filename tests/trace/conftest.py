"""A driver that traces this process."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> Path:
    """Where this process's trace will be, once a driver has been loaded."""
    path = tmp_path / "trace.jsonl"
    monkeypatch.setenv("COMCH_TRACE", str(path))
    return path
