"""The options of the command line, joined with those of pyproject.toml."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from migrate import _config
from migrate._ignore import Ignored, parse
from migrate.outcome import Options

if TYPE_CHECKING:
    from migrate.evidence.accounts import Account

USAGE = 64
MODE = "rewrite: for comch_next (default); shim: only take old modules and C libraries from comm_channel_compat"
EVIDENCE = "also rewrite what the JSON account of a run settles (comm_channel_compat run --report); repeatable"
_EXPLAINED = "of FILE:LINE, what is found with the JSON account of a run (comm_channel_compat run --report); repeatable"
UNSAFE = "also rewrite findings of level needs-evidence (see explain)"
IDIOMS = "also join statements where the program behaves the same"
KEEP_SPELLING = "keep programs that call doca_cc through cffi or ctypes on C, with doca_comch"
REPORT = "write one more report, in the form that the suffix names: {}; repeatable"
FORMATS = ("text", "json", "sarif", "html", "github")
_SUFFIXES = {".txt": "text", ".json": "json", ".sarif": "sarif", ".html": "html"}
_EXPLAIN = "Describes a code, what becomes of an old name, or what was found at a line of a file."
_EPILOG = """\
PATH may be - alone: the program is read from standard input and its new text goes to standard output.
python -m migrate explain CCM### | SYMBOL | FILE:LINE describes a code, an old name, or what was found at a line.
python -m migrate verify SERVICE CLIENT runs both ends, old and migrated, and compares what they do (verify --help).
Exit status, as bits: 1 rewrites pending, 2 manual work left, 4 a file could not be handled, 8 internal error;
64 is a wrong command line, 69 a package that is not installed, 130 an interruption."""


class UsageError(Exception):
    """An invalid command line."""


@dataclass(frozen=True)
class Settings:
    """What one run is to do. `paths` are absolute; none means standard input."""

    paths: tuple[Path, ...]
    action: str  # report, diff, write or check
    format: str
    output: Path | None
    reports: tuple[tuple[str, Path], ...]  # format and file of each
    excluded: tuple[Ignored, ...]
    ignore: bool
    jobs: int
    rewriting: Options


class Parser(argparse.ArgumentParser):
    """Ends with 64 for a wrong command line."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: {message}\n")

    def add_version(self) -> None:
        """Add the option --version."""
        self.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")

    def add_rewriting(self) -> None:
        """Add the options that choose what is rewritten, which `rewriting` reads."""
        yes_no = argparse.BooleanOptionalAction
        self.add_argument("--unsafe", action=yes_no, help=UNSAFE)
        self.add_argument("--idioms", action=yes_no, help=IDIOMS)
        self.add_argument("--keep-spelling", action="store_true", help=KEEP_SPELLING)
        self.add_argument("--evidence", action="append", metavar="FILE", help=EVIDENCE)


