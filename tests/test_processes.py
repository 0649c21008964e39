"""The helper that other tests rely on: deadlines hold, and nothing it started survives."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests import processes
from tests.processes import StartPython


def test_finish_gives_status_and_both_streams(start_python: StartPython) -> None:
    program = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    assert start_python("-c", program).finish() == (3, "out\n", "err\n")


def test_wait_for_sees_a_line_while_the_process_runs(start_python: StartPython) -> None:
    child = start_python("-c", "print('ready'); print(input())")
    assert child.wait_for("ready") == "ready"
    child.say("go\n")
    assert child.wait_for("go") == "go"
    assert child.finish().returncode == 0


def test_wait_for_tells_what_was_said_when_the_process_ends_first(start_python: StartPython) -> None:
    with pytest.raises(AssertionError, match=r"ended without saying 'ready'.*\n.*\nother"):
        start_python("-c", "print('other')").wait_for("ready")


def test_a_process_that_does_not_end_is_killed_at_its_deadline(start_python: StartPython) -> None:
    child = start_python("-c", "import signal; signal.pause()", deadline_s=0.2)
    with pytest.raises(AssertionError, match="did not end in time"):
        child.finish()
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


def test_a_silent_process_does_not_hold_wait_for_beyond_the_deadline(start_python: StartPython) -> None:
    child = start_python("-c", "import signal; signal.pause()", deadline_s=0.2)
    with pytest.raises(AssertionError, match="did not say 'x' in time"):
        child.wait_for("x")


def test_a_process_that_is_stopped_stands_still(start_python: StartPython) -> None:
    child = start_python("-c", "print('up', flush=True)\nwhile True: pass")
    child.wait_for("up")
    child.stop()
    assert Path(f"/proc/{child.pid}/stat").read_text().rpartition(") ")[2][0] == "T"


def test_a_signal_that_was_missed_is_sent_again(start_python: StartPython, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_AGAIN_S", 0.05)
    program = (
        "import os, signal\n"
        "missed = []\n"
        "signal.signal(signal.SIGTERM, lambda *_: os._exit(7) if missed else missed.append(1))\n"  # at once
        "print('up', flush=True)\n"
        "while True: signal.pause()\n"
    )
    child = start_python("-c", program)
    child.wait_for("up")
    assert child.end_by(signal.SIGTERM).returncode == 7


def test_a_signal_is_not_sent_again_while_its_handler_works(
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "_AGAIN_S", 0.05)
    program = (
        "import os, signal, time\n"
        "def end(*_):\n"
        "    signal.signal(signal.SIGTERM, signal.SIG_DFL)\n"
        "    begin = time.process_time()\n"
        "    while time.process_time() - begin < 0.3: pass\n"
        "    os._exit(7)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        "print('up', flush=True)\n"
        "while True: signal.pause()\n"
    )
    child = start_python("-c", program)
    child.wait_for("up")
    assert child.end_by(signal.SIGTERM).returncode == 7
