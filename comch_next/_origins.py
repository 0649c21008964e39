"""Where an object comes from: this library, or one that stands on it and has objects of its own for the same handles.

Each library registers itself; an error about an object of another one names both, and the call that converts it.
"""

from __future__ import annotations

from typing import NamedTuple

from comch_next.driver.protocol import quoted

__all__ = ["is_foreign", "register_origin", "shown"]


class _Origin(NamedTuple):
    """`title` is its name in messages; `unwrap` and `wrap` are the calls that convert, "" for ours."""

    title: str
    unwrap: str = ""
    wrap: str = ""


_OURS = "comch_next"
_origins = {_OURS: _Origin(_OURS)}  # package -> its origin


def register_origin(package: str, title: str, *, unwrap: str, wrap: str) -> None:
    """Register how messages name the objects of a package, and which calls convert them."""
    _origins[package] = _Origin(title, unwrap, wrap)


def _package(kind: type) -> str:
    """The innermost registered package that a class is of, "" for none, and for texts, which stand for no handle."""
    if issubclass(kind, str):
        return ""
    known = (package for package in _origins if f"{kind.__module__}.".startswith(f"{package}."))
    return max(known, key=len, default="")


def is_foreign(value: object) -> bool:
    """Whether an object is of a library that stands on this one."""
    return _package(type(value)) not in ("", _OURS)


def shown(value: object, wanted: type | None = None) -> str:
    """Return how a message shows a refused value; `wanted` is the class that is legal, one of ours without it."""
    theirs, needed = _package(type(value)), _OURS if wanted is None else _package(wanted)
    if theirs in ("", needed) or not needed:
        return quoted(value)
    calls = [call for call in (_origins[needed].wrap, _origins[theirs].unwrap) if call]
    advice = "(".join(calls) + "(...)" + ")" * (len(calls) - 1)
    return f"{quoted(value)} of {_origins[theirs].title}; {advice} returns the one of {_origins[needed].title}"
