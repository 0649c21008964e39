"""How a program of generation 1 sees its peers end (old guide: Disconnection).

There disconnection is one-sided: the peer is not notified. A message that fails on its way puts the peer into the
error state: one that was in flight when the peer left, or the first one after, which is accepted all the same. A peer
whose process died is in that state at once. From then on `send` raises ConnectionReset and `update_info`
ConnectionAborted; `receive` first returns what had arrived, then raises ConnectionReset once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from comch_next._alone import alone
from comch_next._codes import ErrorCode
from comch_next._outcomes import outcome
from comch_next.driver.protocol import NO_BUFFER, Lock, WeakTable, by_system, counted, quoted
from comch_next.errors import (
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    DocaError,
    InvalidValue,
    Shutdown,
)

if TYPE_CHECKING:
    from comch_next.connection import Connection
    from comch_next.pull import PullPort

__all__ = ["Endings"]

_ENDED = (ConnectionReset, ConnectionAborted)  # aborted: before it ever came up


class Endings:
    """What a pull port makes of its connections' ends when its context is one-sided."""

    def __init__(self, port: PullPort) -> None:
        self._port = port
        self._late: WeakTable[Connection, int] = WeakTable()  # bytes of the send after its peer left
        self._errors: dict[Connection, object] = {}  # in the error state, which `receive` has not reported yet

    def send_failed(self, connection: Connection, data: bytes | bytearray | memoryview, error: DocaError) -> bool:
        """Decide what a send that the driver refused was: accepted in spite of it (True), or the error to raise."""
        if isinstance(error, _ENDED):
            raise self._reset("send", connection) from None
        if not isinstance(error, Shutdown):
            raise error
        if self._lost_a_message(connection):
            raise self._reset("send", connection) from None
        try:
            length = memoryview(data).nbytes
        except by_system(*NO_BUFFER):
            raise InvalidValue(f"send takes a bytes-like message, not {quoted(data)}") from None
        if length > (most := self._port.max_msg_size_of(connection)):
            text = f"send: a message of {counted(length, 'byte')} is above this connection's {most}"
            raise InvalidValue(text, length=length) from None
        self._accept_late(connection, length)
        return True

    @alone
    def _accept_late(self, connection: Connection, length: int) -> None:
        if connection in self._late:  # another thread's was the first
            raise self._reset("send", connection)
        self._late[connection] = length
        self._errors[connection] = None
        self._port.ring_recv()

    def receive_failed(self, error: DocaError) -> None:
        """Raise the error for the end of a connection, or return if generation 1 did not report it."""
        if isinstance(error, _ENDED):
            raise self._reset("receive", error.connection) from None
        if not isinstance(error, Shutdown):
            raise error
        if self._lost_a_message(error.connection):
            self.forget(error.connection)
            raise self._reset("receive", error.connection) from None

    def raise_error(self) -> None:
        """Raise the oldest error state that has not been reported; a waiting client is accepted first."""
        for connection in list(self._errors):
            if self._port.pending:
                return
            if self._errors.pop(connection, self) is self:  # another thread has just reported it
                continue
            if connection not in self._port._left:  # else it was left while another thread sent
                raise self._reset("receive", connection)

    @property
    def _lock(self) -> Lock:
        return self._port._lock

    @property
    def has_errors(self) -> bool:
        """Whether `raise_error` has something to raise."""
        return bool(self._errors)

    def status(self, connection: Connection, status: ErrorCode) -> ErrorCode:
        """Translate the status of an ended connection into what generation 1 reported."""
        if status is not ErrorCode.SHUTDOWN:
            return status
        return ErrorCode.CONNECTION_RESET if self._lost_a_message(connection) else ErrorCode.SUCCESS

    def update_info(self, connection: Connection) -> None:
        """Snapshot the counters, then raise what the connection's state is, as generation 1 reports it."""
        outcome(connection._connections.update_info, connection._handle)
        connection._late_bytes = self._late.get(connection)
        status = self._port.status(connection)
        if status == ErrorCode.CONNECTION_INPROGRESS:
            raise ConnectionInprogress("update_info: the server has not accepted this client yet; ask again")
        if status != ErrorCode.SUCCESS:
            raise ConnectionAborted("update_info: the connection has ended; disconnect it", connection=connection)

    def forget(self, connection: Connection) -> None:
        """Stop reporting this connection's error state."""
        self._errors.pop(connection, None)

    def forget_all(self) -> None:
        """Stop reporting error states: this side has left every connection."""
        self._errors.clear()

    def _lost_a_message(self, connection: Connection) -> bool:
        return connection in self._late or self._port.failed(connection) > 0

    def _reset(self, call: str, connection: Connection) -> ConnectionReset:
        return ConnectionReset(f"{call}: the peer is in the error state; disconnect it", connection=connection)
