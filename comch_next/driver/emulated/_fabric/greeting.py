"""A connecting client: its greeting is read and checked before it becomes a connection."""

import socket

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.bells import check_bell
from comch_next.driver.emulated._fabric.channel import Watchable
from comch_next.driver.emulated._fabric.topology import Limits
from comch_next.driver.emulated._kernel.memory import EXHAUSTED
from comch_next.driver.protocol import by_system, log_warning, suppress_system
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import DocaError, from_code

__all__ = ["Greeter", "Greeting"]

class Greeter(Protocol):
    """The server, as its clients on their way in see it."""

    @property
    def limits(self) -> Limits: ...
    def is_full(self) -> bool: ...
    def terms(self) -> handshake.Terms: ...
    def unwatch(self, sock: Watchable) -> bool: ...
    def spoken(self, greeting: "Greeting") -> None: ...
    def greeted(self, greeting: "Greeting") -> None: ...


class Greeting:
    """A client between its connect and its acceptance."""

    def __init__(self, server: Greeter, sock: socket.socket) -> None:
        self.server = server
        self.sock = sock
        self.terms: handshake.Terms | None = None
        self.bells: list[int] = []
        self.waits = False  # for the program's accept
        self.answered = False  # or is being so: whoever does that sees it through
        self.client_pid = 0  # 0 too for one that has no number in this process's namespace

    @property
    def gone(self) -> bool:
        """Whether it has hung up while it waited."""
        return self.sock.fileno() < 0

    def has_spoken(self) -> bool:
        """Whether there is something to read, be it the end."""
        try:
            self.sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except by_system(BlockingIOError):
            return False
        except by_system(OSError):
            pass
        return True

    def on_socket(self) -> None:
        """Read the greeting; hand it on when it is good, refuse it when not."""
        self.client_pid, user = handshake.peer_of(self.sock)
        if not handshake.is_trusted(user):  # whatever it says, which is not read
            if self.has_spoken():
                self.server.spoken(self)
                self.refuse(ErrorCode.AUTHENTICATION, f"user {user} may not connect")
            return
        try:
            data, self.bells = handshake.receive(self.sock)
        except by_system(BlockingIOError):
            return
        except by_system(OSError) as error:
            self.server.spoken(self)
            self.refuse(ErrorCode.NO_MEMORY if error.errno in EXHAUSTED else ErrorCode.INVALID_VALUE, str(error))
            return
        try:
            self.server.spoken(self)
            self.server.unwatch(self.sock)
            if self._is_refused(data):
                return
            self.server.greeted(self)
        except by_system(MemoryError):
            if self.waits or self.answered:
                raise
            self.refuse(ErrorCode.NO_MEMORY, "memory has run out")

    def _is_refused(self, data: bytes) -> bool:
        """Refuse a greeting that is not good. Whether it was so."""
        try:
            self._check(data)
        except DocaError as error:
            self.refuse(error.code, str(error))
            return True
        return False

    def _check(self, data: bytes) -> None:
        if self.server.is_full():
            raise from_code(ErrorCode.FULL, "the server has all the clients that it may have")
        self.terms = handshake.Hello.decode(data).terms
        if len(self.bells) not in (1, 2):
            raise from_code(ErrorCode.INVALID_VALUE, "a greeting comes with one bell or two")
        for bell in self.bells:
            check_bell(bell)
        limits = self.server.limits
        depth = max(limits.max_queue_size, limits.max_send_tasks)
        if self.terms.msg_size > limits.max_msg_size or max(self.terms.send_limit, self.terms.recv_limit) > depth:
            raise from_code(ErrorCode.INVALID_VALUE, "limits that no device of this pair has")
        own = self.server.terms()
        handshake.check_memory(self.terms, own, own, limits.max_connection_memory)

    def refuse(self, code: ErrorCode, reason: str) -> None:
        """Send the client the code, and forget it; the reason is logged here."""
        self.answered = True
        try:
            with suppress_system(OSError):
                handshake.send(self.sock, handshake.Welcome(code, self.server.terms()).encode())
        finally:
            self.drop()
        log_warning("%s refuses the client of process %s: %s", self.server, self.client_pid or "unknown", reason)

    def drop(self) -> None:
        """Forget it."""
        if not self.gone:
            self.server.unwatch(self.sock)
        self.let_go()

    def let_go(self) -> None:
        """Give its descriptors back, and do nothing else."""
        handshake.hang_up(self.sock)
        handshake.discard_all(self.bells)
