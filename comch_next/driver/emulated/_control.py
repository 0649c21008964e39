"""What servers and clients have in common: the control path (guide: Comch, Configurations and Tasks)."""

import select
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

from comch_next._codes import State
from comch_next.driver.emulated._checks import expect
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Callback, Context, Contexts, living, unset
from comch_next.driver.emulated._delivery import Delivery
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._fabric.channel import Watchable
from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.emulated._guard import callback, guard, up_to
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._state import TRANSITIONS, Trigger
from comch_next.driver.emulated._task import SUCCESS, Task
from comch_next.driver.protocol import bytes_of, quoted, uninterrupted
from comch_next.errors import InvalidValue

__all__ = ["ControlContext", "ControlContexts", "check_name"]


def check_name(name: object, dev: Dev) -> str:
    """A service name that fits, or INVALID_VALUE; it may hold any characters but NUL."""
    most = dev.info.row.limits.max_name_len - 1
    if not isinstance(name, str) or not name or "\0" in name or len(bytes_of(name)) > most:
        raise InvalidValue(f"a service name is 1 to {most} bytes of text without NUL, not {quoted(name)}")
    return name


class ControlContext(Context):
    """A handle; Server and Client add how they meet. `up` and `down` are callbacks of servers only."""

    is_server: ClassVar[bool]
    delivery: Delivery
    lost: list[Connection]
    up: Callback | None = None
    down: Callback | None = None
    failed_for_good = False  # a server whose socket file is gone or replaced

    def __init__(self, dev: Dev, name: str) -> None:
        super().__init__(dev, name)
        self.on_message: Callback = unset
        self.new_consumer: Callback | None = None
        self.expired_consumer: Callback | None = None
        self.max_msg_size: int | None = None
        self.recv_queue_size = dev.info.row.limits.default_queue_size
        self.connections: list[Connection] = []
        self.lost = []
        self.sending: list[Connection] = []  # those with tasks in flight, each `listed`

    @property
    def out_of_descriptors(self) -> bool:
        """Whether a client waits for want of descriptors: no socket reports when there are some again."""
        return False

    # What it brings to a connection

    @property
    def stated_msg_size(self) -> int:
        """The message size that a handshake states: set, or the device's default; bytes."""
        return self.max_msg_size or self.dev.info.row.limits.default_msg_size

    def msg_size(self) -> int:
        """The message size in force: set, else that of the connection, else the device's default; bytes."""
        for connection in () if self.max_msg_size else self.connections:
            if connection.tx.max_msg:
                return int(connection.tx.max_msg)
        return self.stated_msg_size

    # Life

    def missing(self) -> list[str]:
        """The mandatory configuration that has not been given; an open port needs none."""
        wanted = {"the send task configuration": self.on_done, "the receive callback": self.on_message}
        if self.is_server:
            wanted["the connection callbacks"] = self.up or unset
        return self.delivery.mandatory([what for what, given in wanted.items() if given is unset])

    def stop(self) -> State:
        """Notify every peer, fail waiting sends; IDLE when nothing is outstanding, else through progress."""
        self.check_engine("ctx_stop")
        for connection in self.connections:
            connection.fast.check_unused("ctx_stop")
        clean = not (self.tasks_out or self.connections or self.lost)
        if (self.state, Trigger.STOP_CLEAN) in TRANSITIONS:
            self.end()
            for connection in list(self.connections):
                connection.disconnect()
                if connection not in self.lost:
                    self.lost_connection(connection)
        return self.move_to_stop(clean=clean)

    def destroy(self) -> None:
        if self.state is State.IDLE:
            self.delivery.close()
            for connection in self.connections + self.lost:
                connection.close()
        super().destroy()

    def lost_connection(self, connection: Connection) -> None:
        """Report a lost connection at the next poll, once its messages have been read."""
        if connection in self.lost:
            return
        self.lost.append(connection)
        self.busy_engine()
        self.delivery.on_lost(connection)

    # Polling the sockets

    def watched(
        self, sock: Watchable, handler: Callable[[], None], events: int = select.EPOLLIN, *, accepts: bool = False
    ) -> None:
        super().watched(sock, handler, events, accepts=accepts)
        if accepts:
            self.delivery.accepts(sock)

    def unwatch(self, sock: Watchable) -> bool:
        self.delivery.forget(sock)  # also one that only a port's descriptors watch: of a client that was being admitted
        return super().unwatch(sock)

    def report_losses(self) -> bool:
        moved = False
        for connection in [*self.sending, *self.delivery.waiting_senders()]:
            moved |= connection.check_reader()
        if moved:  # what was on its way there has failed just now: those tasks complete first
            return True
        engine = self.engine
        for connection in filter(self.delivery.is_due, list(self.lost)):
            moved |= connection.fast.report_expired()  # first, as the program knows them by their connection
            if engine is not None and engine.full:
                break
            self._forget_lost(connection)
            moved = True
        return moved

    @uninterrupted
    def _forget_lost(self, connection: Connection) -> None:
        self.lost.remove(connection)
        self.connections.remove(connection)
        self.delivery.release(connection)
        self.report_loss(connection)

    def ends_come_first(self) -> bool:
        return self.delivery.ends_come_first()

    def take_finished(self) -> Task | None:
        """Take a task that has been delivered, of one connection after the other."""
        for link in list(self.sending):
            task: Task | None = link.take_sent()
            if task is None and link.tasks:
                continue
            self.sending.remove(link)
            link.listed = link.tasks > 0
            if link.listed:
                self.sending.append(link)
            if task is not None:
                task.status = SUCCESS
                return task
        return super().take_finished()

    def drained(self) -> bool:
        return super().drained() and not self.lost

    def arm(self) -> bool:
        ready = super().arm()
        return self.delivery.arm(self.connections) or ready

    def inflight(self) -> int:
        return len(self.finished) + sum(connection.tasks for connection in self.connections)

    # What Server and Client define

    def admit(self, greeting: Greeting) -> Connection:
        """Answer a client that has greeted; the result's status says how it went. Servers only."""
        raise NotImplementedError

    def leave_unknown(self, connection: Connection) -> None:
        """Leave a client of which the program does not get to know. Servers only."""
        raise NotImplementedError

    @abstractmethod
    def end(self) -> None: ...

    @abstractmethod
    def report_loss(self, connection: Connection) -> None: ...


