"""The sleeps of this thread's calls: counted, not measured, or begun before something else happens."""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from selectors import EpollSelector
from threading import Thread, get_ident
from types import SimpleNamespace
from typing import Any

import pytest

from comch_next import _peer, _stream_link, client, connection, engine
from comch_next.driver.protocol import monotonic

__all__ = ["Sleeps", "at_first_sleep", "counted_sleeps", "takes_at_most"]

_MOST = 10  # a call that spins has more than that; one that waits has one or two
_REAL_S = 0.02  # that a sleep takes at most: what would end it at once does so in less


class Sleeps:
    """How many there were, and `seconds`, by the clock of deadlines, which goes on by what is slept alone."""

    def __init__(self, real_s: float) -> None:
        self.seconds = 0.0
        self.number = 0
        self.real_s = real_s
        self._thread = get_ident()
        self._began = monotonic()

    def monotonic(self) -> float:
        """That clock; other threads have the machine's."""
        return self._began + self.seconds if get_ident() == self._thread else monotonic()

    def poll(self) -> select.poll | _Poll:
        """Make what a call sleeps in."""
        return _Poll(self) if get_ident() == self._thread else select.poll()


class _Poll:
    def __init__(self, sleeps: Sleeps) -> None:
        self._sleeps = sleeps
        self._poll = select.poll()
        self.register = self._poll.register

    def poll(self, timeout_ms: float) -> list[tuple[int, int]]:
        self._sleeps.number += 1
        assert self._sleeps.number <= _MOST, "it does not wait, it spins"
        found = self._poll.poll(min(timeout_ms, self._sleeps.real_s * 1000))
        if not found:
            self._sleeps.seconds += timeout_ms / 1000
        return found


@contextmanager
def counted_sleeps(real_s: float = _REAL_S) -> Iterator[Sleeps]:
    """Count the sleeps of the block, none of which takes longer; AssertionError in a call that spins."""
    sleeps = Sleeps(real_s)
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(engine, "select", _making(sleeps.poll))
        patches.setattr(engine, "monotonic", sleeps.monotonic)
        yield sleeps


@contextmanager
def at_first_sleep(run: Callable[[], object]) -> Iterator[None]:
    """Run something in another thread as soon as a call of the block sleeps: it has looked in vain and is armed."""
    this, other = get_ident(), Thread(target=run)

    def begin() -> None:
        if get_ident() == this and other.ident is None:
            other.start()

    def poll() -> select.poll:
        begin()
        return select.poll()

    def sleep(seconds: float) -> None:
        begin()
        time.sleep(seconds)

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(engine, "select", _making(poll))
        for flushing in (connection, _peer):  # which has nothing to poll
            patches.setattr(flushing, "time", SimpleNamespace(sleep=sleep))
        yield
    assert other.ident is not None, "no call has slept"
    other.join()


class _Asked:
    """How long this thread sleeps, each time no longer than it has asked for: it may be woken late, or get on late."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._thread = get_ident()

    def sleep(self, sleep: Callable[..., Any], asked_s: float, *arguments: object) -> Any:
        began = time.monotonic()
        try:
            return sleep(*arguments)
        finally:
            if get_ident() == self._thread:
                self.seconds += min(asked_s, time.monotonic() - began)

    def poll(self) -> SimpleNamespace:
        made = select.poll()
        return SimpleNamespace(
            register=made.register, poll=lambda timeout_ms: self.sleep(made.poll, timeout_ms / 1000, timeout_ms)
        )


@contextmanager
def takes_at_most(seconds: float) -> Iterator[None]:
    """Fail if a block, also one that raises, works or sleeps longer in this thread, however busy the machine is."""
    asked, select_in_loop = _Asked(), EpollSelector.select

    def sleep(seconds: float) -> None:
        asked.sleep(time.sleep, seconds, seconds)

    def select_(selector: EpollSelector, timeout: float | None = None) -> Any:
        return asked.sleep(select_in_loop, math.inf if timeout is None else timeout, selector, timeout)

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(engine, "select", _making(asked.poll))
        for module in (_peer, _stream_link, client, connection):
            patches.setattr(module, "time", SimpleNamespace(sleep=sleep))
        patches.setattr(EpollSelector, "select", select_)
        began = time.thread_time()
        try:
            yield
        finally:
            assert time.thread_time() - began + asked.seconds < seconds


def _making(poll: Callable[[], object]) -> SimpleNamespace:
    return SimpleNamespace(poll=poll, POLLIN=select.POLLIN)
