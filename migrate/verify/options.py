"""The command line of `python -m migrate verify`."""

from __future__ import annotations

import argparse
import math
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate._ignore import Ignored as Excluded
from migrate._options import REPORT, Parser, UsageError, configured, count, excluded, report_file, rewriting
from migrate.outcome import Options
from migrate.verify import refused
from migrate.verify.ignored import Ignored
from migrate.verify.peers import Peer, Script
from migrate.verify.rounds import FAULTS
from migrate.verify.stage import Limits

_EPILOG = f"""\
The folder of the program (--root; else the innermost one that holds all of its ends) is copied, and the copy migrated.
In each run ends of one side, old or new, share a fresh copy; an old and a new end have one each. Old ends run under
`python -m comm_channel_compat run`. A compiled end runs as it is on both sides; OLD=NEW for a SCRIPT of --tree compares
it with its successor. The service starts first; the client when it listens.

The ends are compared in messages and their order per connection, in results of calls other than success and waiting,
in what each thread does in which order, in devices and sizes, in what they leave open, in stdout, tracebacks, exit
status and files. The results of calls of compiled programs are not compared, nor in which order they print.

The default faults are
  {f"{chr(10)}  ".join(FAULTS)}

The verdict is inconclusive if the old program differs from run to run, or if lines that call the old API never ran or
were not rewritten. Exit status: 0 equivalent; 1 diverged; 2 inconclusive; 4 a file could not be handled; 64 a wrong
command line."""

_REPORTS = {".txt": "text", ".json": "json", ".html": "page"}
_PASSED_ON = ("--args", "--args-service", "--args-client")


@dataclass(frozen=True)
class Settings:
    """What to verify. `roots`: the program's folder, and a version rewritten by hand, if migrate is not to.

    `keep`: where both sides and what each run left are to be found afterwards.
    """

    roots: tuple[Path, ...]
    peers: tuple[Peer, ...]
    limits: Limits
    faults: tuple[str, ...]
    times: int
    json: bool
    reports: tuple[tuple[str, Path], ...]  # form and file of each
    options: Options
    excluded: tuple[Excluded, ...]
    ignored: Ignored
    keep: Path | None = None


