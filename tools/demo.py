"""An old pair runs unchanged, is rewritten, runs again: both transcripts side by side, and the verdict."""

from __future__ import annotations

import random
import sys
import tempfile
import time
from itertools import zip_longest
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tools.processes import ProcessError
from tools.side_by_side import (
    DEMO_SAMPLES,
    PairOutcome,
    Stage,
    Transcript,
    copy_samples,
    differences,
    migrate,
)

PAYLOAD = random.Random(3).randbytes(10_000)  # three segments: few enough lines for one screen


def lines(transcript: Transcript) -> list[str]:
    """A transcript, shortened for half a screen's width; its last line tells the exit status, too."""
    short = transcript.text
    for long, brief in (("peer 1 ", ""), ("statistics:", "Σ"), (" messages ", "/"), (" bytes", " B")):
        short = short.replace(long, brief)
    told = short.splitlines() or ["no output"]
    return [*told[:-1], f"{told[-1]}, exit {transcript.exit_status}"]


def comparison(sample: str, old: PairOutcome, new: PairOutcome) -> Table:
    """The transcripts of a sample, line beside line; a line that differs is marked."""
    table = Table(title=sample, title_justify="left", pad_edge=False, show_edge=False, expand=True)
    table.add_column("")
    table.add_column("old, unchanged", ratio=1, no_wrap=True)
    table.add_column("migrated", ratio=1, no_wrap=True)
    for end in ("service", "client"):
        name = end
        for before, after in zip_longest(lines(getattr(old, end)), lines(getattr(new, end)), fillvalue=""):
            style = "" if before == after else "bold red"
            table.add_row(name, Text(before, style), Text(after, style))
            name = ""
    return table


def show_sample(console: Console, sample: str, old: Stage, new: Stage) -> bool:
    """Run one sample both ways; whether it went well and gave the same transcript."""
    before = old.run_pair(sample, "old", "old")
    after = new.run_pair(sample, "migrated", "migrated")
    console.print(comparison(sample, before, after))
    found = before.failures() + after.failures() + differences(before, after)
    for sentence in found:
        console.print(Text(f"  {sentence}", "red"), soft_wrap=True)
    return not found


def run(console: Console, folder: Path) -> bool:
    places = {name: folder / name for name in ("old", "new", "migrated")}
    for place in places.values():
        place.mkdir()
    rewriting = migrate("--write", *map(str, copy_samples(places["migrated"])))
    if rewriting.returncode != 0:
        console.print(Text(f"migrate left work to do:\n{rewriting.stdout}{rewriting.stderr}", "red"))
        return False
    old = Stage(places["old"], PAYLOAD)
    new = Stage(places["new"], PAYLOAD, migrated=places["migrated"])
    verdicts = [show_sample(console, sample, old, new) for sample in DEMO_SAMPLES]  # every one is shown
    return all(verdicts)


def main() -> int:
    console = Console(highlight=False)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="comch-demo-") as folder:
        try:
            same = run(console, Path(folder))
        except ProcessError as error:
            console.print(Text(str(error), "red"), soft_wrap=True)
            same = False
    verdict = Text("same transcripts", "bold green") if same else Text("the transcripts differ", "bold red")
    console.print(Text.assemble(verdict, f" ({time.monotonic() - started:.1f} s)"))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
