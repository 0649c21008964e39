"""The datagrams of server and client on their socket: greeting, welcome and farewell."""

import errno
import os
import socket
import struct
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from comch_next.driver.emulated._kernel.fork import is_child_letting_go
from comch_next.driver.emulated._kernel.memory import ffi, lib
from comch_next.driver.protocol import by_system
from comch_next.errors import ErrorCode, from_code

__all__ = [
    *("BYE", "Hello", "Terms", "Welcome"),
    *("check_memory", "close_all", "discard_all", "farewell", "hang_up", "hang_up_all", "is_trusted", "negotiate"),
    *("peer_of", "receive", "refusal", "send"),
]

BYE = b"CMCHBYE"  # the whole of a farewell; end-of-file without it is a death
VERSION = 3
_MAGIC = b"CMCH"
_HELLO = struct.Struct("<4sHHIII")
_WELCOME = struct.Struct("<4sHHIIII")
_FLAGS = (0, 1)  # of the word that says whether the size is insisted on; its other bits are reserved
_LONGEST = 64  # bytes: no datagram of the handshake is longer
_CREDENTIALS = struct.Struct("3i")
_INT = array("i").itemsize
_SINK = bytearray(1)
_MOST_FDS = 4  # that come with a datagram
_ALL_FDS = 253  # that Linux lets come: what is not taken here would be closed by the kernel, which may take its time


class Terms(NamedTuple):
    """What one side brings: message size in bytes and whether it insists on it, queues in messages."""

    msg_size: int
    strict: bool
    send_limit: int
    recv_limit: int

    def sane(self) -> bool:
        """Bounded as the widest device could state them."""
        return 0 < self.msg_size <= 1 << 20 and 0 < self.send_limit <= 1 << 16 and 0 < self.recv_limit <= 1 << 16


class Hello(NamedTuple):
    """The client's first datagram; it comes with the bells that the server is to ring: see Connection.rung."""

    terms: Terms

    def encode(self) -> bytes:
        terms = self.terms
        return _HELLO.pack(_MAGIC, VERSION, terms.strict, terms.msg_size, terms.send_limit, terms.recv_limit)

    @classmethod
    def decode(cls, data: bytes) -> "Hello":
        """Raise the DOCA error that the client is refused with."""
        if len(data) < 6 or data[:4] != _MAGIC:
            raise from_code(ErrorCode.INVALID_VALUE, "not a greeting")
        if (version := _version(data)) != VERSION:
            text = f"the client speaks wire version {version}, this server {VERSION}"
            raise from_code(ErrorCode.UNSUPPORTED_VERSION, text)
        if len(data) != _HELLO.size:
            raise from_code(ErrorCode.INVALID_VALUE, "a greeting of the wrong length")
        _, _, strict, msg_size, send_limit, recv_limit = _HELLO.unpack(data)
        terms = Terms(msg_size, bool(strict), send_limit, recv_limit)
        if strict not in _FLAGS or not terms.sane():
            raise from_code(ErrorCode.INVALID_VALUE, "a greeting with impossible limits")
        return cls(terms)


class Welcome(NamedTuple):
    """The server's answer: its terms, or why not. On success with both rings, and with the client's bells to ring."""

    code: ErrorCode
    terms: Terms

    def encode(self) -> bytes:
        terms = self.terms
        sizes = (terms.msg_size, terms.send_limit, terms.recv_limit)
        return _WELCOME.pack(_MAGIC, VERSION, terms.strict, self.code, *sizes)

    @classmethod
    def decode(cls, data: bytes) -> "Welcome":
        """Raise ConnectionAborted-coded errors for anything but a welcome of this version."""
        if len(data) < 6 or data[:4] != _MAGIC:
            raise from_code(ErrorCode.CONNECTION_ABORTED, "the server's answer is not a valid handshake")
        if (version := _version(data)) != VERSION:
            text = f"the server speaks wire version {version}, this client {VERSION}: install the same release on both"
            raise from_code(ErrorCode.CONNECTION_ABORTED, text)
        if len(data) != _WELCOME.size:
            raise from_code(ErrorCode.CONNECTION_ABORTED, "the server's answer is not a valid handshake")
        _, _, strict, code, msg_size, send_limit, recv_limit = _WELCOME.unpack(data)
        terms = Terms(msg_size, bool(strict), send_limit, recv_limit)
        known = strict in _FLAGS and code in ErrorCode.__members__.values()
        if not (known and terms.sane()):
            raise from_code(ErrorCode.CONNECTION_ABORTED, "the server's answer cannot be understood")
        return cls(ErrorCode(code), terms)


def _version(data: bytes) -> int:
    """The wire version of a greeting or welcome, which stands at the same place in all of them."""
    return int.from_bytes(data[4:6], "little")


def difference(client: Terms, server: Terms) -> str:
    """What each side insists on, for the client's message; "" where the largest messages can be agreed on."""
    if client.strict and server.strict and client.msg_size != server.msg_size:
        return f": max_msg_size is {client.msg_size} at the client and {server.msg_size} at the server"
    return ""


def refusal(code: ErrorCode, client: Terms, server: Terms) -> str:
    """What a client can tell of why a server has refused it with that code, for its message."""
    if code != ErrorCode.INVALID_VALUE:
        return difference(client, server)
    depth = max(client.send_limit, client.recv_limit)
    return f": the limits of its device are below a max_msg_size of {client.msg_size} or queues of {depth} messages"


