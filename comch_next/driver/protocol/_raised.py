"""Exceptions of callbacks: which one a call raises, and what becomes of those that nothing can catch."""

from collections.abc import Callable
from typing import TypeAlias

__all__ = ["OnError", "handed_over", "raised_of", "report_unraisable"]

OnError: TypeAlias = Callable[[Exception], object]


class _Unraisable:
    """An error that is raised where nothing can catch it: only from there Python calls sys.unraisablehook."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __del__(self) -> None:
        raise self._error


def report_unraisable(error: BaseException) -> None:
    """Pass an exception to sys.unraisablehook."""
    _Unraisable(error)


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
