"""What a verification comes to, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from migrate.verify.comparison import Difference
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


@dataclass(frozen=True)
class Divergence:
    """An end that differs in a run. `is_steady`: the old program, run again, repeats itself at that event."""

    run: Run
    peer: str
    difference: Difference
    is_steady: bool = True


@dataclass(frozen=True)
class Result:
    """A whole verification. `reasons` are sentences about what keeps a verdict open."""

    runs: int
    divergences: tuple[Divergence, ...]
    never_ran: tuple[Call, ...]
    stays: tuple[Stays, ...]
    reasons: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """The verdict: a divergence weighs more than what is open."""
        if any(divergence.is_steady for divergence in self.divergences):
            return Verdict.DIVERGED
        is_open = self.divergences or self.never_ran or self.stays or self.reasons
        return Verdict.INCONCLUSIVE if is_open else Verdict.EQUIVALENT
