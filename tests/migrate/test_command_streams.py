"""Standard streams of the command: a program from standard input, closed pipes, interruptions, terminals."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from migrate.cli import INTERRUPTED, Exit
from tests.migrate.fake_command import FRONT_COMMAND
from tests.processes import SOON_S, StartPython

PENDING = b"import doca_comm_channel as cc  # \xe4\r\n"
DONE = b"import comch_next as cc  # \xe4\r\n"


def run(
    *arguments: str, cwd: Path, stdin: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, FRONT_COMMAND, *arguments],
        input=stdin, capture_output=True, cwd=cwd, timeout=2 * SOON_S, env={**os.environ, **(env or {})},
    )  # fmt: skip


def test_standard_input_goes_to_standard_output_in_its_own_bytes(tmp_path: Path) -> None:
    done = run("-", cwd=tmp_path, stdin=PENDING)
    assert (done.returncode, done.stdout) == (Exit.CLEAN, DONE)
    assert b"1 reference was rewritten" in done.stderr


@pytest.mark.parametrize("mark", [b"", b"# unreadable\n", b"# boom\n"])
def test_what_cannot_be_rewritten_comes_out_as_it_was(tmp_path: Path, mark: bytes) -> None:
    text = b"use(DOCA_SUCCESS)\n" + mark
    assert run("-", cwd=tmp_path, stdin=text).stdout == text
    assert run("-", cwd=tmp_path, stdin=b"x = 1\n").stdout == b"x = 1\n"


def test_of_standard_input_a_diff_or_a_document_may_be_asked_for(tmp_path: Path) -> None:
    assert b"+import comch_next" in run("--diff", "-", cwd=tmp_path, stdin=PENDING).stdout
    assert run("--check", "-", cwd=tmp_path, stdin=PENDING).returncode == Exit.PENDING
    assert run("--format", "json", "-", cwd=tmp_path, stdin=PENDING).stdout.startswith(b"{")
    done = run("--output", "report.txt", "-", cwd=tmp_path, stdin=PENDING)
    assert done.stdout == DONE
    assert b"<stdin>: 1 reference" in (tmp_path / "report.txt").read_bytes()


def test_a_report_goes_to_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(PENDING)
    done = run("--format", "html", "--output", "out.html", "x.py", cwd=tmp_path)
    assert done.stdout == b"1 file uses the old API: 1 reference would be rewritten, none need you\n"
    assert (tmp_path / "out.html").read_bytes().startswith(b"<!DOCTYPE html>")


@pytest.mark.parametrize("output", ["nowhere/out.txt", "/dev/full"])
def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path, output: str) -> None:
    (tmp_path / "x.py").write_bytes(PENDING)
    done = run("--output", output, "x.py", cwd=tmp_path)
    assert done.returncode == Exit.PENDING | Exit.FILES
    assert b"cannot be written" in done.stderr


def test_a_full_device_behind_standard_output_is_an_error_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(PENDING)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, FRONT_COMMAND, "--write", "x.py"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            timeout=2 * SOON_S,
        )
    assert done.returncode == Exit.FILES
    assert done.stderr.splitlines() == [b"standard output: cannot be written: No space left on device"]
    assert (tmp_path / "x.py").read_bytes() == DONE


def test_a_closed_pipe_leaves_no_half_project(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"{'long_name_' * 15}{number}.py").write_bytes(PENDING)
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as closed:
        done = subprocess.run(
            [sys.executable, FRONT_COMMAND, "--write", "."],
            stdout=closed,
            stderr=subprocess.PIPE,
            cwd=tmp_path,
            timeout=2 * SOON_S,
        )
    assert (done.returncode, done.stderr) == (Exit.CLEAN, b"")
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {DONE}


@pytest.mark.parametrize("closed", ["1", "2"])
def test_closed_descriptors_are_no_error(tmp_path: Path, closed: str) -> None:
    (tmp_path / "x.py").write_bytes(PENDING)
    command = f'exec "$0" "$1" --write x.py missing.py {closed}>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, FRONT_COMMAND], capture_output=True, cwd=tmp_path, timeout=2 * SOON_S
    )
    assert done.returncode == Exit.FILES
    assert b"Traceback" not in done.stderr
    assert (tmp_path / "x.py").read_bytes() == DONE


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interruption_is_one_line_and_130(tmp_path: Path, jobs: str, start_python: StartPython) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.py").write_bytes(PENDING + b"# wait\n")
    child = start_python(FRONT_COMMAND, "--write", "--jobs", jobs, ".", cwd=tmp_path)
    for _ in range(int(jobs)):
        child.wait_for("waiting", "stderr")
    done = child.end_by(signal.SIGINT)
    assert done.returncode == INTERRUPTED
    assert done.stderr.replace("waiting\n", "") == "python -m migrate: interrupted\n"
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {PENDING + b"# wait\n"}


def test_processes_end_with_the_one_that_started_them(tmp_path: Path, start_python: StartPython) -> None:
    """Killed, it cannot end them itself: they notice that their pipes are closed."""
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_bytes(PENDING + b"# wait\n")
    child = start_python(FRONT_COMMAND, "--jobs", "2", ".", cwd=tmp_path)
    child.wait_for("waiting", "stderr")
    child.wait_for("waiting", "stderr")
    workers = [int(pid) for pid in Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()]
    endings = select.poll()
    for worker in workers:
        endings.register(os.pidfd_open(worker), select.POLLIN)
    child.signal(signal.SIGKILL)
    child.process.wait(2 * SOON_S)
    for worker in workers:
        os.kill(worker, signal.SIGUSR1)
    ended: set[int] = set()
    while len(ended) < 2:
        ready = endings.poll(60_000)
        assert ready
        for handle, _ in ready:
            ended.add(handle)
            endings.unregister(handle)
            os.close(handle)
    child.kill()


def test_a_terminal_sees_colours_and_no_leftover_of_the_progress(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_bytes(b"import doca_comm_channel\nuse(ep)  # manual\nuse(ep)  # follows\n")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, FRONT_COMMAND, "--diff", "x.py"], stdout=theirs, stderr=theirs, stdin=theirs, cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 65536):
            shown += chunk
    except OSError:  # the terminal's other end has closed
        pass
    finally:
        os.close(ours)
    assert process.wait(2 * SOON_S) == Exit.PENDING | Exit.MANUAL
    assert b"\x1b[31m-import doca_comm_channel\x1b[0m" in shown
    assert b"\x1b[1mx.py:2 \x1b[0m\x1b[31mCCM033 \x1b[0mep: the reason of CCM033" in shown
    assert "└── \x1b[0mx.py: 1 reference waiting, line 3".encode() in shown


def test_names_and_texts_that_have_no_encoding_are_printed(tmp_path: Path) -> None:
    name = b"\xff\x1b[31m.py"
    with open(os.path.join(os.fsencode(tmp_path), name), "wb") as file:
        file.write(PENDING)
    for arguments in ([], ["--diff"], ["--format", "json"], ["--format", "sarif"], ["--format", "html"]):
        done = run(*arguments, ".", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "LC_ALL": "C"})
        assert done.returncode == Exit.PENDING, (arguments, done.stderr)
        assert done.stderr == b""
        assert arguments == ["--diff"] or b"\x1b" not in done.stdout
