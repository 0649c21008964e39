"""The threaded pull port: the pull view of a context, built from tasks, callbacks and one helper thread.

For a driver whose library only pushes. It gives what a driver's own port gives, but for these differences,
which lie in the nature of the calls that it is made of:

waiting clients     do not wait: they come up in progress. `pending` is 0; `accept` hands them out afterwards,
                    and their messages may be received before that. A new client rouses each descriptor once.
messages            move from the ring into a queue here. With recv_queue_size or more in it there is no
                    progress: nothing comes, sends stay in flight, losses go unnoticed, until `receive`. One
                    progress may bring several, so the queue can be longer by what one progress brings.
send_queue_size     is the context's pool of tasks: for all connections of a server together, not for each.
max_msg_size        of the port only restricts its sends; the connection's own size holds, too, and is not raised.
a server's end      Shutdown is told from ConnectionReset by a send that fails afterwards with SHUTDOWN. The
                    documented calls promise no code there; with any other it is ConnectionReset.
states              go on without the program: a client that lost its server may be IDLE before the program looks.
                    Then stop is BadState, and its connection can be had until the next start or stop.
callbacks           of the program (state changed) run where progress runs, mostly in the helper thread. What one
                    raises comes out of the program's next progress, send or receive.
the engine          has another notification handle from the first open on. Every context on it must be IDLE then.
idle                is one sleeping thread per engine. It sleeps on the library's own notification handle, so the
                    library must notify; the emulated one does.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from comch_next._codes import ErrorCode, State
from comch_next._helper import Bell, Helper
from comch_next.client import Client
from comch_next.errors import BadState, ConnectionReset, DocaError, InvalidValue, NoMemory, NotSupported, from_code

if TYPE_CHECKING:
    from comch_next.connection import Connection
    from comch_next.context import Context

__all__ = ["Port", "ThreadedPorts"]

_DEFAULT_SENDS = 64
_REASONS = {
    ErrorCode.SHUTDOWN: "the other side has left",
    ErrorCode.CONNECTION_RESET: "the other side has died",
    ErrorCode.CONNECTION_ABORTED: "it never came up",
    ErrorCode.NOT_CONNECTED: "this side has left",
}
_UP, _COMING = ErrorCode.SUCCESS, ErrorCode.CONNECTION_INPROGRESS


class _Link:
    """What is known of a connection. `connection` is let go when the program has been told of its end."""

    def __init__(self, connection: Connection | None, status: ErrorCode) -> None:
        self.connection = connection
        self.status = status
        self.queued = 0  # messages of its own in the port's queue
        self.in_flight = 0
        self.failed = 0
        self.fault: ErrorCode | None = None  # how its first failed send failed
        self.ending = False  # lost, and waiting for a send to fail and say how
        self.probes: _Link | None = None  # the lost link, when this stands for the send that is to fail


class _Flight(NamedTuple):
    """A send task, and whose it is."""

    task: Any
    link: _Link


class Port:
    """A handle. Everything here runs under the helper's lock, but for `finish`."""

    def __init__(self, context: Context, helper: Helper, msg_size: int | None, sends: int) -> None:
        self.handle = context._handle
        self.state_changed: Any = context._state_changed_cb  # the program's
        self.begun: Any = None  # a client's connection, until this side stops
        self.queue: deque[tuple[bytes, _Link]] = deque()
        self.lost: list[_Link] = []
        self.arrived: list[_Link] = []  # for accept
        self.helper = helper
        self._context = context
        self._driver = helper.driver
        self._is_client = isinstance(context, Client)
        self._bells: dict[str, Bell] = {}
        self._news: set[str] = set()  # channels that have still to tell of a new client
        self._links: WeakKeyDictionary[Any, _Link] = WeakKeyDictionary()
        self._live: set[_Link] = set()
        self._blocked: set[_Link] = set()
        self._broken = 0  # handshakes, for accept
        self._msg_size = msg_size
        self._sends = sends
        self._tasks_out = 0
        self._most = 1  # messages that hold progress back
        self._leaving = False
        self._configure()

    def _configure(self) -> None:
        """What start demands, and the state; a context that is not IDLE refuses."""
        driver, handle = self._driver, self.handle
        driver.contexts.task_send_set_conf(handle, self._on_done, self._on_failed, self._sends)
        driver.contexts.event_msg_recv_register(handle, self._on_message, False)
        if not self._is_client:
            driver.servers.event_connection_status_changed_register(handle, self._on_up, self._on_down)
        driver.contexts.set_state_changed_cb(handle, self._on_state)

    def __str__(self) -> str:
        return str(self._context)

    def full(self) -> bool:
        """Whether progress has to wait for `receive`."""
        return len(self.queue) >= self._most

    def link(self, connection: Any, call: str) -> _Link:
        """What is known of a connection of this port."""
        link = self._known(connection)
        if link is None:
            raise InvalidValue(f"{call} takes a connection of {self}, not {connection!r}")
        return link

    def _known(self, connection: Any) -> _Link | None:
        try:
            return self._links.get(connection)
        except TypeError:  # no handle at all
            return None

    def _add(self, connection: Any, status: ErrorCode) -> _Link:
        link = self._links[connection] = _Link(self._context._connection(connection), status)
        self._live.add(link)
        return link

    # What the program does to the context

    def started(self) -> None:
        """The configuration is fixed, and a client has a connection."""
        self._leaving = False
        self._most = self._driver.contexts.get_recv_queue_size(self.handle)
        if self._is_client:
            self.begun = self._driver.clients.get_connection(self.handle)
            self._add(self.begun, _COMING)

    def stop(self) -> State:
        """Leave every connection: what they have left to read is dropped."""
        before, self._leaving = self._leaving, True
        try:
            state = self._driver.contexts.stop(self.handle)
        except BaseException:
            self._leaving = before
            raise
        self.begun = None
        for link in list(self._live):
            self._leave(link)
        return state

    def disconnected(self, connection: Any) -> None:
        """This side has left one connection."""
        link = self._known(connection)
        if link is not None:
            self._leave(link)

    def forget_lost(self, connection: Any) -> bool:
        """Drop what a lost connection has left to read, and its report. Whether there was such a connection."""
        link = self._known(connection)
        if link not in self.lost:
            return False
        self.lost.remove(link)
        self._leave(link)
        return True

    def _leave(self, link: _Link) -> None:
        link.status, link.ending = ErrorCode.NOT_CONNECTED, False
        if link.queued:
            self.queue = deque(waiting for waiting in self.queue if waiting[1] is not link)
            link.queued = 0
        self._drop(link)

    def _drop(self, link: _Link) -> None:
        link.connection = None
        self._live.discard(link)
        self._blocked.discard(link)
        with suppress(ValueError):
            self.arrived.remove(link)

    # What the library calls

    def _on_message(self, connection: Connection, data: bytes) -> None:
        link = self._links.get(connection._handle)
        if link is not None and link.connection is not None:
            link.queued += 1
            self.queue.append((data, link))
            self._ring("recv")

    def _on_done(self, flight: _Flight) -> None:
        self._tasks_out -= 1
        flight.link.in_flight -= 1
        self._driver.send_tasks.free(flight.task)
        self._ring("send")

    def _on_failed(self, flight: _Flight) -> None:
        status, link = self._driver.send_tasks.get_status(flight.task), flight.link
        self._on_done(flight)
        link.failed += 1
        lost = link.probes or link
        lost.fault = lost.fault or status
        if lost.ending:
            self._lose(lost, status)

    def _on_up(self, connection: Any, ok: bool) -> None:
        if ok:
            self.arrived.append(self._add(connection, _UP))
        else:
            self._broken += 1
        for channel in ("recv", "service"):
            bell = self._bells.get(channel)
            if bell is not None and bell.armed:
                bell.ring()
            else:
                self._news.add(channel)

    def _on_down(self, connection: Any, ok: bool) -> None:
        link = self._known(connection)
        if link is not None and link in self._live:
            self._lose(link, ErrorCode.SHUTDOWN if ok else ErrorCode.CONNECTION_RESET)

    def _on_state(self, context: Any, old: State, new: State) -> None:
        if self._is_client:
            self._client_moved(old, new)
        elif new is State.STOPPING and not self._leaving:  # nobody finds it any more: it has left everybody
            for link in list(self._live):
                self._leave(link)
            self._ring("send", "recv", "service")
        if self.state_changed is not None:
            self.state_changed(context, old, new)

    def _client_moved(self, old: State, new: State) -> None:
        link = None if self.begun is None else self._known(self.begun)
        if link is None or link not in self._live or self._leaving:
            return
        if new is State.RUNNING:
            link.status = _UP
            self._ring("send", "recv")
        elif new is State.STOPPING:
            self._ask_why(link)
        elif old is State.STARTING:
            link.status = ErrorCode.CONNECTION_ABORTED
            self._drop(link)
            self._ring("send", "recv")
        else:
            self._lose(link, link.fault)

    def _ask_why(self, link: _Link) -> None:
        """A client's connection has gone: the next send that fails says how."""
        link.status = ErrorCode.CONNECTION_RESET
        link.ending = True
        if link.fault is not None:
            self._lose(link, link.fault)
        elif not link.in_flight:
            probe = _Link(None, link.status)
            probe.probes = link
            try:
                self._submit(self.begun, probe, b"\0")
            except DocaError:
                self._lose(link, None)

    def _lose(self, link: _Link, why: ErrorCode | None) -> None:
        link.ending = False
        link.status = ErrorCode.SHUTDOWN if why == ErrorCode.SHUTDOWN else ErrorCode.CONNECTION_RESET
        self._live.discard(link)
        self.lost.append(link)
        self._ring("send", "recv", "service")

    # What the puller calls

    def send(self, connection: Any, data: Any) -> bool:
        """See PullPort.send."""
        link = self.link(connection, "send")
        if link.ending or self._tasks_out >= self._sends:
            self.helper.look()
        if link.status not in (_UP, _COMING):
            text = f"send was attempted on a connection of {self} that has ended: {_REASONS[link.status]}"
            raise from_code(link.status, text, connection=link.connection)
        message = _as_bytes(data)
        if self._msg_size is not None and len(message) > self._msg_size and link.status == _UP:
            text = f"send: a message of {len(message)} bytes is above this port's {self._msg_size}"
            raise InvalidValue(text, length=len(message))
        if link.status == _COMING or self._tasks_out >= self._sends or not self._accepted(connection, link, message):
            self._blocked.add(link)
            return False
        self.helper.turn()
        if link.in_flight == 1:
            self.helper.wake()  # it may sleep without waiting for this
        return True

    def _accepted(self, connection: Any, link: _Link, message: bytes) -> bool:
        try:
            self._submit(connection, link, message)
        except NoMemory:
            return False
        return True

    def _submit(self, connection: Any, link: _Link, message: bytes) -> None:
        noun = self._driver.clients if self._is_client else self._driver.servers
        tasks = self._driver.send_tasks
        task = noun.task_send_alloc_init(self.handle, connection, message)
        try:
            tasks.set_user_data(task, _Flight(task, link))
            tasks.submit(task)
        except BaseException:
            tasks.free(task)
            raise
        self._tasks_out += 1
        link.in_flight += 1

    def receive(self, size: int) -> tuple[bytes, Any] | None:
        """See PullPort.receive."""
        if not isinstance(size, int) or size < 0:
            raise InvalidValue(f"receive takes a size of 0 or more bytes, not {size!r}")
        if not self.queue:
            self.helper.look()
        if self.queue:
            return self._take(size)
        if self.lost:
            link = self.lost.pop(0)
            connection = link.connection
            self._drop(link)
            text = f"receive: a connection of {self} has ended: {_REASONS[link.status]}"
            raise from_code(link.status, text, connection=connection)
        return None

    def _take(self, size: int) -> tuple[bytes, Any]:
        data, link = self.queue[0]
        if len(data) > size:
            text = f"receive: a message of {len(data)} bytes waits, room is for {size}"
            raise InvalidValue(text, length=len(data))
        if len(self.queue) == self._most:
            self.helper.wake()  # there is room again
        self.queue.popleft()
        link.queued -= 1
        return data, link.connection

    def accept(self) -> Any:
        """See PullPort.accept: a connection that has come up by itself."""
        if not self.arrived and not self._broken:
            self.helper.look()
        link = self.arrived.pop(0) if self.arrived else None
        if not self.arrived:
            self._news.clear()
        if link is None and self._broken:
            self._broken -= 1
            raise ConnectionReset("accept: the handshake broke")
        return None if link is None or link.connection is None else link.connection._handle

    def status(self, connection: Any) -> ErrorCode:
        """See PullPort.status."""
        self.helper.look()
        return self.link(connection, "status").status

    def in_flight(self, connection: Any) -> int:
        """See PullPort.in_flight."""
        link = self.link(connection, "in_flight")
        if link.in_flight:
            self.helper.turn()
        return link.in_flight if link.status == _UP else 0

    def failed(self, connection: Any) -> int:
        """See PullPort.failed."""
        link = self.link(connection, "failed")
        if link.in_flight and link.status != _UP:
            self.helper.turn()
        return link.failed

    # Descriptors

    def bell(self, channel: str) -> Bell:
        """The descriptor for send, recv or service, made when first asked for."""
        if channel == "service" and self._is_client:
            raise NotSupported(f"{self} has no service channel; a server has")
        if channel not in self._bells:
            self._bells[channel] = Bell()
        return self._bells[channel]

    def _ring(self, *channels: str) -> None:
        for channel in channels:
            if channel in self._bells:
                self._bells[channel].ring()

    def arm_send(self) -> None:
        """Be ready when a send that was answered AGAIN could be accepted."""
        bell = self.bell("send")
        bell.arm()
        self.helper.turn()
        stuck = {link for link in self._blocked if self._is_stuck(link)}
        if not stuck or stuck != self._blocked:
            bell.ring()
        self._blocked = stuck

    def _is_stuck(self, link: _Link) -> bool:
        return link.status == _COMING or (link.status == _UP and self._tasks_out >= self._sends)

    def arm_recv(self) -> None:
        """Be ready when a message, a new client or a loss is there."""
        self._arm_for_news("recv", bool(self.queue or self.lost))

    def arm_service(self) -> None:
        """Be ready when a client comes, goes, or the service fails."""
        self._arm_for_news("service", False)

    def _arm_for_news(self, channel: str, ready: bool) -> None:
        bell = self.bell(channel)
        bell.arm()
        self.helper.turn()
        if ready or channel in self._news or (channel == "recv" and (self.queue or self.lost)):
            bell.ring()
        self._news.discard(channel)

    # The end

    def close(self) -> None:
        """Give everything back and end the thread; the context must be IDLE."""
        with self.helper.lock:
            contexts = self._driver.contexts
            state = contexts.get_state(self.handle)
            if state is not State.IDLE:
                raise BadState(f"close was attempted on the port of {self} while {state.name}; legal while IDLE")
            contexts.set_state_changed_cb(self.handle, self.state_changed or _ignore)
        self.finish()

    def finish(self) -> None:
        """The context is gone, or gives up its port; harmless when done before."""
        self.helper.leave(self)
        with self.helper.lock:
            self.queue.clear()
            self.lost.clear()
            while self._bells:
                self._bells.popitem()[1].close()


