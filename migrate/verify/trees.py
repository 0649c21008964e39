"""The two sides of a verification on disk: the program as it is and migrated, and where it calls the old API."""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from migrate import _prefilter, _project
from migrate._ignore import Ignored
from migrate.files import find, read
from migrate.old_api._tables import STRUCTS
from migrate.outcome import FileOutcome, Options
from migrate.report.run import Run, stays
from migrate.rewriting import rewrite_project

_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "venv", "node_modules")

# No calls that have to run: texts of result codes, since what calls these has met one, and does no more; other types of
# a pointer, which C libraries give themselves; ctypes' own types.
_ASIDE = re.compile(r"(doca_error_|code_name|describe).*|.*_as_(ctx|task)|c_\w+")


class Call(NamedTuple):
    """A call of the old API: a file, relative to the program's folder, and the lines that the call takes."""

    path: Path
    line: int
    end_line: int
    name: str


class Stays(NamedTuple):
    """What migrate leaves old, and the code of the page about it."""

    path: Path
    line: int
    code: str
    message: str


@dataclass(frozen=True)
class Trees:
    """Both sides, as copies. `calls` are those of the old side, `stays` what the new side still has of them.

    `imported` are the scripts and what they import, as far as that can be read; others may be loaded in other ways.
    `by_hand`: the new side is written by hand, and may have modernised endings. `calls_c`: the new side may call
    doca_comch through cffi or ctypes, which the launcher finds.
    """

    old: Path
    new: Path
    calls: tuple[Call, ...]
    stays: tuple[Stays, ...]
    imported: frozenset[Path]
    outcomes: tuple[FileOutcome, ...] = ()  # the files of the new side, and what they were

    by_hand: bool = False
    calls_c: bool = False

    def migration(self, is_of_program: Callable[[Path], bool]) -> Run:
        """What became of the program, for a report: of its files alone, others may lie beside them."""
        outcomes = (outcome for outcome in self.outcomes if is_of_program(outcome.path.relative_to(self.new)))
        return Run(self.new, tuple(outcomes))

    @property
    def needs_launcher(self) -> bool:
        """Whether the new side runs under the launcher, too."""
        return self.calls_c or bool(self.stays)

    def folder(self, *, new: bool) -> Path:
        """Return the copy of a side."""
        return self.new if new else self.old

    def own(self, name: str) -> str:
        """Return the path of a file of the old side, which may be named by way of links."""
        return os.path.relpath(os.path.realpath(self.old / name), self.old)

    def source(self, place: str, *, new: bool) -> str:
        """Return what stands at `file:line` of a side; "" where that is not a line of the program."""
        name, _, number = place.rpartition(":")
        path = self.folder(new=new) / name
        if not name or not path.is_file():
            return ""
        lines = path.read_text("utf-8", "replace").split("\n")
        return lines[int(number) - 1].strip() if int(number) <= len(lines) else ""


def migrated(
    root: Path, scripts: Collection[Path], into: Path, options: Options, excluded: Sequence[Ignored] = ()
) -> Trees:
    """Copy a program's folder twice and migrate the second copy, but for files other than scripts that are excluded."""
    old, new = _copied(root, into / "old"), _copied(root, into / "new")

    def is_migrated(path: Path) -> bool:  # a file that is named is, as by the command
        return path in scripts or not _project.is_excluded(root / path, excluded)

    outcomes = tuple(_outcomes(new, options, is_migrated))
    for outcome in outcomes:
        if outcome.changed:
            outcome.path.write_bytes(outcome.new)
    others: tuple[FileOutcome, ...] = ()
    if any(ignored.patterns for ignored in excluded):
        others = tuple(_outcomes(old, Options(), lambda path: not is_migrated(path)))
    calls = (*_calls(outcomes, new), *_calls(others, old))
    left = (*_stays(outcomes, new), *_excluded(others, old))
    return Trees(old, new, calls, left, imported(old, scripts), outcomes, calls_c=options.keep_spelling)


def given(old_root: Path, new_root: Path, scripts: Iterable[Path], into: Path) -> Trees:
    """Copy a program and a version rewritten by hand; migrate finds where each of them calls the old API."""
    old, new = _copied(old_root, into / "old"), _copied(new_root, into / "new")
    calls, left = _calls(_outcomes(old, Options()), old), _calls(_outcomes(new, Options()), new)
    stays = (Stays(call.path, call.line, "", f"calls {call.name}") for call in left)
    made = tuple(_made(old, new))
    return Trees(old, new, tuple(calls), tuple(stays), imported(old, scripts), made, by_hand=True)


