"""Quick calls: a driver's own, in front of those of the program's objects (see comch_next.driver.protocol)."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType, MethodType
from typing import Any, TypeVar, cast

from comch_next._method import Method, Owner, not_at_once
from comch_next.driver.protocol import Call
from comch_next.errors import Again

__all__ = ["QuickOwner", "call_shape", "quick_method", "quicken"]

_F = TypeVar("_F", bound=Callable[..., Any])


def call_shape(
    *takes: str,
    least: int,
    gives: tuple[str, ...] = (),
    kind: type | None = None,
    nothing: object = None,
    again: str = "",
    timed: bool = False,
    through: str | None = None,
    peers: dict[Any, Any] | None = None,
) -> tuple[Any, ...]:
    """Describe a send or a receive, so that a driver can make one that stands in front of it.

    takes: its arguments, the first `least` of which must be given: data, length and connection of a send, size of a
    receive, flags of either, which are 0. gives: what a receive returns a tuple of, code (of success), data, length and
    connection; kind: the class of that tuple. nothing: what a send returns that succeeds, or a receive when nothing has
    come; it raises Again with that text instead if one is given, and does either only for `timeout=0` if it is `timed`.
    through: the attribute of the program's peers that has their connection. peers: these by their connections.
    """
    error = (Again, (int(Again.errno or 0), again)) if again else None
    return takes, least, gives, kind, nothing, error, timed, through, peers


def quicken(owner: object, call: str, quick: Callable[[Call], Call | None], package: str = "comch_next") -> bool:
    """Put a quick call in front of one of the owner's, unless the program has made that one its own.

    `quick` makes it of the owner's call, which is that package's; None takes one that is there away. Returns whether
    one is there now.
    """
    known, slow = vars(owner), getattr(type(owner), call)
    ours = known.setdefault("_comch_quickened", {})
    if not _is_of(slow, package) or known.get(call, ours.get(call)) is not ours.get(call):
        return False
    made = quick(MethodType(slow, owner))
    if made is not None:
        known[call] = ours[call] = made
        return True
    known.pop(call, None)
    ours.pop(call, None)
    return False


def _is_of(call: object, package: str) -> bool:
    """Whether a package has written the function: what wraps one has its name, its module and all but its code."""
    name = call.__globals__.get("__name__", "") if isinstance(call, FunctionType) else ""
    return str(name).partition(".")[0] == package


class QuickOwner(Owner):
    """An object whose methods may have quick calls in front of them and stay methods: see quick_method."""

    def __getstate__(self) -> dict[str, Any]:
        """What a copy has of it: the attributes, as any object's. Its methods go without quick calls."""
        return vars(self)

    def _comch_put_quick(self, *makers: Callable[[Call], Call | None]) -> None:
        """Put quick calls in front of the methods of places 0, 1 and so on.

        Each is made of the slow call that leaves everything to the method's function; None for none.
        """
        for place, make in enumerate(makers):
            self._comch_put(place, make(not_at_once))


def quick_method(place: int) -> Callable[[_F], _F]:
    """Decorate a function whose first argument is a QuickOwner, which may have a quick call in that place for it.

    That runs without a frame of Python then. To programs it stays the function: it binds and may be overridden, looked
    at, referred to weakly and pickled as one.
    """

    def decorate(function: _F) -> _F:
        most = cast(Any, function).__code__.co_argcount
        least = most - len(cast(Any, function).__defaults__ or ())
        return cast(_F, update_wrapper(Method(function, place, least, most), function))

    return decorate
