"""A project in which tables take the place of the getattr calls all of whose names are seen."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path

from migrate._decision import Decision
from migrate._flattened import Flattened
from migrate._resolved import Resolved
from migrate.evidence.lookups import Lookups
from migrate.evidence.proof import Evidence
from migrate.facts.program import Facts
from migrate.outcome import FileOutcome
from migrate.python.source import Source
from migrate.rules._answers import Change
from migrate.rules.core import names


class Tabled:
    """Which look-ups are tables so far. tables: those that all may be."""

    def __init__(self, sources: Mapping[Path, Source], given: frozenset[Path]) -> None:
        self._flat: frozenset[Path] = frozenset()
        facts = Facts(sources, given)
        self.tables = list(Lookups(facts, sources, changed=settings(facts)).tables())
        self._resolved = Resolved(sources, self.tables)

    @property
    def sources(self) -> dict[Path, Source]:
        """The files of the project, with tables where they are."""
        return self._resolved.sources

    def of(self, flattened: Flattened) -> Evidence:
        """Return no evidence about the files, of which some are flat."""
        self._flat = flattened.paths
        return Evidence()

    def give_up(self, decision: Decision) -> bool:
        """Leave look-ups as they are whose tables would stay old; whether there is one."""
        return bool(self._resolved.give_up(decision, self._flat))

    def restored(self, outcomes: Mapping[Path, FileOutcome]) -> dict[Path, FileOutcome]:
        """Return outcomes in the places of the files as they were."""
        return self._resolved.restored(outcomes)


def settings(facts: Facts) -> frozenset[ast.AST]:
    """Return the look-ups that a rule changes by themselves."""
    computed = (reference for reference in facts.references if reference.texts)
    return frozenset(it.node for it in computed if isinstance(names.answer(it, facts), Change))
