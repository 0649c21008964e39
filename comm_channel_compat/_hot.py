"""The two hot calls of an endpoint, raising and with result codes, and the driver's own in front of all four.

What the driver's do not do at once comes to the Python ones: refusals, peers that are new, clients that wait.
"""

from __future__ import annotations

from typing import Any

from comch_next import Again, Channel, ConnectionReset, DocaError, ErrorCode, InvalidValue, PullPort
from comch_next.arguments import Buffer, shown
from comch_next.pull import QuickOwner, call_shape, quick_receive, quick_send, quicken
from comm_channel_compat._old_calls import is_watched, old_call
from comm_channel_compat._peers import Peers, Unopened, connection_of
from comm_channel_compat._refusals import code_of
from comm_channel_compat.peer_addr import PeerAddr

__all__ = [
    "INVALID_VALUE",
    "NOTHING_CAME",
    "RECVFROM",
    "RECVFROM_CODE",
    "SENDTO",
    "SENDTO_CODE",
    "HotCalls",
    "Received",
]

Received = tuple[int, "bytes | None", "int | None", "PeerAddr | None"]

NOTHING_CAME = "recvfrom: no message has come; try again"
INVALID_VALUE = int(ErrorCode.INVALID_VALUE)
_SUCCESS, _AGAIN = int(ErrorCode.SUCCESS), int(ErrorCode.AGAIN)
_NOTHING_CAME = (_AGAIN, None, None, None)
# Made beforehand: without memory there is none for these either.
_UNKNOWN = int(ErrorCode.UNKNOWN)
_UNKNOWN_CAME = (_UNKNOWN, None, None, None)
_PACKAGE = __name__.partition(".")[0]
_NO_SIZE = -1  # which every port refuses
SENDTO, RECVFROM, SENDTO_CODE, RECVFROM_CODE = range(4)  # places of quick calls
_length = len  # the calls have a parameter of that name

_SENDTO = call_shape("data", "connection", "flags", least=2, through="_connection")
_SENDTO_CODE = call_shape(*("data", "length", "flags", "connection"), least=4, nothing=_SUCCESS, through="_connection")


class HotCalls(QuickOwner):
    """What stands behind an endpoint's sendto and recvfrom, and behind the flat ones: see quick_method."""

    _compat_channel: Channel
    _compat_peers: Peers
    _compat_port: PullPort | Unopened

    def _compat_stand_on_port(self) -> None:
        """Use the port that the channel has opened."""
        port = self._compat_channel.port
        if port is None:
            return
        self._compat_port = port
        peers = self._compat_peers
        recvfrom = call_shape("size", "flags", least=1, gives=("data", "connection"), again=NOTHING_CAME, peers=peers)
        recvfrom_code = call_shape(
            *("size", "flags"),
            least=2,
            gives=("code", "data", "length", "connection"),
            nothing=_NOTHING_CAME,
            peers=peers,
        )
        sends, receives = quick_send(port, _SENDTO_CODE), quick_receive(port, recvfrom_code)
        self._comch_put_quick(quick_send(port, _SENDTO), quick_receive(port, recvfrom), sends, receives)
        if not is_watched:
            quicken(self, "_compat_sendto_code", sends, _PACKAGE)  # these two are called by the face in C
            quicken(self, "_compat_recvfrom_code", receives, _PACKAGE)

    def _compat_sendto(self, msg: Buffer, peer: PeerAddr, flags: int) -> None:
        known = peer.__class__ is PeerAddr and flags == 0
        try:
            accepted = self._compat_port.send(peer._connection if known else connection_of(peer, flags), msg)
        except ConnectionReset as error:
            raise ConnectionReset(str(error), connection=peer) from None
        if not accepted:
            raise Again("sendto: the send queue is full, or the handshake has not been completed; try again")

    def _compat_recvfrom(self, size: int, flags: int) -> tuple[bytes, PeerAddr]:
        try:
            self._compat_peers.drop_ended()
            arrived = self._compat_port.receive(size if flags == 0 else _NO_SIZE)
        except ConnectionReset as error:
            raise ConnectionReset(str(error), connection=self._compat_peers.pop_of(error.connection)) from None
        except InvalidValue:
            if flags != 0:
                raise InvalidValue(f"recvfrom: flags are {shown(flags)}; legal is DOCA_CC_MSG_FLAG_NONE") from None
            raise
        if arrived is None:
            raise Again(NOTHING_CAME)
        return arrived[0], self._compat_peers[arrived[1]]

    @old_call("doca_comm_channel_ep_sendto", is_coded=True)
    def _compat_sendto_code(self, msg: Buffer, len: int, flags: int, peer: Any) -> int:  # noqa: A002  # the C name
        try:
            if msg.__class__ is bytes and _length(msg) == len and flags == 0 and peer.__class__ is PeerAddr:
                return _SUCCESS if self._compat_port.send(peer._connection, msg) else _AGAIN
            self._compat_channel.send_to(msg, connection_of(peer, flags), 0, length=len)
            return _SUCCESS
        except DocaError as error:
            return code_of(error)
        except MemoryError:
            return _UNKNOWN

    @old_call("doca_comm_channel_ep_recvfrom", is_coded=True)
    def _compat_recvfrom_code(self, len: int, flags: int) -> Received:  # noqa: A002  # the C name
        try:
            self._compat_peers.drop_ended()
            arrived = self._compat_port.receive(len if flags == 0 else _NO_SIZE)
        except InvalidValue as error:
            return code_of(error), None, error.length, None
        except ConnectionReset as error:
            return code_of(error), None, None, self._compat_peers.pop_of(error.connection)
        except DocaError as error:
            return code_of(error), None, None, None
        except MemoryError:
            return _UNKNOWN_CAME
        if arrived is None:
            return _NOTHING_CAME
        msg, connection = arrived
        return _SUCCESS, msg, _length(msg), self._compat_peers[connection]
