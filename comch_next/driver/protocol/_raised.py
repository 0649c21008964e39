"""Exceptions of callbacks: which one a call raises, and what becomes of those that nothing can catch."""

__all__ = ["raised_of", "report_unraisable"]


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
