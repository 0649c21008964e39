"""What a side does by itself, while the other does likewise: it sleeps on its descriptors.

A wake-up that is lost is a sleep that ends by the time-out.
"""

import time
from collections.abc import Callable

from comch_next.errors import Again
from comch_next.testing._side import Side

__all__ = ["count_told", "sleep_until", "submit_again"]

_AGAIN_S = 0.001  # a producer is not told when its consumer posts: it has to try


def sleep_until(side: Side, engine: str, see: Callable[[], int], wanted: int, timeout: float, what: str) -> None:
    """Progress until nothing moves, then sleep, until `see` has reached what is wanted."""
    while see() < wanted:
        if not side.progress(engine) and see() < wanted and not side.wait(timeout, engine):
            raise AssertionError(f"{what}: slept for {timeout} s on {engine}, with {see()} of {wanted}")


def count_told(side: Side, kind: str, key: str = "main") -> Callable[[], int]:
    """Count from now on what callbacks are told, without the cost of asking for it."""
    seen = 0

    def count(*_: object) -> None:
        nonlocal seen
        seen += 1

    side.hooks[kind, key] = count
    return lambda: seen


def submit_again(side: Side, engine: str, task: int, timeout: float) -> None:
    """Submit until it is accepted, with progress in between; the task is freed when it is refused."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            return side.submit(task)
        except Again:
            if time.monotonic() >= deadline:
                raise AssertionError(f"{engine}: the other side has posted nothing for {timeout} s") from None
            if not side.progress(engine):
                side.wait(_AGAIN_S, engine)
        except BaseException:
            side.free(task)
            raise
