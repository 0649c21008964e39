"""What servers and clients have in common: configuration, life, sockets to watch (guide: DOCA Core Context)."""

import select
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from comch_next._codes import State
from comch_next.driver.emulated._checks import expect, expect_callback, expect_number, in_state
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._devices import Dev
from comch_next.driver.emulated._fabric import Terms
from comch_next.driver.emulated._fork import owned
from comch_next.driver.emulated._state import LEGAL, TRANSITIONS, Trigger
from comch_next.driver.emulated._task import PROGRAM, SUCCESS, SendTask
from comch_next.errors import BadConfig, BadState, Initialization, InUse, InvalidValue, NotConnected, NotSupported

if TYPE_CHECKING:
    from comch_next.driver.emulated._channels import Watchable
    from comch_next.driver.emulated._engine import Engine, Poller
    from comch_next.driver.emulated._port import Port

__all__ = ["Context", "Contexts", "check_name"]

Callback = Callable[..., object]


def _unset(*_: object) -> None:
    """Stands for a callback that has not been registered; start refuses it."""


def check_name(name: object, dev: Dev) -> str:
    """A service name that fits, or INVALID_VALUE; it may hold any characters but NUL."""
    most = dev.info.row.limits.max_name_len - 1
    if not isinstance(name, str) or not name or "\0" in name or len(name.encode("utf-8", "surrogatepass")) > most:
        raise InvalidValue(f"a service name is 1 to {most} bytes of text without NUL, not {name!r}")
    return name


