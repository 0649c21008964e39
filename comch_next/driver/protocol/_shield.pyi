"""Calls that run to their end where nobody catches what a signal's handler raises; see _shield.c."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

class Finalized:
    """An object whose `finalize` is called when it is collected. Own exceptions go to sys.unraisablehook."""

    __slots__ = ()

    def finalize(self) -> None: ...

def shielded(call: Callable[_P, _T], /) -> Callable[_P, _T]: ...
def handlers_run_on(thread: int, /) -> None: ...
def held(masks: list[Any], call: Callable[..., _T], /) -> Callable[..., _T]: ...
def passing(make: Callable[_P, tuple[Any, ...]], call: Callable[..., _T], /) -> Callable[_P, _T]: ...
def handing_on(call: Callable[_P, BaseException | None], /) -> Callable[_P, None]: ...