def negotiate(client: Terms, server: Terms) -> tuple[int, int]:
    """The largest message in bytes (client to server, server to client); BAD_CONFIG when they cannot agree.

    A side that insists fixes both directions; where none does, each direction is what its sender needs.
    """
    if differ := difference(client, server):
        raise from_code(ErrorCode.BAD_CONFIG, f"no message size fits both{differ}")
    for side in (client, server):
        if side.strict:
            return side.msg_size, side.msg_size
    return client.msg_size, server.msg_size


def check_memory(client: Terms, server: Terms, own: Terms, most: int) -> None:
    """Raise TooBig when the rings of a connection would take more than `most` bytes, and more than `own` sizes need."""
    needed = _memory(client, server)
    if needed > max(most, _memory(own, own)):
        text = f"the connection's queues would take {needed} bytes, and max_connection_memory is {most}"
        raise from_code(ErrorCode.TOO_BIG, text)


def _memory(client: Terms, server: Terms) -> int:
    to_server, to_client = negotiate(client, server)
    capacity = lib.comch_ring_capacity
    there = capacity(to_server, client.send_limit + server.recv_limit)
    return int(there + capacity(to_client, server.send_limit + client.recv_limit))


def receive(sock: socket.socket) -> tuple[bytes, list[int]]:
    """One datagram and its descriptors, without waiting; b"" at end-of-file, BlockingIOError when none waits.

    A datagram with more than there can be is b"?". Raises OSError (EMFILE) when this process cannot take what came.
    It is looked at before it is taken out: until then it holds its descriptors, too, so that the kernel closes none.
    """
    wanted = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC  # socket.recv_fds ignores its flags before Python 3.13
    arguments = _LONGEST, socket.CMSG_LEN(_ALL_FDS * _INT), wanted | socket.MSG_PEEK
    try:
        data, control, flags, _ = sock.recvmsg(*arguments)
    except by_system(ConnectionResetError):  # it has ended with something of ours unread
        data, control, flags, _ = sock.recvmsg(*arguments)  # its last words come after the error
    try:
        received = _descriptors(control)
    except BaseException:
        discard_all(_descriptors(control))  # once more: nobody else knows them
        raise
    try:
        return _taken_out(sock, data, received, flags)
    except BaseException:
        discard_all(received)
        raise


def _descriptors(control: list[tuple[int, int, bytes]]) -> list[int]:
    fds = array("i")
    for level, kind, some in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(some[: len(some) - len(some) % _INT])
    return list(fds)


def _taken_out(sock: socket.socket, data: bytes, received: list[int], flags: int) -> tuple[bytes, list[int]]:
    """What `receive` returns, once the datagram is out of the socket: that comes last, and takes no memory."""
    if flags & socket.MSG_CTRUNC:
        discard_all(received)
        if data != BYE:  # what a farewell carries need not arrive
            raise OSError(errno.EMFILE, "descriptors have run out")
        return data, []
    if flags & socket.MSG_TRUNC or len(received) > _MOST_FDS:
        discard_all(received)
        data = b"?"
    result = data, received
    sock.recv_into(_SINK, 1, socket.MSG_DONTWAIT)
    return result


def peer_of(sock: socket.socket) -> tuple[int, int]:
    """The process and the user at the other end, as they were when it connected or listened. Raises OSError."""
    pid, user, _ = _CREDENTIALS.unpack(sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
    return pid, user


def is_trusted(user: int) -> bool:
    """Return whether this process connects to that user's processes, and uses runtime directories of theirs."""
    return user in (0, os.geteuid())


def send(sock: socket.socket, data: bytes, fds: Sequence[int] = ()) -> None:
    """One datagram with descriptors, without waiting and without SIGPIPE. Raises OSError."""
    control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", fds))] if fds else []
    sock.sendmsg([data], control, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


def close_all(fds: list[int]) -> None:
    """Close these descriptors of this process's own, those that are there, and forget them. It takes no memory."""
    left = len(fds)
    try:
        while left:
            left -= 1
            if fds[left] >= 0:
                os.close(fds[left])
    finally:
        fds.clear()


def discard_all(fds: list[int]) -> None:
    """Close these descriptors of a peer's, which nobody waits for, and forget them."""
    if is_child_letting_go():
        close_all(fds)
    elif fds:
        taken = ffi.new("int[]", fds)
        fds.clear()
        lib.comch_discard(taken, len(taken))


def hang_up(sock: socket.socket, *, shared: bool = False) -> None:
    """Close a socket, a listener too, and discard whatever peers have put into it. `shared`: see `farewell`."""
    if sock.fileno() < 0:
        return
    if shared:
        taken = [sock.fileno()]
        sock.detach()
        discard_all(taken)
    else:
        _closer()(sock.detach())


def hang_up_all(fds: list[int]) -> None:
    """Close ends of sockets that no peer has, discard whatever peers have put into them, and forget them."""
    close = _closer()
    while fds:
        close(fds.pop())


def _closer() -> Callable[[int], object]:
    return os.close if is_child_letting_go() else lib.comch_hang_up


def farewell(sock: socket.socket, *, quiet: bool) -> bool:
    """Send the notice of an orderly end, before closing. Raises OSError.

    A quiet notice contains the socket itself, so the socket hangs up only when the notice is read: a peer that waits
    for the hang-up only is woken by a death alone. Returns whether the peer may have this end of the socket now: then
    it must not be read, as that waits for a peer who reads it, too.
    """
    if quiet and lib.comch_empty(sock.fileno()):
        try:
            send(sock, BYE, [sock.fileno()])
        except by_system(OSError) as error:
            if error.errno != errno.ETOOMANYREFS:
                raise
        else:
            return True
    send(sock, BYE)
    return False
