"""Verifies the old programs of the tree again and again: each has the verdict of the table, or that is a false alarm.

`python -m tests.verify.repeated --times 20 programs/ samples/hello`; `make repeat` does it with all of them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

from tests.verify.cases import CASES, TRANSCRIPT
from tests.verify.table import VERDICTS, verified


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify the programs that are named, all by default, and return the number of false alarms."""
    parser = argparse.ArgumentParser(prog="python -m tests.verify.repeated", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, or how their names begin (default: all)")
    parser.add_argument("--times", type=int, default=20, metavar="N", help="repetitions of each (default: %(default)s)")
    given = parser.parse_args(arguments)
    names = [name for name in CASES if name.startswith(tuple(given.names or [""]))]
    if not names:
        parser.error(f"no program is named {', '.join(given.names)}; tests/verify/verdicts.txt has them all")
    alarms = 0
    for line, is_alarm in _lines(names, given.times):
        print(line, flush=True)
        alarms += is_alarm
    print(f"{len(names)} programs, {given.times} times each: {alarms or 'no'} false alarms")
    return min(alarms, 1)


def _lines(names: Sequence[str], times: int) -> Iterator[tuple[str, bool]]:
    """Verify programs side by side, which wait for each other's processes, and yield what comes of each."""
    with redirect_stderr(StringIO()), ThreadPoolExecutor(os.cpu_count()) as pool:  # of the programs
        yield from (done.result() for done in as_completed(pool.submit(_line, name, times) for name in names))


def _line(name: str, times: int) -> tuple[str, bool]:
    began, case = time.monotonic(), CASES[name]
    with tempfile.TemporaryDirectory(prefix="again-") as folder:
        home = Path(folder)
        try:
            stage = verified(name, case.migrated(home / "sides"), home, times=times)
            if (case.folder / TRANSCRIPT).exists():
                for new, ends in stage.runs:
                    assert ends == case.ends(), f"{new}: {ends}"
        except AssertionError as error:
            return f"FALSE ALARM {name}\n{error}", True
        took = time.monotonic() - began
        return f"{name}: {VERDICTS[name]}: {len(stage.runs)} runs in {took:.0f} s", False


if __name__ == "__main__":
    sys.exit(main())
