"""What an active endpoint stands on: a modern context that is one-sided, its pull port, and the peers by connection.

One `Link` is one life of an endpoint, from `listen` or `connect` until it leaves. A client's context outlives it, with
the descriptors that were given out: the endpoint's next life is on the same one.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NoReturn

import comch_next as comch
from comch_next import (
    AlreadyExist,
    ConnectionAborted,
    ConnectionInprogress,
    ConnectionReset,
    Counter,
    DocaError,
    ErrorCode,
    InvalidValue,
    NoMemory,
    NotConnected,
    Unknown,
    outcome,
)
from comch_next.pull import PullPort
from comm_channel_compat._arguments import Buffer
from comm_channel_compat._phases import Phase, refusal
from comm_channel_compat.peer_addr import PeerAddr, Statistics
from comm_channel_compat.service_state import Snapshot

__all__ = ["Dialler", "Link", "Unlinked", "listen"]

_UNCLASSIFIED = (NoMemory, OSError)  # what the calls on messages and peers have no code of its own for


class Unlinked:
    """What stands in a link's place while the endpoint is neither listening nor connected: it refuses.

    Calls off the hot path never get so far: the table of phases stops them before.
    """

    closed = False

    def __init__(self, phase: Phase) -> None:
        self.phase = phase

    def send(self, msg: Buffer, peer: PeerAddr, flags: int) -> NoReturn:
        raise refusal(self.phase, "sendto")

    def receive(self, size: int, flags: int) -> NoReturn:
        raise refusal(self.phase, "recvfrom")

    def close(self) -> None:
        """Nothing is held."""


class _Peers(dict[comch.Connection, PeerAddr]):
    """The one handle of each connection, made when the connection is first seen."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def __missing__(self, connection: comch.Connection) -> PeerAddr:
        peer = self[connection] = PeerAddr(self._link, connection)
        return peer


class Link:
    """An endpoint that listens or is connected. `send` and `receive` are the hot path: they check nothing
    that the port would tell them anyway."""

    def __init__(self, context: comch.Server | comch.Client, port: PullPort) -> None:
        self.is_service = isinstance(context, comch.Server)
        self.phase = Phase.LISTENING if self.is_service else Phase.CONNECTED
        self.closed = False
        self.failed = False  # a service that has lost its name
        self.peers = _Peers(self)
        self.snapshot = Snapshot()
        self.service_armed = False
        self.port = port
        self._context = context
        self._port_send = port.send
        self._port_receive = port.receive
        if self.is_service:
            context.set_state_changed_cb(self._on_state)

    def send(self, msg: Buffer, peer: PeerAddr, flags: int) -> bool:
        """Accept a message, or say AGAIN (False): the queue is full, or the handshake not completed."""
        try:
            if flags == 0 and peer._link is self:
                return self._port_send(peer._connection, msg)
        except (ConnectionReset, NotConnected):  # not connected: the last of a service that has failed
            raise self._reset("sendto", peer) from None
        except AttributeError:
            if isinstance(peer, PeerAddr):
                raise
            raise _no_peer("sendto", peer) from None
        except _UNCLASSIFIED as error:
            raise Unknown(f"sendto: {error}") from error
        if flags != 0:
            raise InvalidValue(f"sendto: flags are {flags!r}; legal is DOCA_CC_MSG_FLAG_NONE")
        raise NotConnected("sendto: the peer is not connected to this endpoint")

    def receive(self, size: int, flags: int) -> tuple[bytes, PeerAddr] | None:
        """The oldest message of any peer, or AGAIN (None); completes every waiting handshake.

        The port gives no message while it has just seen a client that waits, so asking it first is enough.
        """
        if flags != 0 or size is None:
            raise InvalidValue(f"recvfrom: size is {size!r}, flags are {flags!r}; legal are a size and no flag")
        while True:
            try:
                arrived = self._port_receive(size)
                if arrived is not None:
                    return arrived[0], self.peers[arrived[1]]
                if self.is_service and self._complete_handshakes():
                    continue
            except ConnectionReset as death:
                raise self._death(death.connection) from None
            except _UNCLASSIFIED as error:
                raise Unknown(f"recvfrom: {error}") from error
            if self.failed:
                raise ConnectionReset("recvfrom: the service has lost its name; destroy the endpoint")
            return None

    def status(self, peer: PeerAddr) -> ErrorCode:
        """How the port sees the connection."""
        return self.port.status(peer._connection)

    def update_info(self, peer: PeerAddr) -> None:
        """Take the snapshot, then tell the state of the connection."""
        if self.closed:
            raise ConnectionAborted("update_info: this endpoint has left the connection")
        connection = peer._connection
        code, _ = outcome(connection.update_info)
        peer._statistics = Statistics(
            connection.get_counter(Counter.SENT_MESSAGES),
            connection.get_counter(Counter.SENT_BYTES),
            connection.get_counter(Counter.RECV_MESSAGES),
            connection.get_counter(Counter.RECV_BYTES),
            self.port.in_flight(connection),
        )
        if code == ErrorCode.CONNECTION_INPROGRESS:
            raise ConnectionInprogress("update_info: the service has not let this client in yet; ask again")
        if code != ErrorCode.SUCCESS:
            raise ConnectionAborted("update_info: the connection is dead; disconnect the peer")

    def disconnect(self, peer: PeerAddr) -> None:
        """Leave one connection. A client has no other, so its link is closed."""
        if not isinstance(peer, PeerAddr):
            raise _no_peer("disconnect", peer)
        if peer._link is not self:
            raise NotConnected("disconnect: the peer is not connected to this endpoint")
        try:
            self._leave(peer)
        except _UNCLASSIFIED as error:
            raise Unknown(f"disconnect: {error}") from error
        peer._link = None  # last: what has failed may be tried again

    def close(self) -> None:
        """Leave every connection; what waits to be sent is lost. A service is over then, a client may begin anew."""
        self.closed = True
        self.peers.clear()
        if isinstance(self._context, comch.Client):
            self._context.disconnect()
        else:
            self._context.close()

    # The slow paths

    def _leave(self, peer: PeerAddr) -> None:
        if isinstance(self._context, comch.Client):
            self.close()
            return
        with suppress(InvalidValue):  # its end has been reported: the server has forgotten it
            self._context.disconnect(peer._connection)
        self.peers.pop(peer._connection, None)

    def _complete_handshakes(self) -> bool:
        """Let everybody in who waits; whether anybody did."""
        waiting = self.port.pending
        for _ in range(waiting):
            self.port.accept()
        return waiting > 0

    def _on_state(self, context: comch.Context, old: comch.State, new: comch.State) -> None:
        """A service stops by itself only when it has failed."""
        if new is comch.State.STOPPING and not self.closed:
            self.failed = True

    def _death(self, connection: comch.Connection | None) -> ConnectionReset:
        """Everything that a dead peer sent has been read; without a connection, it died in its handshake."""
        if connection is None:
            return ConnectionReset("recvfrom: a client went away while its handshake was being completed")
        return self._reset("recvfrom", self._forget(connection))

    def _forget(self, connection: comch.Connection) -> PeerAddr:
        peer = self.peers[connection]
        del self.peers[connection]
        return peer

    def _reset(self, call: str, peer: PeerAddr) -> ConnectionReset:
        return ConnectionReset(f"{call}: the peer is in the error state; disconnect it", connection=peer)


