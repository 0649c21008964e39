"""Verifies the old programs of the tree again and again: each has the verdict of the table, or that is a false alarm.

`python -m tests.verify.repeated --times 20 programs/ samples/hello`; `make repeat` does it with all of them, and
`make repeat COMCH_REPEAT_PART=1/2`, then `2/2`, in two runs. The last line is the verdict, the exit status 0 or 1.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

from migrate.report.run import counted
from tests.verify.cases import CASES, TRANSCRIPT
from tests.verify.table import VERDICTS, verified


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify the programs that are named, all by default, and return whether there were false alarms."""
    parser = argparse.ArgumentParser(prog="python -m tests.verify.repeated", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, or how their names begin (default: all)")
    parser.add_argument("--times", type=int, default=20, metavar="N", help="repetitions of each (default: %(default)s)")
    parser.add_argument("--part", type=_part, default=(1, 1), metavar="K/N", help="the Kth of N parts (default: 1/1)")
    given = parser.parse_args(arguments)
    (part, parts), named = given.part, [name for name in CASES if name.startswith(tuple(given.names or [""]))]
    if not named:
        parser.error(f"no program is named {', '.join(given.names)}; tests/verify/verdicts.txt has them all")
    names, alarms = named[part - 1 :: parts], []
    for number, (name, line, is_alarm) in enumerate(_lines(names, given.times), start=1):
        print(f"{number}/{len(names)} {line}", flush=True)
        alarms += [name] * is_alarm
    verdict = f"{counted(len(alarms), 'false alarm')}: {', '.join(alarms)}" if alarms else "no false alarms"
    print(f"{counted(len(names), 'program')} of {len(named)}, {counted(given.times, 'time')} each: {verdict}")
    return min(len(alarms), 1)


def _part(text: str) -> tuple[int, int]:
    part = re.fullmatch(r"(\d+)/(\d+)", text)
    if part is None or not 1 <= int(part[1]) <= int(part[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not K/N with K from 1 to N")
    return int(part[1]), int(part[2])


def _lines(names: Sequence[str], times: int) -> Iterator[tuple[str, str, bool]]:
    """Verify programs side by side, which wait for each other's processes, and yield what comes of each."""
    with redirect_stderr(StringIO()), ThreadPoolExecutor(os.cpu_count()) as pool:  # of the programs
        done = {pool.submit(_line, name, times): name for name in names}
        try:
            for future in as_completed(done):
                yield done[future], *future.result()
        finally:
            pool.shutdown(cancel_futures=True)  # where this is interrupted


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
        except Exception:
            return f"FALSE ALARM {name}\n{traceback.format_exc()}", True
        took = time.monotonic() - began
        return f"{name}: {VERDICTS[name]}: {len(stage.runs)} runs in {took:.0f} s", False


if __name__ == "__main__":
    sys.exit(main())