def _made(old: Path, new: Path) -> Iterator[FileOutcome]:
    """Yield the hand-written versions of the files that both sides have."""
    for path in sorted(find([old], ignore=False).files.values()):
        twin = new / path.relative_to(old)
        if twin.is_file():
            yield FileOutcome(twin, read(path), read(twin))


def _copied(root: Path, into: Path) -> Path:
    """Copy a folder with what its links lead to.

    Some stay links; those that lead to nothing outside of the folder are left out.
    """
    kept: dict[Path, str] = {}

    def left_out(folder: str, names: list[str]) -> set[str]:
        left = _LEFT_OUT(folder, names)
        links = [path for name in names if name not in left and (path := Path(folder, name)).is_symlink()]
        kept.update({path: target for path in links if (target := _target(path, root)) is not None})
        return left.union(path.name for path in links if path in kept or not path.exists())

    shutil.copytree(root, into, ignore=left_out)
    for path, target in kept.items():
        (into / path.relative_to(root)).symlink_to(target)
    return into


def _target(link: Path, root: Path) -> str | None:
    """Return where a link leads that stays one, relative to its folder: to a folder that it lies in, whose copy would
    have no end, or to a place in the root where nothing is yet. None for others.
    """
    real, real_root = (Path(os.path.realpath(path)) for path in (link, root))
    around = {Path(os.path.realpath(folder)): folder for folder in link.parents if folder.is_relative_to(root)}
    if real in around:
        return os.path.relpath(around[real], link.parent)
    if not link.exists() and real.is_relative_to(real_root):
        return os.path.relpath(root / real.relative_to(real_root), link.parent)
    return None


def _outcomes(
    root: Path, options: Options, is_given: Callable[[Path], bool] = lambda path: True
) -> Iterator[FileOutcome]:
    """Rewrite the given files of those in a folder that name the old API; nothing is written."""
    for group in _project.load([root], ignore=False).groups:
        files = {path: data for path, data in group.files.items() if is_given(path.relative_to(root))}
        context = {**group.context, **{path: data for path, data in group.files.items() if path not in files}}
        if files:
            yield from rewrite_project(files, context=context, options=replace(options, public=group.public))


def imported(root: Path, scripts: Iterable[Path]) -> frozenset[Path]:
    """The files of a folder that scripts import, and what these do, the scripts included."""
    scans = {path: _prefilter.scan(read(path)) for path in find([root], ignore=False).files.values()}
    starts = [root / script for script in scripts]
    return frozenset(path.relative_to(root) for path in _prefilter.reached(starts, _prefilter.Imports(scans).of))


def _calls(outcomes: Iterable[FileOutcome], root: Path) -> Iterator[Call]:
    for outcome in outcomes:
        lines = {} if outcome.skipped else _lines_of_calls(outcome.old)
        for finding in outcome.findings:
            place = finding.span.end_line, finding.span.end_column
            is_aside = _ASIDE.fullmatch(finding.name) or finding.name in STRUCTS  # which ctypes may make
            if place in lines and not is_aside:
                yield Call(outcome.path.relative_to(root), *lines[place], finding.name)


def _lines_of_calls(source: bytes) -> dict[tuple[int, int], tuple[int, int]]:
    """Map places of a call, columns in characters, to its lines: where it begins, and where what is called ends."""
    text = source.decode("utf-8", "replace").splitlines()
    found = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            end = node.func.end_lineno or node.lineno, node.func.end_col_offset or 0
            for line, column in ((node.lineno, node.col_offset), end):
                characters = len(text[line - 1].encode()[:column].decode("utf-8", "replace"))
                found[line, characters] = node.lineno, node.end_lineno or node.lineno
    return found


def _excluded(outcomes: Iterable[FileOutcome], root: Path) -> Iterator[Stays]:
    """Yield what stays of files that are not to be migrated, a line for each."""
    for outcome in outcomes:
        if outcome.skipped or outcome.findings:
            lines = [finding.span.line for finding in outcome.findings]
            yield Stays(outcome.path.relative_to(root), min(lines, default=1), outcome.skipped, "excluded")


def _stays(outcomes: Iterable[FileOutcome], root: Path) -> Iterator[Stays]:
    """Yield the causes: what depends on them is not listed again."""
    for outcome in outcomes:
        path = outcome.path.relative_to(root)
        if outcome.skipped:
            yield Stays(path, 1, outcome.skipped, outcome.reason)
        for finding in outcome.findings:
            if stays(finding) and finding.because is None:
                yield Stays(path, finding.span.line, finding.code, finding.message)
