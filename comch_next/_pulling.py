"""Send and receive without callbacks: the calls that stand on a context's pull port.

Guide: Comch, Message Receive; the names are this toolkit's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from comch_next._codes import ErrorCode
from comch_next._endpoint import Endpoint
from comch_next._origins import shown
from comch_next._settings import Configured
from comch_next.arguments import ANY_SIZE, UNSET, Buffer, cut
from comch_next.connection import Connection, Message
from comch_next.engine import deadline_after, seconds_left, wait_readable
from comch_next.errors import (
    Again,
    BadState,
    ConnectionReset,
    DocaError,
    InvalidValue,
    NoMemory,
    NotConnected,
    NotFound,
    Shutdown,
    TimeOut,
)
from comch_next.pull import NOTHING_WAITS, PullPort

__all__ = ["PullingContext"]

_SUCCESS, _AGAIN = ErrorCode.SUCCESS, ErrorCode.AGAIN
_Received: TypeAlias = tuple[ErrorCode, "bytes | None", "int | None", "Connection | None"]
_NOTHING_CAME = (_AGAIN, None, None, None)
_NO_CONTEXT = (ErrorCode.INVALID_VALUE, None, None, None)
# Half the price of calling a named tuple's class:
_message: Callable[[type[Message], tuple[bytes, Connection]], Message] = tuple.__new__


class PullingContext(Configured):
    """A context whose messages are pulled, unless its program registers callbacks."""

    # Sending

    def send_to(
        self,
        data: Buffer,
        connection: Connection,
        timeout: float | None = None,
        *,
        length: int = UNSET,
    ) -> None:
        """Send one message on one of this context's connections, as Connection.send; data first, as socket.sendto.

        length: send only that many bytes of the data. Raises NotConnected for None as the connection, InvalidValue for
        a connection of another context, and for a length that is not a whole number up to the data's.
        """
        if length is not UNSET:
            data = cut(data, length)
        if (endpoint := self._endpoint) is not None:
            deadline = deadline_after(timeout, "send_to")
            if not endpoint.send(connection, data):
                connection._send_later(data, timeout, deadline)
            return
        if getattr(connection, "_context", None) is not self:
            cut(data, UNSET)  # the first wrong argument is reported
            if connection is None:
                raise NotConnected(f"send_to: {self!r} has no connection to send on; connect and receive return one")
            raise InvalidValue(f"send_to takes a connection of {self!r}, not {shown(connection)}")
        connection.send(data, timeout)

    def try_send_to(self, data: Buffer, connection: Connection, length: int = UNSET) -> ErrorCode:
        """Send one message if it is accepted at once, and return the result code.

        The code is SUCCESS, AGAIN if the message is not accepted, or that of the error which send_to raises. Called as
        a function of the class, `Channel.try_send_to(context, ...)`, it returns INVALID_VALUE for anything but a
        context.
        """
        try:
            if data.__class__ is not bytes or (length is not UNSET and length != len(data)):
                data = cut(data, length)
            if (endpoint := self._endpoint) is not None:
                return _SUCCESS if endpoint.send(connection, data) else _AGAIN
            if not isinstance(self, PullingContext):
                return ErrorCode.INVALID_VALUE
            self.send_to(data, connection, 0)
        except DocaError as error:
            return error.code
        except AttributeError:
            if isinstance(self, PullingContext):
                raise
            return ErrorCode.INVALID_VALUE
        return _SUCCESS

    def try_receive(self, size: int = ANY_SIZE, *, timeout: float | None = 0) -> _Received:
        """Receive one message if one waits, and return (code, data, length, connection); AGAIN if none waits.

        timeout: seconds to wait; None waits for ever, and after any other time than 0 the code is TIME_OUT. Absent
        values are None: the length, in bytes, is there with a message, and with INVALID_VALUE if a longer one waits;
        the connection with a message, and with CONNECTION_RESET. Other codes are those of the errors of receive.

        Called as a function of the class, `Channel.try_receive(context, ...)`, it returns INVALID_VALUE for anything
        but a context.
        """
        try:
            if (endpoint := self._endpoint) is not None:
                deadline = deadline_after(timeout, "try_receive")
                arrived = endpoint.receive(size)
                if arrived is None and timeout != 0:
                    arrived = self._wait_for_message(endpoint, size, timeout, deadline)
            elif isinstance(self, PullingContext):
                arrived = self.receive(size, timeout=timeout)
            else:
                return _NO_CONTEXT
        except (InvalidValue, ConnectionReset) as error:
            return error.code, None, error.length, error.connection
        except DocaError as error:
            return error.code, None, None, None
        except AttributeError:
            if isinstance(self, PullingContext):
                raise
            return _NO_CONTEXT
        if arrived is None:
            return _NOTHING_CAME
        data, connection = arrived
        return _SUCCESS, data, len(data), connection

    # Receiving

    @property
    def port(self) -> PullPort | None:
        """The pull port behind send_to and receive, once it has been opened: for programs that poll a lot.

        The object stays the same unless opening the context fails. On a one-sided context its `receive` accepts
        waiting clients, too.
        """
        return self._port

    def receive(self, size: int | None = ANY_SIZE, *, timeout: float | None = None) -> Message:
        """Receive the oldest message of all connections. A server also accepts waiting clients here.

        size: bytes that the caller can hold; a longer message stays, and InvalidValue carries its length.
        timeout: seconds; None waits for ever, 0 raises Again when nothing is there, otherwise TimeOut is raised, and
        InvalidValue for an invalid timeout.
        Raises ConnectionReset once for a peer that died, after its messages, and always on a server that has failed;
        on a client Shutdown when the server has left, and NotConnected instead of a wait for ever after its end;
        BadState on a context whose messages go to callbacks.
        """
        deadline = deadline_after(timeout, "receive")
        if (endpoint := self._endpoint) is not None:
            if (found := endpoint.receive(size)) is None:
                found = self._wait_for_message(endpoint, size, timeout, deadline)
            return _message(Message, found)
        port = self._port
        if port is not None and (found := self._pull(port, size)) is not None:
            return _message(Message, found)
        return self._receive_later(port, size, timeout, deadline)

    def _wait_for_message(
        self, endpoint: Endpoint, size: int | None, timeout: float | None, deadline: float | None
    ) -> tuple[bytes, Connection]:
        """Wait, on a one-sided context."""
        if timeout == 0:
            raise Again(NOTHING_WAITS)
        port = self._opened_port("receive")
        while True:
            port.arm_recv()
            if (found := endpoint.receive(size)) is not None:  # also what another thread ended before the arming
                return found
            self._wait_readable(port, deadline, timeout)

    def _receive_later(
        self, port: PullPort | None, size: int | None, timeout: float | None, deadline: float | None
    ) -> Message:
        port = self._opened_port("receive") if port is None else port
        while True:
            if self._accept_waiting(port) and (found := self._pull(port, size)) is not None:
                return _message(Message, found)
            self._refuse_silent("receive")
            if timeout == 0:
                raise Again(NOTHING_WAITS)
            port.arm_recv()
            self._refuse_silent("receive")  # again: what another thread ended before the arming rings no bell
            self._wait_readable(port, deadline, timeout)
            if (found := self._pull(port, size)) is not None:
                return _message(Message, found)
            if timeout is None and self._is_over():
                self._accept_waiting(port)  # which raises why a client has not been let in
                if (found := self._pull(port, size)) is not None:  # what came before the end comes first
                    return _message(Message, found)
                text = f"receive: {self!r} is IDLE: its connection has ended, by stop or as an earlier receive reported"
                raise NotConnected(f"{text}; connect again")

    def _wait_readable(self, port: PullPort, deadline: float | None, timeout: float | None) -> None:
        """Wait until `recv_fd` is ready; TimeOut when the deadline comes before, or has come: clients that come and go
        may keep the descriptor ready.
        """

        def descriptor() -> int:
            if deadline is None and self._is_over():  # for which no bell rings
                port.ring_recv()
            return port.recv_fd

        if not seconds_left(deadline) or not wait_readable(descriptor, deadline):
            raise TimeOut(f"receive: nothing came to {self!r} within {timeout} s")

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        return port.receive(size)

    def _accept_waiting(self, port: PullPort) -> bool:
        """Accept waiting clients. Whether there were any; a client of a server has none."""
        return False

    def _refuse_silent(self, call: str) -> None:
        """Refuse to wait where nothing can come."""

    def _is_over(self) -> bool:
        """Whether nothing can come any more but what has come."""
        return False

    def _is_own(self, error: DocaError) -> bool:
        """Whether a connection of this context has ended by it, and not one that a callback on its engine has used."""
        return getattr(error.connection, "_context", None) is self

    def _survives(self, connection: Connection) -> bool:
        """Return whether the context continues without that connection."""
        return False

    # Waiting in the program's own poll or epoll

    @property
    def send_fd(self) -> int:
        """A descriptor for poll and epoll, ready when a send in flight has ended and one that raised Again may succeed.

        See `arm_send`. It stays valid until `close`, also when the context disconnects and connects again.
        """
        return self._descriptor("send_fd")

    @property
    def recv_fd(self) -> int:
        """A descriptor for poll and epoll, ready when a message, a waiting client or a lost peer is there.

        It stays valid until `close`, also when the context disconnects and connects again.
        """
        return self._descriptor("recv_fd")

    def fileno(self) -> int:
        """Return `recv_fd`, so that select and selectors take the context itself; call `arm_recv` first.

        Raises InvalidValue on a one-sided context: endpoints of generation 1 had no such method.
        """
        if self._endpoint is not None:
            raise InvalidValue(f"fileno was attempted on {self!r}, which is one-sided; recv_fd is for select")
        return self.recv_fd

    def _descriptor(self, name: str) -> int:
        port = self._opened_port(name)
        try:
            return getattr(port, name)  # type: ignore[no-any-return]
        except NoMemory as error:
            if self._endpoint is None:
                raise
            raise NotFound(f"{name}: {error}") from error  # as generation 1

    def arm_send(self) -> None:
        """Arm `send_fd` once. It is ready when a send in flight ends, at once if one ended unnoticed."""
        self._opened_port("arm_send").arm_send()

    def arm_recv(self) -> None:
        """Arm `recv_fd` once. It is ready at once if something waits."""
        self._opened_port("arm_recv").arm_recv()

    def _opened_port(self, call: str) -> PullPort:
        if (endpoint := self._endpoint) is not None:
            endpoint.check(call)
        port = self._port
        if port is None:
            self._refuse_callbacks(call)
            if not self._alive:
                raise BadState(f"{call} was attempted on {self!r}, which has been closed; make another")
            text = f"{call} was attempted on {self!r}, which has not been opened"
            raise BadState(f"{text}; legal after listen(), connect() or inside a with block")
        return port

    def __iter__(self) -> Iterator[Message]:
        """Iterate over messages, waiting for each; on a client until the server leaves."""
        while True:
            try:
                message = self.receive()
            except Shutdown as error:
                if not self._is_own(error):
                    raise
                return
            yield message
