"""A project with the evidence of recorded runs: first the names that they read, then handles and findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from migrate._decision import Decision
from migrate._flattened import Flattened, calls_c
from migrate._resolved import Resolved
from migrate._tabled import settings
from migrate.evidence.accounts import Account
from migrate.evidence.handles import Explained, Handles
from migrate.evidence.lookups import LookUp, Lookups, Table
from migrate.evidence.proof import Evidence, Proofs
from migrate.evidence.proofs import RecordedProofs
from migrate.evidence.runs import Runs
from migrate.facts.libraries import Cause
from migrate.facts.program import Facts
from migrate.outcome import FileOutcome
from migrate.python.scopes import Variable
from migrate.python.source import Source
from migrate.python.values import Token

_Place = tuple[Path, int]


class Evidenced:
    """Which look-ups have become tables so far, and why others have not."""

    def __init__(self, sources: Mapping[Path, Source], given: frozenset[Path], accounts: Sequence[Account]) -> None:
        self._accounts = accounts
        self._flattened: Flattened
        self._data = {path: source.data for path, source in sources.items()}
        facts = Facts(sources, given)
        lookups = Lookups(facts, sources, Runs(accounts, self._data), of_c=_of_c(sources), changed=settings(facts))
        self._resolved = Resolved(sources, list(lookups.tables()))
        self._doubts: dict[_Place, str] = {(path, node.lineno): doubt for (path, node), doubt in lookups.doubts.items()}

    @property
    def sources(self) -> dict[Path, Source]:
        """The files of the project, with tables where they are."""
        return self._resolved.sources

    def of(self, flattened: Flattened) -> Evidence:
        """Return the evidence about the files, of which some are flat: their lines are not those that ran."""
        self._flattened = flattened
        return _Recorded(Runs(self._accounts, self._data, flattened.lines), self._doubts)

    def give_up(self, decision: Decision) -> bool:
        """Leave look-ups as they are whose tables would stay old; whether there is one."""
        gone = self._resolved.give_up(decision, self._flattened.paths)
        self._doubts |= {(table.path, table.node.lineno): self._why(table) for table in gone}
        return bool(gone)

    def _why(self, table: Table) -> str:
        """Return why a table has been given up."""
        cause = self._flattened.causes.get(table.path) if table.of_c else None
        if cause is None:
            return "what it is used with stays old"
        line, elsewhere = getattr(cause.node, "lineno", 1), f" of {cause.path.name}" * (cause.path != table.path)
        return f"with the names that were read there, line {line}{elsewhere} stays old ({cause.code})"

    def restored(self, outcomes: Mapping[Path, FileOutcome]) -> dict[Path, FileOutcome]:
        """Return outcomes in the places of the files as they were."""
        return self._resolved.restored(outcomes)


def _of_c(sources: Mapping[Path, Source]) -> frozenset[LookUp]:
    """Return the look-ups in libraries of C."""
    if not calls_c(sources):
        return frozenset()
    from migrate.bindings.analysis import Analysis  # here: most projects call no C
    from migrate.bindings.looked_up import LookedUp

    return frozenset(LookedUp(Analysis(sources)))


class _Recorded(Evidence):
    """What runs show of a project, and why getattr calls stay, by their lines."""

    def __init__(self, runs: Runs, doubts: Mapping[_Place, str]) -> None:
        self._runs, self._doubts = runs, doubts

    def applied(self, make: Callable[[Mapping[Variable, Sequence[Token]]], Facts]) -> tuple[Facts, Proofs]:
        """Return the facts of a project, with the variables that the runs explain, and what they prove."""
        facts, explained = make({}), Explained()
        while Handles(facts, self._runs).explain(explained):
            facts = make(explained.variables)  # what one variable holds shows what others are given to
        return facts, RecordedProofs(facts, self._runs, explained, self._doubts)

    def explained(self, causes: Mapping[Path, Cause]) -> Mapping[Path, Cause]:
        """Return why files that call C stay as they are, with why the first look-up that stays does."""
        found = dict(causes)
        for (path, line), doubt in sorted(self._doubts.items()):
            if path in found and not found[path].evidence:
                place = "" if f"line {line} " in doubt else f"line {line}: "
                found[path] = found[path]._replace(evidence=f"{place}{doubt}")
        return found
