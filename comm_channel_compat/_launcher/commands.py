"""The commands: what each one does, and what its help says."""

from __future__ import annotations

import os
import sys

from comm_channel_compat._launcher import faces
from comm_channel_compat._launcher.command_line import UsageError, split_options
from comm_channel_compat._launcher.python import interpreter_options
from comm_channel_compat._launcher.settings import OF_PROCESS, inherited, settings

TYPE_CHECKING = False  # typing alone would take longer than the launcher
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn

PROGRAM = "comm_channel_compat"
FAILED = 1
_NOT_EXECUTABLE, _NOT_FOUND = 126, 127  # as a shell

# Option -> (its value's name, what it does). Beside its own every command has those of _ABOUT.
_OPTIONS = {
    "--doca": ("RELEASE", "run a program of that DOCA: 2.6 (the default), 2.5 or 1.4, where types or calls differ"),
    "--force": ("", "use the C libraries of the toolkit even if real ones are installed"),
    "--warn": ("", "report every line that calls an old channel API, once (COMCH_COMPAT_WARN=1)"),
    "--report": ("FILE", "write at exit which old calls were made, from where, and how they ended: .json, .md or text"),
    "--trace": ("FILE", "append what happens on the channels to FILE, as JSON lines (COMCH_TRACE)"),
    "--faults": ("SPEC", "provoke these faults (COMCH_FAULTS)"),
}


class Command:
    """A command of the launcher: how it is called, what it does, and its options."""

    def __init__(self, forms: str, does: str, do: Callable[[dict[str, str], list[str]], None], *options: str) -> None:
        self.usage = "".join(f"usage: python -m {PROGRAM} {form}\n" for form in forms.splitlines())
        self.does = does
        self._do = do
        self._options = {name: _OPTIONS[name] for name in options}

    def help(self) -> str:
        rows = ((f"{name} {value}".rstrip(), does) for name, (value, does) in self._options.items())
        options = "".join(f"  {left:<16}{does}\n" for left, does in rows)
        return f"{self.usage}\n{self.does}\n" + (f"\noptions:\n{options}" if options else "")

    def __call__(self, words: list[str]) -> None:
        known = {name: value for name, (value, _) in self._options.items()}
        given, rest = split_options(words, known | dict.fromkeys(_ABOUT, ""))
        about = next((text for name, text in _ABOUT.items() if name in given), None)
        if about is None:
            self._do(given, rest)
        else:
            print(about(self), end="")


def version() -> str:
    from comch_next import __version__  # here: nothing else of the launcher needs the library

    return f"{PROGRAM} {__version__}\n"


_ABOUT: Mapping[str, Callable[[Command], str]] = {
    "-h": Command.help,
    "--help": Command.help,
    "--version": lambda _: version(),
}


def _run(given: dict[str, str], rest: list[str]) -> NoReturn:
    if not rest:
        raise UsageError("SCRIPT is missing")
    if rest[0].startswith("-") and rest[0] != "-" and rest[0][:2] not in ("-m", "-c"):
        raise UsageError(f"{rest[0]!r} is not an option of run; options for Python itself stand before -m")
    if sys.flags.ignore_environment:
        raise UsageError("the path is passed in the environment, which Python's options -E and -I ignore")
    options = interpreter_options(sys.orig_argv, sys.argv, os.path.basename(faces.PACKAGE))
    os.execve(sys.executable, [sys.executable, *options, *rest], {**inherited(), **_chosen(given)[0]})


def _exec(given: dict[str, str], rest: list[str]) -> None:
    if not rest:
        raise UsageError("PROGRAM is missing")
    if rest[0].startswith("-"):
        raise UsageError(f"{rest[0]!r} is not an option of exec")
    chosen, stands_in = _chosen(given)
    os.environ.update(chosen)
    if stands_in and (missing := faces.why_programs_cannot_start()) is not None:
        _fail(FAILED, missing)
    try:
        os.execvpe(rest[0], rest, inherited())
    except OSError as error:
        is_there = not isinstance(error, FileNotFoundError)
        _fail(_NOT_EXECUTABLE if is_there else _NOT_FOUND, f"{rest[0]}: {error.strerror}")


def _env(given: dict[str, str], rest: list[str]) -> None:
    import shlex  # only this command quotes

    _refuse_arguments(rest)
    for name, value in _chosen(given)[0].items():
        if name != OF_PROCESS:  # which ends here
            print(f"export {name}={shlex.quote(value)}")


def _paths(given: dict[str, str], rest: list[str]) -> None:
    kinds = ["include", "lib", "pkgconfig"]
    if rest and rest[0] in kinds:
        _refuse_arguments(rest[1:])
        print(os.pathsep.join(faces.folders(rest[0])))
        return
    _refuse_arguments(rest)
    for kind in kinds:
        print(f"{kind:<10}{os.pathsep.join(faces.folders(kind))}")


COMMANDS = {
    "run": Command(
        "run [OPTIONS] SCRIPT [ARGS...]\nrun [OPTIONS] -m MODULE [ARGS...]\nrun [OPTIONS] -c CODE [ARGS...]",
        "Runs what `python` would run with the same arguments, but with the modules doca_comm_channel\n"
        "and doca_cc, and DOCA's libraries for cffi and ctypes, taken from this toolkit. A module of that name beside\n"
        "the script wins, and so do real libraries.",
        _run,
        *_OPTIONS,
    ),
    "exec": Command(
        "exec [OPTIONS] PROGRAM [ARGS...]",
        "Runs a compiled program with the C libraries of the toolkit in the place of DOCA's.",
        _exec,
        *_OPTIONS,
    ),
    "env": Command(
        "env [OPTIONS]",
        'Prints the settings that run and exec make, for a shell: eval "$(python -m comm_channel_compat env)"',
        _env,
        *_OPTIONS,
    ),
    "paths": Command(
        "paths [include | lib | pkgconfig]",
        "Prints the folders of the C headers, the libraries, and the files for pkg-config.",
        _paths,
    ),
}


def _chosen(given: Mapping[str, str]) -> tuple[dict[str, str], bool]:
    """The settings for options, and whether the toolkit's C libraries are used; reports real ones."""
    if given.get("--doca", faces.RELEASE) not in faces.RELEASES:
        raise UsageError(f"--doca: {given['--doca']!r} is not one of {', '.join(sorted(faces.RELEASES))}")
    if (report := given.get("--report")) is not None:
        if not report or os.path.isdir(report):
            raise UsageError(f"--report: {report!r} is not the name of a file")
        if not os.path.isdir(os.path.dirname(report) or "."):
            raise UsageError(f"--report: there is no folder for {report!r}")
    real = faces.installed(os.environ)
    stands_in = real is None or "--force" in given
    if real is not None:
        took = "gives way to the toolkit's" if stands_in else "is used; --force takes the toolkit's"
        print(f"{PROGRAM}: {real} {took}", file=sys.stderr, flush=True)
    return settings(os.environ, given, stand_in=stands_in), stands_in


def _refuse_arguments(rest: list[str]) -> None:
    if rest:
        raise UsageError(f"{rest[0]!r} was not expected")


def _fail(status: int, why: str) -> NoReturn:
    print(f"{PROGRAM}: {why}", file=sys.stderr)
    sys.exit(status)
