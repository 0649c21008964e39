"""Findings that recorded runs settle: one judge per observation that the table of codes names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path

from migrate.codes import CODES, Evidence
from migrate.evidence.accounts import Call
from migrate.evidence.handles import UNKNOWN, Explained, origins_of
from migrate.evidence.proof import Proof
from migrate.evidence.runs import Runs, around
from migrate.facts.forest import last_name
from migrate.facts.program import Facts, Reference
from migrate.old_api.accounts import accounted
from migrate.python.source import Located

_PREFIX = "DOCA_ERROR_"


class RecordedProofs:
    """What runs show of the findings of a project. lookups: why names that are looked up there stay so."""

    def __init__(self, facts: Facts, runs: Runs, explained: Explained, lookups: Mapping[tuple[Path, int], str]) -> None:
        self._facts, self._runs, self._explained, self._lookups = facts, runs, explained, lookups

    def of(self, path: Path, node: ast.AST, code: str, origin: Hashable = None) -> Proof:
        """Return what runs show of a finding: of a handle's origin, or of the place alone."""
        evidence = CODES[code].evidence
        if not evidence.settles:
            return Proof()
        return _JUDGES[evidence.observation](self, path, node, evidence, origin)

    def behind(self, reference: Reference) -> Proof:
        """Return the accounts that show what the handle of a reference is."""
        shown = self._explained.shown.get(reference.node, "")
        return Proof(True, shown, UNKNOWN) if shown else Proof()

    # ------------------------------------------------------------------ judges

    def _names(self, path: Path, node: ast.AST, evidence: Evidence, origin: Hashable) -> Proof:
        return Proof(False, self._lookups.get((path, self._line(path, node)), ""))

    def _handles(self, path: Path, node: ast.AST, evidence: Evidence, origin: Hashable) -> Proof:
        return Proof(False, self._explained.doubts.get(node, ""))

    def _results(self, path: Path, node: ast.AST, evidence: Evidence, origin: Hashable) -> Proof:
        def judge(calls: list[Call]) -> str:
            bad = [result for call in calls for result in call.results if result in evidence.never]
            return f"answered {bad[0].removeprefix(_PREFIX)}" if bad else ""

        return self._at(path, node, judge, f"never {' or '.join(evidence.never).replace(_PREFIX, '')}")

    def _callbacks(self, path: Path, node: ast.AST, evidence: Evidence, origin: Hashable) -> Proof:
        def judge(calls: list[Call]) -> str:
            return "was called by a callback" if any(call.nested for call in calls) else ""

        return self._at(path, node, judge, "never by a callback")

    def _at(self, path: Path, node: ast.AST, judge: Callable[[list[Call]], str], good: str) -> Proof:
        """Judge the calls of a place."""
        if doubt := self._runs.doubt(path):
            return Proof(False, doubt)
        call, accounts = around(node, self._facts.above(node)), self._runs.names(path)
        function = self._facts.calls[call].function if call in self._facts.calls else ""
        line = f"line {self._line(path, node)}"
        if call is None or not function:
            return Proof(False, f"{accounts}: {line} is not a call that an account records")
        if self._is_crowded(path, call):
            return Proof(False, f"{line} has several such calls")
        calls = self._runs.calls(path, call, lambda symbol: symbol == accounted(function))
        if not calls:
            return Proof(False, f"{accounts}: {line} did not run")
        if bad := judge(calls):
            return Proof(False, f"{accounts}: {line} {bad}")
        return Proof(True, f"{accounts}: {_times(calls)}, {good}")

    def _is_crowded(self, path: Path, call: ast.Call) -> bool:
        lines, names = self._runs.lines(path, call), self._facts.names[path]
        alike = (node for node in self._facts.calls if last_name(node.func) == last_name(call.func))
        others = (node for node in alike if node is not call and node in names.parents)
        return any(self._runs.lines(path, node)[0] in lines for node in others)

    def _line(self, path: Path, node: ast.AST) -> int:
        """Return the line where a place was in the text that ran."""
        return self._runs.lines(path, node)[0] if isinstance(node, Located) else 1

    def _uses(self, path: Path, node: ast.AST, evidence: Evidence, origin: Hashable) -> Proof:
        """Judge where the handles of an origin went: every call on them was one that the analysis has of them."""
        if not isinstance(origin, ast.Call):
            return Proof()
        home = next(path for path, names in self._facts.names.items() if origin in names.parents)
        if doubt := self._runs.doubt(home):
            return Proof(False, doubt)
        accounts, uses = self._runs.names(home), list[Call]()
        for call in self._runs.all_calls():
            for given in call.given:
                made = origins_of(self._facts, self._runs, given.made)
                if origin not in made:
                    continue
                uses.append(call)
                if not self._is_known(call, made):
                    where = f"line {call.site.line} of {self._runs.file(call.site.digest)}"
                    return Proof(False, f"{accounts}: {where} used it, which migrate does not follow")
        made_at = f"line {self._line(home, origin)}{'' if home == path else f' of {home.name}'}"
        if not uses:
            return Proof(False, f"{accounts}: nothing used what {made_at} makes")
        return Proof(True, f"{accounts}: {_times(uses)} on what {made_at} makes, all in these files")

    def _is_known(self, call: Call, made: list[Hashable]) -> bool:
        """Whether the analysis has a call of a run as one on handles that one of some calls made."""
        for node, origins in self._facts.sites(call.site.symbol).items():
            if not origins.isdisjoint(made) and isinstance(node, ast.Call):
                homes = (path for path in self._runs.files(call.site.digest) if node in self._facts.names[path].parents)
                if any(call.site.line in self._runs.lines(path, node) for path in homes):
                    return True
        return False


def _times(calls: list[Call]) -> str:
    count = sum(call.count for call in calls)
    return f"{count} call{'' if count == 1 else 's'}"


_JUDGES: Mapping[str, Callable[[RecordedProofs, Path, ast.AST, Evidence, Hashable], Proof]] = {
    "names": RecordedProofs._names,
    "handles": RecordedProofs._handles,
    "results": RecordedProofs._results,
    "callbacks": RecordedProofs._callbacks,
    "uses": RecordedProofs._uses,
}
