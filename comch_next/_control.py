"""What Server and Client share: the events and tasks of the control path, and the pulling conveniences.

Guide: Comch, Configurations and Events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from comch_next._arguments import Buffer, cut
from comch_next._codes import ErrorCode
from comch_next._settings import Configured
from comch_next.connection import Connection, Message, Received
from comch_next.driver.protocol import Driver
from comch_next.engine import deadline_after, wait_readable
from comch_next.errors import (
    Again,
    BadState,
    ConnectionReset,
    DocaError,
    InvalidValue,
    NotConnected,
    Shutdown,
    TimeOut,
)
from comch_next.pull import PullPort
from comch_next.task import SendTask

__all__ = ["ControlContext"]

_C = TypeVar("_C", bound=Callable[..., object])
_ALL: Any = object()  # None is no length to programs that had to give one
_message = tuple.__new__  # half the price of calling a named tuple's class


class ControlContext(Configured):
    """A server or a client."""

    _is_server: bool

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _go_through(self, driver: Driver) -> None:
        super()._go_through(driver)
        self._tasks = driver.send_tasks

    def _connection(self, handle: Any) -> Connection:
        known: Connection | None = self._driver.connections.get_user_data(handle)
        return known if known is not None else Connection(self, handle)

    def _given_connections(self, *callbacks: Any) -> list[Any]:
        """Callbacks for the driver that give the program's the connection in place of its handle."""
        known = self._connection
        return [
            (lambda handle, news, call=call: call(known(handle), news)) if callable(call) else call
            for call in callbacks
        ]

    # Callbacks, registered while IDLE

    def task_send_set_conf(self, done: Callable[..., object], failed: Callable[..., object], num_tasks: int) -> None:
        """The callbacks `(task)` for sends that succeeded and failed, and the depth of the pool; mandatory."""
        if not self._made:
            self._check_size("task_send_set_conf", num_tasks)
        self._register(
            "task_send_set_conf",
            lambda: self._contexts.task_send_set_conf(self._handle, done, failed, num_tasks),
            done,
            failed,
        )

    def event_msg_recv_register(self, callback: _C, view: bool = False) -> _C:
        """Call `callback(connection, data)` for every message; mandatory. Returns it, so it decorates.

        With `view` the data is a memoryview that is released after the callback, otherwise bytes.
        """
        self._register(
            "event_msg_recv_register",
            lambda: self._contexts.event_msg_recv_register(self._handle, callback, view),
            callback,
        )
        return callback

    def event_consumer_register(
        self, new: Callable[[Connection, int], object], expired: Callable[[Connection, int], object]
    ) -> None:
        """Call `new(connection, id)` for a consumer of the other side, `expired(connection, id)` when it has gone.

        While IDLE; what comes and goes before is not reported (C: doca_comch_*_event_consumer_register).
        """
        callbacks = self._given_connections(new, expired)
        self._register(
            "event_consumer_register",
            lambda: self._contexts.event_consumer_register(self._handle, *callbacks),
            new,
            expired,
        )

    # Sending

    def task_send_alloc_init(self, connection: Connection, msg: bytes) -> SendTask:
        """A task that sends `msg`, of which it keeps a copy, to the other side (C: doca_comch_*_task_send_alloc_init).

        Raises NoMemory when all tasks of the pool are in use, InvalidValue above the largest message.
        """
        task = SendTask()
        task.context, task.user_data, task._tasks = self, None, self._tasks
        try:
            peer = connection._handle
        except AttributeError:
            raise InvalidValue(f"task_send_alloc_init takes a connection of {self!r}, not {connection!r}") from None
        task._handle = self._alloc(self._handle, peer, msg, task)
        return task

    def send_to(
        self,
        data: Buffer,
        connection: Connection,
        timeout: float | None = None,
        *,
        length: int = _ALL,
    ) -> None:
        """Send one message on one of this context's connections, as Connection.send; data first, as socket.sendto.

        length: send only that many bytes of the data. Raises NotConnected for None as the connection, InvalidValue for
        that of another context, and for a length that is not a whole number up to the data's.
        """
        if length is not _ALL:
            data = cut(data, length)
        if connection is None:
            raise NotConnected(f"send_to: {self!r} has no connection to send on; connect and receive return one")
        if getattr(connection, "_context", None) is not self:
            raise InvalidValue(f"send_to takes a connection of {self!r}, not {connection!r}")
        connection.send(data, timeout)

    def try_send_to(self, data: Buffer, connection: Connection, length: int = _ALL) -> ErrorCode:
        """Send one message if it is accepted at once, and return the code: AGAIN when it is not, as send_to else.

        As the function of the class, `Channel.try_send_to(context, ...)`, INVALID_VALUE for what is no context.
        """
        if not isinstance(self, ControlContext):
            return ErrorCode.INVALID_VALUE
        try:
            self.send_to(data, connection, 0, length=length)
        except DocaError as error:
            return error.code
        return ErrorCode.SUCCESS

    def try_receive(self, size: int | None = None) -> Received:
        """Receive one message if one waits, and return the code with it: AGAIN when none does, as receive else.

        As the function of the class, `Channel.try_receive(context, ...)`, INVALID_VALUE for what is no context.
        """
        if not isinstance(self, ControlContext):
            return Received(ErrorCode.INVALID_VALUE, None, None, None)
        try:
            data, connection = self.receive(size, timeout=0)
        except (InvalidValue, ConnectionReset) as error:
            return Received(error.code, None, error.length, error.connection)
        except DocaError as error:
            return Received(error.code, None, None, None)
        return Received(ErrorCode.SUCCESS, data, len(data), connection)

    # Pulling

    def _open_port(self) -> PullPort:
        return self._port or PullPort(self)

    def receive(self, size: int | None = None, *, timeout: float | None = None) -> Message:
        """The oldest message of all connections. A server accepts waiting clients here, too.

        size: bytes that the caller can hold; a longer message stays, and InvalidValue carries its length.
        timeout: seconds; None waits for ever, 0 raises Again when nothing is there, otherwise TimeOut is raised, and
        InvalidValue for an invalid timeout.
        Raises ConnectionReset once for a peer that died, after its messages, and always on a server that has failed;
        on a client Shutdown when the server has left; BadState on a context whose messages go to callbacks.
        """
        port = self._port
        if port is not None and (found := self._pull(port, size)) is not None:
            return _message(Message, found)
        return self._receive_later(port, size, timeout)

    def _receive_later(self, port: PullPort | None, size: int | None, timeout: float | None) -> Message:
        port = port or self._opened_port("receive")
        deadline = None if timeout is None or timeout == 0 else deadline_after(timeout, "receive")
        while True:
            if self._accept_waiting(port) and (found := self._pull(port, size)) is not None:
                return _message(Message, found)
            self._refuse_silent("receive")
            if timeout == 0:
                raise Again("receive: nothing waits")
            port.arm_recv()
            self._refuse_silent("receive")  # again: what another thread ended before the arming rings no bell
            if not wait_readable(port.recv_fd, deadline):
                raise TimeOut(f"receive: nothing came to {self!r} within {timeout} s")
            if (found := self._pull(port, size)) is not None:
                return _message(Message, found)

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        return port.receive(size)

    def _accept_waiting(self, port: PullPort) -> bool:
        """Accept who waits; whether anybody did. Only a server has anybody to accept."""
        return False

    def _refuse_silent(self, call: str) -> None:
        """Refuse to wait where nothing can come."""

    def _survives(self, connection: Connection) -> bool:
        """Whether the context goes on without that connection."""
        return False

    # Waiting in the program's own poll or epoll

    @property
    def send_fd(self) -> int:
        """A descriptor, ready when a send in flight has ended, so also when one that raised Again may be tried again.

        See `arm_send`. It is this context's until `close`, however often it disconnects and connects.
        """
        return self._opened_port("send_fd").send_fd

    @property
    def recv_fd(self) -> int:
        """A descriptor, ready when a message, a waiting client or a lost peer is there; see `arm_recv`.

        It is this context's until `close`, however often it disconnects and connects.
        """
        return self._opened_port("recv_fd").recv_fd

    def arm_send(self) -> None:
        """Let `send_fd` become ready once: when a send in flight ends, or at once for what the program has missed."""
        self._opened_port("arm_send").arm_send()

    def arm_recv(self) -> None:
        """Let `recv_fd` become ready once, at once when something waits."""
        self._opened_port("arm_recv").arm_recv()

    def _opened_port(self, call: str) -> PullPort:
        if self._port is None:
            self._refuse_callbacks(call)
            text = f"{call} was attempted on {self!r}, which has not been opened"
            raise BadState(f"{text}; legal after listen(), connect() or inside a with block")
        return self._port

    def __iter__(self) -> Iterator[Message]:
        """Every message, waiting for each; on a client until the server leaves."""
        while True:
            try:
                message = self.receive()
            except Shutdown:
                return
            yield message