def read_options(arguments: Sequence[str]) -> Settings:
    """Read a command line; UsageError or SystemExit(64) if it is wrong."""
    given = _parser().parse_args(_joined(arguments))
    if len(given.scripts) > 2:
        raise UsageError("verify takes one program, or a service and its client")
    roots, scripts = _placed(given)
    refused.check(given.faults or (), given.doca)
    config = configured(roots[:1])
    return Settings(
        roots=roots,
        peers=tuple(_peers(given, roots, scripts)),
        limits=Limits(given.timeout, given.linger, given.patience, given.cue),
        faults=() if given.no_faults else tuple(given.faults or FAULTS),
        times=given.times,
        json=given.json,
        reports=tuple(report_file(name, _REPORTS) for name in given.report or ()),
        options=rewriting(given, config),
        excluded=(excluded(config.folder, config.exclude),),
        ignored=Ignored.of(given.ignore or ()),
        keep=_empty(given.keep) if given.keep else None,
    )


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join the options that pass arguments on with their values, which begin like options themselves."""
    words = iter(arguments)
    return [f"{word}={next(words, '')}" if word in _PASSED_ON else word for word in words]


def _parser() -> Parser:
    parser = Parser(
        prog="python -m migrate verify",
        description="Runs a program as it is and migrated, in every pairing of its ends, and compares what they do.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    limits = Limits()
    parser.add_version()
    parser.add_argument("scripts", nargs="+", metavar="SCRIPT", help="a service and its client, or one program")
    parser.add_argument("--args", default="", metavar="ARGS", help="arguments of every end, as a shell splits them")
    parser.add_argument("--args-service", metavar="ARGS", help="arguments of the service")
    parser.add_argument("--args-client", metavar="ARGS", help="arguments of the client")
    parser.add_argument("--root", metavar="DIR", help="the folder of the program")
    parser.add_argument(
        "--tree", nargs=2, metavar=("OLD", "NEW"), help="compare two folders; each SCRIPT is a path in both, or OLD=NEW"
    )
    parser.add_argument("--times", type=count, default=1, metavar="N", help="repeat everything (default: once)")
    parser.add_argument("--faults", action="append", metavar="SPEC", help="replace the default faults; repeatable")
    parser.add_argument("--no-faults", action="store_true", help="run without faults only")
    parser.add_argument(
        "--ignore",
        action="append",
        metavar="REGEX",
        help="leave out what matches in messages, output and files, such as random numbers; repeatable",
    )
    parser.add_rewriting()
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.add_argument(
        "--report",
        action="append",
        metavar="FILE",
        help=REPORT.format(", ".join(_REPORTS)),
    )
    parser.add_argument(
        "--keep", metavar="DIR", help="keep both programs there, with the output and traces of each run"
    )
    parser.add_argument(
        "--doca", default="", metavar="RELEASE", help="the release of the old program, as for run and exec"
    )
    parser.add_argument("--cue", default="", metavar="TEXT", help="start the client when the service prints this")
    for name, seconds, does in (
        ("timeout", limits.timeout_s, "seconds that a run may take, as all of these without waiting for a processor"),
        ("linger", limits.linger_s, "seconds after the client has ended until the service gets SIGINT"),
        ("patience", limits.patience_s, "seconds for which the service may sleep before it listens"),
    ):
        parser.add_argument(
            f"--{name}", type=_seconds, default=seconds, metavar="S", help=f"{does} (default: {seconds:g})"
        )
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _placed(given: argparse.Namespace) -> tuple[tuple[Path, ...], list[tuple[Path, ...]]]:
    """The folders, and for each end its script in each of them."""
    if given.tree:
        return tuple(map(_folder, given.tree)), [_of_both(script) for script in given.scripts]
    paths = [Path(os.path.abspath(script)) for script in given.scripts]
    root = _folder(given.root) if given.root else Path(os.path.commonpath([path.parent for path in paths]))
    for path in paths:
        if not path.is_relative_to(root):
            raise UsageError(f"{path} is not in {root}")
    return (root,), [(path.relative_to(root),) for path in paths]


def _of_both(script: str) -> tuple[Path, ...]:
    old, _, new = script.partition("=")
    return Path(old), Path(new or old)


def _folder(name: str) -> Path:
    path = Path(os.path.abspath(name))
    if not path.is_dir():
        raise UsageError(f"{name} is not a folder")
    return path


def _empty(name: str) -> Path:
    """A folder for what is kept, which is made where there is none."""
    path = Path(os.path.abspath(name))
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(f"{name} is not an empty folder")
    return path


def _split(arguments: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(arguments))
    except ValueError as error:
        raise UsageError(f"arguments {arguments!r}: {error}") from error


def _peers(given: argparse.Namespace, roots: Sequence[Path], scripts: Sequence[tuple[Path, ...]]) -> list[Peer]:
    names = ("program",) if len(scripts) == 1 else ("service", "client")
    own = {"service": given.args_service, "client": given.args_client, "program": None}
    peers = []
    for name, places in zip(names, scripts, strict=True):
        for root, place in zip(roots, places, strict=True):
            if not (root / place).is_file():
                raise UsageError(f"{root / place} is not a file")
        arguments = _split(given.args if own[name] is None else own[name])
        old, *new = map(Script.of, roots, places)
        successor = new[0] if new else old if old.is_python else None
        peers.append(Peer(name, old, successor, arguments, given.doca))
    if all(peer.new is None for peer in peers):
        raise UsageError("nothing to compare: migrate rewrites no compiled program; --tree OLD NEW names its successor")
    return peers
