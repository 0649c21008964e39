"""What Server and Client share: their life, and the events and tasks of the control path.

Guide: Comch, Configurations and Events.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from comch_next._alone import alone
from comch_next._codes import State
from comch_next._link import Link
from comch_next._one_sided_port import OneSidedPort, convert
from comch_next._origins import shown
from comch_next._peer import Peer
from comch_next._phases import Phase
from comch_next._pulling import PullingContext
from comch_next._quick import quicken
from comch_next.connection import Connection
from comch_next.driver.protocol import Clients, Driver, Own, Servers, by_system, interruptible
from comch_next.engine import deadline_after
from comch_next.errors import ConnectionReset, InUse, InvalidValue
from comch_next.pull import PullPort
from comch_next.task import HandledSendTask, SendTask

if TYPE_CHECKING:
    from comch_next._stream_link import Link as StreamLink

__all__ = ["ControlContext"]

_GIVE_UP_S = 5.0  # nothing can hold what has not come up

_OnMessage = TypeVar("_OnMessage", bound=Callable[[Connection, Any], object])


class ControlContext(PullingContext):
    """A server or a client."""

    _handle: Any  # a server's or a client's, which a Channel decides late
    _is_server: bool
    _failed = False  # a server that has lost its name
    _on_consumer: Any = None  # what is called for a new consumer of the other side

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def _failure(self, call: str) -> ConnectionReset:
        """Return what a server that has lost its name raises."""
        return ConnectionReset(f"{call}: {self!r} has lost its name; close it and make another")

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

    @alone
    def stop(self, *, strict: bool = False) -> State:
        endpoint = self._endpoint
        if endpoint is None:
            return super().stop(strict=strict)
        with endpoint.stopping():
            return super().stop(strict=strict)

    def close(self, timeout: float = 5.0) -> None:
        """Stop the context, progress until it is IDLE, and destroy it and its own engine.

        An engine of its own that other contexts use is left to them. timeout: seconds; raises TimeOut if the context is
        not IDLE by then. Idempotent, except that a one-sided context raises NotConnected the second time.
        """
        if (endpoint := self._endpoint) is not None:
            endpoint.check("close")
        super().close(timeout)

    def _leave(self, timeout: float) -> None:
        deadline_after(timeout, "close")  # a refusal has no effect
        known = self._streams()
        for link in known:
            link.close()
        try:
            super()._leave(timeout)
        except by_system(InUse):
            if set(self._streams()) <= set(known):
                raise
            self._leave(timeout)  # once more: another thread has entered a stream meanwhile

    def _give_up(self) -> None:
        """Leave a life that could not begin, or a connection that has not come up."""
        self._leave(_GIVE_UP_S)

    def _streams(self, connection: Connection | None = None) -> list[StreamLink]:
        """Return the streams on a connection, or on all: they keep it from being left."""
        return [link for link in list(self._links) if connection is None or link.connection is connection]

    def _ended(self) -> None:
        if (endpoint := self._endpoint) is not None:
            endpoint.end(Phase.DESTROYED)

    # What an endpoint does with its context

    def _open_as(self, name: str, *, server: bool) -> None:
        """Start as a server or a client of that name, with a port of the sizes in force."""
        self._take_role(server)
        self._rename(name)
        port = self._port
        convert(port, OneSidedPort)
        made = self._settle("start")
        if port is None:
            OneSidedPort(self)
        elif not made:  # else it has followed the new context
            port.reopen()
        self.start()

    def _open_port(self) -> PullPort:
        return PullPort(self) if self._port is None else self._port

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
        return self._new_connection(handle) if known is None else known

    @alone
    def _new_connection(self, handle: Any) -> Connection:
        known: Connection | None = self._driver.connections.get_user_data(handle)
        if known is not None:  # another thread has just made it
            return known
        if (endpoint := self._endpoint) is None:
            return Connection(self, handle)
        link = endpoint.link  # another thread may just have ended it
        return Peer(self, handle, link if isinstance(link, Link) else None)

    def _given_connections(self, *callbacks: Any) -> list[Any]:
        """Make callbacks for the driver that pass the program's the connection in place of its handle."""
        known = self._connection

        def passing(call: Any) -> Any:
            return Own(lambda handle, news: interruptible(call, known(handle), news)) if callable(call) else call

        return [passing(call) for call in callbacks]

    # Callbacks, registered while IDLE

    def task_send_set_conf(
        self, done: Callable[[SendTask], object], failed: Callable[[SendTask], object], num_tasks: int
    ) -> None:
        """Set the callbacks `(task)` for sends that succeeded and failed, and the number of tasks. Mandatory."""
        if not self._made:
            self._check_size("task_send_set_conf", num_tasks)
        self._register(
            "task_send_set_conf",
            lambda: self._contexts.task_send_set_conf(self._handle, done, failed, num_tasks),
            done,
            failed,
        )

    def event_msg_recv_register(self, callback: _OnMessage, view: bool = False) -> _OnMessage:
        """Call `callback(connection, data)` for every message. Mandatory. Returns the callback, so it decorates.

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

        Legal while IDLE; earlier changes are not reported (C: doca_comch_*_event_consumer_register).
        """
        callbacks = self._given_connections(new, expired)

        def register() -> None:
            self._contexts.event_consumer_register(self._handle, *callbacks)
            self._on_consumer = new

        self._register("event_consumer_register", register, new, expired)

    # Sending

    def task_send_alloc_init(self, connection: Connection, msg: bytes) -> SendTask:
        """Allocate a task that sends a copy of `msg` to the peer (C: doca_comch_*_task_send_alloc_init).

        Raises NoMemory when all tasks of the pool are in use, InvalidValue above the largest message.
        """
        task = HandledSendTask()
        task.context, task.user_data, task._tasks = self, None, self._tasks
        try:
            peer = connection._handle
        except by_system(AttributeError):
            text = f"task_send_alloc_init takes a connection of {self!r}, not {shown(connection)}"
            raise InvalidValue(text) from None
        task._handle = self._pool.task_send_alloc_init(self._handle, peer, msg, task)
        return task
