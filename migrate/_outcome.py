"""What ``rewrite`` says about one file: the new bytes, what changed, what was refused and why."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Edit:
    """One old reference that the new text no longer holds."""

    line: int
    column: int
    name: str


@dataclass(frozen=True, order=True)
class Refusal:
    """One old reference that stays, under a coded comment on its statement."""

    line: int
    column: int
    name: str
    code: str


@dataclass(frozen=True, order=True)
class Note:
    """Something that is right and yet behaves differently."""

    line: int
    code: str


@dataclass(frozen=True)
class Outcome:
    """The result for one file; `new` equals `old` when there is nothing to do.

    `skipped` is a code when the file could not be read as Python; `reason` says what was in the way.
    `causes` are places without an old name that keep handles old; they carry a comment too.
    """

    old: bytes
    new: bytes
    edits: tuple[Edit, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[Note, ...] = ()
    skipped: str = ""
    reason: str = ""
    comments: int = field(default=0)
    causes: tuple[Refusal, ...] = ()

    @property
    def left(self) -> list[Refusal]:
        """Everything that is left to the reader: old references, and the causes in places without one."""
        return sorted([*self.refusals, *self.causes])

    @property
    def changed(self) -> bool:
        """Whether there is something to write, coded comments included."""
        return self.old != self.new
