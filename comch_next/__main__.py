"""What there is and what goes on: ``python -m comch_next devices``, ``caps`` or ``admin``, each with ``--json``; and
what went on: ``timeline TRACE...``."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from comch_next._commands import command_line
from comch_next._commands.admin import admin
from comch_next._commands.hardware import caps, devices
from comch_next._commands.report import Report, plain
from comch_next.errors import DocaError


def timeline(traces: Sequence[str], picture: str | None) -> str:
    """What happened between the ends of channels, from the traces of their processes (see COMCH_TRACE)."""
    from comch_next import _timeline  # only this command reads traces

    found = _timeline.read((trace, Path(trace).read_text(encoding="utf-8")) for trace in traces)
    if picture is not None:
        Path(picture).write_text(_timeline.svg(found), encoding="utf-8")
    return _timeline.text(found)


_COMMANDS: Mapping[str, Callable[[], Report]] = {"devices": devices, "caps": caps, "admin": admin}


def main(arguments: Sequence[str] | None = None, program: str = "comch") -> int:
    """Run a command; its exit status. A wrong command line exits with 64."""
    parser = command_line.Parser(prog=program, description="Look at devices, servers and clients.")
    parser.add_version()
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        known = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        known.add_argument("--json", action="store_true", help="the same as one JSON object")
    known = commands.add_parser("timeline", help=timeline.__doc__, description=timeline.__doc__)
    known.add_argument("traces", nargs="+", metavar="TRACE")
    known.add_argument("--svg", metavar="FILE", help="write a picture of it, too")
    given = parser.parse_args(arguments)
    try:
        print(_reported(given), flush=True)
    except (DocaError, OSError) as error:
        print(f"comch_next: {plain(str(error))}", file=sys.stderr)
        return 1
    return 0


def _reported(given: argparse.Namespace) -> str:
    if given.command == "timeline":
        return timeline(given.traces, given.svg)
    report = _COMMANDS[given.command]()
    return report.as_json() if given.json else report.as_text()


def run(program: str = "comch") -> NoReturn:
    """Run as a process of its own: the installed command."""
    command_line.end_with_reader()
    command_line.run(partial(main, program=program))


if __name__ == "__main__":
    run("python -m comch_next")
