"""What Server and Client share: the events and tasks of the control path, and the pulling conveniences.

Guide: Comch, Configurations and Events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

from comch_next._alone import alone
from comch_next._codes import ErrorCode, State
from comch_next._one_sided_port import OneSidedPort
from comch_next._peer import Peer
from comch_next._phases import Phase
from comch_next._quick import quicken
from comch_next._settings import Configured
from comch_next.arguments import ANY_SIZE, UNSET, Buffer, cut
from comch_next.connection import Connection, Message
from comch_next.driver.protocol import Clients, Driver, Servers
from comch_next.engine import deadline_after, wait_readable
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
from comch_next.task import HandledSendTask, SendTask

__all__ = ["ControlContext"]

_C = TypeVar("_C", bound=Callable[..., object])
_SUCCESS, _AGAIN = ErrorCode.SUCCESS, ErrorCode.AGAIN
_Received: TypeAlias = tuple[ErrorCode, "bytes | None", "int | None", "Connection | None"]
_NOTHING_CAME = (_AGAIN, None, None, None)
_NO_CONTEXT = (ErrorCode.INVALID_VALUE, None, None, None)
# Half the price of calling a named tuple's class:
_message: Callable[[type[Message], tuple[bytes, Connection]], Message] = tuple.__new__


class ControlContext(Configured):
    """A server or a client."""

    _handle: Any  # a server's or a client's, which a Channel decides late
    _is_server: bool
    _failed = False  # a server that has lost its name

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    # Life

    @alone
    def start(self) -> State:
        endpoint = self._endpoint
        if endpoint is None:
            return super().start()
        endpoint.check("start")
        self._settle("start")
        with endpoint.begun(self._port):
            return super().start()

    def close(self, timeout: float = 5.0) -> None:
        """Stop, progress to IDLE within `timeout` seconds, destroy, with an engine of its own.

        Idempotent, but for NotConnected on a one-sided context that has been closed.
        """
        if self._endpoint is not None:
            self._endpoint.check("close")
        super().close(timeout)

    def _ended(self) -> None:
        if self._endpoint is not None:
            self._endpoint.end(Phase.DESTROYED)

    # What an endpoint does with its context

    def _open_as(self, name: str, *, server: bool) -> None:
        """Start as a server or a client of that name, with a port of the sizes in force."""
        self._take_role(server)
        self._rename(name)
        port = self._port
        made = self._settle("start")
        if port is None:
            OneSidedPort(self)
        elif not made:  # else it has followed the new context
            port.reopen()
        self.start()

    def _take_role(self, server: bool) -> None:
        """Become a server or a client, if that can be chosen."""

    def _rename(self, name: str | None) -> None:
        if self._settings["name"] != name:
            self._settings["name"], self._outdated = name, True

    def _drop(self, connection: Connection, timeout: float) -> None:
        """Leave a connection."""
        raise NotImplementedError

    def _bind(self, driver: Driver) -> None:
        super()._bind(driver)
        self._tasks = driver.send_tasks

    def _draw_from(self, pool: Servers | Clients) -> None:
        """Take tasks from the pools of this noun."""
        self._pool = pool
        if self._made:
            self._quicken_tasks()

    def _configure_made(self) -> None:
        super()._configure_made()
        self._quicken_tasks()

    def _quicken_tasks(self) -> None:
        quicken(self, "task_send_alloc_init", lambda slow: self._pool.quick_alloc(self._handle, slow, SendTask, self))

    def _connection(self, handle: Any) -> Connection:
        known: Connection | None = self._driver.connections.get_user_data(handle)
        if known is not None:
            return known
        return Connection(self, handle) if self._endpoint is None else Peer(self, handle)

    def _given_connections(self, *callbacks: Any) -> list[Any]:
        """Make callbacks for the driver that pass the program's the connection in place of its handle."""
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
        task = HandledSendTask()
        task.context, task.user_data, task._tasks = self, None, self._tasks
        try:
            peer = connection._handle
        except AttributeError:
            raise InvalidValue(f"task_send_alloc_init takes a connection of {self!r}, not {connection!r}") from None
        task._handle = self._pool.task_send_alloc_init(self._handle, peer, msg, task)
        return task

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
        that of another context, and for a length that is not a whole number up to the data's.
        """
        if length is not UNSET:
            data = cut(data, length)
        if self._endpoint is not None:
            if not self._endpoint.send(connection, data):
                connection._send_later(data, timeout)
            return
        if connection is None:
            raise NotConnected(f"send_to: {self!r} has no connection to send on; connect and receive return one")
        if getattr(connection, "_context", None) is not self:
            raise InvalidValue(f"send_to takes a connection of {self!r}, not {connection!r}")
        connection.send(data, timeout)

    def try_send_to(self, data: Buffer, connection: Connection, length: int = UNSET) -> ErrorCode:
        """Send one message if it is accepted at once, and return the code: AGAIN when it is not, as send_to else.

        As the function of the class, `Channel.try_send_to(context, ...)`, INVALID_VALUE for anything but a context.
        """
        try:
            if data.__class__ is not bytes or (length is not UNSET and length != len(data)):
                data = cut(data, length)
            if self._endpoint is not None:
                return _SUCCESS if self._endpoint.send(connection, data) else _AGAIN
            if not isinstance(self, ControlContext):
                return ErrorCode.INVALID_VALUE
            self.send_to(data, connection, 0)
        except DocaError as error:
            return error.code
        except AttributeError:
            if isinstance(self, ControlContext):
                raise
            return ErrorCode.INVALID_VALUE
        return _SUCCESS

    def try_receive(self, size: int = ANY_SIZE, *, timeout: float | None = 0) -> _Received:
        """Receive one message if one waits, and return (code, data, length, connection); AGAIN when none does.

        timeout: seconds to wait for one; None waits for ever, any other but 0 answers TIME_OUT when none has come.
        None in place of what there is not: the length, in bytes, comes with a message, and with INVALID_VALUE when a
        longer one waits; the connection with a message, and with CONNECTION_RESET. Other codes as receive raises them.

        As the function of the class, `Channel.try_receive(context, ...)`, INVALID_VALUE for anything but a context.
        """
        try:
            if self._endpoint is not None:
                arrived = self._endpoint.receive(size)
                if arrived is None and timeout != 0:
                    arrived = self._wait_for_message(size, timeout)
            elif isinstance(self, ControlContext):
                arrived = self.receive(size, timeout=timeout)
            else:
                return _NO_CONTEXT
        except (InvalidValue, ConnectionReset) as error:
            return error.code, None, error.length, error.connection
        except DocaError as error:
            return error.code, None, None, None
        except AttributeError:
            if isinstance(self, ControlContext):
                raise
            return _NO_CONTEXT
        if arrived is None:
            return _NOTHING_CAME
        data, connection = arrived
        return _SUCCESS, data, len(data), connection

    # Pulling

    @property
    def port(self) -> PullPort | None:
        """The pull port that send_to and receive stand on, once it has been opened: for programs that poll a lot.

        It stays the same while the context does not fail to open. On a one-sided context its `receive` accepts
        waiting clients, too.
        """
        return self._port

    def _open_port(self) -> PullPort:
        return self._port or PullPort(self)

    def receive(self, size: int | None = ANY_SIZE, *, timeout: float | None = None) -> Message:
        """The oldest message of all connections. A server accepts waiting clients here, too.

        size: bytes that the caller can hold; a longer message stays, and InvalidValue carries its length.
        timeout: seconds; None waits for ever, 0 raises Again when nothing is there, otherwise TimeOut is raised, and
        InvalidValue for an invalid timeout.
        Raises ConnectionReset once for a peer that died, after its messages, and always on a server that has failed;
        on a client Shutdown when the server has left; BadState on a context whose messages go to callbacks.
        """
        if self._endpoint is not None:
            found = self._endpoint.receive(size)
            return _message(Message, self._wait_for_message(size, timeout) if found is None else found)
        port = self._port
        if port is not None and (found := self._pull(port, size)) is not None:
            return _message(Message, found)
        return self._receive_later(port, size, timeout)

    def _wait_for_message(self, size: int | None, timeout: float | None) -> tuple[bytes, Connection]:
        """Wait, on a one-sided context."""
        if timeout == 0:
            raise Again(NOTHING_WAITS)
        deadline = deadline_after(timeout, "receive")
        port, endpoint = self._opened_port("receive"), self._endpoint
        assert endpoint is not None
        while True:
            port.arm_recv()
            if (found := endpoint.receive(size)) is not None:  # also what another thread ended before the arming
                return found
            if not wait_readable(lambda: port.recv_fd, deadline):
                raise TimeOut(f"receive: nothing came to {self!r} within {timeout} s")

    def _receive_later(self, port: PullPort | None, size: int | None, timeout: float | None) -> Message:
        port = port or self._opened_port("receive")
        deadline = None if timeout is None or timeout == 0 else deadline_after(timeout, "receive")
        while True:
            if self._accept_waiting(port) and (found := self._pull(port, size)) is not None:
                return _message(Message, found)
            self._refuse_silent("receive")
            if timeout == 0:
                raise Again(NOTHING_WAITS)
            port.arm_recv()
            self._refuse_silent("receive")  # again: what another thread ended before the arming rings no bell
            if not wait_readable(lambda: port.recv_fd, deadline):
                raise TimeOut(f"receive: nothing came to {self!r} within {timeout} s")
            if (found := self._pull(port, size)) is not None:
                return _message(Message, found)

    def _pull(self, port: PullPort, size: int | None) -> tuple[bytes, Connection] | None:
        return port.receive(size)

    def _accept_waiting(self, port: PullPort) -> bool:
        """Accept waiting clients. Whether there were any; a client of a server has none."""
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
        return self._descriptor("send_fd")

    @property
    def recv_fd(self) -> int:
        """A descriptor, ready when a message, a waiting client or a lost peer is there; see `arm_recv`.

        It is this context's until `close`, however often it disconnects and connects.
        """
        return self._descriptor("recv_fd")

    def _descriptor(self, name: str) -> int:
        port = self._opened_port(name)
        try:
            return getattr(port, name)  # type: ignore[no-any-return]
        except NoMemory as error:
            if self._endpoint is None:
                raise
            raise NotFound(f"{name}: {error}") from error  # as generation 1

    def arm_send(self) -> None:
        """Let `send_fd` become ready once: when a send in flight ends, or at once for what the program has missed."""
        self._opened_port("arm_send").arm_send()

    def arm_recv(self) -> None:
        """Let `recv_fd` become ready once, at once when something waits."""
        self._opened_port("arm_recv").arm_recv()

    def _opened_port(self, call: str) -> PullPort:
        if self._endpoint is not None:
            self._endpoint.check(call)
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
