"""Killed at any moment, or on a full disk: every file is the old one or the new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate._replacement import SUFFIX
from migrate.cli import Exit
from tests.migrate.fake_command import FRONT_COMMAND
from tests.processes import StartPython

FILES = 120
LINE = b"import doca_comm_channel as cc\n"
OLD = LINE + b"# " + b"x" * 20_000 + b"\n"
NEW = OLD.replace(b"doca_comm_channel", b"comch_next")
KILLS = 6


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one group: all its files are written together."""
    for number in range(FILES):
        (tmp_path / f"f{number:03}.py").write_bytes(OLD + f"import f{(number + 1) % FILES:03}\n".encode())
    return tmp_path


def check(project: Path) -> tuple[int, int]:
    """How many files are old and how many new; there is nothing else but files that were being prepared."""
    old = new = 0
    for path in project.iterdir():
        text = path.read_bytes() if path.suffix == ".py" else b""
        old += text.startswith(OLD)
        new += text.startswith(NEW)
        assert path.suffix == SUFFIX or text.startswith((OLD, NEW)), path.name
    assert old + new == FILES
    return old, new


def wait_while(alive: subprocess.Popen[str], folder: Path, holds: Callable[[int], bool]) -> None:
    """Return when the number of new texts that lie ready is another one, or the process has ended."""
    while alive.poll() is None and holds(len(os.listdir(folder)) - FILES):
        os.sched_yield()


@pytest.mark.parametrize("round_", range(KILLS))
def test_a_killed_run_leaves_whole_files(project: Path, round_: int, start_python: StartPython) -> None:
    rng = random.Random(round_)
    child = start_python(FRONT_COMMAND, "--write", "--jobs", "1", ".", cwd=project, deadline_s=120)
    wanted = rng.randint(1, FILES - 1)
    if round_ % 2:  # while new texts are put in place
        wait_while(child.process, project, lambda ready: ready < FILES)
        wait_while(child.process, project, lambda ready: ready > wanted)
    else:  # while they are prepared
        wait_while(child.process, project, lambda ready: ready < wanted)
    child.signal(signal.SIGKILL)
    child.process.wait(60)
    check(project)
    again = start_python(FRONT_COMMAND, "--write", "--jobs", "1", ".", cwd=project, deadline_s=120).finish()
    assert again.returncode == Exit.CLEAN
    assert check(project) == (0, FILES)


def test_a_disk_that_fills_up_leaves_every_file_old(project: Path) -> None:
    """The limit on the size of a file stands for a disk that takes no more: both make a write fail half-way."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, FRONT_COMMAND, str(len(OLD) // 2)],
        cwd=project,
        capture_output=True,
        timeout=120,
    )
    assert done.returncode == Exit.FILES | Exit.PENDING, done.stderr
    assert done.stderr.count(b"cannot be written: File too large") == FILES
    assert check(project) == (FILES, 0)
    assert len(list(project.iterdir())) == FILES


# Limits itself, then becomes the command.
PROGRAM = """
import os, resource, sys
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
os.execv(sys.executable, [sys.executable, sys.argv[1], "--write", "--jobs", "1", "."])
"""


def test_a_small_disk_leaves_every_file_old(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A real file system with room for half of the new files, where one may be mounted."""
    disk = tmp_path_factory.mktemp("disk")
    size = FILES * 24 * 1024 * 3 // 2
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, timeout=60).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        for path in project.iterdir():
            (disk / path.name).write_bytes(path.read_bytes())
        done = subprocess.run(
            [sys.executable, FRONT_COMMAND, "--write", "--jobs", "1", "."], cwd=disk, capture_output=True, timeout=120
        )
        assert done.returncode == Exit.FILES | Exit.PENDING, done.stderr
        assert b"No space left on device" in done.stderr
        assert check(disk) == (FILES, 0)
        assert len(list(disk.iterdir())) == FILES
    finally:
        subprocess.run(["umount", str(disk)], check=True, timeout=60)