def _no_peer(call: str, value: object) -> DocaError:
    """What the old calls say to NULL, and to what is no peer at all."""
    if value is None:
        return NotConnected(f"{call}: there is no peer; connect and recvfrom give one")
    return InvalidValue(f"{call}: the peer is {value!r}; connect and recvfrom give one")


def listen(
    device: comch.Device,
    representor: comch.Representor,
    name: str,
    *,
    max_msg_size: int,
    send_queue_size: int,
    recv_queue_size: int,
) -> Link:
    """Open a service; ConnectionAborted when the name is taken."""
    server = comch.Server(device, representor, name, recv_queue_size=recv_queue_size, one_sided=True)
    try:
        link = Link(server, PullPort(server, max_msg_size=max_msg_size, send_queue_size=send_queue_size))
        server.start()
    except AlreadyExist as error:
        server.close()
        raise ConnectionAborted(f"listen: {error}") from error
    except BaseException:
        server.close()
        raise
    return link


class Dialler:
    """The context of an endpoint that connects, made by its first connect and kept until it is destroyed."""

    def __init__(self) -> None:
        self._client = comch.Client(one_sided=True)
        self._port: PullPort | None = None

    def connect(
        self, device: comch.Device, name: str, *, max_msg_size: int, send_queue_size: int, recv_queue_size: int
    ) -> tuple[Link, PeerAddr]:
        """Begin a handshake; ConnectionAborted when nobody listens on the name."""
        client = self._client
        client.configure(device=device, name=name, recv_queue_size=recv_queue_size)
        if self._port is None:
            self._port = PullPort(client, max_msg_size=max_msg_size, send_queue_size=send_queue_size)
        else:
            self._port.reopen(max_msg_size=max_msg_size, send_queue_size=send_queue_size)
        link = Link(client, self._port)
        client.start()
        peer = link.peers[client.connection]
        if link.status(peer) == ErrorCode.CONNECTION_ABORTED:
            link.close()
            raise ConnectionAborted(f"connect: nobody listens as {name!r} behind {device!r}, or it refuses")
        return link, peer

    def close(self) -> None:
        """Give everything back, the descriptors, too."""
        self._client.close()