_of_control = living(ControlContext)


class ControlContexts(Contexts):
    """The noun Contexts of the driver protocol."""

    @guard("", _of_control, size=up_to("max_msg_size"))
    def set_max_msg_size(self, ctx: ControlContext, size: int) -> None:
        ctx.max_msg_size = size

    def get_max_msg_size(self, ctx: object) -> int:
        return expect(ctx, ControlContext, "get_max_msg_size").msg_size()

    @guard("", _of_control, size=up_to("max_queue_size"))
    def set_recv_queue_size(self, ctx: ControlContext, size: int) -> None:
        ctx.recv_queue_size = size

    def get_recv_queue_size(self, ctx: object) -> int:
        return expect(ctx, ControlContext, "get_recv_queue_size").recv_queue_size

    @guard("", _of_control, done=callback, failed=callback, num_send_tasks=up_to("max_send_tasks"))
    def task_send_set_conf(self, ctx: ControlContext, done: Callback, failed: Callback, num_send_tasks: int) -> None:
        ctx.on_done, ctx.on_failed, ctx.num_tasks = done, failed, num_send_tasks

    @guard("", _of_control, on_message=callback)
    def event_msg_recv_register(self, ctx: ControlContext, on_message: Callback, view: bool) -> None:
        ctx.on_message = calls.viewing(on_message) if view else on_message

    @guard("", _of_control, new=callback, expired=callback)
    def event_consumer_register(self, ctx: ControlContext, new: Callback, expired: Callback) -> None:
        ctx.new_consumer, ctx.expired_consumer = new, expired
