"""Where server and client meet: the runtime directory, the listener behind a name, and the handshake.

A server is one SOCK_SEQPACKET listener per (DPU device, representor, name). Who holds the lock on the file
beside the socket owns the name; a socket whose owner is gone is replaced, anything else in its place is not.
Sockets are reached through a descriptor of the directory, so that no path is too long for AF_UNIX.
"""

import errno
import fcntl
import hashlib
import os
import socket
import stat
import struct
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from comch_next.errors import AlreadyExist, DocaError, ErrorCode, Initialization, from_code

__all__ = [
    *("BYE", "Hello", "Listener", "Terms", "Welcome"),
    *("dial", "farewell", "negotiate", "receive", "runtime_dir", "send"),
]

BACKLOG = 1024
BYE = b"CMCHBYE"  # the whole of a farewell; end-of-file without it is a death
VERSION = 1
_MAGIC = b"CMCH"
_HELLO = struct.Struct("<4sHHIII")
_WELCOME = struct.Struct("<4sHHIIII")
_LONGEST = 64  # bytes: no datagram of the handshake is longer
_MOST_FDS = 4
_INT = array("i").itemsize


@dataclass(frozen=True)
class Terms:
    """What one side brings: message size in bytes and whether it insists on it, queues in messages."""

    msg_size: int
    strict: bool
    send_limit: int
    recv_limit: int

    def sane(self) -> bool:
        """Bounded as the widest device could state them."""
        return 0 < self.msg_size <= 1 << 20 and 0 < self.send_limit <= 1 << 16 and 0 < self.recv_limit <= 1 << 16


@dataclass(frozen=True)
class Hello:
    """The client's first datagram; it comes with its data bell and its space bell."""

    terms: Terms

    def encode(self) -> bytes:
        terms = self.terms
        return _HELLO.pack(_MAGIC, VERSION, terms.strict, terms.msg_size, terms.send_limit, terms.recv_limit)

    @classmethod
    def decode(cls, data: bytes) -> "Hello":
        """Raise the DOCA error that the client is refused with."""
        if len(data) < 6 or data[:4] != _MAGIC:
            raise from_code(ErrorCode.INVALID_VALUE, "not a greeting")
        if int.from_bytes(data[4:6], "little") != VERSION:
            raise from_code(ErrorCode.UNSUPPORTED_VERSION, "a greeting of another version")
        if len(data) != _HELLO.size:
            raise from_code(ErrorCode.INVALID_VALUE, "a greeting of the wrong length")
        _, _, strict, msg_size, send_limit, recv_limit = _HELLO.unpack(data)
        terms = Terms(msg_size, bool(strict), send_limit, recv_limit)
        if not terms.sane():
            raise from_code(ErrorCode.INVALID_VALUE, "a greeting with impossible limits")
        return cls(terms)


@dataclass(frozen=True)
class Welcome:
    """The server's answer: its terms, or why not. On success with both rings, data bell and space bell."""

    code: ErrorCode
    terms: Terms

    def encode(self) -> bytes:
        terms = self.terms
        sizes = (terms.msg_size, terms.send_limit, terms.recv_limit)
        return _WELCOME.pack(_MAGIC, VERSION, terms.strict, self.code, *sizes)

    @classmethod
    def decode(cls, data: bytes) -> "Welcome":
        """Raise ConnectionAborted-coded errors for anything but a welcome of this version."""
        if len(data) != _WELCOME.size or data[:4] != _MAGIC:
            raise from_code(ErrorCode.CONNECTION_ABORTED, "the server's answer is no welcome")
        _, version, strict, code, msg_size, send_limit, recv_limit = _WELCOME.unpack(data)
        terms = Terms(msg_size, bool(strict), send_limit, recv_limit)
        if version != VERSION or code not in ErrorCode.__members__.values() or not terms.sane():
            raise from_code(ErrorCode.CONNECTION_ABORTED, "the server's answer cannot be understood")
        return cls(ErrorCode(code), terms)


def negotiate(client: Terms, server: Terms) -> tuple[int, int]:
    """The largest message in bytes (client to server, server to client); BAD_CONFIG when they cannot agree.

    A side that insists fixes both directions; where none does, each direction is what its sender needs.
    """
    if client.strict and server.strict and client.msg_size != server.msg_size:
        text = f"the client insists on messages of {client.msg_size} bytes, the server on {server.msg_size}"
        raise from_code(ErrorCode.BAD_CONFIG, text)
    for side in (client, server):
        if side.strict:
            return side.msg_size, side.msg_size
    return client.msg_size, server.msg_size


def receive(sock: socket.socket) -> tuple[bytes, list[int]]:
    """One datagram and its descriptors, without waiting; b"" at end-of-file, BlockingIOError when none waits.

    A datagram with more than there can be is b"?". Raises OSError (EMFILE) when this process cannot take what came.
    """
    wanted = socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC  # socket.recv_fds ignores its flags before Python 3.13
    data, control, flags, _ = sock.recvmsg(_LONGEST, socket.CMSG_LEN(_MOST_FDS * _INT), wanted)
    fds = array("i")
    for level, kind, some in control:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            fds.frombytes(some[: len(some) - len(some) % _INT])
    if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
        for fd in fds:
            os.close(fd)
        if flags & socket.MSG_CTRUNC and len(fds) < _MOST_FDS:
            if data == BYE:
                return data, []  # what it carries need not arrive
            raise OSError(errno.EMFILE, "descriptors have run out")
        return b"?", []
    return data, list(fds)