class _Version(argparse.Action):
    """Prints the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from migrate._version import release  # here: few runs ask, and it takes long to load

        print(f"migrate {release()}")
        parser.exit()


def count(text: str) -> int:
    """Read a number above 0."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _parser() -> Parser:
    parser = Parser(
        prog="python -m migrate",
        description="Rewrites programs of the old DOCA channel APIs for comch_next. Without an option it only reports.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()
    for name, text in (
        ("diff", "show the changes, then the report"),
        ("write", "make the changes"),
        ("check", "print the last line of the report only"),
    ):
        what.add_argument(f"--{name}", dest="action", action="store_const", const=name, default="report", help=text)
    parser.add_rewriting()
    parser.add_argument("--mode", choices=("rewrite", "shim"), default="rewrite", help=MODE)
    parser.add_argument("--format", choices=FORMATS, default="text", help="form of the report (default: text)")
    parser.add_argument("--output", metavar="FILE", help="write the report to a file")
    parser.add_argument(
        "--report",
        action="append",
        metavar="FILE",
        help=REPORT.format(", ".join(_SUFFIXES)),
    )
    parser.add_argument("--jobs", type=count, metavar="N", help="number of processes (default: one per processor)")
    parser.add_argument(
        "--exclude",
        action="append",
        metavar="PATTERN",
        help="do not rewrite files that match, as a line of .gitignore; repeatable",
    )
    parser.add_argument("--no-ignore", action="store_true", help="include files that .gitignore leaves out")
    parser.add_version()
    parser.add_argument("paths", nargs="+", metavar="PATH", help="Python files and folders of them, or -")
    return parser


def read_options(arguments: Sequence[str]) -> Settings:
    """Read a command line; UsageError or SystemExit(64) if it is wrong."""
    given = _parser().parse_args(arguments)
    if given.mode == "shim" and (given.unsafe or given.idioms or given.evidence or given.keep_spelling):
        others = "--unsafe, --idioms, --evidence and --keep-spelling"
        raise UsageError(f"--mode shim only redirects imports and libraries; {others} are of --mode rewrite")
    if given.action == "diff" and given.format != "text":
        raise UsageError(f"--diff is text; --format {given.format} cannot contain it")
    if "-" in given.paths and len(given.paths) > 1:
        raise UsageError("- must be the only path: give either files or standard input")
    return _joined(given, () if given.paths == ["-"] else tuple(map(_absolute, given.paths)))


def _joined(given: argparse.Namespace, paths: tuple[Path, ...]) -> Settings:
    here = Path.cwd()
    config = configured(paths or (here,))
    return Settings(
        paths=paths,
        action=given.action,
        format=given.format,
        output=_absolute(given.output) if given.output else None,
        reports=tuple(report_file(name, _SUFFIXES) for name in given.report or ()),
        excluded=(excluded(config.folder, config.exclude), excluded(here, given.exclude or ())),
        ignore=not given.no_ignore,
        jobs=given.jobs or config.jobs or len(os.sched_getaffinity(0)),
        rewriting=replace(rewriting(given, config), mode=given.mode),
    )


def configured(paths: Sequence[Path]) -> _config.Config:
    """Read the settings of the project that some absolute paths belong to. Raises UsageError if they are invalid."""
    try:
        return _config.load(paths)
    except _config.ConfigError as error:
        raise UsageError(str(error)) from error


def rewriting(given: argparse.Namespace, config: _config.Config) -> Options:
    """Return what may be written: the options of Parser.add_rewriting, over those of the project."""
    return Options(
        unsafe=config.unsafe if given.unsafe is None else given.unsafe,
        idioms=config.idioms if given.idioms is None else given.idioms,
        width=config.width,
        evidence=_accounts(given.evidence or ()),
        keep_spelling=given.keep_spelling,
    )


def split_evidence(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the words of `explain` from its options `--evidence FILE`."""
    parser = Parser(prog="python -m migrate explain", description=_EXPLAIN)
    parser.add_argument("--evidence", action="append", default=[], metavar="FILE", help=_EXPLAINED)
    parser.add_version()
    parser.add_argument("subjects", nargs="*", metavar="SUBJECT", help="CCM###, an old name, or FILE:LINE")
    given = parser.parse_intermixed_args(arguments)
    return given.subjects, [f"--evidence={name}" for name in given.evidence]


def _accounts(names: Sequence[str]) -> tuple[Account, ...]:
    """Read the accounts of runs. Raises UsageError for a file that is not one."""
    if not names:
        return ()
    from migrate.evidence.accounts import AccountError, read  # here: it is seldom asked for

    try:
        return tuple(read(_absolute(name)) for name in names)
    except AccountError as error:
        raise UsageError(f"--evidence: {error}") from error


def report_file(name: str, suffixes: Mapping[str, str]) -> tuple[str, Path]:
    """Return the format that the suffix of a file asks for, and its path."""
    path = _absolute(name)
    if path.suffix not in suffixes:
        raise UsageError(f"--report {name}: the suffix is not one of {', '.join(suffixes)}")
    return suffixes[path.suffix], path


def excluded(folder: Path, patterns: Sequence[str]) -> Ignored:
    """Return the patterns of `exclude`, which are relative to a folder."""
    return parse(str(folder), "\n".join(pattern.removeprefix("./") for pattern in patterns))


def _absolute(path: str) -> Path:
    """Return an absolute path with its links unresolved, so that reports show the path that was given."""
    return Path(os.path.abspath(path))
