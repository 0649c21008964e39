"""Run old programs unchanged: ``python -m comm_channel_compat run SCRIPT [ARGS...]``, and its other commands."""

from __future__ import annotations

import os
import sys

# signal's own makes an enum of every number, which takes a tenth of a millisecond.
from _signal import SIG_DFL, SIGPIPE, SIGXFSZ, signal  # type: ignore[import-not-found]

from comm_channel_compat._launcher.command_line import UsageError
from comm_channel_compat._launcher.commands import COMMANDS, FAILED, PROGRAM, version

TYPE_CHECKING = False  # typing alone would take longer than the launcher
if TYPE_CHECKING:
    from collections.abc import Sequence

_USAGE_ERROR = 64
_INTERRUPTED = 130


def run() -> None:
    """The installed command ``comm-channel-run``: the command `run` with the words of the command line."""
    main(["run", *sys.argv[1:]])


def main(arguments: Sequence[str]) -> None:
    """Carry out a command, or explain."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # it was closed when Python started: what is printed is lost
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # to the end
    for ignored in (SIGPIPE, SIGXFSZ):  # by Python, and then by a program that is executed, too
        signal(ignored, SIG_DFL)
    # Paths are printed as the system has them, whatever their encoding.
    sys.stdout.reconfigure(  # type: ignore[union-attr]
        encoding=sys.getfilesystemencoding(), errors=sys.getfilesystemencodeerrors()
    )
    try:
        _carry_out(*(arguments or [""]))
        print(end="", flush=True)
    except OSError as error:
        print(f"{PROGRAM}: {error.strerror or error}", file=sys.stderr, flush=True)
        os._exit(FAILED)  # before Python tries again to write what standard output has not taken
    except KeyboardInterrupt:  # before the program has started: from there on it is the program's
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        sys.exit(_INTERRUPTED)


def _carry_out(name: str, *given: str) -> None:
    if name in ("-h", "--help"):
        print(_help(), end="")
        return
    if name == "--version":
        print(version(), end="")
        return
    try:
        if name not in COMMANDS:
            raise UsageError(f"unknown command {name!r}" if name else "a command is missing")
        COMMANDS[name](list(given))
    except UsageError as error:
        usage = COMMANDS[name].help() if name in COMMANDS else _help()
        where = f"{PROGRAM} {name}" if name in COMMANDS else PROGRAM
        print(f"{where}: {error}\n\n{usage}", end="", file=sys.stderr)
        sys.exit(_USAGE_ERROR)


def _help() -> str:
    usage = "".join(command.usage for command in COMMANDS.values())
    about = "Runs programs written for the old DOCA channel APIs."
    return f"{usage}\n{about} COMMAND --help describes each command;\n--version shows the release.\n"


if __name__ == "__main__":
    main(sys.argv[1:])
