"""Programs of generations 1 and 2 as users write them, and their transcripts: run as they are, migrated, and mixed."""

from __future__ import annotations

import ast
import io
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from migrate.cli import main
from tests.processes import Child, Finished, StartPython

FOLDER = Path(__file__).parent / "programs"
LAUNCHER = ("-m", "comm_channel_compat", "run")
TRANSCRIPT = "expected.txt"
END_S = 60.0  # a program gives up by itself before that
OLD_LIBRARY = re.compile(r"\blibdoca_(comm_channel|cc|common)\b|^doca_(comm_channel|cc|common)$")
OLD_NAMES = {"doca_comm_channel", "doca_cc"}


class End(NamedTuple):
    """One end of a program: its command line, what it prints, and its exit status."""

    command: str
    output: str
    status: int


class Program(NamedTuple):
    """A folder with scripts and their transcript."""

    name: str
    home: Path = FOLDER

    @property
    def folder(self) -> Path:
        """Where the program is."""
        return self.home / self.name

    def ends(self) -> list[End]:
        """Read the transcript: for each end `$ command`, what it prints, `[status]`, in the order of their start."""
        ends = []
        for part in (self.folder / TRANSCRIPT).read_text().split("$ ")[1:]:
            command, rest = part.split("\n", 1)
            output, status = rest.rsplit("[", 1)
            ends.append(End(command, output, int(status.rstrip("]\n"))))
        return ends


class Migrated(NamedTuple):
    """A copy of a program, rewritten, and how migrate ended."""

    folder: Path
    finished: Finished

    def old_imports(self) -> list[str]:
        """Name the imports of the old API that are left, and the names of its C libraries, with their files."""
        return [
            f"{path.name}:{node.lineno}"
            for path in sorted(self.folder.rglob("*.py"))
            for node in ast.walk(ast.parse(path.read_bytes()))
            if (isinstance(node, ast.stmt) and not OLD_NAMES.isdisjoint(_imported(node)))
            or (isinstance(node, ast.Constant) and OLD_LIBRARY.search(str(node.value)))
        ]


def _imported(statement: ast.stmt) -> list[str | None]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [statement.module] if isinstance(statement, ast.ImportFrom) else []


def migrate(program: Program, into: Path) -> Migrated:
    """Copy a program and rewrite the copy."""
    folder = into / program.name
    shutil.copytree(program.folder, folder, ignore=shutil.ignore_patterns(TRANSCRIPT, "__pycache__"))
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        status = main(["--write", "--jobs", "1", str(folder)])
    return Migrated(folder, Finished(status, *(stream.buffer.getvalue().decode() for stream in (out, err))))


class Way(NamedTuple):
    """How one end runs: from which folder, with the launcher or without, and with the libraries of which release."""

    folder: Path
    launched: bool
    release: str = ""

    def start(self, start_python: StartPython, command: str) -> Child:
        """Start an end, by its command line."""
        script, *options = command.split()
        release = ("--doca", self.release) if self.release else ()
        launcher = (*LAUNCHER, *release) if self.launched else ()
        return start_python(*launcher, str(self.folder / script), *options, deadline_s=END_S)


def run(start_python: StartPython, program: Program, ways: Sequence[Way]) -> Iterator[End]:
    """Run the ends of a program, each in its way; the second one starts when the first one has said its cue.

    What an end says on stderr is no part of the transcript; it is shown when the program fails.
    """
    commands = [end.command for end in program.ends()]
    children: list[Child] = []
    for command, way in zip(commands, ways, strict=True):
        if children:
            children[-1].wait_for(CUES.get(program.name, "listening"))
        children.append(way.start(start_python, command))
    for command, child in zip(commands, children, strict=True):
        finished = child.finish()
        print(finished.stderr, file=sys.stderr)
        yield End(command, finished.stdout, finished.returncode)


PROGRAMS = {folder.name: Program(folder.name) for folder in sorted(FOLDER.iterdir())}

# What the first end of a program prints when it is time for the second, where that is not "listening".
CUES = {"late_service": "waiting"}

# Programs of which migrate may leave something to their author, and why.
NOT_WHOLE = {
    "logged_endpoint": "a subclass of Endpoint may have a code with the hand port",
    "patched_tests": "a name that is patched on the old module stays old in the whole project",
    "runtime_source": "the names are read at run time, by eval and globals(), and show in f-strings",
    "delegating_proxy": "the methods of a handle are looked up by names that are not written in the program",
    "caps_table": "whether a short buffer is enough for a text is known by evidence only (CCM072)",
    "wrapper_unittest": "a fake of the program's own has the methods of an old endpoint, too (CCM035)",
}

# Programs of which migrate still leaves more than it should, and what.
NOT_YET: dict[str, str] = {}

# Programs whose migrated form is compared, too.
READY = [name for name in PROGRAMS if name not in NOT_YET]
