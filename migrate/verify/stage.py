"""A run of all ends of a program: processes with a deadline, in a directory of their own, and their results."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from migrate.verify import meeting
from migrate.verify.patience import Patience
from migrate.verify.peers import Peer
from migrate.verify.trees import Trees

Line = dict[str, Any]
_WATCHER = Path(__file__).parent / "_watcher"
_DIGITS = 4  # of the number of a run
_STEP_S, _LOOK_S = 0.01, 0.1
_LAST_WORDS_S = 3.0  # for ends that are interrupted since they will not meet
KILLED = "killed at the time limit (--timeout)"
INTERRUPTED = "interrupted, and killed as it went on"


@dataclass(frozen=True)
class Limits:
    """How long things may take, without the time in which a process waits for a processor.

    `cue` is what the service prints when it is ready; else its trace shows it.
    """

    timeout_s: float = 60.0  # for a process
    linger_s: float = 10.0  # until a service whose client has gone is interrupted
    patience_s: float = 5.0  # for a service that sleeps before it is ready; for a client that asks for another name
    cue: str = ""


@dataclass(frozen=True)
class Remains:
    """What a process and those that it started leave. `folder` is the copy of the program that it ran in.

    `others`: the copies that other ends of the run had, if not this one.
    `unready_s`: after how long the next end was started though this one was not ready.
    `compiled`: the names of the old calls that compiled programs have made. `files`: those of the folder that the
    ends of the run have written, by path, None for one that is gone. The first end has them, if all ran in one folder.
    """

    folder: Path
    status: int | str
    stdout: str
    stderr: str
    trace: tuple[Line, ...] = field(repr=False)
    watched: tuple[Line, ...] = field(repr=False)
    compiled: frozenset[str] = frozenset()
    others: frozenset[Path] = frozenset()
    unready_s: float | None = None
    files: Mapping[str, bytes | None] | None = field(default=None, repr=False)


class _End:
    """A process, its streams in files."""

    def __init__(
        self, peer: Peer, folder: Path, home: Path, *, new: bool, launched: bool, held: bool, env: Mapping[str, str]
    ) -> None:
        self.folder = folder
        self.unready_s: float | None = None
        self._home = home
        for name in ("trace", "watched", "compiled"):
            (home / name).mkdir(parents=True)
        own = {
            "COMCH_TRACE": str(home / "trace" / "%p.jsonl"),
            "COMCH_TRACE_PAYLOAD": "1",
            "MIGRATE_WATCH": str(home / "watched"),
            "MIGRATE_WATCH_ROOT": str(folder),
            "MIGRATE_WATCH_HOLD": "1" * held,
        }
        with (home / "stdout").open("wb") as out, (home / "stderr").open("wb") as err:
            self.process = subprocess.Popen(
                peer.command(folder, new=new, launched=launched, account=home / "compiled" / "calls.json"),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=(folder / peer.script(new=new).path).parent,
                env={**env, **own},
                start_new_session=True,  # so that what it starts ends with it
            )

    def patience(self) -> Patience:
        """Begin to count the time that it has."""
        return Patience(self.process.pid)

    def ended(self, timeout_s: float, patience: Patience | None = None) -> bool:
        """Wait for its end, until it has had so much time since patience began."""
        patience = patience or self.patience()
        while (left := timeout_s - patience.spent_s()) > 0:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(left)
                return True
        return self.process.poll() is not None

    def has_said(self, cue: str) -> bool:
        """Return whether it has printed a text."""
        return cue in self._text("stdout")

    def trace(self) -> Iterator[Line]:
        """Read what it has traced so far."""
        return self._lines("trace")

    def kill(self) -> None:
        """End its process group, which may outlive it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def remains(self, folders: frozenset[Path], *, late: str) -> Remains:
        """Read what it has left, of a run in these folders; `late` is its status if it was killed."""
        return Remains(
            self.folder,
            late or self.process.returncode,
            self._text("stdout"),
            self._text("stderr"),
            tuple(self._lines("trace")),
            tuple(self._lines("watched")),
            frozenset(self._compiled()),
            folders - {self.folder},
            self.unready_s,
        )

    def _text(self, name: str) -> str:
        return (self._home / name).read_bytes().decode("utf-8", "backslashreplace")

    def _lines(self, name: str) -> Iterator[Line]:
        """Read whole lines: the last one may still be in the making."""
        for path in sorted((self._home / name).iterdir()):
            for text in path.read_text("ascii").splitlines(keepends=True):
                if text.endswith("\n"):
                    yield json.loads(text)

    def _compiled(self) -> Iterator[str]:
        """Read the accounts of compiled programs; one that is killed may leave half of it."""
        for path in (self._home / "compiled").iterdir():
            with contextlib.suppress(json.JSONDecodeError):
                yield from (call["symbol"] for call in json.loads(path.read_text())["calls"] if not call["file"])


# How a module that cffi makes begins: in Python, in C, and compiled. What is rewritten needs no declarations.
_OF_CFFI = re.compile(rb"# auto-generated file\nimport _cffi_backend|#define _CFFI_|\x7fELF(?s:.)*_cffi_backend")


