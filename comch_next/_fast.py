"""What Consumer and Producer share: contexts on a connection (guide: Comch, Fast Path)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comch_next._codes import State
from comch_next._handles import handle_of
from comch_next._msgq import MsgQ
from comch_next._origins import shown
from comch_next.connection import Connection
from comch_next.context import Context
from comch_next.driver.protocol import Driver, Lock
from comch_next.engine import ProgressEngine, deadline_after, seconds_left
from comch_next.errors import ConnectionAborted, InvalidValue, TimeOut

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["FastContext", "driver_of"]

_TICK_S = 0.001


def driver_of(connection: Connection, call: str) -> Driver:
    """The driver below a connection; the engine of the new context decides through which view of it to go."""
    if not isinstance(connection, Connection):
        raise InvalidValue(f"{call} takes a connection, not {shown(connection)}")
    return connection._context.engine._driver


class FastContext(Context):
    """A consumer or a producer, of a connection or of a message queue. Without an engine of the program's it shares
    that one's, from its start on.
    """

    connection: Connection | None  # None on a message queue

    def __init__(self, owner: Connection | MsgQ, driver: Driver, handle: Any, engine: ProgressEngine | None) -> None:
        super().__init__()
        self.connection = owner if isinstance(owner, Connection) else None
        self._owner = owner
        self._handle = handle
        self._bind(driver)
        try:
            if not (engine is None or isinstance(engine, ProgressEngine)):
                text = f"a context takes a ProgressEngine, or None for the connection's, not {shown(engine)}"
                raise InvalidValue(text)
            if engine is not None:
                self._join(engine)
        except BaseException:
            self._contexts.destroy(handle)
            raise

    @property
    def _lock(self) -> Lock:
        """Its engine's, or that of its default engine as long as it has none: the owner's may change."""
        engine, owner = self._engine, self._owner
        if engine is not None:
            return engine._lock
        return (owner._context if isinstance(owner, Connection) else owner)._lock

    @_lock.setter
    def _lock(self, lock: Lock) -> None:
        """Follow the engine by itself."""

    @classmethod
    def _of_queue(cls, msgq: MsgQ, handle: Any, engine: ProgressEngine | None) -> Self:
        """Wrap what a message queue has made."""
        made = cls.__new__(cls)
        FastContext.__init__(made, msgq, msgq._driver, handle, engine)
        return made

    def _default_engine(self) -> ProgressEngine:
        owner = self._owner
        return owner._context.engine if isinstance(owner, Connection) else owner.engine

    def __repr__(self) -> str:
        return f"<{type(self).__name__} on {self._owner!r}>"

    def set_datapath_on_dpa(self, dpa: Any) -> None:
        """Let kernels use this context of a message queue, instead of this process (C: doca_ctx_set_datapath_on_dpa).

        Raises InvalidValue for another DPA than the queue's, NotSupported for a context of this process.
        """
        self._contexts.set_datapath_on_dpa(self._handle, handle_of(dpa))

    def __enter__(self) -> Self:
        """Start, and wait for RUNNING for 5 seconds, turning the connection's engine, too."""
        self._enter(self._run)
        return self

    def _run(self) -> None:
        self.start()
        self._wait_running(5.0)

    def _wait_running(self, timeout: float) -> None:
        deadline = deadline_after(timeout, "start")
        while self.state is State.STARTING:
            left = seconds_left(deadline, _TICK_S)
            moved = self._default_engine().progress()
            moved |= self.engine.progress()
            if not left and self.state is State.STARTING:
                raise TimeOut(f"{self!r} is still STARTING after {timeout} s")
            if not moved:
                self._default_engine().wait(left)
        self.engine._raise_kept()
        if self.state is not State.RUNNING:
            text = f"{self!r} cannot run: its connection or message queue has ended"
            raise ConnectionAborted(text, connection=self.connection)
