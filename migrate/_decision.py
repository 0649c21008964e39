"""The decision: which references change, a pure function of the facts and the rules' answers.

What flows together changes together or stays together: the calls that share a handle's origin are one component, and
one cause keeps all of it old. Names that are not called (constants, classes, texts) are independent, as they are equal
in both libraries, but stay where the code around them stays.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from migrate.evidence.proof import NO_PROOFS, Proof, Proofs
from migrate.facts.module_values import MODULE_VALUE
from migrate.facts.program import Facts, Reference
from migrate.outcome import Level
from migrate.python.scopes import Names
from migrate.rules._answers import Answer, Change

UNCHECKED = "CCM046"  # a file whose new text did not pass its check
READS_SOURCE = "CCM084"  # a file that reads its own source
FLOW = "CCM030"  # belongs to handles that stay old
AROUND = "CCM003"  # the code around stays old
_UNITS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Cause:
    """A place that keeps references old, or (level: safe) one to know of."""

    path: Path
    node: ast.AST
    code: str
    level: Level
    evidence: str = ""  # what runs showed of it, or why they do not count

    @property
    def place(self) -> tuple[str, int, int, str]:
        """Where it stands, to sort by."""
        return str(self.path), getattr(self.node, "lineno", 0), getattr(self.node, "col_offset", 0), self.code


class Verdict(NamedTuple):
    """What becomes of a reference: a change that is written, or a code with the cause; itself a cause without one."""

    code: str
    level: Level
    change: Change | None = None
    written: bool = False
    cause: Cause | None = None  # of a reference that stays
    evidence: str = ""  # what runs showed, for a change that depends on it


@dataclass(frozen=True)
class Decision:
    """verdicts: of every reference but the imports. causes: in the order of the text, those without a reference too."""

    verdicts: Mapping[Reference, Verdict]
    causes: tuple[Cause, ...]


def decide(
    facts: Facts,
    answers: Mapping[Reference, Answer],
    files: Mapping[Path, Names],
    level_of: Callable[[str], Level],
    unsafe: bool,
    proofs: Proofs = NO_PROOFS,
    together: Mapping[Reference, Sequence[Hashable]] = MappingProxyType({}),
) -> Decision:
    """Decide on every reference that has an answer. together: what joins references, beside their handles."""
    return _Deciding(facts, answers, files, level_of, unsafe, proofs, together).decision()


class _Deciding:
    def __init__(
        self,
        facts: Facts,
        answers: Mapping[Reference, Answer],
        files: Mapping[Path, Names],
        level_of: Callable[[str], Level],
        unsafe: bool,
        proofs: Proofs,
        together: Mapping[Reference, Sequence[Hashable]],
    ) -> None:
        self.facts, self.answers, self.files = facts, answers, files
        self.level_of, self.unsafe, self.proofs = level_of, unsafe, proofs
        self.proved: dict[Reference, str] = {}
        own = {reference: _origins(reference, facts) for reference in answers}
        self.of_handles = {reference for reference, origins in own.items() if origins}
        self.origins = {reference: (*origins, *together.get(reference, ())) for reference, origins in own.items()}
        self.groups = _Groups(self.origins.values())
        self.failed: dict[Path, Cause] = {}
        self.shared: dict[ast.AST, Cause] = {}
        self.own = {reference: cause for reference in answers if (cause := self._own_cause(reference))}
        self.obstacles: list[Cause] = []
        self.by_group: dict[Hashable, list[Cause]] = {}
        self.at: dict[ast.AST, Cause] = {}  # the obstacles, by their places
        self.verdicts: dict[Reference, Verdict] = {}

    def decision(self) -> Decision:
        self._collect()
        for reference in self.answers:
            if self.origins[reference]:
                self.verdicts[reference] = self._of_flow(reference)
        around = _Around(self.files, self.verdicts)
        for reference in self.answers:
            if not self.origins[reference]:
                self.verdicts[reference] = self._of_name(reference, around)
        shown = {verdict.cause for verdict in self.verdicts.values()} | set(self.obstacles)
        return Decision(self.verdicts, tuple(sorted(filter(None, shown), key=lambda cause: cause.place)))

    def _own_cause(self, reference: Reference) -> Cause | None:
        """Return the cause of a reference's own answer, if that keeps something old."""
        answer = self.answers[reference]
        if not answer.code:
            return None
        shared = reference.opened or reference.replaced  # one cause for all that names the library, or what is replaced
        if shared is not None and answer.code == reference.code:
            path, node, evidence = shared
            return self.shared.setdefault(node, Cause(path, node, answer.code, self.level_of(answer.code), evidence))
        if answer.code in (UNCHECKED, READS_SOURCE):  # one cause for the whole file
            cause = Cause(reference.path, reference.node, answer.code, Level.MANUAL)
            return self.failed.setdefault(reference.path, cause)
        level = self.level_of(answer.code) if isinstance(answer, Change) else Level.MANUAL
        if level is Level.SAFE or (self.unsafe and level is Level.NEEDS_EVIDENCE):
            return None
        proof = self.proofs.of(reference.path, reference.node, answer.code)
        if proof.counts and isinstance(answer, Change):
            self.proved[reference] = proof.text
            return None
        return Cause(reference.path, reference.node, answer.code, level, proof.text)

    def _collect(self) -> None:
        """Collect the causes of every group."""
        for reference, cause in self.own.items():
            for origin in list(self.origins[reference])[:1]:
                self.by_group.setdefault(self.groups.root(origin), []).append(cause)
        seen: dict[tuple[ast.AST, str, bool], Cause] = {}
        for origin in self.groups.members():
            for obstacle in self.facts.obstacles(origin):
                level = self.level_of(obstacle.code)
                if self.unsafe and level is Level.NEEDS_EVIDENCE:
                    continue
                proof = self.proofs.of(obstacle.path, obstacle.node, obstacle.code, origin)
                level = Level.EVIDENCE if proof.counts else level
                made = Cause(obstacle.path, obstacle.node, obstacle.code, level, proof.text)
                cause = seen.setdefault((obstacle.node, obstacle.code, proof.counts), made)
                if level in (Level.SAFE, Level.EVIDENCE):
                    continue  # a note, which keeps nothing
                self.by_group.setdefault(self.groups.root(origin), []).append(cause)
                self.at.setdefault(obstacle.node, cause)
        self.obstacles = list(seen.values())
        for causes in self.by_group.values():
            causes.sort(key=lambda cause: (cause.level is not Level.MANUAL, cause.place))

    def _of_flow(self, reference: Reference) -> Verdict:
        """Judge a reference that handles go through."""
        answer, own = self.answers[reference], self.own.get(reference)
        if own is not None:
            return Verdict(own.code, own.level, _change(answer), cause=own)
        causes = self.by_group.get(self.groups.root(next(iter(self.origins[reference]))))
        if causes:
            cause = self.at.get(reference.node, causes[0])
            code = FLOW if reference in self.of_handles else AROUND
            return Verdict(code, cause.level, _change(answer), cause=cause)
        return self._written(reference)

    def _of_name(self, reference: Reference, around: _Around) -> Verdict:
        """Judge a reference that stands for itself."""
        answer, own = self.answers[reference], self.own.get(reference)
        kept = around.kept(reference)
        if kept is not None and (own is None or around.is_argument(reference)):
            return Verdict(AROUND, kept.level, _change(answer), cause=kept)
        if own is not None:
            return Verdict(own.code, own.level, _change(answer), cause=own)
        return self._written(reference)

    def _written(self, reference: Reference) -> Verdict:
        answer = self.answers[reference]
        shown = Proof(True, self.proved[reference]) if reference in self.proved else self.proofs.behind(reference)
        level = Level.EVIDENCE if shown.counts else self.level_of(answer.code) if answer.code else Level.SAFE
        return Verdict(answer.code or shown.code, level, _change(answer), written=True, evidence=shown.text)


