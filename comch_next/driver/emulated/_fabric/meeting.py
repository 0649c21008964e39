"""Where server and client meet: the runtime directory, and the listener behind a name.

A server is one SOCK_SEQPACKET listener per (DPU device, representor, name). Who holds the lock on the file
beside the socket owns the name; a socket whose owner is gone is replaced, anything else in its place is not.
Sockets are reached through a descriptor of the directory, so that no path is too long for AF_UNIX.
"""

import errno
import fcntl
import hashlib
import os
import re
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager

from comch_next.driver.emulated._fabric.handshake import hang_up, is_trusted, peer_of, send
from comch_next.driver.emulated._kernel.handle import Socket
from comch_next.driver.emulated._kernel.memory import lib
from comch_next.driver.protocol import by_system, bytes_of, monotonic, suppress_system, too_large_raises
from comch_next.errors import AlreadyExist, DocaError, Initialization

__all__ = [
    "LOCK",
    "Listener",
    "absolute",
    "dial",
    "directory",
    "file_name",
    "is_chosen",
    "owned_by_living",
    "runtime_dir",
]

BACKLOG = 1024
_OBSERVED_S = 1.0  # how long a start waits for somebody who looks at the lock; that takes microseconds
_NAP_S = 0.001
_SWEPT = 64  # files that one start looks at, so that it does not take long, however many there are
_MOST_MISSING = 900  # directories above the runtime directory that are made
_READ_AND_WRITE = stat.S_IRUSR | stat.S_IWUSR
_READ_BY_ALL = stat.S_IRWXU | stat.S_IRGRP | stat.S_IXGRP | stat.S_IROTH | stat.S_IXOTH
LOCK = re.compile(r"[0-9a-f]{32}\.lock")  # what the lock files of servers are called
_IN_ITSELF = re.compile(r"(?<=[^/])(/+\.?)+$")  # behind a link they lead to where it leads, whatever is asked of it


def runtime_dir() -> str:
    """COMCH_RUNTIME_DIR, else a folder of the session's runtime directory, else one named for the user.

    Raises Initialization where there is no directory for temporary files either.
    """
    if chosen := os.environ.get("COMCH_RUNTIME_DIR"):
        return chosen
    if session := os.environ.get("XDG_RUNTIME_DIR"):
        return os.path.join(session, "comch")
    import tempfile  # not at every start: it brings shutil and the compressors

    try:
        place = tempfile.gettempdir()
    except by_system(OSError) as error:  # none exists, or can be written to
        text = "there is no runtime directory where servers and clients meet; set COMCH_RUNTIME_DIR"
        raise Initialization(f"{text}: {error.strerror}") from error
    return os.path.join(place, f"comch-{os.getuid()}")


def absolute(path: str) -> str:
    """The same path from the root; nothing else of it changes, as what `..` leads to may be a link's place.

    Where the working directory has been removed, a relative path stays: it leads nowhere.
    """
    if os.path.isabs(path):
        return path
    try:
        return os.path.join(os.getcwd(), path)
    except by_system(FileNotFoundError):
        return path


def is_chosen() -> bool:
    """Whether the user has named the runtime directory, so that there should be one."""
    return bool(os.environ.get("COMCH_RUNTIME_DIR"))


@contextmanager
def directory(path: str, *, create: bool) -> Iterator[int]:
    """A descriptor of the directory while the block runs. OSError: it is not there, or not the user's alone."""
    if create:
        with suppress_system(FileExistsError):  # something else is there, of which opening it tells what
            _make_directory(_IN_ITSELF.sub("", path))
    fd = _open_directory(path)
    try:
        found = os.fstat(fd)
        if not is_trusted(found.st_uid):
            text = f"the directory belongs to user {found.st_uid}; set COMCH_RUNTIME_DIR to one of your own"
            raise PermissionError(errno.EPERM, text, path)
        if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            text = "others can write to the directory, and so take a server's place; chmod go-w it"
            raise PermissionError(errno.EPERM, text, path)
        yield fd
    finally:
        os.close(fd)


def _make_directory(path: str) -> None:
    """Make it and what is missing above it, which nobody else may write to, whatever the program's umask allows."""
    missing: list[str] = []
    above = path
    while (above := os.path.dirname(above)) and not _is_there(above):
        missing.append(above)
    if len(missing) > _MOST_MISSING:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), path)
    while missing:
        with suppress_system(FileExistsError):  # another process has just made it
            _make_one(missing.pop(), _READ_BY_ALL)
    _make_one(path, stat.S_IRWXU)


def _is_there(path: str) -> bool:
    try:
        os.stat(path)
    except by_system(FileNotFoundError):
        return False
    return True


def _make_one(path: str, mode: int) -> None:
    os.mkdir(path, mode)
    fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _allow_owner(fd, stat.S_IRWXU)
    finally:
        os.close(fd)


