"""Exceptions of callbacks: which one a call raises, and what becomes of those that nothing can catch."""

from collections.abc import Callable
from typing import TypeAlias

from comch_next.driver.protocol._shield import report_unraisable

__all__ = ["OnError", "handed_over", "raised_of", "report_unraisable"]

OnError: TypeAlias = Callable[[Exception], object]


def raised_of(first: BaseException | None, later: BaseException) -> BaseException:
    """Which of two exceptions is raised: the first, unless only the later one ends programs. The other is reported."""
    if first is None or first is later:
        return later
    if isinstance(first, Exception) and not isinstance(later, Exception):
        first, later = later, first
    report_unraisable(later)
    return first


def handed_over(error: BaseException, on_error: OnError | None) -> bool:
    """Report what a callback has raised to `on_error`, if set, instead of from progress; not what ends programs."""
    if on_error is None or not isinstance(error, Exception):
        return False
    on_error(error)
    return True
