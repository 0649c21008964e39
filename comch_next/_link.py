"""One life of a one-sided context, from `listen` or `connect` until it leaves: its pull port and its peers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from comch_next._codes import ErrorCode
from comch_next._origins import shown
from comch_next._outcomes import outcome
from comch_next._peer import Peer
from comch_next._phases import Phase, refusal
from comch_next.driver.protocol import by_system
from comch_next.errors import (
    ConnectionAborted,
    ConnectionInprogress,
    DocaError,
    InvalidValue,
    NotConnected,
    Unknown,
)

if TYPE_CHECKING:
    from comch_next._control import ControlContext
    from comch_next.arguments import Buffer
    from comch_next.connection import Connection
    from comch_next.pull import PullPort

__all__ = ["UNCLASSIFIED", "Link", "Unlinked", "no_peer", "unclassified"]

UNCLASSIFIED = (MemoryError, OSError)  # what the calls on messages and peers have no code of its own for


def unclassified(call: str, error: Exception) -> Unknown:
    """Return the error that such a failure is to the program."""
    return Unknown(f"{call}: {str(error) or 'out of memory'}")


class Unlinked:
    """Stands in a link's place while the context is neither listening nor connected: it refuses."""

    closed = True
    stopped = False

    def __init__(self, phase: Phase) -> None:
        self.phase = phase

    def send(self, connection: Connection, data: Buffer) -> NoReturn:
        raise refusal(self.phase, "send_to")

    def receive(self, size: int | None = None) -> NoReturn:
        raise refusal(self.phase, "receive")


class Link:
    """A context that listens or is connected, on the port that it was opened with."""

    def __init__(self, context: ControlContext, port: PullPort) -> None:
        self.is_server = context._is_server
        self.phase = Phase.LISTENING if self.is_server else Phase.CONNECTED
        self.closed = False
        self.stopped = False  # by `stop`, which ends this life as soon as the context is IDLE
        self._context = context
        self._port = port
        self.send = port.send
        self.receive = port.receive

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
        """Leave one connection; `forget` it then. What has failed may be tried again."""
        if connection._link is not self:
            raise no_peer("disconnect", connection)
        try:
            self._context._drop(connection, timeout)
        except by_system(*UNCLASSIFIED) as error:
            raise unclassified("disconnect", error) from error

    def forget(self, connection: Peer) -> None:
        """Remove a connection. A client has no other, so its link is closed."""
        connection._link = None
        if not self.is_server:
            self.close(Phase.LEFT)

    def close(self, phase: Phase) -> None:
        """Refuse what that phase refuses, also while an interrupt keeps the endpoint from taking another life."""
        over = Unlinked(phase)
        self.phase, self.send, self.receive = phase, over.send, over.receive
        self.closed = True


def no_peer(call: str, value: object) -> DocaError:
    """Make the error for None, for a connection of another life, and for anything but a connection."""
    if value is None:
        return NotConnected(f"{call}: there is no connection; connect and receive return one")
    if isinstance(value, Peer):
        return NotConnected(f"{call}: {value!r} is not connected to this context")
    return InvalidValue(f"{call}: the connection is {shown(value)}; connect and receive return one")
