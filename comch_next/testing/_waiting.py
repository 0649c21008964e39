"""How checks wait and judge: with a deadline, and telling what was expected and what was seen."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from comch_next.errors import DocaError

__all__ = ["Skipped", "expect", "refused", "until"]


class Skipped(Exception):
    """A check that does not apply to the driver; the text is the reason."""


def expect(seen: object, wanted: object, what: str) -> None:
    """Raise AssertionError unless both are equal."""
    if seen != wanted:
        raise AssertionError(f"{what}: expected {wanted!r}, saw {seen!r}")


@contextmanager
def refused(code: str, what: str) -> Iterator[None]:
    """A block whose call must be refused with that code, such as "BAD_STATE"."""
    try:
        yield
    except DocaError as error:
        expect(error.code.name, code, what)
    else:
        raise AssertionError(f"{what}: expected {code}, was not refused")


def until(see: Callable[[], object], wanted: object, what: str, turn: Callable[[], object], timeout: float) -> None:
    """Call `turn` until `see` gives what is wanted; AssertionError after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while (seen := see()) != wanted:
        if time.monotonic() >= deadline:
            raise AssertionError(f"{what}: expected {wanted!r} within {timeout} s, saw {seen!r}")
        turn()
