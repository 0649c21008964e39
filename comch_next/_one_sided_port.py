"""The pull port that a one-sided context opens: send and receive with the result codes of generation 1."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from comch_next._link import UNCLASSIFIED, Link, Unlinked, no_peer, unclassified
from comch_next._peer import Peer
from comch_next._phases import Phase
from comch_next.arguments import ANY_SIZE, UNSET, cut
from comch_next.driver.protocol import by_system
from comch_next.errors import ConnectionReset, DocaError, InvalidValue, NotConnected
from comch_next.pull import PullPort

if TYPE_CHECKING:
    from comch_next.arguments import Buffer
    from comch_next.connection import Connection

__all__ = ["OneSidedPort", "convert"]


def convert(port: PullPort | None, kind: type[PullPort]) -> None:
    """Make a port one of that kind from its next opening on; the program keeps the object that it has."""
    if type(port) in (PullPort, OneSidedPort):  # a subclass is the program's own
        object.__setattr__(port, "__class__", kind)


class OneSidedPort(PullPort):
    """`send` and `receive` are the hot path: they check nothing that the driver's port would refuse anyway."""

    link: Link | Unlinked = Unlinked(Phase.FRESH)  # the context's life, set by its endpoint

    def _open(self, *args: Any) -> None:
        super()._open(*args)
        assert self._endings is not None
        self._errors = self._endings._errors
        self._is_server = self.context._is_server
        self._port_send = self._port.send
        self._port_receive = self._port.receive
        self._port_pending = self._port.get_pending

    def send(self, connection: Connection, data: Buffer) -> bool:
        """Send one message; False for AGAIN: the queue is full, or the handshake has not been completed."""
        try:
            if connection._link is self.link:
                return self._port_send(connection._handle, data)
        except DocaError as error:
            return self._send_failed(data, connection, error)
        except AttributeError:
            if isinstance(connection, Peer):
                raise
        except by_system(*UNCLASSIFIED) as error:
            raise unclassified("send_to", error) from error
        link = self.link
        if isinstance(link, Unlinked):
            link.send(connection, data)
        cut(data, UNSET)  # the first wrong argument is reported
        raise no_peer("send_to", connection)

    def _send_failed(self, data: Buffer, connection: Connection, error: DocaError) -> bool:
        try:
            return super()._send_failed(data, connection, error)
        except (ConnectionReset, NotConnected):  # not connected: the last of a server that has failed
            raise self._reset("send_to", connection) from None
        except InvalidValue:
            raise
        except by_system(*UNCLASSIFIED):
            raise unclassified("send_to", error) from error

    def receive(self, size: int | None = ANY_SIZE) -> tuple[bytes, Connection] | None:
        """Return the oldest message of any peer, None for AGAIN; complete every waiting handshake.

        The driver's port returns no message while it has just seen a client that waits, so asking it first is enough.
        """
        link = self.link  # once: another thread may begin another life
        if link.closed:
            link.receive(size)
        accepted = False
        try:
            while True:
                try:
                    arrived = self._port_receive(size)  # type: ignore[arg-type]  # which refuses None
                except DocaError as error:
                    self._absorb(error)
                    continue
                if arrived is not None:
                    return arrived
                if self._errors:
                    self._raise_error()
                if accepted or not (self._is_server and self._port_pending()):
                    break
                accepted = True  # whoever comes meanwhile waits for the next call
                self._accept_waiting(sys.maxsize)
        except ConnectionReset as death:
            if death.connection is None:  # of a callback on the context's engine
                raise
            raise self._reset("receive", death.connection) from None
        except InvalidValue:
            raise
        except by_system(*UNCLASSIFIED) as error:
            raise unclassified("receive", error) from error
        if self._is_server and self.context._failed:
            raise self.context._failure("receive")
        return None

    def _raise_error(self) -> None:
        assert self._endings is not None
        self._endings.raise_error()

    def _reset(self, call: str, connection: Connection) -> ConnectionReset:
        return ConnectionReset(f"{call}: the peer is in the error state; disconnect it", connection=connection)
