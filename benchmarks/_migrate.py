"""How fast migrate is, beside LibCST's own codemod runner doing nothing: python -m benchmarks._migrate [--quick].

One million lines with a few affected files: the pre-filter alone and the whole run, as processes. The codemod runner
takes minutes for that, so it gets a part of the tree, and its time is scaled. Then affected files: lines per second of
a processor's time in a program of many files, and one large file. About a minute in all, and a part of `make bench`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks._targets import Target
from benchmarks._tree import large_file, write_program, write_tree
from tools.processes import ProcessError, finish, running

__all__ = ["FULL", "QUICK", "Size", "measure", "targets"]

DEADLINE_S = 900.0


@dataclass(frozen=True)
class Size:
    """How many lines are measured."""

    tree: int
    sample: int  # for the codemod runner
    program: int
    file: int


FULL = Size(tree=1_000_000, sample=40_000, program=48_000, file=32_000)
QUICK = Size(tree=100_000, sample=10_000, program=6_000, file=4_000)
# What a process costs is the last line that it prints.
PREFILTER = ("-c", "import sys, pathlib; from migrate import _project; _project.load([pathlib.Path(sys.argv[1])])"
                   "; from benchmarks import _migrate; _migrate.report_cost()")  # fmt: skip
MIGRATE = ("-c", "from migrate.cli import main; main(); from benchmarks import _migrate; _migrate.report_cost()")


@dataclass(frozen=True)
class Cost:
    """What a process has cost, those that it started among it."""

    seconds: float
    processor_s: float
    peak_mb: float  # of the largest of them


def measure(size: Size, progress: Callable[[str], None]) -> dict[str, float]:
    """Return seconds, rates and megabytes by name."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        tree, sample, program, alone = (folder / part for part in ("tree", "sample", "program", "alone"))
        for part in (tree, sample, program, alone):
            part.mkdir()
        progress("writing the trees")
        write_tree(tree, size.tree)
        write_tree(sample, size.sample)
        write_program(program, 12, size.program)
        (alone / "large.py").write_bytes(large_file(size.file))
        progress("migrate: a large tree")
        whole = _cost(*MIGRATE, "--check", str(tree))
        progress("migrate: the pre-filter alone")
        prefilter = _cost(*PREFILTER, str(tree))
        progress("LibCST's codemod runner: a part of the tree")
        codemod = _cost("-m", "benchmarks._migrate", "--libcst", str(sample))
        progress("migrate: affected files")
        affected = _cost(*MIGRATE, "--check", "--jobs", "1", str(program))
        progress("migrate: one large file")
        large = _cost(*MIGRATE, "--check", "--jobs", "1", str(alone))
    return {
        "tree_s": whole.seconds,
        "tree_mb": whole.peak_mb,
        "prefilter_s": prefilter.seconds,
        "libcst_s": codemod.seconds * size.tree / size.sample,
        "program_lines_per_s": size.program / affected.processor_s,
        "file_s": large.seconds,
        "file_mb": large.peak_mb,
    }


def targets(found: Mapping[str, float]) -> list[Target]:
    """Return what the numbers of the full size are to be."""
    rest = found["tree_s"] - found["prefilter_s"]
    return [
        Target("migrate: 1 000 000 lines, s", found["tree_s"], "at most", 5.0, "must"),
        Target("migrate: of it not in the pre-filter, s", rest, "at most", 2.0, "must"),
        Target("migrate: LibCST's runner / migrate", found["libcst_s"] / found["tree_s"], "at least", 20.0, "must"),
        Target("migrate: affected lines per second", found["program_lines_per_s"], "at least", 6000.0, "must"),
        Target("migrate: one file of 32 000 lines, s", found["file_s"], "at most", 8.0, "must"),
    ]


def report_cost() -> None:
    """Print the processor's seconds and the kilobytes that this process has taken, and those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(sum(use.ru_utime + use.ru_stime for use in used), max(use.ru_maxrss for use in used))


def _cost(*arguments: str) -> Cost:
    """Run a Python process that reports its cost in the end."""
    before = time.monotonic()
    with running([sys.executable, *arguments], os.environ) as process:
        ending = finish(process, before + DEADLINE_S)
    if ending.status or "Traceback" in ending.errors:
        raise ProcessError(f"{arguments} failed:\n{ending.errors}")
    processor_s, kilobytes = ending.output.splitlines()[-1].split()
    return Cost(time.monotonic() - before, float(processor_s), float(kilobytes) / 1024)


def _libcst(folder: Path) -> None:
    # Here, since only the process that measures it needs it.
    from libcst.codemod import CodemodContext, VisitorBasedCodemodCommand, gather_files
    from libcst.codemod import parallel_exec_transform_with_prettyprint as run

    class Nothing(VisitorBasedCodemodCommand):
        DESCRIPTION = "Changes nothing"

    files = gather_files([str(folder)])
    with contextlib.redirect_stderr(io.StringIO()):
        result = run(Nothing(CodemodContext()), files, jobs=2, hide_progress=True)
    if result.successes != len(files):
        raise RuntimeError(f"the codemod runner failed: {result}")
    report_cost()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks._migrate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the lines; the targets are for all of them")
    parser.add_argument("--libcst", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.libcst:
        _libcst(given.libcst)
        return
    found = measure(QUICK if given.quick else FULL, lambda text: print(text, file=sys.stderr))
    print(json.dumps(found | {target.name: target.met for target in targets(found)}, indent=1))


if __name__ == "__main__":
    main()
