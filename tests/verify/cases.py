"""The old programs of the tree that come to their end by themselves, and what their ends print where it is known."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from migrate.outcome import Options
from migrate.verify import trees
from migrate.verify.peers import Peer, Script
from migrate.verify.stage import Limits, Remains, Stage
from migrate.verify.trees import Trees
from tests.processes import ROOT

TRANSCRIPT = "expected.txt"
UNHURRIED = Limits(timeout_s=240, linger_s=100, patience_s=100)  # on a busy machine


class End(NamedTuple):
    """One end of a program: its command line, what it prints, and its exit status."""

    command: str
    output: str
    status: int


class Case(NamedTuple):
    """A program: a folder, and the command lines of its ends in the order of their start.

    `modules`: what its scripts import from a folder of which nothing else belongs to it; None: all of it does. `cue`:
    what the first one prints when it is time for the second. `release`: the DOCA of the program, if not 2.6.
    """

    folder: Path
    commands: tuple[str, ...]
    modules: tuple[str, ...] | None = None
    cue: str = "listening"
    release: str = ""

    def ends(self) -> list[End]:
        """Read its transcript: for each end `$ command`, what it prints, `[status]`."""
        return list(_transcript(self.folder))

    def peers(self) -> list[Peer]:
        """Its ends, as verify knows them."""
        names = ("service", "client") if self.commands[1:] else ("program",)
        peers = []
        for name, command in zip(names, self.commands, strict=True):
            path, *arguments = command.split()
            script = Script(Path(path))
            peers.append(Peer(name, script, script, tuple(arguments), self.release))
        return peers

    def migrated(self, into: Path, options: Options | None = None) -> Trees:
        """Migrate a copy."""
        options = options or Options()
        scripts = [peer.old.path for peer in self.peers()]
        if self.modules is None:
            return trees.migrated(self.folder, scripts, into, options)
        own = into / "given"
        own.mkdir(parents=True)
        for name in {*map(str, scripts), *self.modules}:
            shutil.copy(self.folder / name, own)
        return trees.migrated(own, scripts, into, options)

    def stage(self, sides: Trees, home: Path) -> Stage:
        """Make a place to run it in."""
        return Stage(sides, self.peers(), replace(UNHURRIED, cue=self.cue if self.commands[1:] else ""), home)


def _transcript(folder: Path) -> Iterator[End]:
    for part in (folder / TRANSCRIPT).read_text().split("$ ")[1:]:
        command, rest = part.split("\n", 1)
        output, status = rest.rsplit("[", 1)
        yield End(command, output, int(status.rstrip("]\n")))


def _told(folder: Path, cue: str = "listening", release: str = "") -> Case:
    return Case(folder, tuple(end.command for end in _transcript(folder)), None, cue, release)


_TESTS = ROOT / "tests"
_FOREIGN, _GUESTS, _DATA = _TESTS / "migrate/programs", _TESTS / "faces/guests_of_cc", _TESTS / "migrate/data"
_LEGACY = ROOT / "samples_legacy"
_CUES = {"late_service": "waiting", "ctypes_port_of_1_4": "Listening"}
_OF_2_5 = {"cffi/c_port", "cffi/caps_of_25", "ctypes/bulk_of_25", "ctypes/c_port", "ctypes/ring_of_25"}

# Samples of the folder itself, which has others below, and what they import; and those of folders of their own.
_OBJECTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("hello", "file_transfer", "two_threads", "many_clients", "cc_ctrl_path"), ()),
    "cc_data_path": ("cc_data_path_common.py",),
}
_SPELLED = {
    "with_cffi": ("hello", "file_transfer", "two_threads", "cc_ctrl_path"),
    "with_ctypes": ("hello", "file_transfer", "cc_ctrl_path"),
}
SENT, RECEIVED = ROOT / "MIGRATION.md", Path("received")  # of file_transfer: the latter where the runs are
_OPTIONS = {"file_transfer": (f" -f ../../{RECEIVED}", f" -f {SENT}")}


def _sample(folder: Path, name: str, modules: tuple[str, ...] | None = None) -> Case:
    ends = zip(("service", "client"), _OPTIONS.get(name, ("", "")), strict=True)
    return Case(folder, tuple(f"{name}_{end}.py{options}" for end, options in ends), modules)


PROGRAMS = {
    folder.name: _told(folder, _CUES.get(folder.name, "listening"), "1.4" if folder.name.endswith("_of_1_4") else "")
    for folder in sorted(_FOREIGN.iterdir())
}
GUESTS = {
    name: _told(_GUESTS / name, release="2.5" if name in _OF_2_5 else "")
    for name in sorted(f"{path.parent.parent.name}/{path.parent.name}" for path in _GUESTS.glob(f"*/*/{TRANSCRIPT}"))
}
SAMPLES = {
    **{name: _sample(_LEGACY, name, modules) for name, modules in _OBJECTS.items()},
    **{f"{folder}/{name}": _sample(_LEGACY / folder, name) for folder, names in _SPELLED.items() for name in names},
}
# A talk of both ends, and what goes wrong when there is nobody, or the wrong one, at the other end.
_TALKS = {"talk_objects": ("nobody", "wrong"), "talk_flat": ("nobody", "none"), "wrapper": ("nobody",)}
OTHERS = {
    **{name: Case(_DATA, (f"{name}.py serve", f"{name}.py call"), ()) for name in _TALKS},
    **{f"{name} {what}": Case(_DATA, (f"{name}.py {what}",), ()) for name, ways in _TALKS.items() for what in ways},
    "guide": Case(
        _TESTS / "guide_programs", ("cc_server.py -p 03:00.0", "cc_client.py -p b1:00.0"), (), "Started Listening"
    ),
    "flat of 1.4": Case(_TESTS / "blocking/programs", ("flat_service.py", "flat_client.py"), (), release="1.4"),
    "cffi and ctypes of 1.4": Case(
        _TESTS / "blocking/programs", ("ctypes_service.py", "cffi_client.py"), (), release="1.4"
    ),
    "flat of cc": Case(_TESTS / "cc/programs", ("flat_server.py", "flat_client.py"), ()),
    "objects of cc": Case(_TESTS / "cc/programs", ("objects_server.py", "objects_client.py"), ()),
    "cffi_direct": Case(_TESTS / "migrate/foreign", ("cffi_direct.py",), ()),
}
CASES = {
    f"{group}/{name}": case
    for group, cases in (("programs", PROGRAMS), ("guests", GUESTS), ("samples", SAMPLES), ("others", OTHERS))
    for name, case in cases.items()
}


class Heard:
    """A stage that keeps what the ends of each run printed, and which files they left."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.runs: list[tuple[tuple[bool, ...], list[End]]] = []
        self.received: list[bytes] = []

    @property
    def trees(self) -> Trees:
        return self._stage.trees

    @property
    def peers(self) -> Sequence[Peer]:
        return self._stage.peers

    def run(
        self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None, *, apart: bool = False
    ) -> list[Remains]:
        remains = self._stage.run(name, new, faults, held, apart=apart)
        ends = []
        for peer, left in zip(self.peers, remains, strict=True):
            print(left.stderr, file=sys.stderr)
            command = " ".join([str(peer.old.path), *peer.arguments])
            ends.append(End(command, left.stdout, int(left.status)))
        self.runs.append((tuple(new), ends))
        if (file := self._stage.home / RECEIVED).exists():
            self.received.append(file.read_bytes())
            file.unlink()
        return remains
