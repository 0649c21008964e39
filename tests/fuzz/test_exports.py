"""Forged exports of memory maps: a typed refusal, or the exported memory and nothing else."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import AccessFlag
from comch_next.driver.emulated._kernel.ring import make_memory
from tests.fuzz.findings import SECONDS, keep, new_cases, to_replay
from tests.fuzz.grammar import EXPORT, Case
from tests.processes import SOON_S, Child, StartPython

_BATCH = 50
_ANSWER_S = SOON_S
_SIZE = 8192
_FORMS = {
    "INVALID_VALUE",
    "NOT_PERMITTED",
    f"SUCCESS-readable-{_SIZE}-True-7",
    f"SUCCESS-writable-{_SIZE}-True-7",
}


@contextmanager
def others(folder: Path) -> Iterator[dict[str, tuple[int, int, int]]]:
    """Descriptors of this process that are no map's: number, inode and size."""
    ends = os.pipe()
    (folder / "file").write_bytes(bytes(_SIZE))
    fds = {
        "ring": make_memory(100, 8),
        "pipe": ends[1],
        "socket": socket.socket(socket.AF_UNIX).detach(),
        "file": os.open(folder / "file", os.O_RDWR),
        "null": os.open("/dev/null", os.O_RDWR),
    }
    found = {name: (fd, os.fstat(fd).st_ino, os.fstat(fd).st_size) for name, fd in fds.items()}
    yield found
    for fd in (ends[0], *fds.values()):
        os.close(fd)


class Importer:
    """The process that takes them, for one export."""

    def __init__(self, child: Child) -> None:
        self._child = child
        self._held = self._play(())[-1]

    def _play(self, case: Case) -> list[str]:
        self._child.deadline = time.monotonic() + _ANSWER_S
        self._child.say(";".join(" ".join(step) for step in case) + "\n")
        return self._child.wait_for("holds").split()

    def check(self, cases: dict[str, Case]) -> None:
        """Each import is refused, or gives what was exported; no descriptor stays."""
        for name, case in cases.items():
            try:
                *words, _, held = self._play(case)
                assert set(words) <= _FORMS
                assert held == self._held, f"{held} descriptors, {self._held} at first"
            except AssertionError as error:
                raise AssertionError(f"{error}\n{keep(EXPORT, name, case)}") from error


@pytest.mark.timeout(SECONDS + 300)
def test_what_is_forged_opens_nothing(start_python: StartPython, tmp_path: Path) -> None:
    with comch.open_device("03:00.0") as device, others(tmp_path) as known:
        with comch.Mmap(device, _SIZE, AccessFlag.PCI_READ_WRITE) as exported:
            exported.view[:8], exported.view[-1] = b"exported", 7
            export = exported.export_pci(device).hex()
            importer = Importer(start_python("-m", "tests.fuzz.importer", export, json.dumps(known)))
            importer.check(to_replay(EXPORT))
            for cases in new_cases(EXPORT, _BATCH):
                importer.check(cases)


def test_an_export_as_it_was_given(start_python: StartPython, tmp_path: Path) -> None:
    """Else the other test could not fail for the right reason."""
    with comch.open_device("03:00.0") as device, comch.Mmap(device, _SIZE, AccessFlag.PCI_READ_ONLY) as exported:
        exported.view[:8], exported.view[-1] = b"exported", 7
        child = start_python("-m", "tests.fuzz.importer", exported.export_pci(device).hex(), "{}")
        child.say("import;cut 3;import\n")
        assert child.wait_for("holds").split()[:2] == [f"SUCCESS-readable-{_SIZE}-True-7", "INVALID_VALUE"]
