"""The command line: which files, what is printed, what the exit status says."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Sequence
from enum import IntFlag
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from migrate import _explain, _files, _shared
from migrate._codes import CODES
from migrate._outcome import Outcome
from migrate._rewriter import rewrite
from migrate.report import Report, Totals

USAGE = 64


class Exit(IntFlag):
    """The bits of the exit status."""

    CLEAN = 0
    PENDING = 1
    MANUAL = 2
    FILES = 4
    INTERNAL = 8


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")


def _parser() -> _Parser:
    parser = _Parser(
        prog="python -m migrate",
        description="Rewrites programs of the old DOCA channel APIs for comch_next. Without an option it only reports.",
        epilog="python -m migrate explain CCM### tells what a code means. Exit status, as bits: 1 rewrites pending, "
        "2 manual work left, 4 a file could not be handled, 8 internal error; 64 is a wrong command line.",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--diff", action="store_true", help="show the changes")
    what.add_argument("--write", action="store_true", help="make the changes")
    what.add_argument("--check", action="store_true", help="the report's exit status, without its text")
    parser.add_argument("--unsafe", action="store_true", help="also rewrite what would need evidence (see explain)")
    parser.add_argument("--mode", choices=("rewrite", "shim"), default="rewrite", help=argparse.SUPPRESS)
    parser.add_argument("paths", nargs="+", metavar="PATH", help="Python files, and folders of them")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["explain"]:
        return _pages(given[1:])
    if given[:1] == ["verify"]:
        return _usage("verify is not there yet; for a file of that name write ./verify")
    options = _parser().parse_args(given)
    if options.mode == "shim":
        return _usage("--mode shim is not there yet; python -m comm_channel_compat run SCRIPT runs a program unchanged")
    report = Report(Console(highlight=False), Console(highlight=False, stderr=True), quiet=options.check)
    return _Run(options, report).all()


def _usage(message: str) -> int:
    print(f"python -m migrate: {message}", file=sys.stderr)
    return USAGE


def _pages(given: list[str]) -> int:
    wrong = [each for each in given if each.upper() not in CODES]
    if wrong or not given:
        told = f"no code {wrong[0]}" if wrong else "explain needs a code"
        return _usage(f"{told}; the codes are {', '.join(CODES)}")
    print("\n\n".join(_explain.page(each.upper()) for each in given))
    return 0


class _Run:
    """One run over some files."""

    def __init__(self, options: argparse.Namespace, report: Report) -> None:
        self.options = options
        self.report = report
        self.totals = Totals()
        self.status = Exit.CLEAN

    def all(self) -> int:
        files: dict[Path, bytes] = {}
        for path in _files.find(self.options.paths):
            try:
                files[path] = _files.read(path)
            except _files.FileError as error:
                self._failed(path, str(error), Exit.FILES)
        shared = _shared.shared(files)
        for path, data in files.items():
            try:
                self._one(path, data, shared[path])
            except _files.FileError as error:
                self._failed(path, str(error), Exit.FILES)
            except Exception:
                self._failed(path, f"internal error\n{traceback.format_exc()}", Exit.INTERNAL)
        self.report.summary(self.totals)
        return int(self.status)

    def _failed(self, path: Path, message: str, bit: Exit) -> None:
        self.report.error(path, message)
        self.totals.errors += 1
        self.status |= bit

    def _one(self, path: Path, data: bytes, shared: frozenset[str]) -> None:
        outcome = rewrite(data, str(path), unsafe=self.options.unsafe, shared=shared)
        if outcome.skipped:
            self.report.skipped(path, outcome)
            self.totals.errors += 1
            self.status |= Exit.INTERNAL if outcome.skipped == "CCM046" else Exit.FILES
            return
        if not (outcome.changed or outcome.left):
            return
        if outcome.left:
            self.status |= Exit.MANUAL
        self._show(path, outcome)

    def _show(self, path: Path, outcome: Outcome) -> None:
        self.totals.add(outcome)
        if outcome.changed and self.options.write:
            try:
                _files.write(path, outcome.old, outcome.new)
            except _files.FileError:
                self.status |= Exit.PENDING
                raise
        elif outcome.changed:
            self.status |= Exit.PENDING
        if self.options.diff and outcome.changed:
            self.report.diff(path, outcome)
        else:
            self.report.file(path, outcome, written=self.options.write)
