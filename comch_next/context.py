"""What every context has: an engine, a state, a life (guide: DOCA Core Context)."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

from comch_next._codes import State
from comch_next._names import Strict
from comch_next.driver.protocol import Driver
from comch_next.engine import ProgressEngine, deadline_after
from comch_next.errors import BadState, InvalidValue, TimeOut

__all__ = ["Context"]

_C = TypeVar("_C", bound=Callable[..., object])
_TICK_S = 0.05  # a stop has nobody to wake it: look again at least this often


class Context(Strict):
    """A server, client, consumer or producer (C: struct doca_ctx).

    Every error names the call, the state, and what is legal.
    """

    user_data: Any
    engine: ProgressEngine

    def __init__(self, driver: Driver, handle: Any, engine: ProgressEngine | None) -> None:
        self.user_data = None
        self._driver = driver
        self._contexts = driver.contexts
        self._handle = handle
        self._alive = True
        self._pid = os.getpid()
        self._state_changed_cb: Any = None
        self._own_engine = engine is None
        try:
            if not (engine is None or isinstance(engine, ProgressEngine)):
                raise InvalidValue(f"a context takes a ProgressEngine, or None for one of its own, not {engine!r}")
            self.engine = engine if engine is not None else ProgressEngine(driver.name)
            self.engine.connect_ctx(self)
        except BaseException:
            self._contexts.destroy(handle)
            raise

    def _go_through(self, driver: Driver) -> None:
        """Make every call through another view of the same driver."""
        self._driver = driver
        self._contexts = driver.contexts

    # Life

    def start(self) -> State:
        """Freeze the configuration and begin; the state reached (C: doca_ctx_start).

        Raises BadConfig without the mandatory callbacks, NotSupported on a device of the wrong side, AlreadyExist
        when the name is taken, Initialization when the meeting place cannot be used, BadState unless IDLE.
        """
        return self._contexts.start(self._handle)

    def stop(self) -> State:
        """Tell every peer and fail what waits; IDLE, or STOPPING until progress has finished (C: doca_ctx_stop)."""
        return self._contexts.stop(self._handle)

    @property
    def state(self) -> State:
        """IDLE, STARTING, RUNNING or STOPPING."""
        return self._contexts.get_state(self._handle)

    def set_state_changed_cb(self, callback: _C) -> _C:
        """Call `callback(context, old, new)` on every change of state. Returns it, so it decorates."""
        changed: Any = callback if not callable(callback) else lambda _, old, new: callback(self, old, new)
        self._contexts.set_state_changed_cb(self._handle, changed)
        self._state_changed_cb = changed
        return callback

    @property
    def num_inflight_tasks(self) -> int:
        """Tasks submitted and not completed."""
        return self._contexts.get_num_inflight_tasks(self._handle)

    def flush_tasks(self) -> None:
        """Push what was submitted without the flush flag (C: doca_ctx_flush_tasks)."""
        self._contexts.flush_tasks(self._handle)

    def destroy(self) -> None:
        """Give it back (C: doca_comch_*_destroy). Raises InUse unless IDLE; twice is harmless."""
        if self._alive:
            self._contexts.destroy(self._handle)
            self._alive = False

    def close(self, timeout: float = 5.0) -> None:
        """Stop, progress to IDLE within `timeout` seconds, destroy, with an engine of its own; twice is harmless."""
        if not self._alive:
            return
        self._leave(timeout)
        self.destroy()
        if self._own_engine:
            self.engine.destroy()

    def _leave(self, timeout: float) -> None:
        deadline = deadline_after(timeout, "close")
        try:
            self.stop()
        except BadState:
            if self.state is not State.IDLE:  # else it has been all along, or has become so by itself
                raise
        while self.state is not State.IDLE:
            if not self.engine.progress():
                if deadline is not None and time.monotonic() >= deadline:
                    raise TimeOut(f"{self!r} is {self.state.name} after {timeout} s; free its tasks and progress")
                self.engine.wait(_TICK_S)

    def __exit__(self, *exc: object) -> None:
        if self._pid == os.getpid():  # a forked child leaves the block, too, and has nothing to close
            self.close()
