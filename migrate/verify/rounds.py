"""The runs of a verification: every pairing, without faults and with each, as often as is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Protocol

from migrate.verify.account import Account, ran
from migrate.verify.comparison import Difference, differences, without_numbers
from migrate.verify.peers import Peer
from migrate.verify.stage import KILLED, Remains
from migrate.verify.trees import Call, Trees
from migrate.verify.verdict import Divergence, Result, Run

_AGAIN = 2  # runs of the old program that show whether it repeats itself

# What programs of these APIs meet: a queue that is full for a moment, and for longer, and a peer that dies. One fault
# for each way to send, as the sides need not send alike.
FAULTS = tuple(
    ",".join(fault.format(kind) for kind in ("send", "task", "producer"))
    for fault in ("again:{}@2x3", "full:{}@1=0.05s", "drop:{}@2")
)


class Runner(Protocol):
    """What runs all ends once: a Stage."""

    @property
    def trees(self) -> Trees: ...

    @property
    def peers(self) -> Sequence[Peer]: ...

    def run(self, name: str, new: Sequence[bool], faults: str = "") -> list[Remains]: ...


@dataclass
class Rounds:
    """Runs what there is to run and keeps what the old program did."""

    stage: Runner
    faults: Sequence[str] = FAULTS
    times: int = 1
    pairings: Sequence[tuple[bool, ...]] = ()  # but that of old ends only; none: all of them
    _runs: int = 0
    _ran: set[tuple[str, int]] = field(default_factory=set)
    _late: set[str] = field(default_factory=set)

    def result(self) -> Result:
        """Run everything."""
        divergences: list[Divergence] = []
        for repetition, faults in product(range(1, self.times + 1), ("", *self.faults)):
            reference = self._old(faults)
            for new in self.pairings or self._pairings():
                run = Run(new, faults, repetition)
                divergences += self._compared(run, reference, self._accounts(run))
        trees = self.stage.trees
        calls = [call for call in trees.calls if self._is_of_program(call.path)]
        return Result(
            runs=self._runs,
            divergences=tuple(divergences),
            never_ran=tuple(call for call in calls if not self._has_run(call)),
            stays=tuple(stays for stays in trees.stays if self._is_of_program(stays.path)),
            reasons=tuple(self._reasons(calls)),
        )

    def _is_of_program(self, path: Path) -> bool:
        """Whether a file of the folder belongs to what is verified: by its imports, or since it ran."""
        return path in self.stage.trees.imported or any(str(path) == name for name, _ in self._ran)

    def _pairings(self) -> list[tuple[bool, ...]]:
        """All ends new first; an end that has one side only stays on it."""
        sides = [(True, False) if peer.is_python else (False,) for peer in self.stage.peers]
        return [new for new in product(*sides) if any(new)]

    def _old(self, faults: str) -> list[Account]:
        run = Run((False,) * len(self.stage.peers), faults)
        remains = self._run(run)
        for peer, left in zip(self.stage.peers, remains, strict=True):
            self._ran.update(ran(left))
            if left.status == KILLED:
                self._late.add(f"the old {peer.name} was {KILLED}" + (f" (faults: {faults})" if faults else ""))
        return [Account.of(left) for left in remains]

    def _accounts(self, run: Run) -> list[Account]:
        return [Account.of(left) for left in self._run(run)]

    def _run(self, run: Run) -> list[Remains]:
        self._runs += 1
        return self.stage.run(str(self._runs), run.new, run.faults)

    def _compared(self, run: Run, reference: list[Account], found: list[Account]) -> Iterator[Divergence]:
        """Compare a run; where it differs, the old program runs again, to show whether it repeats itself there."""
        if not any(map(differences, reference, found)):
            return
        others = [reference, *(self._old(run.faults) for _ in range(_AGAIN))]
        for place, peer in enumerate(self.stage.peers):
            olds = [accounts[place] for accounts in others]
            for difference, is_steady in _persistent(olds, found[place]):
                yield Divergence(run, peer.name, difference, is_steady)

    def _has_run(self, call: Call) -> bool:
        lines = range(call.line, call.end_line + 1)
        return any((str(call.path), line) in self._ran for line in lines)

    def _reasons(self, calls: Sequence[Call]) -> Iterator[str]:
        if not calls:
            yield "the old side calls no old API"
        elif not any(map(self._has_run, calls)):
            yield "the old side made no call of the old API in any run"
        yield from sorted(self._late)


def _persistent(olds: Sequence[Account], new: Account) -> Iterator[tuple[Difference, bool]]:
    """Yield the differences from the first account that no other one takes away, and whether all of these agree there.

    Where they do not, as a clock is printed, numbers do not count.
    """
    known = [_topics_apart(old, new) for old in olds]
    masked = [_topics_apart(without_numbers(old), without_numbers(new)) for old in olds]
    varying = {topic for old in olds[1:] for topic in _topics_apart(olds[0], old)}
    for difference in differences(olds[0], new):
        topic = difference.topic
        if all(topic in topics for topics in (known if topic not in varying else [*known, *masked])):
            yield difference, topic not in varying


def _topics_apart(old: Account, new: Account) -> set[str]:
    return {difference.topic for difference in differences(old, new)}
