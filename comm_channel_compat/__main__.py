"""Run an old script unchanged: ``python -m comm_channel_compat run SCRIPT [ARGS...]``."""

from __future__ import annotations

import os
import sys

from comm_channel_compat._launcher.python import interpreter_options

TYPE_CHECKING = False  # typing alone would take longer than the launcher
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import NoReturn

_USAGE = """\
usage: python -m comm_channel_compat run SCRIPT [ARGS...]

Runs SCRIPT as `python SCRIPT ARGS...` would, but with `import doca_comm_channel` found here. A module of that
name beside the script wins. COMCH_COMPAT_WARN=1 names every line that calls the old API.
"""
_USAGE_ERROR = 64
_HERE = os.path.dirname(os.path.realpath(__file__))


def main(arguments: Sequence[str]) -> NoReturn:
    """Become the script, or explain."""
    command, script = [*arguments, "", ""][:2]
    if command in ("-h", "--help"):
        print(_USAGE, end="")
        sys.exit(0)
    if command == "exec":
        _refuse("exec runs compiled programs, and is not available yet; run starts Python scripts")
    if command != "run":
        _refuse(f"unknown command {command!r}" if command else "a command is missing")
    if not script:
        _refuse("run: SCRIPT is missing")
    if script.startswith("-") and script != "-":
        _refuse(f"run: {script!r} is an option; options for Python itself stand before -m")
    if sys.flags.ignore_environment:
        _refuse("run passes the path in the environment, which Python's options -E and -I ignore")
    command_line = [
        sys.executable,
        *interpreter_options(sys.orig_argv, sys.argv, os.path.basename(_HERE)),
        *arguments[1:],
    ]
    os.execve(sys.executable, command_line, environment(os.environ))


def environment(current: Mapping[str, str]) -> dict[str, str]:
    """The environment with our folder first on Python's path; what was there stays."""
    path = os.pathsep.join(filter(None, (os.path.join(_HERE, "_shim"), current.get("PYTHONPATH"))))
    return {**current, "PYTHONPATH": path}


def _refuse(why: str) -> NoReturn:
    print(f"comm_channel_compat: {why}\n\n{_USAGE}", end="", file=sys.stderr)
    sys.exit(_USAGE_ERROR)


if __name__ == "__main__":
    main(sys.argv[1:])
