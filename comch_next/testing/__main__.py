"""Run every check, in one process and across two: python -m comch_next.testing [--driver NAME] [WORD ...]."""

import traceback
from functools import partial

from comch_next._commands import command_line
from comch_next.testing import CHECKS, Check, Maker, across_processes, in_one_process

_WIDTH = max(len(check.__name__) for check in CHECKS)


def main() -> int:
    """Print a line for each check and what went wrong; 1 when anything did."""
    parser = command_line.Parser(prog="python -m comch_next.testing", description="Prove a driver right.")
    parser.add_version()
    parser.add_argument("--driver", help="the driver's name; otherwise COMCH_DRIVER, otherwise emulated")
    parser.add_argument("words", nargs="*", metavar="WORD", help="only checks whose name holds one of these")
    given = parser.parse_args()
    makers = [partial(maker, given.driver) for maker in (in_one_process, across_processes)]
    chosen = [check for check in CHECKS if not given.words or any(word in check.__name__ for word in given.words)]
    if not chosen:
        parser.error(f"no check's name holds {' or '.join(given.words)}")
    faults: list[str] = []
    print(f"{'':{_WIDTH}}  one process  two processes")
    for check in chosen:
        print(f"{check.__name__:{_WIDTH}}", end="", flush=True)
        for maker, width in zip(makers, (11, 13), strict=True):
            fault = _fault(check, maker)
            print(f"  {'FAILED' if fault else 'ok':{width}}", end="", flush=True)
            if fault:
                faults.append(f"{check.__name__}, {maker.func.__name__}\n{fault}")
        print()
    print("", *faults, f"{len(chosen)} checks, {len(faults)} failures", sep="\n")
    return 1 if faults else 0


def _fault(check: Check, maker: Maker) -> str | None:
    try:
        check(maker)
    except Exception:
        return traceback.format_exc()
    return None


if __name__ == "__main__":
    command_line.run(main)