def _allow_owner(fd: int, rights: int) -> None:
    """Give the owner what the program's umask may have withheld, which no later process could make up for."""
    mode = stat.S_IMODE(os.fstat(fd).st_mode)
    if mode & rights != rights:
        os.chmod(f"/proc/self/fd/{fd}", mode | rights)


def _is_alone(found: os.stat_result) -> bool:
    """Whether it is a file that nobody keeps for something else, under another name."""
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1


def _open_directory(path: str) -> int:
    path = _IN_ITSELF.sub("", path)
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except by_system(NotADirectoryError) as error:
        if os.path.islink(path):
            text = "it is a symbolic link, which may come to lead elsewhere; name the directory itself"
            raise NotADirectoryError(errno.ENOTDIR, text, path) from error
        raise


def file_name(dpu_pci: str, rep_pci: str, name: str) -> str:
    """What the files of the server of that name are called, without their endings."""
    return hashlib.sha256(bytes_of("\0".join((dpu_pci, rep_pci, name)))).hexdigest()[:32]


def dial(dpu_pci: str, rep_pci: str, name: str) -> Socket:
    """A socket connected to the server of that name; OSError says why there is none.

    The listener's user is checked before anything is sent, so a process that took the place learns nothing.
    """
    sock: Socket | None = None
    try:
        with directory(runtime_dir(), create=False) as folder:
            sock = Socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
            sock.connect(f"/proc/self/fd/{folder}/{file_name(dpu_pci, rep_pci, name)}.sock")
            _, user = peer_of(sock)
            if not is_trusted(user):
                raise PermissionError(errno.EPERM, f"the server runs as user {user}, who is not trusted", name)
    except BaseException:
        if sock is not None:
            hang_up(sock)
        raise
    return sock


def owned_by_living(lock: int) -> bool:
    """Whether a server holds that open lock file, which the caller then closes.

    When none does, the file has a shared lock until it is closed. A server that starts just then waits that out.
    """
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except by_system(BlockingIOError):
        return True
    return False


def _spare() -> int:
    return os.open("/dev/null", os.O_RDONLY | os.O_CLOEXEC)


def _sweep(folder: int) -> None:
    """Remove what killed servers have left: the files of locks that nobody holds. Raises OSError.

    One process sweeps at a time: it detects dead servers by a shared lock, as `owned_by_living`; a start waits for it.
    """
    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    locks = [name for name in os.listdir(folder) if LOCK.fullmatch(name)]
    first = time.monotonic_ns() % max(1, len(locks))  # not always the same ones
    for name in (locks[first:] + locks[:first])[:_SWEPT]:
        with suppress_system(OSError):  # another kind of file, or gone by now
            _remove_dead(folder, name)


def _remove_dead(folder: int, name: str) -> None:
    lock = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        found, named = os.fstat(lock), os.stat(name, dir_fd=folder, follow_symlinks=False)
        if not _is_alone(found) or found.st_ino != named.st_ino or owned_by_living(lock):
            return
        sock = f"{name.removesuffix('.lock')}.sock"
        with suppress_system(FileNotFoundError):
            if not stat.S_ISSOCK(os.stat(sock, dir_fd=folder, follow_symlinks=False).st_mode):
                return
            os.unlink(sock, dir_fd=folder)
        os.unlink(name, dir_fd=folder)  # last: until then nobody else can have the name
    finally:
        os.close(lock)


