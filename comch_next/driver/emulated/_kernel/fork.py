"""Fork: what a process has made stays its own; in a forked child every inherited handle refuses with BAD_STATE.

A child shares its parent's sockets, bells, rings and locks. It must not speak through them, and must not keep
them open either: a socket that lives on in a child hides its owner's death, a lock keeps the name taken. So the
child closes its copies at once, without a farewell, and every handle turns into an empty one of a class that
answers whatever is looked up in it with BAD_STATE. No call asks whether it runs in a child, least of all the hot
paths. Lists of devices and representors are facts, which stay readable: the child opens them anew.

Tasks and buffers need no place here: what can be done with one leads to its context or its inventory.
"""

import os
from typing import Any, NoReturn, TypeVar

from comch_next.driver.protocol import Finalized, WeakSet, by_system, shielded
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import BadState

__all__ = [
    "finalized",
    "inherited",
    "is_child_letting_go",
    "is_unfinalized",
    "living",
    "owned",
    "refuse_inherited",
    "unfinalized",
]


class Owned(Protocol):
    """What a process owns: see also handle."""

    def let_go(self) -> None:
        """In a forked child: close this process's copies of every descriptor, and do nothing else."""


_H = TypeVar("_H", bound=Owned)
_owned: WeakSet[Any] = WeakSet()
_unfinalized: dict[int, None] = {}  # the ids of those that have a finalizer, until it has run
_letting_go: list[bool] = []  # not empty while a forked child closes its copies


def owned(handle: _H) -> _H:
    """The handle, which is this process's from now on. It is closed if it cannot be."""
    try:
        _owned.add(handle)
        if isinstance(handle, Finalized):
            _unfinalized[id(handle)] = None
    except BaseException:
        handle.let_go()
        raise
    return handle


def inherited(handle: object) -> bool:
    """Return whether it is the parent's: a callback has forked since, and this is the child."""
    return "_inherited" in vars(handle)


def refuse_inherited(handle: object) -> None:
    """Raise BadState if it is the parent's: at the end of a call whose callback has forked, in the child."""
    if inherited(handle):
        _refuse(handle, "")


def living() -> list[Any]:
    """What this process owns and has not dropped."""
    return list(_owned)


def is_unfinalized(handle: object) -> bool:
    """Whether it was owned, and its finalizer has not run."""
    return id(handle) in _unfinalized


def finalized(handle: object) -> None:
    """Note that the finalizer of what was owned has run."""
    _unfinalized.pop(id(handle), None)


def unfinalized() -> set[int]:
    """Return the ids of what lives, and of what the collector has found and not finalized yet."""
    return set(_unfinalized)


def is_child_letting_go() -> bool:
    """Whether this is a forked child that closes its copies of what is its parent's, and may change nothing in them."""
    return bool(_letting_go)


def _name(handle: object) -> str:
    return str(vars(handle)["_inherited"])


def _refuse(handle: object, name: str, value: object = None) -> NoReturn:
    text = f"{handle} was inherited through a fork and belongs to the parent process"
    raise BadState(f"{text}; a child makes its own")


# What a handle's class becomes: it has forgotten everything but its name.
_INHERITED = {"__str__": _name, "__getattr__": _refuse, "__setattr__": _refuse}


def _disinherit() -> None:
    """In the child: close everything first, while the handles still know each other."""
    handles = living()
    names = list(map(str, handles))
    _letting_go.append(True)
    failures = [error for handle in handles if (error := _let_go(handle)) is not None]
    _letting_go.clear()
    for handle, name in zip(handles, names, strict=True):
        kind = type(handle)
        vars(handle).clear()
        if (disinherit := getattr(kind, "disinherit", None)) is not None:
            disinherit(handle)  # what its C part knows
        vars(handle)["_inherited"] = name
        handle.__class__ = type(kind.__name__, (kind,), dict(_INHERITED))
        _owned.discard(handle)
    _unfinalized.clear()
    if failures:
        raise failures[0]


def _let_go(handle: Any) -> Exception | None:
    """Close what it has. A failure is returned: the child must own nothing else either."""
    try:
        handle.let_go()
    except by_system(OSError):
        return None  # the program has closed one by itself
    except Exception as error:
        return error
    return None


os.register_at_fork(after_in_child=shielded(_disinherit))
