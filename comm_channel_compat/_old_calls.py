"""What is done at a call of the old faces beside answering it. COMCH_COMPAT_WARN=1: a warning for each call of the
channel APIs, which are gone, one per call, file and line. COMCH_COMPAT_REPORT=FILE: an account of all, written at exit.

Both are decided once, at import: if neither is wanted, `old_call` returns its argument unchanged. The import
raises InvalidValue for another value of COMCH_COMPAT_WARN.
"""

import atexit
import functools
import os
import sys
import warnings
from collections.abc import Callable
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, TypeVar

from comch_next.errors import InvalidValue
from comch_next.pull import shielded

__all__ = [
    "LegacyCallWarning",
    "at_exit",
    "caller",
    "end",
    "is_watched",
    "note_end",
    "old_call",
    "package_of",
    "report_file",
    "report_of",
    "stand_in",
]

_T = TypeVar("_T", bound=Callable[..., Any])
Place = tuple[str, int, str]  # file, line and module

_PACKAGE = __name__.partition(".")[0]
_CHANNELS = ("doca_comm_channel_", "doca_cc_")  # prefixes of the channel APIs; what else is old is still there
_PACKAGES = (_PACKAGE, "comch_next")  # between a program and what stands behind its call
_NOWHERE: Place = ("", 0, "")  # of a call by a program that is not Python, or by the interpreter itself: at exit
# What a module has of its own, and not of what it stands for.
_OF_ITS_OWN = {"__name__", "__spec__", "__loader__", "__file__", "__cached__", "__package__", "__builtins__"}

# Now: a program may empty its environment.
_wanted = os.environ.get("COMCH_COMPAT_WARN", "")
if _wanted not in ("", "0", "1"):
    raise InvalidValue(f"COMCH_COMPAT_WARN is {_wanted!r}; legal are 0, 1 and empty")
_warns = _wanted == "1"
report_file = os.environ.get("COMCH_COMPAT_REPORT", "")
report_of = os.environ.get("COMCH_COMPAT_REPORT_OF", "")  # the process whose account has that name
is_watched = _warns or bool(report_file)
at_exit: list[Callable[[], object]] = []  # what comes after the exit functions that the program registers from here on


def _end() -> None:
    for call in at_exit:
        call()


end = shielded(_end)  # which the launcher's sitecustomize calls, too
if report_file:
    atexit.register(end)


class LegacyCallWarning(DeprecationWarning):
    """The warning for a call of an old API."""


if _warns and not sys.warnoptions:
    # Python hides deprecations outside __main__; who asked for these wants those of imported helpers too.
    warnings.simplefilter("default", LegacyCallWarning)

_seen: set[tuple[str, Place]] = set()


def old_call(code: str, *, is_coded: bool = False) -> Callable[[_T], _T]:
    """Decorate a function with the C name it stands for, a class with the prefix of its methods' C names.

    `is_coded`: its result is a result code, or a tuple that begins with one.
    """

    def decorate(legacy: _T) -> _T:
        if not is_watched:
            return legacy
        if isinstance(legacy, type):
            _decorate_methods(legacy, code)
            return legacy
        return _watched(legacy, code, is_coded)

    return decorate


def _decorate_methods(legacy: type, prefix: str) -> None:
    """Decorate those of its bases, too, which have no C names of their own, unless they are decorated already."""
    methods = {name: value for base in reversed(legacy.__mro__) for name, value in vars(base).items()}
    for name, method in methods.items():
        of_class = isinstance(method, classmethod)
        function = method.__func__ if of_class else method
        if not name.startswith("_") and isinstance(function, FunctionType) and not _is_wrapper(function.__code__):
            function = getattr(function, "__wrapped__", function)  # a quick method's own, which has a frame
            watched = _watched(function, prefix + name, is_coded=False)
            setattr(legacy, name, classmethod(watched) if of_class else watched)


def _is_wrapper(code: CodeType) -> bool:
    """Whether it is the code of `call` in _watched."""
    return code.co_name == "call" and code.co_filename == __file__


def _watched(function: _T, code: str, is_coded: bool) -> _T:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        place = caller(sys._getframe().f_back)
        if place is None:
            return function(*args, **kwargs)
        if _warns and place is not _NOWHERE and code.startswith(_CHANNELS):
            _warn(code, place)
        if not report_file:
            return function(*args, **kwargs)
        from comm_channel_compat._account import the_account  # which stands on much of the toolkit

        return the_account().follow(code, place, is_coded, function, args, kwargs)

    return call  # type: ignore[return-value]  # it takes and gives what `function` does


def note_end(handle: object) -> None:
    """Have the account know that a handle has ended without an old call: with its `with` block."""
    if report_file:
        from comm_channel_compat._account import the_account

        the_account().note_end(handle)


def caller(frame: FrameType | None) -> Place | None:
    """Where the program calls from; None for a call that another old call makes."""
    while frame is not None and package_of(frame) in _PACKAGES:
        if _is_wrapper(frame.f_code):
            return None
        frame = frame.f_back
    if frame is None:
        return _NOWHERE
    return frame.f_code.co_filename, frame.f_lineno, str(frame.f_globals.get("__name__"))


def package_of(frame: FrameType) -> str:
    """Return the top package of the module that a frame runs in."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def stand_in(module: ModuleType, names: dict[str, Any]) -> None:
    """Put a module into the place of one of an old name, whose own names are `names`."""
    _watch_module(module)
    if getattr(names["__spec__"], "_initializing", False):  # by an import, which gives the program what stands there
        sys.modules[names["__name__"]] = module
    else:  # by the program itself, which keeps the module that it has: importlib.util.LazyLoader, for one
        names.update({name: value for name, value in vars(module).items() if name not in _OF_ITS_OWN})
        kept = sys.modules.get(names["__name__"])
        if kept is not None and object.__getattribute__(kept, "__dict__") is names:  # a lazy one may still be loading
            _watch_module(kept)


def _watch_module(module: ModuleType) -> None:
    """Have the account know which names a program reads from an old module."""
    if report_file:
        from comm_channel_compat._account import the_account
        from comm_channel_compat._observed import watch_names

        watch_names(module, lambda: the_account().observed)


def _warn(code: str, place: Place) -> None:
    if (code, place) not in _seen:
        _seen.add((code, place))
        text = f"{code} belongs to an API that DOCA has removed; see docs/symbols.md#{code.lower()}"
        warnings.warn_explicit(text, LegacyCallWarning, *place)
