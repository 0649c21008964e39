"""What every context has: an engine, a state, a life (guide: DOCA Core Context)."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from comch_next._alone import alone
from comch_next._codes import ErrorCode, State
from comch_next._exits import exit_block, leave, refuse_again
from comch_next._names import ContextNames, Strict
from comch_next.driver import protocol
from comch_next.driver.protocol import Contexts, Driver, Lock, by_system, new_lock
from comch_next.engine import ProgressEngine, deadline_after, seconds_left
from comch_next.errors import BadState, DocaError, InvalidValue, NotConnected, TimeOut

__all__ = ["Context"]

_OnChange = TypeVar("_OnChange", bound=Callable[[Any, State, State], object])
_SUCCESS, _IN_PROGRESS = ErrorCode.SUCCESS, ErrorCode.IN_PROGRESS
_SOON_S = 0.1
_TICK_S = 0.05  # no event ends a stop: progress at least this often
_LAST_TURNS = 64  # of the engine when time is up, beside one for each task: with max_events each runs one callback


class Context(ContextNames, Strict):
    """A server, client, consumer or producer (C: struct doca_ctx).

    Every error names the call, the state, and what is legal. Setting an unknown attribute raises AttributeError with a
    hint; a subclass declares its own on the class, by an annotation (`peer: str`) or a value.
    """

    user_data: Any
    _driver: Driver
    _contexts: Contexts
    _handle: protocol.Context
    _engine: ProgressEngine | None = None  # once it is connected to one
    _lock: Lock  # its engine's, once it has one

    def __init__(self) -> None:
        self._lock = new_lock()
        self.user_data = None
        self._alive = True
        self._pid = os.getpid()
        self._state_changed_cb: Any = None

    def __copy__(self) -> NoReturn:
        """Raise TypeError, as for pickle: two objects would be one context of the library."""
        raise TypeError(f"{self!r} cannot be copied; make another context")

    def _bind(self, driver: Driver) -> None:
        """Make every call through another view of the same driver."""
        self._driver = driver
        self._contexts = driver.contexts

    # Its engine

    @property
    def engine(self) -> ProgressEngine:
        """The progress engine of the context: the one that you pass or connect by `connect_ctx`, else its default
        engine from the first use on.
        """
        while (engine := self._engine) is None:
            self._join_default()
        return engine

    @alone
    def _join_default(self) -> None:
        if self._engine is None:
            self._join(self._default_engine())

    def _default_engine(self) -> ProgressEngine:
        raise NotImplementedError

    def _join(self, engine: ProgressEngine) -> None:
        with engine._lock:  # so that an engine that gets another view of its driver has all of its contexts
            engine._connect(self)

    @property
    def _has_engine(self) -> bool:
        """Whether it has an engine, given or of its own, so that `connect_ctx` refuses another."""
        return self._engine is not None

    def _take_engine(self, engine: ProgressEngine) -> None:
        """Be connected by the program's own call."""
        self._join(engine)

    def _need_engine(self, call: str) -> None:
        """Have an engine for a call that must not find the context without one."""
        if self._alive and self._engine is None:
            self._join(self._default_engine())

    # Life

    @alone
    def start(self) -> State:
        """Freeze the configuration, start the context, and return its state (C: doca_ctx_start).

        Without an engine it is connected to one of its own first, and stays so where the start is refused.
        Raises BadConfig without the mandatory callbacks, NotSupported on a device of the wrong side, BadState unless
        IDLE; on a server AlreadyExist when the name is taken, and Initialization when the runtime directory cannot be
        used.
        """
        self._need_engine("start")
        return self._contexts.start(self._handle)

    @alone
    def stop(self, *, strict: bool = False) -> State:
        """Stop the context and return its state: IDLE, or STOPPING until progress completes it (C: doca_ctx_stop).

        Every peer is notified; sends that still wait fail. Raises BadState unless started; with `strict` NotConnected
        for a context without an engine, as in C.
        """
        if self._alive and self._engine is None:  # an engine for this could not be given away any more
            if strict and not self._has_engine:
                raise NotConnected(f"ctx_stop was attempted on {self!r}, which has no engine; connect one first")
            raise BadState(f"ctx_stop was attempted on {self!r} while IDLE; legal while STARTING, RUNNING or STOPPING")
        self._need_engine("stop")
        return self._contexts.stop(self._handle)

    def try_start(self) -> ErrorCode:
        """Start the context and return C's result code: SUCCESS, IN_PROGRESS while STARTING, or that of the failure.

        Called as a function of the class, `Context.try_start(context)`, it returns INVALID_VALUE for anything but a
        context.
        """
        return _code(lambda: _IN_PROGRESS if self.start() is State.STARTING else _SUCCESS, self)

    def try_stop(self, *, strict: bool = False) -> ErrorCode:
        """Stop the context and return C's result code: IN_PROGRESS while STOPPING; otherwise as try_start.

        strict: as for stop.
        """
        return _code(lambda: _SUCCESS if self.stop(strict=strict) is State.IDLE else _IN_PROGRESS, self)

    @property
    def state(self) -> State:
        """The state of the context: IDLE, STARTING, RUNNING or STOPPING."""
        return self._contexts.get_state(self._handle)

    def _active(self) -> bool:
        return self.state is not State.IDLE

    @alone
    def set_state_changed_cb(self, callback: _OnChange) -> _OnChange:
        """Call `callback(context, old, new)` on every change of state. Returns the callback, so it decorates."""
        changed: Any = callback if not callable(callback) else lambda _, old, new: callback(self, old, new)
        self._contexts.set_state_changed_cb(self._handle, changed)
        self._state_changed_cb = changed
        return callback

    @property
    def num_inflight_tasks(self) -> int:
        """The number of tasks submitted and not completed."""
        return self._contexts.get_num_inflight_tasks(self._handle)

    def flush_tasks(self) -> None:
        """Flush tasks that were submitted without the flush flag (C: doca_ctx_flush_tasks)."""
        self._contexts.flush_tasks(self._handle)

    @alone
    def destroy(self, *, strict: bool = False) -> None:
        """Destroy the context (C: doca_comch_*_destroy). Raises InUse unless it is IDLE.

        A second call does nothing; with `strict` it raises InvalidValue, as in C. The state, the settings and the user
        data can still be read.
        """
        if self._alive:
            self._contexts.destroy(self._handle)
            self._alive = False
        elif strict:
            refuse_again(self)

    def close(self, timeout: float = 5.0) -> None:
        """Stop the context, progress until it is IDLE, and destroy it and its own engine. Idempotent.

        timeout: seconds; raises TimeOut if the context is not IDLE by then.
        """
        if not self._alive:
            return
        deadline = deadline_after(timeout, "close")
        self._leave(timeout)
        while not self._give_back():
            if not (left := seconds_left(deadline)):
                raise TimeOut(f"{self!r} is {self.state.name} after {timeout} s: it has been started again meanwhile")
            self._leave(left)

    @alone
    def _give_back(self) -> bool:
        """Destroy the context, unless it has been started again since it was left; return whether it is destroyed."""
        if self._alive and self._active():
            return False
        self.destroy()
        return True

    def _leave(self, timeout: float) -> None:
        deadline = deadline_after(timeout, "close")
        if not self._active():
            return
        try:
            self._leave_by(deadline, timeout)
        except InvalidValue:
            if self._alive:  # else another thread has closed it meanwhile, and its engine
                raise

    def _leave_by(self, deadline: float | None, timeout: float) -> None:
        try:
            self.stop()
        except by_system(BadState):
            if self._active():  # else it has become IDLE by itself
                raise
        # In another state than this one another thread has started it again: it has been left all the same.
        while self.state is State.STOPPING and (left := seconds_left(deadline, _TICK_S)):
            if not self._turn() and self.state is State.STOPPING:
                self.engine.wait(left)
        if self.state is State.STOPPING:
            self._turn_at_last()
        if self._engine is not None:
            self._engine._raise_kept()
        if self.state is State.STOPPING:
            raise TimeOut(f"{self!r} is STOPPING after {timeout} s; free its tasks and progress")

    def _turn(self) -> bool:
        """Progress, and take back the tasks that the program still holds; return whether anything moved.

        In each turn, since other contexts may keep the engine busy for ever.
        """
        moved = self.engine.progress()
        self._contexts.take_back_tasks(self._handle)
        return moved

    def _turn_at_last(self) -> None:
        """Take the turns that lead to IDLE without waiting, and no more of them on an engine that others keep busy."""
        for _ in range(_LAST_TURNS + self.num_inflight_tasks):
            self._turn()
            if self.state is not State.STOPPING:
                return

    def _enter(self, begin: Callable[[], object]) -> None:
        """Begin a with block. What that leaves half done is closed; what ran before it runs on."""
        ran = self._alive and self._active()
        try:
            begin()
        except BaseException as error:
            if not ran:
                leave(error, self._close_soon)
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._alive:
            exit_block(self, error, self.close if error is None else self._close_soon)

    def _close_soon(self) -> None:
        """Close while an exception leaves the block, within a short time; a failure becomes a note on the exception."""
        self.close(_SOON_S)


def _code(call: Callable[[], ErrorCode], context: object) -> ErrorCode:
    if not isinstance(context, Context):
        return ErrorCode.INVALID_VALUE
    try:
        return call()
    except DocaError as error:
        return error.code
