"""The idioms of a project, as part of its decision: what is written anyway becomes shorter where that may be."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from migrate._decision import Decision, Verdict
from migrate.codes import CODES
from migrate.facts.program import Facts, Reference
from migrate.outcome import Level
from migrate.python.source import Source
from migrate.rules._answers import Change
from migrate.rules.idioms import load
from migrate.rules.idioms._aftermath import Aftermath
from migrate.rules.idioms._quiet import Quiet
from migrate.rules.idioms._site import Site
from migrate.text.code import Edits


class Idioms:
    """Joins changes of calls with the statements around them. What turns out to have no room is given up."""

    def __init__(self, facts: Facts, sources: Mapping[Path, Source]) -> None:
        self._facts, self._sources = facts, sources
        self._quiet, self._aftermath = Quiet(facts), Aftermath(facts)
        self._joined: set[Reference] = set()
        self._given_up: set[Reference] = set()
        self._kept: set[ast.AST] = set()  # what stands around a reference that stays old

    def applied(self, decision: Decision) -> Decision:
        """Return a decision with the changes joined that may be."""
        stays = [reference for reference, verdict in decision.verdicts.items() if not verdict.written]
        self._kept = {node for reference in stays for node in self._facts.names[reference.path].above(reference.node)}
        joined: dict[Reference, Verdict] = {}
        taken: set[ast.stmt] = set()
        for reference, verdict in decision.verdicts.items():
            found = self._verdict(reference, verdict)
            statements = found.change.edits.statements.keys() if found and found.change else set()
            if found is not None and taken.isdisjoint(statements):
                joined[reference] = found
                taken |= statements
        self._joined = set(joined)
        verdicts = {reference: _without(verdict, taken) for reference, verdict in decision.verdicts.items()}
        return replace(decision, verdicts={**verdicts, **joined})

    def give_up(self, troubled: Iterable[Reference]) -> bool:
        """Leave those of some references alone that were joined; whether there are any."""
        fresh = self._joined & set(troubled)
        self._given_up |= fresh
        return bool(fresh)

    def _verdict(self, reference: Reference, verdict: Verdict) -> Verdict | None:
        call = reference.call
        idiom = load().get(call.function) if call else None
        if idiom is None or call is None or not verdict.written or verdict.change is None:
            return None
        if verdict.level is not Level.SAFE or reference in self._given_up or not self._quiet.is_sequential:
            return None
        site = Site(call, verdict.change, self._facts, self._quiet, self._aftermath, self._sources[reference.path])
        edits = idiom(site)
        if edits is None or not self._kept.isdisjoint(edits.statements):  # a name in the loop stays old
            return None
        return replace(verdict, code=idiom.code, level=Level(CODES[idiom.code].level), change=Change(edits, idiom.code))


def _without(verdict: Verdict, taken: set[ast.stmt]) -> Verdict:
    """Return a verdict whose change leaves the statements alone that another has taken."""
    edits = verdict.change.edits if verdict.change else Edits()
    if edits.statements.keys().isdisjoint(taken):
        return verdict
    left = {statement: template for statement, template in edits.statements.items() if statement not in taken}
    return replace(verdict, change=Change(Edits(edits.expressions, left), verdict.code))