def _written(folder: Path, before: Path) -> Iterator[tuple[str, bytes | None]]:
    """Yield the files of a copy that are not as they were before, and those that are gone; not what cffi has made."""
    then, now = _listed(before), _listed(folder)
    for name in sorted(then.keys() | now.keys()):
        if then.get(name) != now.get(name):
            data = (folder / name).read_bytes() if name in now else None
            if data is None or not _OF_CFFI.match(data):
                yield name, data


def _listed(folder: Path) -> dict[str, tuple[int, int]]:
    """The size and time of each file, by path; bytecode and what is compiled for it is left out."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {str(path.relative_to(folder)): ((now := path.stat()).st_size, now.st_mtime_ns) for path in paths}


# Files that are named from where the command was started, not from where the program is.
_FILES = ("COMCH_TOPOLOGY", "COMCH_DOCA_LIB")


def _environment(home: Path, faults: str) -> dict[str, str]:
    """What all ends of a run find: a meeting place of their own, the watcher, and nothing that differs by chance."""
    env = {
        **os.environ,
        **{name: os.path.abspath(path) for name in _FILES if os.path.exists(path := os.environ.get(name, ""))},
        "COMCH_CALL_SINK": "comch_next.capi._watched:through",  # calls of C libraries have frames, which are watched
        "COMCH_RUNTIME_DIR": str(home / "r"),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(_WATCHER), os.environ.get("PYTHONPATH")])),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUNBUFFERED": "1",
    }
    return {**env, "COMCH_FAULTS": faults} if faults else env


@dataclass(frozen=True)
class Stage:
    """Where runs take place: the program on both sides, and a folder in which each run has a new one of its own."""

    trees: Trees
    peers: Sequence[Peer]
    limits: Limits
    home: Path

    def run(
        self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None, *, apart: bool = False
    ) -> list[Remains]:
        """Run all ends, each on its side, in fresh copies of the program; the first one is to be ready first.

        Ends of one side share a copy, unless they are to be apart. `held` is the number of the end whose calls take
        their time. The paths of all copies have one length: a message may have one.
        """
        home = self.home / name.zfill(_DIGITS)
        folders = [home / f"{'new' if side else 'old'}-{place * apart}" for place, side in enumerate(new)]
        for folder, side in dict(zip(folders, new, strict=True)).items():
            shutil.copytree(self.trees.folder(new=side), folder, symlinks=True)
        env = _environment(home, faults)
        ends: list[_End] = []
        try:
            for place, (peer, side) in enumerate(zip(self.peers, new, strict=True)):
                if ends:
                    self._wait_until_ready(ends[-1])
                launched = not side or self.trees.needs_launcher
                held_up = place == held
                ends.append(
                    _End(peer, folders[place], home / peer.name, new=side, launched=launched, held=held_up, env=env)
                )
            remains = self._finish(ends)
            if len({*folders}) == 1:
                with contextlib.suppress(OSError):  # not ours to read, or of a daemon that goes on
                    files = dict(_written(folders[0], self.trees.folder(new=new[0])))
                    remains[0] = replace(remains[0], files=files)
            return remains
        finally:
            for end in ends:
                end.kill()
            shutil.rmtree(home)

    def _wait_until_ready(self, end: _End) -> None:
        """Wait as long as it works; not if it sleeps, or asks for somebody else itself."""
        limits, patience = self.limits, end.patience()
        while not end.ended(_STEP_S):
            slept_s, spent_s = patience.slept_s(), patience.spent_s()  # until now: it may be ready by the next line
            trace = [*end.trace()]
            if end.has_said(limits.cue) if limits.cue else meeting.listened_on(trace):
                return
            most = limits.patience_s if meeting.asked_for(trace) else limits.timeout_s
            if slept_s > limits.patience_s or spent_s > most:
                end.unready_s = limits.patience_s
                return

    def _may_meet(self, ends: Sequence[_End]) -> bool:
        """Wait until the last end has met the others, or has ended; False if it goes on asking for other names."""
        if len(ends) < 2:
            return True
        patience = ends[-1].patience()
        while not ends[-1].ended(_LOOK_S):
            trace = [line for end in ends for line in end.trace()]
            listened, asked = meeting.listened_on(trace), meeting.asked_for(trace)
            if meeting.has_met(trace) or listened & asked:
                return True
            if patience.spent_s() > self.limits.patience_s:
                return not (listened and asked)
        return True

    def _finish(self, ends: Sequence[_End]) -> list[Remains]:
        """Wait for the last one, then for those before it: they get SIGINT when they do not end by themselves."""
        patience = {end: end.patience() for end in ends}
        late: dict[_End, str] = {}
        limit_s, status = self.limits.timeout_s, KILLED
        if not self._may_meet(ends):
            for end in ends:
                end.process.send_signal(signal.SIGINT)
            patience = {end: end.patience() for end in ends}
            limit_s, status = _LAST_WORDS_S, INTERRUPTED
        for end in reversed(ends):
            left = limit_s - patience[end].spent_s()
            if end is not ends[-1] and left > self.limits.linger_s and not end.ended(self.limits.linger_s):
                end.process.send_signal(signal.SIGINT)
            if not end.ended(limit_s, patience[end]):
                late[end] = status
                end.kill()
        for end in ends:
            end.kill()
        folders = frozenset(end.folder for end in ends)
        return [end.remains(folders, late=late.get(end, "")) for end in ends]
