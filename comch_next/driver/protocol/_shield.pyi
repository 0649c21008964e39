"""Calls that run to their end where nobody catches what a signal's handler raises; see _shield.c."""

from collections.abc import Callable
from typing import ParamSpec

_P = ParamSpec("_P")

class Finalized:
    """An object whose `finalize` is called when it is collected. Own exceptions go to sys.unraisablehook."""

    __slots__ = ()

    def finalize(self) -> None: ...

def shielded(call: Callable[[], object], /) -> Callable[[], object]: ...
def handing_on(call: Callable[_P, BaseException | None], /) -> Callable[_P, None]: ...
