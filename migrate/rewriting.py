"""A project on its way: sources, facts, answers, decision, text, check: each a pure step, nothing read or written."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from migrate._collector import deep_stack, paused_collector
from migrate._decision import READS_SOURCE, UNCHECKED, Cause, Decision, decide
from migrate._file_text import FileText
from migrate._findings import Findings
from migrate._flattened import Flattened
from migrate._pragmas import Pragmas
from migrate._reexports import Reexports
from migrate._together import Together
from migrate.codes import CODES
from migrate.evidence.proof import Evidence
from migrate.facts.libraries import Cause as CauseOfC
from migrate.facts.program import Facts, Reference
from migrate.old_api.calls import Call
from migrate.outcome import FileOutcome, Level, Options
from migrate.python.listing import listed
from migrate.python.source import Source, Unreadable
from migrate.python.values import Unsettled
from migrate.rules._answers import Answer, Refusal, is_same
from migrate.rules._equal import by_value
from migrate.rules._own_names import spelled_out
from migrate.rules._registry import load
from migrate.rules._taken import taken_from
from migrate.rules._uncalled import called_value
from migrate.rules.core import names as name_rules
from migrate.text.check import complaints

if TYPE_CHECKING:
    from migrate._evidenced import Evidenced
    from migrate._idioms import Idioms
    from migrate._tabled import Tabled

UNSETTLED = "CCM008"
UNREADABLE, NO_RULE, SEVERAL_KINDS, NOT_GIVEN, ORDER = "CCM001", "CCM022", "CCM036", "CCM049", "CCM070"
LOOKED_UP = "CCM005"
_NOTHING: Mapping[Path, bytes] = MappingProxyType({})


def rewrite(source: bytes, path: Path | str = "program.py", options: Options | None = None) -> FileOutcome:
    """Rewrite one file that stands for itself."""
    return rewrite_project({Path(path): source}, options=options)[0]


@deep_stack()
@paused_collector()
def rewrite_project(
    files: Mapping[Path, bytes], *, context: Mapping[Path, bytes] = _NOTHING, options: Options | None = None
) -> list[FileOutcome]:
    """Rewrite files that belong together; `context` are others of their tree, which are read but never changed."""
    sources: dict[Path, Source] = {}
    outcomes: dict[Path, FileOutcome] = {}
    for path, data in sorted({**context, **files}.items()):
        try:
            sources[path] = Source(data)
        except Unreadable as error:
            outcomes[path] = FileOutcome(path, data, data, skipped=UNREADABLE, reason=str(error))
    options, given = options or Options(), frozenset(files)
    try:
        if options.keep_spelling:
            from migrate import _successors  # here: it is seldom asked for

            outcomes |= (kept := _successors.outcomes(sources, given))
            sources = {path: source for path, source in sources.items() if path not in kept}
            given = given.intersection(sources)
        if options.mode == "shim":
            outcomes |= _redirected(sources, given)
        else:
            outcomes |= (_by_evidence if options.evidence else _rewritten)(sources, given, options)
    except (Unsettled, RecursionError):
        outcomes |= {
            path: FileOutcome(path, files[path], files[path], skipped=UNSETTLED) for path in given & sources.keys()
        }
    return [outcomes[path] for path in sorted(files)]


def _rewritten(sources: Mapping[Path, Source], given: frozenset[Path], options: Options) -> dict[Path, FileOutcome]:
    """Rewrite readable files."""
    outcomes, decision = _decided(sources, given, options, lambda flat: Evidence())
    if all(cause.code != LOOKED_UP for cause in decision.causes):
        return outcomes
    from migrate._tabled import Tabled  # here: few programs look names up

    tabled = Tabled(sources, given)
    return _in_tables(tabled, given, options) if tabled.tables else outcomes


def _by_evidence(sources: Mapping[Path, Source], given: frozenset[Path], options: Options) -> dict[Path, FileOutcome]:
    """Rewrite readable files with what runs showed, so far as it lets something change."""
    from migrate._evidenced import Evidenced  # here: it is seldom asked for

    return _in_tables(Evidenced(sources, given, options.evidence), given, options)


def _in_tables(tabled: Tabled | Evidenced, given: frozenset[Path], options: Options) -> dict[Path, FileOutcome]:
    """Rewrite files with tables in the place of look-ups, where all of a table changes."""
    while True:
        outcomes, decision = _decided(tabled.sources, given, options, tabled.of)
        if not tabled.give_up(decision):
            return tabled.restored(outcomes)


def _decided(
    sources: Mapping[Path, Source],
    given: frozenset[Path],
    options: Options,
    evidence: Callable[[Flattened], Evidence],
) -> tuple[dict[Path, FileOutcome], Decision]:
    """Rewrite those files that call C as the flat files they stand for, where nothing of these stays old."""
    flattened = Flattened(sources, given, options)
    while True:
        project = _Project(flattened.sources, given, options, flattened.causes, evidence(flattened), flattened.paths)
        outcomes, decision = project.outcomes()
        if not flattened.give_up(decision):
            return flattened.restored(outcomes), decision


class _Project:
    """The readable files of a project. What turns out to have no room in the text is refused, and decided anew."""

    def __init__(
        self,
        sources: Mapping[Path, Source],
        given: frozenset[Path],
        options: Options,
        causes: Mapping[Path, CauseOfC],
        evidence: Evidence,
        of_c: frozenset[Path],
    ) -> None:
        self.sources, self.given, self.options = sources, given, options
        self.facts, self.proofs = evidence.applied(
            lambda seen: Facts(sources, given, causes=evidence.explained(causes), seen=seen, of_c=of_c)
        )
        self.project = self.facts.project
        self.names = {path: self.project.names(path) for path in sources}
        self.pragmas = Pragmas(sources, self.names)
        self.references = self.facts.references
        self.idioms = _idioms(self.facts, sources) if options.idioms else None
        self.reexports = Reexports(self.facts, given, options.public)
        self._pin_imports()
        self.together = Together(self.names, self.reexports.old)
        self.answers = {
            reference: self._answer(reference)
            for reference in self.references
            if not isinstance(reference.node, ast.alias) or reference.code
        }

    def outcomes(self) -> tuple[dict[Path, FileOutcome], Decision]:
        """Return the outcome of every given file, and what was decided."""
        refused: dict[Reference, str] = {}
        while True:
            decision = self._decide(refused)
            texts = self._texts(decision)
            silent = {cause for cause in decision.causes if self._is_silent(cause)}
            new = {path: self._new(path, text, decision, silent) for path, text in texts.items()}
            troubles = {
                reference: code
                for path, text in texts.items()
                for reference, code in (text.refused() or self._unchecked(path, text, new[path])).items()
                if reference not in refused
            }
            if not troubles:
                break
            if self.idioms and self.idioms.give_up(troubles):
                continue
            unchecked = {reference.path for reference, code in troubles.items() if code == UNCHECKED}
            joined = {path for path in unchecked if self.together.join(path, texts[path].verdicts)}
            refused |= {reference: code for reference, code in troubles.items() if reference.path not in joined}
        findings = Findings(self.sources, decision, self.pragmas, silent)
        outcomes = {
            path: FileOutcome(path, self.sources[path].data, new[path], findings.of(path, text))
            for path, text in texts.items()
        }
        return outcomes, decision

    # ------------------------------------------------------------------ answers

    def _pin_imports(self) -> None:
        """Keep the imports that pragmas cover; new ones come beside them."""
        for path, old in self.reexports.old.items():
            for alias, brought in list(old.items()):
                if self.pragmas.refusal(path, alias, ""):
                    old[alias] = replace(brought, stays=True)

    def _answer(self, reference: Reference) -> Answer:
        """Return what a rule makes of a reference, or why it stays."""
        answer = spelled_out(self._by_rule(reference), self.facts)
        code = self.pragmas.refusal(reference.path, reference.node, answer.code)
        return Refusal(code) if code else answer

    def _by_rule(self, reference: Reference) -> Answer:
        if reference.code:
            return Refusal(reference.code)
        if reference.path not in self.given:
            return Refusal(NOT_GIVEN)
        if reference.path in self.facts.source_readers:
            return Refusal(READS_SOURCE)
        if reference.call is None:
            return self._taken(reference, name_rules.answer(reference, self.facts))
        answer = self._of_call(reference, reference.call)
        others = (self._of_call(reference, call) for call in reference.alike)
        are_same = all(is_same(answer, other) for other in others)
        return self._taken(reference, answer if are_same else Refusal(SEVERAL_KINDS))

    def _of_call(self, reference: Reference, call: Call) -> Answer:
        """Return what a rule makes of a call."""
        rule = load().get(call.function)
        answer = rule(call, self.facts) if rule else Refusal(NO_RULE)
        ordered = isinstance(answer, Refusal) and answer.code == ORDER
        return called_value(reference, call, self.facts) if ordered else answer

    def _taken(self, reference: Reference, answer: Answer) -> Answer:
        module = reference.module
        taken = answer if module is None or module is reference.node else taken_from(answer, module)
        return by_value(taken, self.facts.identity(reference))

    def _decide(self, refused: Mapping[Reference, str]) -> Decision:
        answers = {**self.answers, **{reference: Refusal(code) for reference, code in refused.items()}}
        unsafe, together = self.options.unsafe, self.together.of
        decision = decide(self.facts, answers, self.names, level, unsafe, self.proofs, together)
        return self.idioms.applied(decision) if self.idioms else decision

    def _is_silent(self, cause: Cause) -> bool:
        """Whether a pragma asks for no word about a cause; what stays old because of it is reported all the same."""
        return bool(self.pragmas.refusal(cause.path, cause.node, cause.code))

    # ------------------------------------------------------------------ texts

    def _texts(self, decision: Decision) -> dict[Path, FileText]:
        """Plan the text of every given file; what they import from each other stays or changes in all of them."""
        verdicts = {path: {} for path in self.sources}  # type: ignore[var-annotated]
        for reference, verdict in decision.verdicts.items():
            verdicts[reference.path][reference] = verdict
        stays = {
            path: {reference.node for reference, verdict in found.items() if not verdict.written}
            for path, found in verdicts.items()
        }
        holds_module = any(
            reference.module is not None and not verdict.written for reference, verdict in decision.verdicts.items()
        )
        for reference in self.facts.other_references:
            stays[reference.path].add(reference.node)
        dropped: set[ast.alias] = set()
        lost: dict[Path, set[str]] = {path: set() for path in self.reexports.internal}
        while True:
            exported = self.reexports.settle(stays, dropped)
            texts = {
                path: FileText(
                    self.sources[path], self.names[path], verdicts[path], self.reexports.old[path], exported[path],
                    self.options.width, holds_module, path in lost, lost.get(path, set()),
                    self.reexports.clashes.get(path, set()),
                )
                for path in sorted(self.given & self.sources.keys())
            }  # fmt: skip
            gone = {alias for text in texts.values() for alias in text.imports.dropped()}
            now = {path: self._lost(path, texts) for path in lost if self.project.stars(path)}
            if gone <= dropped and all(names <= lost[path] for path, names in now.items()):
                return texts
            dropped |= gone
            for path, names in now.items():
                lost[path] |= names

    def _lost(self, path: Path, texts: Mapping[Path, FileText]) -> set[str]:
        """The names in `__all__` of a file that all files lose which it has them from by star imports."""
        origins = {name: self.reexports.origins((path, name)) for name in listed(self.names[path])}
        return {
            name
            for name, keys in origins.items()
            if keys and all(home in texts and texts[home].imports.loses(name) for home, _ in keys)
        }

    def _new(self, path: Path, text: FileText, decision: Decision, silent: set[Cause]) -> bytes:
        shown = (cause for cause in decision.causes if cause.level in (Level.NEEDS_EVIDENCE, Level.MANUAL))
        causes = [cause for cause in shown if cause.path == path and cause not in silent]
        return text.new(self.pragmas.comments[path], causes)

    def _unchecked(self, path: Path, text: FileText, new: bytes) -> dict[Reference, str]:
        """Refuse everything in a file whose new text does not pass its check."""
        if not text.by_edit and not text.imports.statements:
            return {}
        try:
            made = Source(new)
        except Unreadable:
            return dict.fromkeys(text.verdicts, UNCHECKED)
        failed = complaints(
            self.sources[path],
            made,
            stars=self.facts.vocabulary.stars,
            wanted=frozenset(text.exported),
            assured=text.imports.assured(),
            brought=self.facts.project.brought(path),
        )
        return dict.fromkeys(text.verdicts, UNCHECKED) if failed else {}


def _idioms(facts: Facts, sources: Mapping[Path, Source]) -> Idioms:
    """Load the idioms, which nothing else asks for."""
    from migrate._idioms import Idioms

    return Idioms(facts, sources)


def _redirected(sources: Mapping[Path, Source], given: frozenset[Path]) -> dict[Path, FileOutcome]:
    """Load mode shim, which nothing else asks for."""
    from migrate import _shim

    return _shim.outcomes(sources, given)


def level(code: str) -> Level:
    """Return how sure a change with a code is, or why there is none."""
    return Level(CODES[code].level)