class Listener:
    """The socket behind a name, and the lock that says whose it is."""

    def __init__(self, dpu_pci: str, rep_pci: str, name: str) -> None:
        self._stem = file_name(dpu_pci, rep_pci, name)
        self._name = name
        self._place = absolute(runtime_dir())  # for life: the program may go elsewhere, or change its environment
        self._removed = False  # by this server itself
        self._reserve = -1  # a descriptor to turn clients away with when there is none left to accept them
        self.path = os.path.join(self._place, f"{self._stem}.sock")
        listens = False
        try:
            with directory(self._place, create=True) as folder:
                self._lock = self._take_lock(folder)
                try:
                    self._listen(folder)
                except BaseException:
                    with suppress_system(OSError):  # no sweep would find it beside what is not a socket
                        os.unlink(f"{self._stem}.lock", dir_fd=folder)
                    os.close(self._lock)
                    raise
                listens = True
                with suppress_system(OSError):  # another process sweeps just now, or there are no descriptors for it
                    _sweep(folder)
        except BaseException as error:
            if listens:
                self.close()
            if isinstance(error, by_system(OSError)) and not isinstance(error, DocaError):
                text = f"server {name!r} cannot listen in {self._place}: {error}"
                raise Initialization(text) from error
            raise

    def _take_lock(self, folder: int) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
        patience = monotonic() + _OBSERVED_S
        while True:
            lock = os.open(f"{self._stem}.lock", flags, _READ_AND_WRITE, dir_fd=folder)
            taken = False
            try:
                if _is_alone(os.fstat(lock)):
                    _allow_owner(lock, _READ_AND_WRITE)
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                named = os.stat(f"{self._stem}.lock", dir_fd=folder, follow_symlinks=False)
                taken = named.st_ino == os.fstat(lock).st_ino
                if taken:
                    return lock
            except by_system(FileNotFoundError):
                continue  # its last owner removed it between the open and the lock
            except by_system(BlockingIOError):
                if owned_by_living(lock) or monotonic() >= patience:
                    raise self._taken(os.fstat(lock).st_uid) from None
            finally:
                if not taken:
                    os.close(lock)
            time.sleep(_NAP_S)

    def _taken(self, owner: int) -> AlreadyExist:
        text = "a living server listens on it; stop that one first"
        if not is_trusted(owner):  # who put it there while others could write to the directory
            text = f"user {owner} holds its lock; remove {os.path.join(self._place, self._stem)}.lock"
        return AlreadyExist(f"the name {self._name!r} is taken: {text}")

    def _listen(self, folder: int) -> None:
        socket_name = f"{self._stem}.sock"
        try:
            found = os.stat(socket_name, dir_fd=folder, follow_symlinks=False)
        except by_system(FileNotFoundError):
            pass
        else:
            if not stat.S_ISSOCK(found.st_mode):
                raise FileExistsError(errno.EEXIST, "the file in the place of the socket is not a socket", socket_name)
            os.unlink(socket_name, dir_fd=folder)
        self.socket = Socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        bound = False
        try:
            self._reserve = _spare()
            self.socket.bind(f"/proc/self/fd/{folder}/{socket_name}")
            bound = True
            os.chmod(socket_name, 0o600, dir_fd=folder)
            self.socket.listen(BACKLOG)
            self._inode = os.stat(self.path, follow_symlinks=False).st_ino  # by the path, which may be too long
        except BaseException:
            self.socket.close()
            self._give_up_reserve()
            if bound:
                with suppress_system(OSError):
                    os.unlink(socket_name, dir_fd=folder)
            raise

    def publish(self, status: bytes) -> None:
        """Write the status into the lock file, for `admin`. If that fails, the file is still a lock."""
        with suppress_system(OSError):
            if _is_alone(os.fstat(self._lock)):
                os.ftruncate(self._lock, 0)
                too_large_raises(os.pwrite, self._lock, status, 0)

    def _give_up_reserve(self) -> None:
        reserve, self._reserve = self._reserve, -1
        if reserve >= 0:
            os.close(reserve)

    def accept(self) -> Socket:
        """The next client's socket. Raises OSError. A client for whose socket there is no memory is hung up on."""
        taken = lib.comch_accept(self.socket.fileno())
        if taken < 0:
            raise OSError(-taken, os.strerror(-taken))
        try:
            accepted = Socket(fileno=taken)
        except BaseException:
            lib.comch_hang_up(taken)
            raise
        accepted.setblocking(False)  # where the program has set a time-out for its own sockets, this would have it
        return accepted

    def turn_away(self, answer: bytes) -> None:
        """Send the next client this answer in place of a connection.

        Raises BlockingIOError if no client waits, OSError if even that cannot be done now.
        """
        self._give_up_reserve()
        try:
            sock = self.accept()
            try:
                with suppress_system(OSError):
                    send(sock, answer)
            finally:
                hang_up(sock)  # with what it has said, for whose descriptors there is no room
        finally:
            with suppress_system(OSError):
                self._reserve = _spare()

    def intact(self) -> bool:
        """Whether clients still find this server by its name, or would if it had not left it."""
        if self._removed:  # threads may go on at the end of a process
            return True
        try:
            found = os.stat(self.path, follow_symlinks=False)
        except by_system(FileNotFoundError, NotADirectoryError):
            return False
        except by_system(OSError):  # it cannot be looked at, as by a process that has given up its rights since
            return True
        # A name that is being removed is told of, and still found, when the file has lost its link already.
        return found.st_ino == self._inode and found.st_nlink > 0

    def let_go(self) -> None:
        """Close its descriptors, and do nothing else: after a fork the name stays the parent's. Idempotent."""
        hang_up(self.socket)
        self._give_up_reserve()
        lock, self._lock = self._lock, -1
        if lock >= 0:
            os.close(lock)

    def remove(self) -> None:
        """Leave no file behind; what somebody else put in their place stays. Raises OSError."""
        if not self._removed and self.intact():
            self._removed = True
            try:
                os.unlink(self.path)  # by path: there may be no descriptor left for the directory
            finally:  # an interrupt may come out of the first
                os.unlink(os.path.join(self._place, f"{self._stem}.lock"))

    def close(self) -> None:
        """Free the name."""
        try:
            with suppress_system(OSError):  # the directory is gone, and the files with it
                self.remove()
        finally:
            self.let_go()
