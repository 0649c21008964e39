"""The endpoint of DOCA 1.2 to 1.4, service or client (old guide: Endpoint)."""

from __future__ import annotations

from typing import Any

from comch_next import BlockingChannel, DocaError, InitAttr
from comch_next.arguments import UNSET, Buffer, integer
from comch_next.declarations.comm_channel_1x import CONSTANTS
from comm_channel_compat._old_calls import old_call
from comm_channel_compat._peers import Peers, connection_of
from comm_channel_compat._refusals import code_of
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["Endpoint", "Received"]

Received = tuple[int, "bytes | None", "int | None", "PeerAddr | None"]

_length = len  # the calls have a parameter of that name
_DONTWAIT, _MORE = CONSTANTS["DOCA_CC_MSG_FLAG_DONTWAIT"], CONSTANTS["DOCA_CC_MSG_FLAG_MORE"]


class Endpoint:
    """One side of the channel, as the flat functions and the C library call it."""

    def __init__(self, attr: InitAttr) -> None:
        self.modern = BlockingChannel(attr)
        self._compat_peers = Peers()

    def __repr__(self) -> str:
        return f"<Endpoint on {self.modern!r}>"

    def listen(self, name: str | bytes) -> None:
        """Become the service of that name, on every representor."""
        self.modern.listen(name)

    def connect(self, name: str | bytes) -> PeerAddr:
        """Connect, and wait until the service of that name has accepted this client."""
        return self._compat_peers[self.modern.connect(name)]

    def disconnect(self, peer_addr: PeerAddr | None) -> None:
        """Wait until all messages sent on a connection have arrived, and leave it."""
        connection = connection_of(peer_addr)
        self.modern.disconnect(connection)
        self._compat_peers.pop(connection, None)

    def destroy(self) -> None:
        """Wait until all sent messages have arrived, and leave every connection."""
        self.modern.close()
        self._compat_peers.clear()

    @property
    def event_channel(self) -> int:
        """Return the descriptor that is readable while recvfrom has something to return."""
        return self.modern.recv_fd

    # Of the hot path; the face in C calls them, too

    @old_call("doca_comm_channel_ep_sendto", is_coded=True)
    def _compat_sendto_code(self, msg: Buffer, len: int, flags: int, peer: PeerAddr | None) -> int:  # noqa: A002  # the C name
        try:
            self.modern.send_to(msg, connection_of(peer), _timeout(flags), length=len)
        except DocaError as error:
            return code_of(error)
        return 0

    @old_call("doca_comm_channel_ep_recvfrom", is_coded=True)
    def _compat_recvfrom_code(self, len: int, flags: int) -> Received:  # noqa: A002  # the C name
        try:
            timeout = _timeout(flags)
            self._compat_peers.drop_ended()
            msg, connection = self.modern.receive(len, timeout=timeout)
        except DocaError as error:
            return code_of(error), None, error.length, None
        return 0, msg, _length(msg), self._compat_peers[connection]


def _timeout(flags: object) -> Any:
    """Return the timeout that message flags ask for. MORE asks for nothing: each message goes at once."""
    return 0 if integer(flags, "flags", most=_DONTWAIT | _MORE) & _DONTWAIT else UNSET