class Context(ABC):
    """A handle; Server and Client add how they start, stop and meet."""

    is_server: ClassVar[bool]
    start_trigger: ClassVar[Trigger]
    failed_for_good = False  # a server that nobody can find any more

    def __init__(self, dev: Dev, name: str) -> None:
        self.dev = dev
        self.name = name
        self.state = State.IDLE
        self.legal = LEGAL[State.IDLE]
        self.moving = False  # on its way to another state, so that every progress must look at its sockets
        self.engine: Engine | None = None
        self.port: Port | None = None
        self.user_data: Any = None
        self.state_changed: Callback | None = None
        self.done: Callback = _unset
        self.failed: Callback = _unset
        self.on_message: Callback = _unset
        self.view = False
        self.num_tasks = 0
        self.tasks_out = 0
        self.max_msg_size: int | None = None
        self.recv_queue_size = dev.info.row.limits.default_queue_size
        self.connections: list[Connection] = []
        self.lost: list[Connection] = []
        self.sending: list[Connection] = []  # those with tasks in flight
        self.finished: deque[SendTask] = deque()
        self.attended = False  # the engine knows that it has something to do here, and does not sleep
        self._handlers: dict[int, Callable[[], None]] = {}
        try:
            self.watch = select.epoll()
        except OSError as error:
            raise Initialization(f"{self} cannot be created: {error}") from error
        dev.users += 1
        owned(self)

    def __str__(self) -> str:
        return f"{type(self).__name__.lower()} {self.name!r}"

    def let_go(self) -> None:
        """In a forked child: see _fork. Its devices are nobody's."""
        self.dev.users = 0
        self.watch.close()

    # What it brings to a connection

    def msg_size(self) -> int:
        """The message size in force: set, else that of the connection, else the device's default; bytes."""
        for connection in () if self.max_msg_size else self.connections:
            if connection.tx.max_msg:
                return int(connection.tx.max_msg)
        return self.max_msg_size or self.dev.info.row.limits.default_msg_size

    def terms(self) -> Terms:
        """What the handshake says of this side."""
        if self.port is not None:
            return self.port.terms()
        return Terms(self.msg_size(), self.max_msg_size is not None, self.num_tasks, self.recv_queue_size)

    def bells(self) -> tuple[int, ...]:
        """The descriptors that the other side rings for data and for space."""
        if self.port is not None:
            return self.port.bells()
        assert self.engine is not None
        return self.engine.bell, self.engine.bell

    @property
    def poller(self) -> "Poller":
        """Who reads the messages: the open port, else the engine."""
        owner = self.port or self.engine
        assert owner is not None
        return owner.poller

    # Life

    def move(self, trigger: Trigger) -> State:
        """Follow the table and tell the program."""
        old, new = self.state, TRANSITIONS.get((self.state, trigger))
        if new is None:
            legal = " or ".join(state.name for state, known in TRANSITIONS if known is trigger)
            raise BadState(f"{trigger.name.lower()} was attempted on {self} while {old.name}; legal while {legal}")
        self.state, self.legal = new, LEGAL[new]
        self.moving = new in (State.STARTING, State.STOPPING)
        if new is not old and self.state_changed is not None and self.engine is not None:
            self.engine.call(self.state_changed, self, old, new)
        return new

    def start(self) -> State:
        """Freeze the configuration and begin."""
        if self.engine is None:
            raise self._disconnected("ctx_start")
        if (self.state, self.start_trigger) not in TRANSITIONS:
            self.move(self.start_trigger)  # the table's refusal
        if not self.supported():
            text = f"ctx_start: {self} cannot run on device {self.dev.info.row.pci_addr} of the {self.side()}"
            raise NotSupported(text)
        if self.port is None and (missing := self.missing()):
            raise BadConfig(f"ctx_start: {self} lacks {' and '.join(missing)}")
        self.begin()
        return self.move(self.start_trigger)

    def _disconnected(self, call: str) -> NotConnected:
        advice = "it has been destroyed; make another" if self.watch.closed else "connect one first"
        return NotConnected(f"{call}: {self} has no progress engine: {advice}")

    def side(self) -> str:
        return self.dev.info.row.side

    def missing(self) -> list[str]:
        """The mandatory configuration that has not been given."""
        wanted = {"the send task configuration": self.done, "the receive callback": self.on_message}
        return [what for what, given in wanted.items() if given is _unset]

    def stop(self) -> State:
        """Tell every peer, fail what waits; IDLE when nothing is outstanding, else through progress."""
        if self.engine is None:
            raise self._disconnected("ctx_stop")
        outstanding = self.tasks_out or self.connections or self.lost
        trigger = Trigger.STOP_BUSY if outstanding else Trigger.STOP_CLEAN
        if (self.state, trigger) in TRANSITIONS:
            self.end()
            for connection in list(self.connections):
                connection.leave()
                if connection not in self.lost:
                    self.lost_connection(connection)
        return self.move(trigger)

    def destroy(self) -> None:
        """Give the context's own resources back; IDLE only."""
        if self.state is not State.IDLE:
            raise InUse(f"destroy was attempted on {self} while {self.state.name}; stop it and progress until IDLE")
        if self.port is not None:
            self.port.close()
        for connection in self.connections + self.lost:
            connection.close()
        if self.engine is not None:
            self.engine.drop(self)
            self.engine = None
        self.watch.close()
        self.dev.users -= 1

    def lost_connection(self, connection: Connection) -> None:
        """Report it at the next look, once its messages have been read."""
        if connection in self.lost:
            return
        self.lost.append(connection)
        self.busy_engine()
        if self.port is not None:
            self.port.notice(connection)

    def busy_engine(self) -> None:
        """Progress has something to do for this context."""
        engine = self.engine
        if engine is not None:
            engine.active.add(self)
            self.attended = not engine.notification.armed
            if not self.attended:
                engine.request_notification()  # it sleeps, and was not told to wait for this

    # Looking at the sockets

    def watched(self, sock: "Watchable", handler: Callable[[], None], *, door: bool = False) -> None:
        """Call `handler` in the next look that finds it readable. A door is where somebody may come in."""
        known = sock.fileno() in self._handlers
        self._handlers[sock.fileno()] = handler
        if not known:
            self.watch.register(sock, select.EPOLLIN)
        if door and self.port is not None:
            self.port.channels.door(sock)

    def unwatch(self, sock: "Watchable") -> None:
        """Forget it, if it is known."""
        if self._handlers.pop(sock.fileno(), None) is not None:
            self.watch.unregister(sock)
            if self.port is not None:
                self.port.channels.forget(sock)

    def look(self) -> bool:
        """Handle what the sockets say, report lost connections, finish a stop. Whether anything moved."""
        moved = False
        if self.engine is None:
            return moved  # a callback has just destroyed it
        for fd, _ in self.watch.poll(0):
            handler = self._handlers.get(fd)
            if handler is not None:
                handler()
                moved = True
        moved |= self.check()
        for connection in [*self.sending, *(self.port.blocked if self.port is not None else ())]:
            moved |= connection.caught_lying()
        for connection in list(self.lost):
            if self.port is not None or not connection.waiting():
                self.lost.remove(connection)
                self.connections.remove(connection)
                if self.port is None or not self.port.still_reads(connection):
                    connection.close()
                self.report_loss(connection)
                moved = True
        if self.drained():
            self.move(Trigger.DRAINED)
            moved = True
        return moved

    def complete(self) -> bool:
        """Deliver the completions of tasks, each once. Whether there were any."""
        engine, delivered = self.engine, False
        assert engine is not None
        for link in self.sending:
            arrived, inflight, done = link.arrived(), link.inflight, self.done
            while inflight and inflight[0].number <= arrived and engine.error is None:
                delivered = True
                task = inflight.popleft()
                task.owner, task.status = PROGRAM, SUCCESS
                try:
                    done(task.user_data)
                except BaseException as error:
                    engine.error = error
        for _ in range(len(self.finished)):  # what a callback submits on a dead connection fails next time
            if engine.error is not None:
                break
            task = self.finished.popleft()
            engine.deliver(task, task.status, self.done if task.status is SUCCESS else self.failed)
            delivered = True
        if delivered:
            self.sending = [link for link in self.sending if link.inflight]
        return delivered

    def drained(self) -> bool:
        """Whether nothing holds it in STOPPING any more."""
        return self.state is State.STOPPING and not (self.tasks_out or self.lost)

    def settled(self) -> bool:
        """Whether reading rings is all that progress has to do for it."""
        return not (self.sending or self.finished or self.lost or self.moving)

    # What Server and Client say for themselves

    @abstractmethod
    def supported(self) -> bool: ...

    @abstractmethod
    def begin(self) -> None: ...

    @abstractmethod
    def end(self) -> None: ...

    @abstractmethod
    def check(self) -> bool: ...

    @abstractmethod
    def report_loss(self, connection: Connection) -> None: ...


