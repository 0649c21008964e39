"""What the program holds of a C object, and the life of that object: children end before their parents.

A `Life` is what the library knows: it has no way to the program's handle but a weak one. A handle keeps its life, and
the handles that it was made of. When the program drops a handle, its life ends as soon as it has no children; what is
left when the interpreter exits ends then: contexts, then all others, each the youngest first. Other threads may run on:
so that happens with the object's lock held, and its handle refuses what comes afterwards. In a forked child every
handle refuses with BAD_STATE, and nothing is given back: the objects are the parent's.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from typing import Any, ClassVar, TypeVar
from weakref import ref

from comch_next.driver.native._library import ffi
from comch_next.driver.protocol import (
    Finalized,
    Lock,
    WeakSet,
    at_exit,
    new_lock,
    quoted,
    shielded,
    suppress_system,
    uninterrupted,
)
from comch_next.errors import BadState, DocaError, InvalidValue

__all__ = [
    "CLOSING_S",
    "Handle",
    "KINDS",
    "Life",
    "LockedLife",
    "address",
    "end_dropped",
    "live",
    "lives",
    "nobody",
    "task_at",
]

CLOSING_S = 1.0  # for a lock, and then for a context to become IDLE, when its engine is dropped or at exit

_H = TypeVar("_H", bound="Handle")


class Life:
    """A C object from its making to its end. `release` gives it back to the library.

    `lock` is held around every call of the object; several may share one.
    """

    is_first: ClassVar[bool] = False  # to end at exit: what the others are used for

    def __init__(self, release: Callable[[], object], parents: "Iterable[Life]" = (), lock: Lock | None = None) -> None:
        self.release = release
        self.lock: Lock = new_lock() if lock is None else lock
        self.handle: Callable[[], Any] = nobody
        self.children: dict[Life, None] = {}  # the oldest first
        self.parents: list[Life] = []
        self.wanted = True
        for parent in parents:
            self.join(parent)
        _lives[self] = None
        _close_at_exit()

    def join(self, parent: "Life") -> None:
        """Have one more parent."""
        if parent not in self.parents:
            self.parents.append(parent)
            parent.children[self] = None

    def leave(self, parent: "Life") -> None:
        """Have a parent no more, which may end by that."""
        self.parents.remove(parent)
        parent.children.pop(self, None)
        parent.settle()

    def drop(self) -> None:
        """Note that the program's handle has gone."""
        self.wanted = False
        self.settle()

    def settle(self) -> None:
        """End if nobody needs the object any more."""
        if not (self.wanted or self.children or self.is_over()):
            self.end()

    @uninterrupted
    def end(self) -> None:
        """Give the object back; a failure of that is ignored, as no caller could handle it."""
        release, self.release = self.release, nobody  # once, whatever interrupts it
        with suppress(DocaError):
            release()
        self.over()

    def over(self) -> None:
        """Note that the object no longer exists, whoever ended it."""
        _lives.pop(self, None)
        for parent in list(self.parents):
            self.leave(parent)

    def let_go(self) -> None:
        """Close what is this process's own, in a forked child: the object is the parent's."""

    def is_over(self) -> bool:
        """Return whether the object has ended."""
        return self not in _lives

    def close(self) -> None:
        """End it with everything that was made of it, unless something cannot end or a call does not return.

        Its handle, if the program still has one, refuses every call from then on.
        """
        if self.is_over():
            return
        lock, handle = self.lock, self.handle()
        if not lock.acquire(True, 0 if lock in _stuck else CLOSING_S):
            _stuck.add(lock)
            return
        try:
            self.close_held()
            if handle is not None and self.is_over():
                handle.closed()
        finally:
            lock.release()

    def close_held(self) -> None:
        """Do that with the lock held."""
        for child in reversed(list(self.children)):
            child.close()
        if not (self.children or self.is_over()):
            self.end()


class LockedLife(Life):
    """The life of an object that ends with `lock` held. A finalizer, which must not wait, leaves it to end_dropped."""

    def __init__(self, release: Callable[[], object], parents: Iterable[Life], lock: Lock) -> None:
        super().__init__(release, parents, lock)

    def drop(self) -> None:
        self.wanted = False
        if self.lock.acquire(blocking=False):
            try:
                self.settle()
            finally:
                self.lock.release()
        if not self.is_over():
            _dropped[self] = None


