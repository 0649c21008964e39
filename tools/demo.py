"""Shows how migrate rewrites an old pair, verifies it and draws its messages: each step is a command of users, too."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.side_by_side import LEGACY

FOLDER = Path("build", "demo")  # of the folder that the demonstration runs in
DEADLINE_S = 600.0
ENDS = ("service", "client")

PROGRAM, VERIFIED, PAGE = FOLDER / "program", FOLDER / "verified", FOLDER / "report.html"
SCRIPTS = [str(PROGRAM / f"hello_{end}.py") for end in ENDS]


class Step(NamedTuple):
    """A command of `python`: the status that it has to end with, texts that it has to print, and why it may not."""

    title: str
    words: Sequence[str]
    status: int
    otherwise: str
    kept: str = ""  # the name of a file that takes what it prints
    shows: Sequence[str] = ()


def traces(run: str) -> list[str]:
    """The traces of a run that verify has kept."""
    return [str(VERIFIED / "runs" / run / f"{end}.jsonl") for end in ENDS]


STEPS = (
    Step(
        "An old pair of programs, and what migrate makes of it",
        ("-m", "migrate", "--diff", str(PROGRAM)),
        1,
        "migrate finds nothing to rewrite, or something that it leaves: the pair is not what the demonstration shows",
        "changes.diff",
        [f"--- a/{script}\n" for script in SCRIPTS],
    ),
    Step(
        "Old beside new, in every pairing, and under faults",
        ("-m", "migrate", "verify", "--keep", str(VERIFIED), "--report", str(PAGE), *SCRIPTS),
        0,
        "old and new are not equivalent",
        "verdict.txt",
    ),
    *(
        Step(
            f"What went over the channel between the {side} ends",
            ("-m", "comch_next", "timeline", "--svg", str(FOLDER / f"{side}.svg"), *traces(run)),
            0,
            "the traces cannot be drawn",
            f"{side}.txt",
        )
        for side, run in (("old", "1-old-old"), ("new", "2-new-new"))
    ),
)


def take(step: Step) -> bool:
    """Show a step and what it prints; whether it ended as it has to."""
    print(f"\n# {step.title}\n$ python {shlex.join(step.words)}", flush=True)
    ended = subprocess.run(
        [sys.executable, *step.words], stdout=subprocess.PIPE, text=True, timeout=DEADLINE_S, check=False
    )
    print(ended.stdout, end="", flush=True)
    (FOLDER / step.kept).write_text(ended.stdout, "utf-8")
    is_as_meant = ended.returncode == step.status and all(text in ended.stdout for text in step.shows)
    if not is_as_meant:
        print(f"\n{step.otherwise} (exit status {ended.returncode})")
    return is_as_meant


def main() -> int:
    """Take all steps; the first one that fails is the last."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    PROGRAM.mkdir(parents=True)
    for end in ENDS:
        shutil.copy(LEGACY / f"hello_{end}.py", PROGRAM)
    if not all(map(take, STEPS)):
        return 1
    print(f"\nEverything is in {FOLDER}; {PAGE.name} shows it in a browser. The same for programs of yours:")
    print(f"$ {shlex.quote(os.path.relpath(sys.executable))} -m migrate verify SERVICE.py CLIENT.py")
    return 0


if __name__ == "__main__":
    sys.exit(main())
