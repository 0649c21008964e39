"""How fast migrate is, beside LibCST's own codemod runner doing nothing: python -m benchmarks._migrate [--quick].

One million lines with a few affected files: the pre-filter alone and the whole run, as processes. The codemod runner
takes minutes for that, so it gets a part of the tree, and its time is scaled. Then affected files: lines per second of
a processor's time in a program of many files, and one large file. About a minute in all, and a part of `make bench`.
All run from bytecode, as what pip has installed does.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks import _cost
from benchmarks._targets import Target
from benchmarks._tree import large_file, write_program, write_tree

__all__ = ["FULL", "QUICK", "Size", "measure", "targets"]


@dataclass(frozen=True)
class Size:
    """How many lines are measured."""

    tree: int
    sample: int  # for the codemod runner
    program: int
    file: int


FULL = Size(tree=1_000_000, sample=20_000, program=48_000, file=32_000)
QUICK = Size(tree=100_000, sample=5_000, program=6_000, file=4_000)
_REPORT = "; from benchmarks._cost import report_cost; report_cost()"
_LOAD = "import sys, pathlib; from migrate import _project; _project.load([pathlib.Path(sys.argv[1])])"
PREFILTER = ("-c", _LOAD + _REPORT)
MIGRATE = ("-c", "from migrate.cli import main; main()" + _REPORT)


def measure(size: Size, progress: Callable[[str], None]) -> dict[str, float]:
    """Return seconds, rates and megabytes by name."""
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        tree, sample, program, alone, warm = (folder / part for part in ("tree", "sample", "program", "alone", "warm"))
        for part in (tree, sample, program, alone, warm):
            part.mkdir()
        progress("writing the trees")
        write_tree(tree, size.tree)
        write_tree(sample, size.sample)
        write_program(program, 12, size.program)
        write_program(warm, 1, 100)
        (alone / "large.py").write_bytes(large_file(size.file))
        progress("bytecode")
        cost = partial(_cost.cost, environment=_with_bytecode(folder / "bytecode"))
        for first in ((*MIGRATE, "--check"), ("-m", "benchmarks._codemod")):
            cost(*first, str(warm))
        progress("migrate: a large tree")
        whole = cost(*MIGRATE, "--check", str(tree))
        progress("migrate: the pre-filter alone")
        prefilter = cost(*PREFILTER, str(tree))
        progress("LibCST's codemod runner: a part of the tree")
        codemod = cost("-m", "benchmarks._codemod", str(sample))
        progress("migrate: affected files")
        affected = cost(*MIGRATE, "--check", "--jobs", "1", str(program))
        progress("migrate: one large file")
        large = cost(*MIGRATE, "--check", "--jobs", "1", str(alone))
    return {
        "tree_s": whole.seconds,
        "tree_mb": whole.peak_mb,
        "prefilter_s": prefilter.seconds,
        "libcst_s": codemod.seconds * size.tree / size.sample,
        "program_lines_per_s": size.program / affected.processor_s,
        "file_s": large.seconds,
        "file_mb": large.peak_mb,
    }


def _with_bytecode(folder: Path) -> Mapping[str, str]:
    """The environment in which what is imported once is kept compiled, in a folder."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(folder)}


# A value of what is found, what it is to be.
WISHES: tuple[tuple[str, Callable[[Mapping[str, float]], float], str, float], ...] = (
    ("1 000 000 lines, s", lambda found: found["tree_s"], "at most", 5.0),
    ("of it not in the pre-filter, s", lambda found: found["tree_s"] - found["prefilter_s"], "at most", 2.0),
    ("LibCST's runner / migrate", lambda found: found["libcst_s"] / found["tree_s"], "at least", 20.0),
    ("affected lines per second", lambda found: found["program_lines_per_s"], "at least", 6000.0),
    ("one file of 32 000 lines, s", lambda found: found["file_s"], "at most", 8.0),
)


def targets(found: Mapping[str, float]) -> list[Target]:
    """Return what the numbers of the full size are to be."""
    return [
        Target(f"migrate: {name}", value(found) if found else None, bound, goal, "must")
        for name, value, bound, goal in WISHES
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks._migrate", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the lines; the targets are for all of them")
    found = measure(QUICK if parser.parse_args().quick else FULL, lambda text: print(text, file=sys.stderr))
    print(json.dumps(found | {target.name: target.met for target in targets(found)}, indent=1))


if __name__ == "__main__":
    main()
