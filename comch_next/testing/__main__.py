"""Run the conformance suite, in one process and across two: python -m comch_next.testing [--driver NAME] [WORD ...]."""

import traceback
from functools import partial

from comch_next._commands import command_line
from comch_next.driver.protocol import counted
from comch_next.testing import CHECKS, Check, Maker, Skipped, across_processes, in_one_process

_WIDTH = max(len(check.__name__) for check in CHECKS)


def main() -> int:
    """Print a line for each check and what went wrong; 1 when anything did."""
    parser = command_line.Parser(
        prog="python -m comch_next.testing", description="Run the conformance suite on a driver."
    )
    parser.add_version()
    parser.add_argument("--driver", help="the driver's name; otherwise COMCH_DRIVER, otherwise emulated")
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="only checks whose names contain one of these, as restart or fast_path"
    )
    given = parser.parse_args()
    makers = [partial(maker, given.driver) for maker in (in_one_process, across_processes)]
    if unknown := [word for word in given.words if not any(word in check.__name__ for check in CHECKS)]:
        parser.error(f"no check's name contains {' or '.join(unknown)}")
    chosen = [check for check in CHECKS if not given.words or any(word in check.__name__ for word in given.words)]
    told: dict[str, list[str]] = {"ok": [], "skipped": [], "FAILED": []}
    print(f"{'':{_WIDTH}}  one process  two processes")
    for check in chosen:
        print(f"{check.__name__:{_WIDTH}}", end="", flush=True)
        for maker, width in zip(makers, (11, 13), strict=True):
            result, why = _result(check, maker)
            print(f"  {result:{width}}", end="", flush=True)
            told[result].append(f"{check.__name__}, {maker.func.__name__}{why}")
        print()
    ended = f"{counted(len(chosen), 'check')}, {counted(len(told['FAILED']), 'failure')}"
    print("", *told["skipped"], *told["FAILED"], ended, sep="\n")
    return 1 if told["FAILED"] else 0


def _result(check: Check, maker: Maker) -> tuple[str, str]:
    """What became of a check, and why."""
    try:
        check(maker)
    except Skipped as why:
        return "skipped", f" was skipped: {why}"
    except Exception:
        return "FAILED", f"\n{traceback.format_exc()}"
    return "ok", ""


if __name__ == "__main__":
    command_line.run(main)
