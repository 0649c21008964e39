"""The programs of DOCA 1.4, migrated: nothing is left. What they do is verified in tests/verify."""

from __future__ import annotations

import pytest

from migrate.outcome import Level, Options
from migrate.rewriting import rewrite
from tests.blocking.test_programs import PROGRAMS


@pytest.mark.parametrize("name", ["flat_service", "flat_client", "cffi_client", "ctypes_service"])
def test_nothing_is_left(name: str) -> None:
    path = PROGRAMS / f"{name}.py"
    outcome = rewrite(path.read_bytes(), path)
    assert {finding.level for finding in outcome.findings} == {Level.SAFE}
    assert not [old for old in (b"doca_", b"dlopen", b"CDLL") if old in outcome.new]


def test_the_shim_is_that_of_the_release() -> None:
    path = PROGRAMS / "flat_client.py"
    outcome = rewrite(path.read_bytes(), path, Options(mode="shim"))
    old, new = b"from doca_comm_channel import *", b"from comm_channel_compat.blocking import *"
    assert outcome.new == outcome.old.replace(old, new)
