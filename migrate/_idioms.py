"""The idioms of a project, as part of its decision: changes that are written anyway become shorter where allowed."""

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
from migrate.rules.idioms._polls import Polls
from migrate.rules.idioms._quiet import Quiet
from migrate.rules.idioms._site import Site
from migrate.text.code import Edits, Template


class Idioms:
    """Joins changes of calls with the statements around them. What turns out to have no room is given up."""

    def __init__(self, facts: Facts, sources: Mapping[Path, Source]) -> None:
        self._facts, self._sources = facts, sources
        self._quiet, self._aftermath = Quiet(facts), Aftermath(facts)
        self._polls = Polls(facts, self._aftermath)
        self._joined: set[Reference] = set()
        self._taken: dict[ast.stmt, Reference] = {}  # statements that joined changes replace
        self._marks: dict[Reference, str] = {}  # what is said of the calls in these, where nothing else is
        self._given_up: set[Reference] = set()
        self._changes: dict[ast.expr, Change] = {}
        self._kept: set[ast.AST] = set()  # what stands around a reference that stays old

    def applied(self, decision: Decision) -> Decision:
        """Return a decision with the changes joined that may be."""
        stays = [reference for reference, verdict in decision.verdicts.items() if not verdict.written]
        self._kept = {node for reference in stays for node in self._facts.names[reference.path].above(reference.node)}
        self._changes = {
            reference.call.node: verdict.change
            for reference, verdict in decision.verdicts.items()
            if reference.call and verdict.written and verdict.change and verdict.level is Level.SAFE
        }
        joined: dict[Reference, Verdict] = {}
        self._taken = {}
        for reference, verdict in decision.verdicts.items():
            found = self._verdict(reference, verdict)
            statements = found.change.edits.statements.keys() if found and found.change else set()
            if found is not None and self._taken.keys().isdisjoint(statements):
                joined[reference] = found
                self._taken |= dict.fromkeys(statements, reference)
        self._tidy(joined)
        self._joined = set(joined)
        verdicts = {reference: self._beside(reference, verdict) for reference, verdict in decision.verdicts.items()}
        return replace(decision, verdicts={**verdicts, **joined})

    def _tidy(self, joined: dict[Reference, Verdict]) -> None:
        """Drop the set-up of pollers in which nothing waits any more."""
        for waits in self._polls.shared():
            owners = [self._taken.get(wait.steps[-1] if wait.steps else wait.statement) for wait in waits]
            owner, verdict = owners[0], joined.get(owners[0]) if owners[0] else None
            if None in owners or owner is None or verdict is None or verdict.change is None:
                continue
            setup = self._site(owner).setup(waits[0])
            edits = verdict.change.edits
            statements = {**edits.statements, **dict.fromkeys(setup, Template(""))}
            joined[owner] = verdict._replace(change=Change(Edits(edits.expressions, statements), verdict.change.code))
            self._taken |= dict.fromkeys(setup, owner)

    def give_up(self, troubled: Iterable[Reference]) -> bool:
        """Leave alone what has been joined and takes some references in; whether there is any."""
        given = set(troubled)
        owners = {owner for reference in given for owner in self._owners(reference)}
        fresh = (owners | (self._joined & given)) - self._given_up
        self._given_up |= fresh
        return bool(fresh)

    def _owners(self, reference: Reference) -> set[Reference]:
        """Return the calls whose joined change takes in the statement of a reference."""
        above = self._facts.names[reference.path].above(reference.node)
        return {self._taken[node] for node in above if isinstance(node, ast.stmt) and node in self._taken}

    def _beside(self, reference: Reference, verdict: Verdict) -> Verdict:
        """Return the verdict of a reference without what another takes in, which is said of it."""
        owners = self._owners(reference)
        if verdict.change is None or not owners:
            return verdict
        marks = {self._marks.get(owner, "") for owner in owners} if reference.call else set()
        code = verdict.code or max(marks, default="")
        edits = verdict.change.edits
        left = {statement: template for statement, template in edits.statements.items() if statement not in self._taken}
        change = Change(Edits(edits.expressions, left), code)
        return verdict._replace(code=code, change=change)

    def _verdict(self, reference: Reference, verdict: Verdict) -> Verdict | None:
        call = reference.call
        if call is None or call.node not in self._changes or reference in self._given_up or self._owners(reference):
            return None
        idioms = load().get(call.function, ()) if self._quiet.is_sequential else ()
        site = self._site(reference)
        for idiom in idioms:
            edits = idiom(site)
            if edits is not None and self._kept.isdisjoint(edits.statements):  # else a name in the loop stays old
                code = verdict.code if idiom.marks_taken and verdict.code else idiom.code
                self._marks[reference] = idiom.code if idiom.marks_taken else ""
                return verdict._replace(code=code, level=Level(CODES[code].level), change=Change(edits, code))
        return None

    def _site(self, reference: Reference) -> Site:
        call = reference.call
        assert call is not None
        change, source = self._changes[call.node], self._sources[reference.path]
        return Site(call, change, self._changes, self._facts, self._quiet, self._aftermath, self._polls, source)
