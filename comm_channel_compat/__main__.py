"""Run an old script unchanged: ``python -m comm_channel_compat run SCRIPT [ARGS...]``."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

_USAGE = """\
usage: python -m comm_channel_compat run SCRIPT [ARGS...]

Runs SCRIPT as `python SCRIPT ARGS...` would, but with `import doca_comm_channel` found here. A module of that
name beside the script wins. COMCH_COMPAT_WARN=1 names every line that calls the old API.
"""
_USAGE_ERROR = 64
_SHIM = Path(__file__).resolve().parent / "_shim"


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
    command_line = [sys.executable, *interpreter_options(sys.orig_argv, sys.argv), *arguments[1:]]
    os.execve(sys.executable, command_line, environment(os.environ))


def interpreter_options(original: Sequence[str], argv: Sequence[str]) -> list[str]:
    """What stood on the command line between Python and ``-m comm_channel_compat``."""
    package = Path(__file__).resolve().parent.name
    *options, last = original[1 : len(original) - len(argv[1:])]
    if last == package:
        last = options.pop()  # "-m", or options joined to it: "-Bm"
    elif last.endswith(f"m{package}"):
        last = last.removesuffix(package)
    else:
        return options  # the folder itself was run
    last = last.removesuffix("m")
    return options if last == "-" else [*options, last]


def environment(current: Mapping[str, str]) -> dict[str, str]:
    """The environment with our folder first on Python's path; what was there stays."""
    path = os.pathsep.join(filter(None, (str(_SHIM), current.get("PYTHONPATH"))))
    return {**current, "PYTHONPATH": path}


def _refuse(why: str) -> NoReturn:
    print(f"comm_channel_compat: {why}\n\n{_USAGE}", end="", file=sys.stderr)
    sys.exit(_USAGE_ERROR)


if __name__ == "__main__":
    main(sys.argv[1:])
