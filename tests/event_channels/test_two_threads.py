"""One endpoint under the program's lock: a sender and a receiver, each in an epoll set with a signalfd beside it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.event_channels.support import CLIENT, DRIVERS
from tests.event_channels.two_threads import ROUNDS, STOP
from tests.processes import StartPython

pytestmark = pytest.mark.usefixtures("form")

PROGRAM = ("-m", "tests.event_channels.two_threads")


def test_sender_and_receiver_flood_at_once(start_python: StartPython) -> None:
    """The sender sleeps in sigwait until the receiver has published the first peer."""
    program = start_python(*PROGRAM, "flood")
    program.wait_for("listening")
    client = start_python("-c", CLIENT, env=DRIVERS)
    client.say(f"echo {ROUNDS}\n")
    client.wait_for("echo")
    done = program.finish()
    assert (done.returncode, done.stderr) == (0, "")


def test_a_signal_rouses_both(start_python: StartPython) -> None:
    """The receiver has nothing to read, the sender no room and a peer that never reads."""
    program = start_python(*PROGRAM, "rouse")
    program.wait_for("up")
    program.signal(STOP)
    done = program.finish()
    assert (done.returncode, done.stdout.splitlines()[1:], done.stderr) == (0, ["Interrupted Interrupted"], "")


SAMPLES = {
    "old": ("-m", "comm_channel_compat", "run", "samples_legacy/two_threads_service.py"),
    "new": ("samples_new/two_threads_service.py",),
}


@pytest.mark.parametrize("manner", SAMPLES)
def test_a_sample_that_waits_ends_by_a_signal(start_python: StartPython, manner: str, runtime_dir: Path) -> None:
    child = start_python(*SAMPLES[manner])
    child.wait_for("listening")
    child.signal(signal.SIGINT)
    child.finish()
    assert list(runtime_dir.iterdir()) == []  # it left in order
