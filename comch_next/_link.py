"""One life of a one-sided context, from `listen` or `connect` until it leaves: its pull port and its peers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from comch_next._codes import ErrorCode
from comch_next._outcomes import outcome
from comch_next._peer import Peer
from comch_next._phases import Phase, refusal
from comch_next.errors import (
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    DocaError,
    InvalidValue,
    NoMemory,
    NotConnected,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from comch_next._arguments import Buffer
    from comch_next._control import ControlContext
    from comch_next.connection import Connection
    from comch_next.pull import PullPort

__all__ = ["Link", "Unlinked", "no_peer"]

_UNCLASSIFIED = (NoMemory, OSError)  # what the calls on messages and peers have no code of its own for


class Unlinked:
    """Stands in a link's place while the context is neither listening nor connected: it refuses."""

    def __init__(self, phase: Phase) -> None:
        self.phase = phase

    def send(self, data: Buffer, connection: Connection) -> NoReturn:
        raise refusal(self.phase, "send_to")

    def receive(self, size: int | None) -> NoReturn:
        raise refusal(self.phase, "receive")


class Link:
    """A context that listens or is connected.

    `send` and `receive` are the hot path: they call the driver's port themselves, and check nothing that it would
    refuse anyway.
    """

    def __init__(self, context: ControlContext, port: PullPort) -> None:
        self.is_server = context._is_server
        self.phase = Phase.LISTENING if self.is_server else Phase.CONNECTED
        self.closed = False
        self._context = context
        self._port = port
        assert port._endings is not None
        self._endings = port._endings
        self._errors = port._endings._errors
        self._handle = port._handle
        self._ports_send: Callable[[Any, Any, Buffer], bool] = port._ports.send
        self._ports_pending = port._ports.get_pending
        self._ports_receive: Callable[[Any, Any], tuple[bytes, Connection] | None] = port._ports.receive

    def send(self, data: Buffer, connection: Connection) -> bool:
        """Accept a message; False for AGAIN: the queue is full, or the handshake has not been completed."""
        try:
            if connection._link is self:
                return self._ports_send(self._handle, connection._handle, data)  # type: ignore[no-any-return]  # mypy loses it at the narrowing
        except DocaError as error:
            return self._send_failed(data, connection, error)
        except AttributeError:
            if isinstance(connection, Peer):
                raise
        except OSError as error:
            raise Unknown(f"send_to: {error}") from error
        raise no_peer("send_to", connection)

    def _send_failed(self, data: Buffer, connection: Connection, error: DocaError) -> bool:
        try:
            return self._port._send_failed(data, connection, error)
        except (ConnectionReset, NotConnected):  # not connected: the last of a server that has failed
            raise self._reset("send_to", connection) from None
        except InvalidValue:
            raise
        except _UNCLASSIFIED:
            raise Unknown(f"send_to: {error}") from error

    def receive(self, size: int | None) -> tuple[bytes, Connection] | None:
        """Return the oldest message of any peer, None for AGAIN; complete every waiting handshake.

        The port returns no message while it has just seen a client that waits, so asking it first is enough.
        """
        try:
            while True:
                try:
                    arrived = self._ports_receive(self._handle, size)
                except DocaError as error:
                    self._port._absorb(error)
                    continue
                if arrived is not None:
                    return arrived
                if self._errors:
                    self._endings.raise_error()
                if not (self.is_server and self._ports_pending(self._handle)):
                    break
                self._complete_handshakes()
        except ConnectionReset as death:
            raise self._death(death.connection) from None
        except InvalidValue:
            raise
        except _UNCLASSIFIED as error:
            raise Unknown(f"receive: {error}") from error
        if self.is_server and self._context._failed:
            raise ConnectionReset("receive: the server has lost its name; close the context")
        return None

    def update_info(self, peer: Peer) -> None:
        """Snapshot the peer's statistics, then raise what the state of its connection is."""
        if self.closed:
            raise ConnectionAborted("update_info: this side has left the connection")
        code, _ = outcome(self._port.update_info, peer)
        peer._snapshot(self._port.in_flight(peer))
        if code == ErrorCode.CONNECTION_INPROGRESS:
            raise ConnectionInprogress("update_info: the server has not accepted this client yet; ask again")
        if code != ErrorCode.SUCCESS:
            raise ConnectionAborted("update_info: the connection has ended; disconnect it")

    def disconnect(self, connection: Peer, timeout: float) -> None:
        """Leave one connection. A client has no other, so its link is closed."""
        if connection._link is not self:
            raise no_peer("disconnect", connection)
        try:
            self._context._drop(connection, timeout)
        except _UNCLASSIFIED as error:
            raise Unknown(f"disconnect: {error}") from error
        connection._link = None  # last: what has failed may be tried again
        self.closed = not self.is_server

    def _complete_handshakes(self) -> None:
        for _ in range(self._port.pending):
            self._port.accept()

    def _death(self, connection: Connection | None) -> ConnectionReset:
        """Everything that a dead peer sent has been read; without a connection, it died in its handshake."""
        if connection is None:
            return ConnectionReset("receive: a client went away while its handshake was being completed")
        return self._reset("receive", connection)

    def _reset(self, call: str, connection: Connection) -> ConnectionReset:
        return ConnectionReset(f"{call}: the peer is in the error state; disconnect it", connection=connection)


def no_peer(call: str, value: object) -> DocaError:
    """Make the error for None, for a connection that is not of this life, and for what is no connection at all."""
    if value is None:
        return NotConnected(f"{call}: there is no connection; connect and receive return one")
    if isinstance(value, Peer):
        return NotConnected(f"{call}: {value!r} is not connected to this context")
    return InvalidValue(f"{call}: the connection is {value!r}; connect and receive return one")
