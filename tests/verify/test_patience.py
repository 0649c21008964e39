"""Time in which a process waits for a processor is not its own."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from migrate.verify import patience
from migrate.verify.patience import Patience


class Machine:
    """A clock, and what the system tells of a process."""

    def __init__(self, folder: Path) -> None:
        self.now, self.told = 100.0, folder / "7" / "schedstat"
        self.told.parent.mkdir()
        self.pass_(0)

    def pass_(self, seconds: float, ran: float = 0, waited: float = 0) -> None:
        """Let time pass; the process has run, and waited, for so long in all."""
        self.now += seconds
        self.told.write_text(f"{ran * 1e9:.0f} {waited * 1e9:.0f} 9\n")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setattr(patience, "_PROC", tmp_path)
    monkeypatch.setattr(time, "monotonic", lambda: made.now)
    return made


def test_what_a_busy_machine_keeps_from_a_process(machine: Machine) -> None:
    machine.pass_(0, ran=2, waited=3)
    has_had = Patience(7)
    machine.pass_(10, ran=3, waited=9)
    assert (has_had.spent_s(), has_had.slept_s()) == (4, 3)


def test_one_that_has_ended_waits_no_more(machine: Machine) -> None:
    has_had = Patience(7)
    machine.pass_(10, waited=6)
    assert has_had.spent_s() == 4
    machine.told.unlink()
    machine.now += 5
    assert has_had.spent_s() == 9


def test_a_system_that_does_not_tell(machine: Machine) -> None:
    machine.told.unlink()
    has_had = Patience(7)
    machine.now += 5
    assert (has_had.spent_s(), has_had.slept_s()) == (5, 5)


def test_a_process_that_sleeps_has_had_all_the_time() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        has_had, began = Patience(process.pid), time.monotonic()
        while has_had.slept_s() < 0.2:
            time.sleep(0.01)
        assert time.monotonic() - began >= 0.2
        process.communicate(b"\n")