class Handle(Finalized):
    """What the program holds. `pointer` is None when the object is no more; `fault` makes the exception for that.

    Each kind has the name of its C structure. Those of objects that are part of another one's have no life.
    """

    tag: ClassVar[str]
    pointer: Any = None
    life: Any = None
    fault: Callable[[str], DocaError] = InvalidValue

    def __init_subclass__(cls, tag: str = "") -> None:
        if tag:
            cls.tag = tag
            KINDS[f"struct {tag} *"] = KINDS[f"const struct {tag} *"] = cls

    @property
    def lock(self) -> Lock:
        """To be held around its calls: whoever waited for it looks again whether the object is still there."""
        return self.life.lock

    def live_as(self, pointer: Any, life: Life | None) -> None:
        """Be the handle of an object."""
        self.pointer, self.life = pointer, life
        _handles.add(self)
        if life is not None:
            life.handle = ref(self)

    def __str__(self) -> str:
        return type(self).__name__

    def finalize(self) -> None:
        if self.life is not None:
            self.life.drop()

    def ended(self) -> None:
        """Note that the program's call has ended the object."""
        if self.life is not None:
            self.life.over()
        self.gone()

    def closed(self) -> None:
        """Note that the object has been closed while the program has the handle: at exit."""
        self.gone()

    def is_gone(self) -> bool:
        """Whether the object has been ended, by this process."""
        return self.pointer is None and self.fault is InvalidValue

    def gone(self, fault: Callable[[str], DocaError] = InvalidValue) -> None:
        """Refuse every call from now on."""
        self.pointer, self.fault = None, fault


KINDS: dict[str, type[Handle]] = {}  # by the C type of parameters
_lives: dict[Life, None] = {}  # the oldest first
_handles: WeakSet[Handle] = WeakSet()
_dropped: dict[LockedLife, None] = {}
_stuck: set[Lock] = set()  # which a callback of the program's has not given back in time: nobody waits for these again


def nobody(*_: object) -> None:
    """Stand for the handle of a life without one, and for a callback that has not been registered."""


def live(handle: object, kind: type[_H], call: str) -> _H:
    """Return the handle if it is of that kind and its object is there: NULL and foreign ones are INVALID_VALUE."""
    if not isinstance(handle, kind):
        raise InvalidValue(f"{call} takes a {kind.__name__}, not {quoted(handle)}")
    if handle.pointer is None:
        raise handle.fault(f"{call}: the {handle} has been destroyed; make another")
    return handle


def lives() -> list[Life]:
    """Return the lives of all objects that have not ended, the oldest first."""
    return list(_lives)


def end_dropped() -> None:
    """End what the program has dropped and could not be ended then, unless it is still needed."""
    if _dropped:
        _end_each()


@uninterrupted
def _end_each() -> None:
    for life in list(_dropped):
        with life.lock:
            life.settle()
        if life.is_over():
            _dropped.pop(life, None)


def address(pointer: Any) -> int:
    """Return where a pointer points to."""
    return int(ffi.cast("uintptr_t", pointer))


def task_at(number: int) -> Any:
    """Return the pointer to a task of that address."""
    return ffi.cast("struct doca_task *", number)


def _inherited(text: str) -> BadState:
    call, _, _ = text.partition(":")
    text = "the handle was inherited through a fork and belongs to the parent process; a child makes its own"
    return BadState(f"{call}: {text}")


def _disinherit() -> None:
    inherited = lives()
    _lives.clear()
    for handle in list(_handles):
        handle.gone(_inherited)
    for life in inherited:
        with suppress_system(OSError):  # the program has closed one by itself
            life.let_go()


def _close_all() -> None:
    ordered = sorted(lives(), key=lambda life: life.is_first)
    for life in reversed(ordered):
        life.close()


@cache
def _close_at_exit() -> None:
    """Have all objects end at exit. The library was called before the first, so its own exit comes afterwards."""
    at_exit(shielded(_close_all))


os.register_at_fork(after_in_child=shielded(_disinherit))
