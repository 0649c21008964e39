"""One run of the command: the files that it reads, what becomes of them, and the report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from migrate import _project
from migrate._options import Settings
from migrate._output import OutputError, complain, document, put, rendered
from migrate._progress import Progress
from migrate.codes import CODES
from migrate.outcome import FileOutcome
from migrate.report import text
from migrate.report.run import Exit, Problem, Run, counted
from migrate.report.text import Line

if TYPE_CHECKING:
    from migrate._jobs import Fault


class Command:
    """One run over some files."""

    def __init__(self, settings: Settings, written: set[Path]) -> None:
        self.settings = settings
        self.written = written
        self.progress = Progress()
        self.problems: list[Problem] = []
        # A program from standard input goes to standard output, unless something else is asked for there.
        self.stdin: tuple[Path, bytes] | None = None
        self.is_filter = not settings.paths and settings.action in ("report", "write") and settings.format == "text"

    def run(self) -> int:
        """Rewrite, write, and only then print, so that a closed pipe never leaves half a project."""
        run = self.look()
        complain(text.problems(run))
        try:
            self._print(run)
        except OutputError as error:
            complain([Line(str(error), "red")])
            return run.status | Exit.FILES
        return run.status

    def look(self) -> Run:
        """Read, rewrite and write; return what to report."""
        try:
            groups = self._rewritten(self._load())
        finally:
            self.progress.clear()
        if self.is_filter:
            self.written.update(outcome.path for outcomes in groups for outcome in outcomes)
        elif self.settings.action == "write":
            from migrate._writing import write

            for outcomes in groups:
                self.problems += write(outcomes, self.written)
        outcomes = sorted((outcome for group in groups for outcome in group), key=lambda outcome: outcome.path)
        self.problems += filter(None, map(_skip, outcomes))
        self.problems.sort(key=lambda problem: (problem.path, problem.message))
        return Run(Path.cwd(), outcomes, self.problems, frozenset(self.written))

    def _load(self) -> list[_project.Group]:
        if not self.settings.paths:
            self.stdin = Path.cwd() / "<stdin>", sys.stdin.buffer.read()
            return [_project.Group(dict([self.stdin]), {})]
        project = _project.load(
            self.settings.paths,
            self.settings.excluded,
            ignore=self.settings.ignore,
            progress=lambda number: self.progress.show(f"{number} files read"),
        )
        self.problems += [Problem(error.path, error.message) for error in project.errors]
        self.problems += [Problem(error.path, error.message, Exit.CLEAN) for error in project.warnings]
        return project.groups

    def _rewritten(self, groups: Sequence[_project.Group]) -> list[list[FileOutcome]]:
        if not groups:
            return []
        from migrate import _jobs  # here: what has nothing old needs no processes

        results: dict[int, list[FileOutcome]] = {}
        for index, result in _jobs.run(groups, self.settings.rewriting, self.settings.jobs):
            if isinstance(result, _jobs.Fault):
                self.problems += _fault(groups[index], result)
                result = []
            results[index] = result
            self.progress.show(f"{len(results)} of {counted(len(groups), 'group')} of files analysed")
        ordered = [results[index] for index in range(len(groups))]
        return [[*group, *self._build_files(group)] for group in ordered]

    def _build_files(self, group: Sequence[FileOutcome]) -> list[FileOutcome]:
        """Return the build files of a program that still calls C: they change with it."""
        if not self.settings.rewriting.keep_spelling:
            return []
        from migrate import _build_files  # here: it is seldom asked for

        return [*_build_files.outcomes(group, self.settings.paths)]

    def _print(self, run: Run) -> None:
        for form, path in self.settings.reports:
            put(document(run, form), path)
        report = rendered(run, self.settings)
        if self.stdin and self.is_filter:
            put(next((outcome.new for outcome in run.outcomes), self.stdin[1]))
            if self.settings.output is None:
                complain(text.lines(run))
                return
        put(report, self.settings.output)
        if self.settings.output is not None and not self.is_filter:
            put(f"{run.summary()}\n".encode())


def _fault(group: _project.Group, fault: Fault) -> list[Problem]:
    """One problem per file of a group that migrate failed on; the first holds what there is to report."""
    message = f"internal error, nothing was changed. Please report it:\n{fault.text}"
    first, *others = group.files
    same = f"internal error, see {first.name}; nothing was changed"
    return [Problem(first, message, Exit.INTERNAL), *(Problem(path, same, Exit.INTERNAL) for path in others)]


def _skip(outcome: FileOutcome) -> Problem | None:
    if not outcome.skipped:
        return None
    reason = f" ({outcome.reason})" if outcome.reason else ""
    bit = Exit.INTERNAL if outcome.skipped == "CCM046" else Exit.FILES
    return Problem(outcome.path, f"{outcome.skipped}: {CODES[outcome.skipped].title}{reason}", bit)
