"""``python -m comch_next``: ``devices``, ``caps`` and ``admin``, each with ``--json``, ``timeline`` and ``explain``."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

from comch_next._commands import command_line
from comch_next._commands.admin import Wanted, admin
from comch_next._commands.explain import explain
from comch_next._commands.hardware import caps, devices
from comch_next._commands.report import Report, readable
from comch_next._commands.showing import show
from comch_next.api import UnknownName
from comch_next.errors import DocaError


def timeline(traces: Sequence[str], picture: str | None) -> str:
    """Show the events of both ends in order of time, from the traces of their processes (see COMCH_TRACE)."""
    from comch_next import _timeline  # only this command reads traces

    found = _timeline.read((trace, Path(trace).read_text("utf-8", "replace")) for trace in traces)
    if picture is not None:
        Path(picture).write_text(_timeline.svg(found), encoding="utf-8")
    return _timeline.text(found)


_COMMANDS: Mapping[str, Callable[[], Report]] = {"devices": devices, "caps": caps, "admin": admin}


def main(arguments: Sequence[str] | None = None, program: str = "comch") -> int:
    """Run a command; its exit status. A wrong command line exits with 64."""
    parser = _parser(program)
    given = parser.parse_args(arguments)
    try:
        if given.command == "explain":
            print(explain(given.names), flush=True)
        elif given.command == "timeline":
            print(timeline(given.traces, given.svg), flush=True)
        elif given.command == "admin":
            report = partial(admin, Wanted(given.server, given.device, given.pid), clients=given.clients)
            show(report, given.json, given.watch)
        else:
            show(_COMMANDS[given.command], given.json)
    except UnknownName as error:
        parser.error(f"explain: {error}")
    except (DocaError, OSError) as error:
        print(f"comch_next: {readable(error)}", file=sys.stderr)
        return 1
    return 0


def _parser(program: str) -> command_line.Parser:
    parser = command_line.Parser(prog=program, description="Show devices, servers, clients, traces and C names.")
    parser.add_version()
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        known = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        known.add_version()
        known.add_argument("--json", action="store_true", help="print one JSON object")
        if command is admin:
            known.add_argument("--server", metavar="NAME", help="only servers with that name")
            known.add_argument(
                "--device",
                type=command_line.pci_address,
                metavar="PCI",
                help="only servers on that device, or for that host function",
            )
            known.add_argument(
                "--pid", type=int, metavar="PID", help="only servers of that process, or with a client in it"
            )
            known.add_argument("--clients", action="store_true", help="list connections by client")
            known.add_argument(
                "--watch",
                nargs="?",
                type=command_line.seconds,
                const=1.0,
                metavar="SECONDS",
                help="repeat every SECONDS (default: 1) until Ctrl-C; with --json one line each time",
            )
    known = commands.add_parser("timeline", help=timeline.__doc__, description=timeline.__doc__)
    known.add_version()
    known.add_argument("traces", nargs="+", metavar="TRACE")
    known.add_argument("--svg", metavar="FILE", help="also draw a picture")
    known = commands.add_parser("explain", help=explain.__doc__, description=explain.__doc__)
    known.add_version()
    known.add_argument("names", nargs="+", metavar="NAME", help="such as doca_comch_server_create or DOCA_ERROR_AGAIN")
    return parser


def run(program: str = "comch") -> NoReturn:
    """Run as a process of its own: the installed command."""
    command_line.end_with_reader()
    command_line.run(partial(main, program=program))


if __name__ == "__main__":
    run("python -m comch_next")
