"""Programs of generation 1 as users write them, and their transcripts: run as they are, migrated, and mixed."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.processes import ROOT, Child, Finished, StartPython

FOLDER = Path(__file__).parent / "programs"
LAUNCHER = ("-m", "comm_channel_compat", "run")
TRANSCRIPT = "expected.txt"
END_S = 40.0  # a program gives up by itself after about ten seconds
OLD_NAME = "doca_comm_channel"

PAIR = ("service.py", "client.py")
TOOL = ("tool.py -l", "tool.py")
ALONE = ("main.py",)


class Program(NamedTuple):
    """A folder, the command lines of its ends in the order of their start, and when the second one starts."""

    name: str
    ends: Sequence[str] = PAIR
    cue: str = "listening"  # in a line of the first end

    @property
    def folder(self) -> Path:
        """Where the program is, with its transcript."""
        return FOLDER / self.name

    def transcript(self) -> list[tuple[str, str, int]]:
        """Read what each end prints, and its exit status, from lines `$ command`, output, `[status]`."""
        ends = []
        for part in (self.folder / TRANSCRIPT).read_text().split("$ ")[1:]:
            command, rest = part.split("\n", 1)
            output, status = rest.rsplit("[", 1)
            ends.append((command, output, int(status.rstrip("]\n"))))
        return ends


class Migrated(NamedTuple):
    """A copy of a program, rewritten, and how migrate ended."""

    folder: Path
    finished: Finished

    def old_imports(self) -> list[str]:
        """Name the imports of the old API that are left, with their files."""
        return [
            f"{path.name}:{statement.lineno}"
            for path in sorted(self.folder.rglob("*.py"))
            for statement in ast.walk(ast.parse(path.read_bytes()))
            if isinstance(statement, ast.stmt) and OLD_NAME in _imported(statement)
        ]


def _imported(statement: ast.stmt) -> list[str | None]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [statement.module] if isinstance(statement, ast.ImportFrom) else []


def migrate(program: Program, into: Path) -> Migrated:
    """Copy a program and rewrite the copy."""
    folder = into / program.name
    shutil.copytree(program.folder, folder, ignore=shutil.ignore_patterns(TRANSCRIPT, "__pycache__"))
    done = subprocess.run(
        [sys.executable, "-m", "migrate", "--write", str(folder)], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    return Migrated(folder, Finished(done.returncode, done.stdout, done.stderr))


class Way(NamedTuple):
    """How one end runs: from which folder, and with the launcher or without."""

    folder: Path
    launched: bool

    def start(self, start_python: StartPython, end: str) -> Child:
        """Start an end, by its command line."""
        script, *options = end.split()
        launcher = LAUNCHER if self.launched else ()
        return start_python(*launcher, str(self.folder / script), *options, deadline_s=END_S)


def run(start_python: StartPython, program: Program, ways: Sequence[Way]) -> Iterator[tuple[str, str, int]]:
    """Run the ends of a program, each in its way; yield for each what its transcript holds.

    What an end says on stderr is no part of that; it is shown when the program fails.
    """
    children: list[Child] = []
    for end, way in zip(program.ends, ways, strict=True):
        if children:
            children[-1].wait_for(program.cue)
        children.append(way.start(start_python, end))
    for end, child in zip(program.ends, children, strict=True):
        finished = child.finish()
        print(finished.stderr, file=sys.stderr)
        yield end, finished.stdout, finished.returncode


PROGRAMS = [
    Program("halo_exchange"),
    Program("sensor_daemon"),
    Program("checked_echo"),
    Program("file_send"),
    Program("rpc_acks"),
    Program("chat_tool", TOOL),
    Program("pingpong_tool", TOOL),
    Program("kv_package"),
    Program("asyncio_pump"),
    Program("shared_lock"),
    Program("struct_link"),
    Program("thread_workers"),
    Program("channel_tests", ALONE),
    Program("scoped_channels", ALONE),
    Program("bound_calls"),
    Program("peer_tables"),
    Program("three_files"),
    Program("import_styles"),
    Program("telemetry_chunks"),
    Program("late_service", ("client.py", "service.py"), cue="waiting"),
    Program("scale_probe"),
    Program("state_daemon"),
    Program("match_machine"),
    Program("or_chains"),
    Program("indexed_results"),
    Program("dispatch_table"),
    Program("enum_setup"),
    Program("failing_starts", ALONE),
    Program("early_leaver"),
    Program("none_peer", ALONE),
    Program("signal_cleanup"),
    Program("odd_answers", ALONE),
    Program("shadowed_names", ALONE),
    Program("logged_endpoint", ALONE),
    Program("two_services"),
    Program("evaluation_order", ALONE),
    Program("splatted_calls"),
    Program("backpressure", ALONE),
    Program("wrapped_errors", ALONE),
    Program("thread_pool"),
    Program("odd_buffers", ALONE),
    Program("stale_handles", ALONE),
    Program("quiet_endings", ALONE),
    Program("reexported"),
    Program("import_paths", ALONE),
    Program("odd_layout", ALONE),
    Program("look_alikes", ALONE),
    Program("forked_pair", ALONE),
    Program("patched_tests", ALONE),
    Program("runtime_source", ALONE),
    Program("delegating_proxy", ALONE),
]
NAMES = {program.name: program for program in PROGRAMS}

# Programs of which migrate may leave something to their author, and why.
NOT_WHOLE = {
    "patched_tests": "a name that is patched on the old module stays old in the whole project",
    "runtime_source": "the names are read at run time, by eval and globals(), and show in f-strings",
    "delegating_proxy": "the methods of a handle are looked up by names that are not written in the program",
}

# Programs whose migrated form is compared, too.
READY: list[str] = []