def _ignore(*_: object) -> None:
    """A callback for nobody."""


def _as_bytes(data: Any) -> bytes:
    if type(data) is bytes:
        return data
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise InvalidValue(f"send takes a bytes-like message, not {data!r}") from None


class ThreadedPorts:
    """The noun Ports of the driver protocol, for the port of one context."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lock = _helper_of(context).lock

    def open(self, ctx: Any, max_msg_size: int | None, send_queue_size: int | None) -> Port:
        context = self._context
        if context._port is not None:
            raise BadState(f"port_open: {context} has a port already")
        helper = _helper_of(context)
        devices = helper.driver.devices
        info = devices.as_devinfo(helper.driver.contexts.get_device(ctx))
        most = devices.cap_get_max_msg_size(info)
        if max_msg_size is not None and not (isinstance(max_msg_size, int) and 1 <= max_msg_size <= most):
            raise InvalidValue(f"port_open takes a message size of 1 to {most} bytes, not {max_msg_size!r}")
        if send_queue_size is None:
            send_queue_size = min(_DEFAULT_SENDS, devices.cap_get_max_send_tasks(info))
        with helper.lock:
            port = Port(context, helper, max_msg_size, send_queue_size)
            helper.enter(port)
        return port

    def send(self, port: Port, connection: Any, data: Any) -> bool:
        with self._lock:
            return port.send(connection, data)

    def receive(self, port: Port, size: int) -> tuple[bytes, Any] | None:
        with self._lock:
            return port.receive(size)

    def accept(self, port: Port) -> Any:
        with self._lock:
            return port.accept()

    def get_pending(self, port: Port) -> int:
        return 0

    def status(self, port: Port, connection: Any) -> ErrorCode:
        with self._lock:
            return port.status(connection)

    def in_flight(self, port: Port, connection: Any) -> int:
        with self._lock:
            return port.in_flight(connection)

    def failed(self, port: Port, connection: Any) -> int:
        with self._lock:
            return port.failed(connection)

    def get_fd(self, port: Port, channel: str) -> int:
        with self._lock:
            return port.bell(channel).fd

    def arm_send(self, port: Port) -> None:
        with self._lock:
            port.arm_send()

    def arm_recv(self, port: Port) -> None:
        with self._lock:
            port.arm_recv()

    def arm_service(self, port: Port) -> None:
        with self._lock:
            port.arm_service()

    def close(self, port: Port) -> None:
        port.close()


def _helper_of(context: Context) -> Helper:
    """The engine's helper, made for its first port."""
    engine = context.engine
    if engine._helper is None:
        busy = [each for each in engine._contexts if each.state is not State.IDLE]
        if busy:
            state = busy[0].state.name
            raise BadState(f"port_open: {busy[0]} is {state}; legal while every context of the engine is IDLE")
        engine._helper = Helper(engine)
    return engine._helper
