"""Whether calls wait for the thread that is inside an engine, and begin with its lock; their classes tell which."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Container, Sequence
from contextlib import ExitStack
from types import CodeType, FrameType
from typing import Any

from comch_next import InUse, NotPermitted
from tests.processes import SOON_S

NO_WAIT = "it does not wait"


class Watched:
    """A reentrant lock, as Python's, which tells a visit what becomes of it."""

    def __init__(self) -> None:
        self._lock: Any = threading.RLock()
        self.visit: _Visit | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        return self._take(sys._getframe(1), blocking, timeout)

    def __enter__(self) -> bool:
        return self._take(sys._getframe(1))

    def _take(self, frame: FrameType, blocking: bool = True, timeout: float = -1) -> bool:
        if not self._lock.acquire(blocking=False):
            if self.visit is not None:
                self.visit.asks(frame.f_code)
            if not blocking or not self._lock.acquire(timeout=timeout):
                return False
        if self.visit is not None:
            self.visit.takes()
        return True

    def release(self) -> None:
        if self.visit is not None:
            self.visit.gives_back()
        self._lock.release()

    def __exit__(self, *_: object) -> None:
        self.release()

    def is_owned(self) -> bool:
        """Whether this thread has it."""
        return bool(self._lock._is_owned())

    _is_owned = is_owned

    def _at_fork_reinit(self) -> None:
        self._lock._at_fork_reinit()


class _Visit:
    """A call on a thread of its own, and what it does with locks, of which another thread has all at first."""

    def __init__(self, call: Callable[[], object], body: CodeType | None, takers: Container[str]) -> None:
        self.asker: CodeType | None = None  # the first
        self.begins_bare = False
        self.times = 0  # that it has had a lock, after none
        self.refused = False  # because something uses what it would end
        self.moment = threading.Event()  # when it asks, or has returned
        self._call, self._body, self._takers, self._depth = call, body, takers, 0
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        sys.setprofile(self._notice)
        try:
            self._call()
        except Exception as error:  # what it is called with may not please it
            self.refused = isinstance(error, (InUse, NotPermitted))
        finally:
            sys.setprofile(None)
            self.moment.set()

    def _notice(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is self._body:
            self.begins_bare |= not self._depth

    def _is_here(self) -> bool:
        return threading.get_ident() == self.thread.ident

    def asks(self, code: CodeType) -> None:
        if self._is_here() and self.asker is None:
            self.asker = code
            self.moment.set()

    def takes(self) -> None:
        if self._is_here():
            self.times += not self._depth
            self._depth += 1

    def gives_back(self) -> None:
        if self._is_here():
            self._depth -= 1

    def fault(self) -> str:
        """What is wrong with it; "" if nothing is."""
        if self.asker is None:
            return NO_WAIT
        if self.begins_bare and self.asker is not self._body and self.asker.co_name not in self._takers:
            return f"it begins, and then {self.asker.co_name} waits"
        if self.times > 1 and not self.refused:  # else it has collected garbage, without a lock, and tried again
            return f"it has a lock {self.times} times"
        return ""


def body_of(call: Any) -> CodeType | None:
    """What a call runs inside its decorators; None for one in C."""
    return getattr(inspect.unwrap(call), "__code__", None)


def public_calls(kind: type, protocol: type) -> dict[str, Any]:
    """The calls of a class, and those that its protocol asks for, by their names."""
    names = {name for name in {*vars(kind), *dir(protocol)} if not name.startswith("_")}
    return {name: getattr(kind, name) for name in sorted(names) if inspect.isroutine(getattr(kind, name, None))}


def hasty(
    call: Callable[[], object], body: CodeType | None, locks: Sequence[Watched], takers: Container[str] = ()
) -> str:
    """Make a call on a thread while this one has the locks. What it does before it has one, or without; "" if nothing.

    A body that begins without a lock has to ask for one itself, first: not what it calls, perhaps after half its work,
    unless that is one of the `takers`.
    """
    visit, known = _Visit(call, body, takers), list(locks)
    with ExitStack() as inside:
        for lock in known:
            inside.enter_context(lock)
        for lock in known:
            lock.visit = visit
        visit.thread.start()
        assert visit.moment.wait(SOON_S)
    visit.thread.join(SOON_S)
    assert not visit.thread.is_alive()
    for lock in known:
        lock.visit = None
    return visit.fault()
