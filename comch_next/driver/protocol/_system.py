"""Failures of the system and the library, as opposed to what the program raises in the middle of a call.

A signal's handler may raise a TimeoutError, say, or an exception of the library's, wherever Python looks for signals.
It is not meant by a clause that is for refusals.
"""

import sys
from contextlib import suppress
from types import TracebackType
from typing import TypeVar

__all__ = ["by_system", "suppress_system"]

_E = TypeVar("_E", bound=BaseException)

_DEPENDENCIES = {"cffi", "packaging", "tomli"}  # what is called on the program's behalf, too
_GENERATED = "namedtuple_"  # what the standard library calls the module of a named tuple's constructor
_NOT_THE_PROGRAMS = {__name__.partition(".")[0], *sys.stdlib_module_names, *_DEPENDENCIES}


def by_system(*kinds: type[_E]) -> tuple[type[_E], ...]:
    """Name what an `except` clause is for: these exceptions, but for those that the program has raised."""
    return () if _is_programs(sys.exc_info()[1]) else kinds


class suppress_system(suppress):  # noqa: N801  # named as what it extends
    """Suppress these exceptions, but for those that the program has raised."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return not _is_programs(error) and bool(super().__exit__(kind, error, trace))


def _is_programs(error: BaseException | None) -> bool:
    """Whether code of the program has raised it, which the call that was tried has come to."""
    if error is None or error.__traceback__ is None:
        return False
    if hasattr(error, "_comes_late"):  # from where nobody could catch it: see _shield.c
        return True
    entry = error.__traceback__.tb_next  # the first is that of the function which asks
    while entry is not None:
        package = str(entry.tb_frame.f_globals.get("__name__")).partition(".")[0]
        if package not in _NOT_THE_PROGRAMS and not package.startswith(_GENERATED):
            return True
        entry = entry.tb_next
    return False
