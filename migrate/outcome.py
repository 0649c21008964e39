"""The result of a run over a project: per file the new bytes, and a finding for every old reference."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from migrate.evidence.accounts import Account


class Level(Enum):
    """How sure a change is, or that there is none."""

    SAFE = "safe"  # written
    EVIDENCE = "evidence"  # written because a recorded run showed what it depends on
    NEEDS_EVIDENCE = "needs-evidence"  # written with --unsafe
    MANUAL = "manual"  # left to you


class Span(NamedTuple):
    """Where: lines from 1, columns from 0 in characters, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Finding(NamedTuple):
    """One reference to the old API, or a cause that keeps others old.

    code: "" for a change that is safe and needs no page. change: the new text of the reference, "" when it stays.
    because: the place (path, span) of the finding that this one follows from, None for a cause.
    evidence: what recorded runs showed, or why they do not count.
    """

    rule: str
    code: str
    level: Level
    path: Path
    span: Span
    name: str
    message: str
    change: str = ""
    because: tuple[Path, Span] | None = None
    evidence: str = ""


@dataclass(frozen=True)
class FileOutcome:
    """One file; `new` equals `old` when nothing is to be written."""

    path: Path
    old: bytes
    new: bytes
    findings: tuple[Finding, ...] = ()
    skipped: str = ""  # a code, when the file could not be read as Python, or its values not be followed
    reason: str = ""

    @property
    def changed(self) -> bool:
        """Whether there is something to write, comments included."""
        return self.old != self.new


@dataclass(frozen=True)
class Options:
    """What may be written. width: columns of new lines, None for the file's own. evidence: accounts of runs.

    keep_spelling: whether programs that call doca_cc through cffi or ctypes are to call doca_comch so. public: files
    of projects that can be installed, so that others may import them.
    """

    unsafe: bool = False
    idioms: bool = False
    mode: str = "rewrite"
    width: int | None = None
    evidence: tuple[Account, ...] = ()
    keep_spelling: bool = False
    public: frozenset[Path] = frozenset()
