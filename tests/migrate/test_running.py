"""A program and its rewrite say the same, line by line, when things go right and when they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate import Level, rewrite
from tests.processes import Child, Finished, StartPython

DATA = Path(__file__).parent / "data"
PROGRAMS = ("talk_objects.py", "talk_flat.py", "wrapper.py")


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the rewritten programs lie."""
    folder = tmp_path_factory.mktemp("new")
    for name in PROGRAMS:
        outcome = rewrite((DATA / name).read_bytes(), name)
        assert {finding.level for finding in outcome.findings} == {Level.SAFE}
        (folder / name).write_bytes(outcome.new)
    return folder


def start(start_python: StartPython, folder: Path, program: str, what: str) -> Child:
    """Start an old program by the launcher, a new one by Python alone."""
    launcher = ["-m", "comm_channel_compat", "run"] if folder == DATA else []
    return start_python(*launcher, str(folder / program), what)


def pair(start_python: StartPython, service: Path, client: Path, program: str) -> tuple[Finished, Finished]:
    """Run both ends to their ends."""
    first = start(start_python, service, program, "serve")
    first.wait_for("listening")
    second = start(start_python, client, program, "call")
    return first.finish(), second.finish()


@pytest.mark.parametrize("program", PROGRAMS)
def test_both_ends_say_the_same(start_python: StartPython, new: Path, program: str) -> None:
    old = pair(start_python, DATA, DATA, program)
    assert [each.returncode for each in old] == [0, 0], old
    for service, client in ((new, new), (DATA, new), (new, DATA)):
        told = pair(start_python, service, client, program)
        assert [(each.returncode, each.stdout) for each in told] == [(each.returncode, each.stdout) for each in old]


@pytest.mark.parametrize(
    ("program", "what"),
    [
        *((PROGRAMS[0], what) for what in ("nobody", "wrong")),
        *((PROGRAMS[1], what) for what in ("nobody", "none")),
        (PROGRAMS[2], "nobody"),
    ],
)
def test_failures_say_the_same(start_python: StartPython, new: Path, program: str, what: str) -> None:
    old = start(start_python, DATA, program, what).finish()
    told = start(start_python, new, program, what).finish()
    assert (told.returncode, told.stdout) == (old.returncode, old.stdout), told.stderr
    assert old.stdout