def send(sock: socket.socket, data: bytes, fds: Sequence[int] = ()) -> None:
    """One datagram with descriptors, without waiting and without SIGPIPE. Raises OSError."""
    control = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", fds))] if fds else []
    sock.sendmsg([data], control, socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)


def farewell(sock: socket.socket) -> None:
    """Say goodbye before closing. Raises OSError.

    The socket itself travels in the farewell, and so it hangs up only when that is read: whoever waits for a
    hang-up, and not for words, is woken by a death alone.
    """
    try:
        send(sock, BYE, [sock.fileno()])
    except OSError as error:
        if error.errno != errno.ETOOMANYREFS:
            raise
        send(sock, BYE)


def runtime_dir() -> Path:
    """COMCH_RUNTIME_DIR, else a folder of the session's runtime directory, else one named for the user."""
    if chosen := os.environ.get("COMCH_RUNTIME_DIR"):
        return Path(chosen)
    if session := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(session) / "comch"
    return Path(tempfile.gettempdir()) / f"comch-{os.getuid()}"


@contextmanager
def _directory(path: Path, *, create: bool) -> Iterator[int]:
    if create:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        owner = os.fstat(fd).st_uid
        if owner not in (0, os.geteuid()):
            raise PermissionError(errno.EPERM, f"the directory belongs to user {owner}", str(path))
        yield fd
    finally:
        os.close(fd)


def _file_name(dpu_pci: str, rep_pci: str, name: str) -> str:
    return hashlib.sha256("\0".join((dpu_pci, rep_pci, name)).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def dial(dpu_pci: str, rep_pci: str, name: str) -> socket.socket:
    """A socket connected to the server of that name; OSError says why there is none."""
    with _directory(runtime_dir(), create=False) as folder:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        try:
            sock.connect(f"/proc/self/fd/{folder}/{_file_name(dpu_pci, rep_pci, name)}.sock")
        except BaseException:
            sock.close()
            raise
        return sock


def _spare() -> int:
    return os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)


class Listener:
    """The socket behind a name, and the lock that says whose it is."""

    def __init__(self, dpu_pci: str, rep_pci: str, name: str) -> None:
        self._stem = _file_name(dpu_pci, rep_pci, name)
        self._name = name
        self._place = runtime_dir().absolute()  # for life: the program may go elsewhere, or change its environment
        self._reserve = -1  # a descriptor to turn clients away with when there is none left to accept them
        self.path = self._place / f"{self._stem}.sock"
        try:
            with _directory(self._place, create=True) as folder:
                self._lock = self._take_lock(folder)
                try:
                    self._listen(folder)
                except BaseException:
                    os.close(self._lock)
                    raise
        except DocaError:
            raise
        except OSError as error:
            text = f"server {name!r} cannot listen in {self._place}: {error}"
            raise Initialization(text) from error

    def _take_lock(self, folder: int) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        while True:
            lock = os.open(f"{self._stem}.lock", flags, 0o600, dir_fd=folder)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                named = os.stat(f"{self._stem}.lock", dir_fd=folder, follow_symlinks=False)
                if named.st_ino == os.fstat(lock).st_ino:
                    return lock
            except FileNotFoundError:
                pass  # its last owner removed it between the open and the lock
            except BlockingIOError:
                os.close(lock)
                text = f"the name {self._name!r} is taken: a living server listens on it; stop that one first"
                raise AlreadyExist(text) from None
            os.close(lock)

    def _listen(self, folder: int) -> None:
        socket_name = f"{self._stem}.sock"
        try:
            found = os.stat(socket_name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            pass
        else:
            if not stat.S_ISSOCK(found.st_mode):
                raise FileExistsError(errno.EEXIST, "what stands in the socket's place is no socket", socket_name)
            os.unlink(socket_name, dir_fd=folder)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        try:
            self._reserve = _spare()
            self.socket.bind(f"/proc/self/fd/{folder}/{socket_name}")
            os.chmod(socket_name, 0o600, dir_fd=folder)
            self.socket.listen(BACKLOG)
            self._inode = os.stat(socket_name, dir_fd=folder, follow_symlinks=False).st_ino
        except BaseException:
            self.socket.close()
            self._give_up_reserve()
            raise

    def _give_up_reserve(self) -> None:
        if self._reserve >= 0:
            os.close(self._reserve)
            self._reserve = -1

    def turn_away(self, answer: bytes) -> None:
        """Give the next client this answer in place of a connection.

        Raises BlockingIOError when nobody knocks, OSError when not even that can be done now.
        """
        self._give_up_reserve()
        try:
            sock, _ = self.socket.accept()
            with sock, suppress(OSError):
                sock.setblocking(False)
                sock.recv(_LONGEST)  # a greeting left unread would be answered by a reset
                send(sock, answer)
        finally:
            with suppress(OSError):
                self._reserve = _spare()

    def intact(self) -> bool:
        """Whether clients still find this server by its name."""
        try:
            return os.stat(self.path, follow_symlinks=False).st_ino == self._inode
        except OSError:
            return False

    def let_go(self) -> None:
        """Close its descriptors, and do nothing else: after a fork the name stays the parent's."""
        self.socket.close()
        self._give_up_reserve()
        os.close(self._lock)

    def close(self) -> None:
        """Free the name and leave no file behind; what somebody else put in their place stays."""
        with suppress(OSError):  # else the directory is gone, and the files with it
            if self.intact():
                for kind in ("sock", "lock"):  # by path: there may be no descriptor left for the directory
                    os.unlink(self._place / f"{self._stem}.{kind}")
        self.let_go()
