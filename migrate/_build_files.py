"""Build files, which list the libraries of a program: they change with the program under `--keep-spelling`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from migrate._successors import RULE
from migrate.files import FileError, project_of, read
from migrate.outcome import FileOutcome, Finding, Level, Span
from migrate.successors import words
from migrate.text.pieces import Change, splice

_NAMES = ("pyproject.toml", "setup.cfg", "meson.build")
# Lists of libraries: `libraries = ["doca_cc"]` over several lines, `libraries = doca_cc` with lines that are indented.
_LISTS = re.compile(r"\blibraries\s*[=:]\s*(?:\[[^\]]*\]|[^\n]*(?:\n[ \t]+[^\n]*)*)")
_LIBRARY = re.compile(r"(?<![\w.-])doca_cc(?![\w.-])")


def outcomes(group: Sequence[FileOutcome], paths: Sequence[Path]) -> Iterator[FileOutcome]:
    """Yield what becomes of the build files of a group's projects, where they are below a path that is given."""
    found = [finding for outcome in group for finding in outcome.findings if finding.rule == RULE]
    roots = {project_of(finding.path) for finding in found if not finding.code} - {None}
    for root in sorted(filter(None, roots)):
        for path in (root / name for name in _NAMES):
            if path.is_file() and any(path.is_relative_to(given) for given in paths):
                yield from _of_file(path)


def _of_file(path: Path) -> Iterator[FileOutcome]:
    try:
        old = read(path)
        text = old.decode()
    except (FileError, UnicodeDecodeError):
        return  # a file of another program's, which no linker reads
    changes = sorted(_changes(text))
    if changes:
        findings = tuple(_finding(path, text, change) for change in changes)
        yield FileOutcome(path, old, splice(text, changes).encode(), findings)


def _changes(text: str) -> Iterator[Change]:
    yield from words.changes(text)
    for libraries in _LISTS.finditer(text):
        for match in _LIBRARY.finditer(text, *libraries.span()):
            yield Change(*match.span(), "doca_comch")


def _finding(path: Path, text: str, change: Change) -> Finding:
    line, column = text.count("\n", 0, change.start) + 1, change.start - text.rfind("\n", 0, change.start) - 1
    span = Span(line, column, line, column + change.end - change.start)
    return Finding(RULE, "", Level.SAFE, path, span, text[change.start : change.end], "rewritten", change.text)
