"""Deprecation warnings of the old faces: silent unless COMCH_COMPAT_WARN=1, then one per call, file and line.

The question is asked once, at import: when the answer is no, `warns_as` gives back what it was given.
"""

import functools
import inspect
import os
import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

__all__ = ["LegacyCallWarning", "is_on", "warns_as"]

_T = TypeVar("_T", bound=Callable[..., Any])

_PACKAGE = __name__.partition(".")[0]

is_on = os.environ.get("COMCH_COMPAT_WARN", "") not in ("", "0")


class LegacyCallWarning(DeprecationWarning):
    """A program called one of the old APIs."""


if is_on and not sys.warnoptions:
    # Python hides deprecations outside __main__; who asked for these wants those of imported helpers too.
    warnings.simplefilter("default", LegacyCallWarning)

_seen: set[tuple[str, str, int]] = set()


def warns_as(code: str) -> Callable[[_T], _T]:
    """Decorate a function with the C name it stands for, a class with the prefix of its methods' C names."""

    def decorate(legacy: _T) -> _T:
        if not is_on:
            return legacy
        if isinstance(legacy, type):
            _decorate_methods(legacy, code)
            return legacy
        return _warning(legacy, code)

    return decorate


def _decorate_methods(legacy: type, prefix: str) -> None:
    """Decorate those of its bases, too, which have no C names of their own, unless they warn already."""
    for name in dir(legacy):
        method = inspect.getattr_static(legacy, name)
        if not name.startswith("_") and inspect.isfunction(method) and not hasattr(method, "__wrapped__"):
            setattr(legacy, name, _warning(method, prefix + name))


def _warning(function: _T, code: str) -> _T:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        _warn(code, sys._getframe(1))
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]  # it takes and gives what `function` does


def _warn(code: str, frame: FrameType | None) -> None:
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    if frame is None:
        return
    key = (code, frame.f_code.co_filename, frame.f_lineno)
    if key not in _seen:
        _seen.add(key)
        text = f"{code} belongs to an API that DOCA has removed; see MIGRATION.md#{code.lower()}"
        warnings.warn_explicit(text, LegacyCallWarning, *key[1:], module=frame.f_globals.get("__name__"))
