"""The result of a verification, and its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from migrate.report.run import Run as Migration
from migrate.verify.comparison import Difference
from migrate.verify.peers import Peer
from migrate.verify.stage import Line
from migrate.verify.trees import Call, Stays


class Verdict(IntEnum):
    """The verdict; its number is the exit status."""

    EQUIVALENT = 0
    DIVERGED = 1
    INCONCLUSIVE = 2

    @property
    def word(self) -> str:
        """The word for it in every format."""
        return self.name.lower()


@dataclass(frozen=True)
class Run:
    """A run of a pairing: `new` is the side of each end; `faults` is "" for none."""

    new: tuple[bool, ...]
    faults: str = ""
    repetition: int = 1

    @property
    def pairing(self) -> str:
        """The pairing in words."""
        return "-".join("new" if side else "old" for side in self.new)

    @property
    def words(self) -> str:
        """The run in words."""
        faults = f", faults {self.faults}" if self.faults else ""
        return f"{self.pairing}{faults}{f', repetition {self.repetition}' if self.repetition > 1 else ''}"


@dataclass(frozen=True)
class Divergence:
    """An end that differs in a run. `is_steady`: both sides, run again, repeat themselves at that event."""

    run: Run
    peer: str
    difference: Difference
    is_steady: bool = True


@dataclass(frozen=True)
class Scene:
    """A run to look at: the traces of all ends of the old program, and of the run."""

    run: Run
    old: Sequence[Line] = field(repr=False)
    new: Sequence[Line] = field(repr=False)


@dataclass(frozen=True)
class Result:
    """A whole verification. `reasons` are sentences about what keeps a verdict open.

    `compared`: the runs held against the old program. `scenes`: the first of them, and the first that differs.
    `coded` are differences that were meant: they keep nothing open.
    `ignored`: the regular expressions of what was left out.
    `compiled` are the names of the old calls that compiled programs made: where, and which they did not, is not known.
    """

    runs: int
    divergences: tuple[Divergence, ...]
    never_ran: tuple[Call, ...]
    stays: tuple[Stays, ...]
    reasons: tuple[str, ...]
    compared: tuple[Run, ...] = ()
    scenes: tuple[Scene, ...] = ()
    migration: Migration = field(default=Migration(Path()))
    compiled: tuple[str, ...] = ()
    coded: tuple[Divergence, ...] = ()
    peers: tuple[Peer, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict: a divergence weighs more than what is open."""
        if any(divergence.is_steady for divergence in self.divergences):
            return Verdict.DIVERGED
        is_open = self.divergences or self.never_ran or self.stays or self.reasons
        return Verdict.INCONCLUSIVE if is_open else Verdict.EQUIVALENT
