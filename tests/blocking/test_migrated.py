"""The programs of DOCA 1.4, migrated: nothing is left, and each end tells the same, whatever the other one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate.outcome import Level, Options
from migrate.rewriting import rewrite
from tests.blocking.test_programs import CLIENT, LAUNCHER, PROGRAMS, SERVICE
from tests.processes import StartPython


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("migrated")
    for end in ("service", "client"):
        path = PROGRAMS / f"flat_{end}.py"
        outcome = rewrite(path.read_bytes(), path)
        assert {finding.level for finding in outcome.findings} == {Level.SAFE}
        assert b"doca_" not in outcome.new
        (folder / path.name).write_bytes(outcome.new)
    return folder


@pytest.mark.parametrize(("service", "client"), [("new", "new"), ("old", "new"), ("new", "old")])
def test_both_sides_say_what_they_said(start_python: StartPython, migrated: Path, service: str, client: str) -> None:
    old, new = (*LAUNCHER, str(PROGRAMS)), (str(migrated),)
    start = {"old": lambda end: start_python(*old[:-1], f"{old[-1]}/flat_{end}.py"),
             "new": lambda end: start_python(f"{new[0]}/flat_{end}.py")}  # fmt: skip
    dpu = start[service]("service")
    dpu.wait_for("listening")
    assert start[client]("client").finish() == (0, CLIENT, "")
    assert dpu.finish() == (0, SERVICE, "")


def test_the_shim_is_that_of_the_release() -> None:
    path = PROGRAMS / "flat_client.py"
    outcome = rewrite(path.read_bytes(), path, Options(mode="shim"))
    old, new = b"from doca_comm_channel import *", b"from comm_channel_compat.blocking import *"
    assert outcome.new == outcome.old.replace(old, new)