class _Around:
    """Finds what keeps a name old: a call on its line, or all calls of its function, class or file."""

    def __init__(self, files: Mapping[Path, Names], verdicts: Mapping[Reference, Verdict]) -> None:
        self.files = files
        self._statements: dict[ast.AST, Cause] = {}
        self._calls: dict[ast.AST, Cause] = {}
        self._units: dict[ast.AST, Cause] = {}
        moved: set[ast.AST] = set()
        if all(verdict.cause is None for verdict in verdicts.values()):
            return  # everything changes
        for reference, verdict in verdicts.items():
            units = {self._unit(reference), files[reference.path].tree}
            if verdict.cause is None:
                moved |= units
                continue
            self._statements.setdefault(files[reference.path].statement(reference.node), verdict.cause)
            for unit in units:
                self._units.setdefault(unit, verdict.cause)
            if reference.call:
                self._calls[reference.call.node] = verdict.cause
        self._units = {unit: cause for unit, cause in self._units.items() if unit not in moved}

    def kept(self, reference: Reference) -> Cause | None:
        """Return the cause that keeps the code around a name old."""
        if not self._statements:
            return None
        names = self.files[reference.path]
        places = (self._unit(reference), names.tree)
        here = self._statements.get(names.statement(reference.node))
        return here or next((self._units[place] for place in places if place in self._units), None)

    def is_argument(self, reference: Reference) -> bool:
        """Whether a name stands in an argument of a call that stays."""
        return any(above in self._calls for above in self.files[reference.path].above(reference.node))

    def _unit(self, reference: Reference) -> ast.AST:
        names = self.files[reference.path]
        unit: ast.AST = names.tree
        for above in names.above(reference.node):
            if isinstance(above, _UNITS):
                unit = above
        return unit


class _Groups:
    """Origins that change together: those of one call are one group."""

    def __init__(self, sets: Iterable[Iterable[Hashable]]) -> None:
        self._parent: dict[Hashable, Hashable] = {}
        for origins in sets:
            first = None
            for origin in origins:
                self._parent.setdefault(origin, origin)
                first = self.root(origin) if first is None else first
                self._parent[self.root(origin)] = self.root(first)

    def root(self, origin: Hashable) -> Hashable:
        """Return the origin that stands for a group."""
        while self._parent[origin] != origin:
            self._parent[origin] = origin = self._parent[self._parent[origin]]
        return origin

    def members(self) -> list[Hashable]:
        """Return every origin."""
        return list(self._parent)


def _origins(reference: Reference, facts: Facts) -> tuple[Hashable, ...]:
    """Return the origins of the handles that a reference has to do with."""
    found: dict[Hashable, None] = dict.fromkeys(reference.origins)
    found |= dict.fromkeys(facts.flagged_with(reference))
    if reference.module is not None:
        found[MODULE_VALUE] = None
    call = reference.call
    if call is not None:
        for argument in [*call.arguments.values(), *(_given(call.node) if call.problem else ())]:
            found |= dict.fromkeys(facts.handles(argument))
        found |= dict.fromkeys(facts.handles(call.node))
        if any(name in call.signature.kinds for name in call.results) and not found:
            found[call.node] = None
    elif reference.code and isinstance(reference.node, ast.Attribute | ast.Name):
        above = facts.parent(reference.node)  # what is given to a call that stays has to stay as well
        if isinstance(above, ast.Call) and above.func is reference.node:
            for argument in _given(above):
                found |= dict.fromkeys(facts.handles(argument))
    return tuple(found)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _change(answer: Answer) -> Change | None:
    return answer if isinstance(answer, Change) else None
