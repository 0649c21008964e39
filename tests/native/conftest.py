"""What tests of the native driver get: the stub library of stub.py, for this process or for another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.native.stub import build

Log = Callable[[], list[str]]


@pytest.fixture(scope="session")
def stub_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("stub"), "3.0")


@pytest.fixture
def stub_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Log:
    """The names of the functions that were called, as far as they are noted, since the last look."""
    path = tmp_path / "stub.log"
    path.touch()
    monkeypatch.setenv("STUB_LOG", str(path))

    def calls() -> list[str]:
        noted = path.read_text().split()
        path.write_text("")
        return noted

    return calls


@pytest.fixture
def stub(stub_library: Path, stub_log: Log, monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> Log:
    """The native driver is the chosen one, on the stub library; returns its log."""
    monkeypatch.setenv("COMCH_DRIVER", "native")
    monkeypatch.setenv("COMCH_DOCA_LIB", str(stub_library))
    return stub_log