def _living(ctx: object, call: str) -> Context:
    """The context behind the handle; one that has been destroyed is INVALID_VALUE, as NULL is."""
    context = expect(ctx, Context, call)
    if context.watch.closed:
        raise InvalidValue(f"{call}: {context} has been destroyed; make another")
    return context


class Contexts:
    """The noun Contexts of the driver protocol, and the configuration that both kinds share."""

    def start(self, ctx: object) -> State:
        return expect(ctx, Context, "ctx_start").start()

    def stop(self, ctx: object) -> State:
        return expect(ctx, Context, "ctx_stop").stop()

    def destroy(self, ctx: object) -> None:
        _living(ctx, "destroy").destroy()

    def get_state(self, ctx: object) -> State:
        return expect(ctx, Context, "ctx_get_state").state

    def set_user_data(self, ctx: object, user_data: object) -> None:
        expect(ctx, Context, "ctx_set_user_data").user_data = user_data

    def get_user_data(self, ctx: object) -> Any:
        return expect(ctx, Context, "ctx_get_user_data").user_data

    def set_state_changed_cb(self, ctx: object, callback: Callback) -> None:
        context = _living(ctx, "ctx_set_state_changed_cb")
        expect_callback(callback, "ctx_set_state_changed_cb")
        context.state_changed = callback

    def get_num_inflight_tasks(self, ctx: object) -> int:
        context = expect(ctx, Context, "ctx_get_num_inflight_tasks")
        return len(context.finished) + sum(len(connection.inflight) for connection in context.connections)

    def flush_tasks(self, ctx: object) -> None:
        if expect(ctx, Context, "ctx_flush_tasks").state is State.IDLE:
            raise BadState("ctx_flush_tasks was attempted on an IDLE context; start it first")

    def get_device(self, ctx: object) -> Dev:
        return expect(ctx, Context, "get_device").dev

    def set_max_msg_size(self, ctx: object, size: int) -> None:
        context = _living(ctx, "set_max_msg_size")
        in_state(context, "set_max_msg_size")
        context.max_msg_size = expect_number(size, context.dev.info.row.limits.max_msg_size, "set_max_msg_size")

    def get_max_msg_size(self, ctx: object) -> int:
        return expect(ctx, Context, "get_max_msg_size").msg_size()

    def set_recv_queue_size(self, ctx: object, size: int) -> None:
        context = _living(ctx, "set_recv_queue_size")
        in_state(context, "set_recv_queue_size")
        most = context.dev.info.row.limits.max_queue_size
        context.recv_queue_size = expect_number(size, most, "set_recv_queue_size")

    def get_recv_queue_size(self, ctx: object) -> int:
        return expect(ctx, Context, "get_recv_queue_size").recv_queue_size

    def task_send_set_conf(self, ctx: object, done: Callback, failed: Callback, num_send_tasks: int) -> None:
        context = _living(ctx, "task_send_set_conf")
        in_state(context, "task_send_set_conf")
        expect_callback(done, "task_send_set_conf")
        expect_callback(failed, "task_send_set_conf")
        most = context.dev.info.row.limits.max_send_tasks
        context.num_tasks = expect_number(num_send_tasks, most, "task_send_set_conf")
        context.done, context.failed = done, failed

    def event_msg_recv_register(self, ctx: object, on_message: Callback, view: bool) -> None:
        context = _living(ctx, "event_msg_recv_register")
        in_state(context, "event_msg_recv_register")
        expect_callback(on_message, "event_msg_recv_register")
        context.on_message, context.view = on_message, view
