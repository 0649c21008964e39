"""What every test gets: a meeting directory of its own, and child processes that cannot outlive it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import Child, StartPython, python


@pytest.fixture(autouse=True)
def runtime_dir(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test meets its peers in its own directory, with none of the caller's settings."""
    for name in ("COMCH_DRIVER", "COMCH_SIDE", "COMCH_TOPOLOGY", "COMCH_COMPAT_WARN", "COMCH_PULL"):
        monkeypatch.delenv(name, raising=False)
    # Not under tmp_path: the name of an AF_UNIX socket has at most 107 bytes.
    folder = tempfile.mkdtemp(prefix="comch-")
    monkeypatch.setenv("COMCH_RUNTIME_DIR", folder)
    yield Path(folder)
    shutil.rmtree(folder)


@pytest.fixture
def start_python() -> Iterator[StartPython]:
    """Start python processes: `start_python("script.py", "-p", "03:00.0", deadline_s=20)` gives a Child.

    Those that still run when the test ends are killed, each by its own id.
    """
    children: list[Child] = []

    def start(*arguments: str, **options: object) -> Child:
        children.append(python(*arguments, **options))
        return children[-1]

    yield start
    for child in children:
        child.kill()
