"""The runs of a verification: every pairing, without faults and with each, as often as is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Protocol

from migrate._progress import Progress
from migrate.verify import meeting
from migrate.verify.account import NOTHING_IGNORED, Account, ran
from migrate.verify.comparison import Difference, differences, without_numbers, without_order
from migrate.verify.endings import as_of_generation_1
from migrate.verify.ignored import Ignored
from migrate.verify.peers import Peer
from migrate.verify.stage import KILLED, Line, Remains
from migrate.verify.trees import Call, Trees
from migrate.verify.verdict import Divergence, Result, Run, Scene

_AGAIN = 2  # more runs of both sides that show whether they repeat themselves
_MOST = 6  # if they do not: until the old one shows what the new one did

# What is compared where it does not: a clock may be printed, and work may go to whoever is free.
_FORMS: tuple[Callable[[Account], Account], ...] = (lambda account: account, without_numbers, without_order)

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

    def run(
        self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None, *, apart: bool = False
    ) -> list[Remains]: ...


@dataclass
class Rounds:
    """Runs what there is to run and keeps what the old program did."""

    stage: Runner
    faults: Sequence[str] = FAULTS
    times: int = 1
    pairings: Sequence[tuple[bool, ...]] = ()  # but that of old ends only; none: all of them
    ignored: Ignored = NOTHING_IGNORED
    progress: Progress = field(default_factory=Progress)
    _runs: int = 0
    _ran: set[tuple[str, int]] = field(default_factory=set)
    _late: set[str] = field(default_factory=set)
    _hangs: bool = False  # the last run of the old program was killed at its deadline
    _stuck: str = ""  # which end of the last run with new ones was
    _last: dict[tuple[bool, ...], list[Line]] = field(default_factory=dict)  # the trace of each pairing's last run
    _coded: list[Divergence] = field(default_factory=list)
    _apart: bool = False  # the old ends have not met, without faults, so that others would not either
    _unmet: list[str] = field(default_factory=list)  # why not, and how ends failed before they had met
    _failed: list[str] = field(default_factory=list)  # how ends failed after that: it may explain why calls never ran
    _compiled: dict[bool, set[str]] = field(default_factory=lambda: {False: set(), True: set()})  # by side

    def result(self) -> Result:
        """Run everything."""
        divergences: list[Divergence] = []
        compared: list[Run] = []
        scenes: list[Scene] = []
        for run, apart in self._comparisons():
            if not scenes or (apart and not divergences):
                scenes.append(Scene(run, self._last[self._all_old], self._last[run.new]))
            divergences += apart
            compared.append(run)
            if self._stuck and any(divergence.is_steady for divergence in apart):
                self._late.add(f"{self._stuck}; nothing more was run")
                break
        trees = self.stage.trees
        calls = self._calls()
        return Result(
            runs=self._runs,
            divergences=tuple(map(self._with_sources, divergences)),
            coded=tuple(map(self._with_sources, self._coded)),
            never_ran=tuple(call for call in calls if not self._has_run(call)),
            stays=tuple(stays for stays in trees.stays if self._is_of_program(stays.path)),
            reasons=tuple(self._reasons(calls)),
            compared=tuple(compared),
            scenes=tuple(scenes),
            migration=trees.migration(self._is_of_program),
            compiled=tuple(sorted(self._compiled[False])),
            peers=tuple(self.stage.peers),
            ignored=tuple(pattern.pattern for pattern in self.ignored.patterns),
        )

    def _comparisons(self) -> Iterator[tuple[Run, list[Divergence]]]:
        """Run every pairing, and yield how it differs from the old program."""
        for repetition, faults in product(range(1, self.times + 1), ("", *self.faults)):
            reference = self._old(faults)
            if self._apart:
                return
            if faults and self._hangs:
                continue  # every run would take its whole time, and the verdict stays open
            for new in self.pairings or self._pairings():
                run = Run(new, faults, repetition)
                yield run, self._compared(run, reference, self._meant(run, reference))

    def _with_sources(self, divergence: Divergence) -> Divergence:
        """Show the lines of the programs, too."""
        place = [peer.name for peer in self.stage.peers].index(divergence.peer)
        old, new = (
            event._replace(source=self.stage.trees.source(event.at, new=side))
            for event, side in (
                (divergence.difference.old, False),
                (divergence.difference.new, divergence.run.new[place]),
            )
        )
        return replace(divergence, difference=divergence.difference._replace(old=old, new=new))

    @property
    def _all_old(self) -> tuple[bool, ...]:
        return (False,) * len(self.stage.peers)

    def _is_of_program(self, path: Path) -> bool:
        """Whether a file of the folder belongs to what is verified: by its imports, or since it ran."""
        return path in self.stage.trees.imported or any(str(path) == name for name, _ in self._ran)

    def _pairings(self) -> list[tuple[bool, ...]]:
        """All ends new first; an end that has one side only stays on it."""
        sides = [(False,) if peer.new is None else (True, False) for peer in self.stage.peers]
        return [new for new in product(*sides) if any(new)]

    def _old(self, faults: str, held: int | None = None, *, apart: bool = False) -> list[Account]:
        run = Run(self._all_old, faults)
        remains = self._run(run, held, apart=apart)
        for left in remains:
            self._ran.update((self.stage.trees.own(name), line) for name, line in ran(left))
        if not faults and held is None and not self._all_have_run():
            self._apart = meeting.are_apart(remains)
            self._unmet = [*meeting.reasons(self.stage.peers, remains)]
            self._failed = [*meeting.failures(self.stage.peers, remains)]
        late = self._killed(remains)
        under = f" (faults: {faults}{'; nothing was compared under them' if held is None else ''})" if faults else ""
        self._late.update(f"the old {name} was {KILLED}{under}" for name in late)
        self._hangs = bool(late)
        return self._accounts(run, remains)

    def _killed(self, remains: Sequence[Remains]) -> list[str]:
        """Return the names of the ends that did not end by themselves."""
        return [peer.name for peer, left in zip(self.stage.peers, remains, strict=True) if left.status == KILLED]

    def _accounts(self, run: Run, remains: Sequence[Remains]) -> list[Account]:
        """Return what each end did. Under faults a program waits, and what comes meanwhile is a matter of time."""
        return [
            Account.of(left, results=peer.shows_results, order=not run.faults, ignored=self.ignored)
            for peer, left in zip(self.stage.peers, remains, strict=True)
        ]

    def _run(self, run: Run, held: int | None = None, *, apart: bool = False) -> list[Remains]:
        self._runs += 1
        self.progress.show(f"run {self._runs}: {run.words}")
        remains = self.stage.run(str(self._runs), run.new, run.faults, held, apart=apart)
        self._last[run.new] = [line for left in remains for line in left.trace]
        for peer, new, left in zip(self.stage.peers, run.new, remains, strict=True):
            self._compiled[new and peer.new is not None].update(left.compiled)
        return remains

    def _meant(self, run: Run, reference: Sequence[Account]) -> list[Account]:
        """Run, and set differences that were meant apart."""
        remains = self._run(run)
        late = self._killed(remains)
        self._stuck = f"{late[0]} was {KILLED} in {run.words}" if late else ""
        found = self._accounts(run, remains)
        for place, peer in enumerate(self.stage.peers):
            if run.new[place] and self.stage.trees.by_hand:
                found[place], coded = as_of_generation_1(reference[place], found[place])
                self._coded += [Divergence(run, peer.name, difference) for difference in coded]
        return found

    def _compared(self, run: Run, reference: list[Account], found: list[Account]) -> list[Divergence]:
        """Compare a run; where it differs, both sides run again, to show whether they repeat themselves there.

        The old ends take turns in being held up, so that a race shows itself. If ends of both sides have run, they had
        a folder each, and did not find each other's files: so have the old ones then.
        """
        apart = len({*run.new}) > 1
        olds, news = [reference], [found]
        left = self._left(run, olds, news)
        while left and len(olds) <= (_AGAIN if all(divergence.is_steady for divergence in left) else _MOST):
            olds.append(self._old(run.faults, held=len(olds) % len(self.stage.peers), apart=apart))
            news.append(self._meant(run, reference))
            left = self._left(run, olds, news)
        return left

    def _left(self, run: Run, olds: Sequence[list[Account]], news: Sequence[list[Account]]) -> list[Divergence]:
        """Return the differences of the first new run that no old one takes away, of whichever end showed one first.

        Orders and files are told where nothing else is certain: they differ by themselves where more or less happens.
        """
        found: list[Divergence] = []
        for place, peer in enumerate(self.stage.peers):
            before, after = ([accounts[place] for accounts in side] for side in (olds, news))
            found += [Divergence(run, peer.name, *difference) for difference in _persistent(before, after)]
        others = [divergence for divergence in found if not divergence.difference.is_minor]
        if any(divergence.is_steady for divergence in others):
            found = others
        return sorted(found, key=lambda divergence: divergence.difference.t)

    def _calls(self) -> list[Call]:
        return [call for call in self.stage.trees.calls if self._is_of_program(call.path)]

    def _all_have_run(self) -> bool:
        return all(map(self._has_run, self._calls()))

    def _has_run(self, call: Call) -> bool:
        lines = range(call.line, call.end_line + 1)
        return any((str(call.path), line) in self._ran for line in lines)

    def _reasons(self, calls: Sequence[Call]) -> Iterator[str]:
        if not calls and all(peer.old.is_python for peer in self.stage.peers):
            if not self.stage.trees.stays:  # whose calls are not looked at
                yield "the old side calls no old API"
        elif not self._compiled[False] and not any(map(self._has_run, calls)):
            yield "the old side made no call of the old API in any run"
        if self._compiled[True]:
            yield f"the new side calls {', '.join(sorted(self._compiled[True]))}"
        yield from self._unmet
        if not self._all_have_run():
            yield from self._failed
        yield from sorted(self._late)


def _persistent(olds: Sequence[Account], news: Sequence[Account]) -> Iterator[tuple[Difference, bool]]:
    """Yield the differences between the first accounts that no other old one takes away, and whether each side agrees
    with itself there.

    Where the old side agrees with itself but for numbers, or but for the order, the new one has to differ from it in
    more than these, and all runs have to agree. So they have to where both did the same, in another order or elsewhere:
    work may go to whoever is free. If they do not in the order of sends and receives, it is a race.
    """
    for difference in differences(olds[0], news[0]):
        topic = difference.topic
        place = _agreeing(topic, olds)
        forms = _FORMS if place is None else _FORMS[: place + 1]
        if all(topic in _topics_apart(form(old), form(news[0])) for form in forms for old in olds):
            steady = forms[-1]
            agree = place is not None and all(topic in _topics_apart(steady(olds[0]), steady(new)) for new in news)
            is_elsewhere = topic not in _topics_apart(without_order(olds[0]), without_order(news[0]))
            is_steady = agree and (len(olds) > _MOST or (place == 0 and not is_elsewhere))
            if agree or not difference.is_minor:
                yield _seen(topic, steady(olds[0]), steady(news[0])) if agree else difference, is_steady


def _seen(topic: str, old: Account, new: Account) -> Difference:
    """Return the difference of a topic, which there is, in the form in which it is certain."""
    return next(difference for difference in differences(old, new) if difference.topic == topic)


def _agreeing(topic: str, olds: Sequence[Account]) -> int | None:
    """Return the number of the first form in which accounts agree on a topic."""
    for number, form in enumerate(_FORMS):
        first, *others = map(form, olds)
        if not any(topic in _topics_apart(first, other) for other in others):
            return number
    return None


def _topics_apart(old: Account, new: Account) -> set[str]:
    return {difference.topic for difference in differences(old, new)}
