"""What servers and clients have in common: the control path (guide: Comch, Configurations and Tasks)."""

import select
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from comch_next._codes import State
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Callback, Context, unset
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._fabric.handshake import Terms
from comch_next.driver.emulated._kernel.ring import lib
from comch_next.driver.emulated._state import TRANSITIONS, Trigger
from comch_next.driver.emulated._task import PROGRAM, SUCCESS, Task
from comch_next.errors import InvalidValue

if TYPE_CHECKING:
    from comch_next.driver.emulated._engine import Poller
    from comch_next.driver.emulated._fabric.channel import Watchable
    from comch_next.driver.emulated._port import Port

__all__ = ["ControlContext", "check_name"]

completed = lib.comch_completed


def check_name(name: object, dev: Dev) -> str:
    """A service name that fits, or INVALID_VALUE; it may hold any characters but NUL."""
    most = dev.info.row.limits.max_name_len - 1
    if not isinstance(name, str) or not name or "\0" in name or len(name.encode("utf-8", "surrogatepass")) > most:
        raise InvalidValue(f"a service name is 1 to {most} bytes of text without NUL, not {name!r}")
    return name


class ControlContext(Context):
    """A handle; Server and Client add how they meet."""

    is_server: ClassVar[bool]
    failed_for_good = False  # a server that nobody can find any more

    def __init__(self, dev: Dev, name: str) -> None:
        super().__init__(dev, name)
        self.port: Port | None = None
        self.on_message: Callback = unset
        self.view = False
        self.new_consumer: Callback | None = None
        self.expired_consumer: Callback | None = None
        self.max_msg_size: int | None = None
        self.recv_queue_size = dev.info.row.limits.default_queue_size
        self.connections: list[Connection] = []
        self.sending: list[Connection] = []  # those with tasks in flight

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

    @property
    def bells(self) -> int:
        """How many it has on each connection: a port's sender and receiver may wait apart."""
        return 1 if self.port is None else 2

    def listen(self, connection: Connection) -> None:
        """Be roused when the other side has put a message in its ring, or has taken one out."""
        if self.port is not None:
            self.port.channels.listen(connection)
        elif self.engine is not None:
            for bell in connection.heard:
                self.engine.notification.listen(bell, connection.report_violation)

    def unlisten(self, connection: Connection) -> None:
        """No longer; harmless when it is not listened to."""
        if self.port is not None:
            self.port.channels.unlisten(connection)
        elif self.engine is not None:
            for bell in connection.heard:
                self.engine.notification.unlisten(bell)

    @property
    def poller(self) -> "Poller":
        """Who reads the messages: the open port, else the engine."""
        owner = self.port or self.engine
        assert owner is not None
        return owner.poller

    # Life

    def missing(self) -> list[str]:
        """The mandatory configuration that has not been given; an open port needs none."""
        wanted = {"the send task configuration": self.done, "the receive callback": self.on_message}
        return [what for what, given in wanted.items() if given is unset and self.port is None]

    def stop(self) -> State:
        """Tell every peer, fail what waits; IDLE when nothing is outstanding, else through progress."""
        if self.engine is None:
            raise self.no_engine("ctx_stop")
        for connection in self.connections:
            connection.fast.check_unused("ctx_stop")
        outstanding = self.tasks_out or self.connections or self.lost
        trigger = Trigger.STOP_BUSY if outstanding else Trigger.STOP_CLEAN
        if (self.state, trigger) in TRANSITIONS:
            self.end()
            for connection in list(self.connections):
                connection.disconnect()
                if connection not in self.lost:
                    self.lost_connection(connection)
        return self.move(trigger)

    def destroy(self) -> None:
        if self.state is State.IDLE:
            if self.port is not None:
                self.port.close()
            for connection in self.connections + self.lost:
                connection.close()
        super().destroy()

    def lost_connection(self, connection: Connection) -> None:
        """Report it at the next look, once its messages have been read."""
        if connection in self.lost:
            return
        self.lost.append(connection)
        self.busy_engine()
        if self.port is not None:
            self.port.notice(connection)

    # Looking at the sockets

    def watched(
        self, sock: "Watchable", handler: Callable[[], None], events: int = select.EPOLLIN, *, accepts: bool = False
    ) -> None:
        """As every context's; a door is where somebody may come in."""
        super().watched(sock, handler, events)
        if accepts and self.port is not None:
            self.port.channels.accepts(sock)

    def unwatch(self, sock: "Watchable") -> bool:
        known = super().unwatch(sock)
        if known and self.port is not None:
            self.port.channels.forget(sock)
        return known

    def report_losses(self) -> bool:
        moved = False
        for connection in [*self.sending, *(self.port.blocked if self.port is not None else ())]:
            moved |= connection.check_reader()
        engine = self.engine
        for connection in list(self.lost):
            if engine is not None and engine.full:
                break
            if self.port is not None or not connection.waiting():
                self.lost.remove(connection)
                self.connections.remove(connection)
                if self.port is None or not self.port.still_reads(connection):
                    connection.close()
                self.report_loss(connection)
                moved = True
        return moved

    def complete(self) -> bool:
        """Deliver the completions of tasks, each once. Whether there were any."""
        engine, delivered = self.engine, False
        assert engine is not None
        for link in self.sending:
            inflight, done = link.inflight, self.done
            arrived = completed(link.tx) if inflight else 0  # a connection that has ended has none, nor a ring
            while inflight and inflight[0].number <= arrived and engine.error is None:
                delivered = True
                task = inflight.popleft()
                task.owner, task.status = PROGRAM, SUCCESS
                try:
                    done(task.user_data)
                except BaseException as error:
                    engine.error = error
        if self.finished:
            delivered |= super().complete()
        if delivered:
            self.sending = list({link: None for link in self.sending if link.inflight})  # callbacks send, too
        return delivered

    def take_finished(self) -> Task | None:
        """A task of a connection that has been served is the last to be looked for there again."""
        for link in list(self.sending):
            if link.inflight and link.inflight[0].number > completed(link.tx):
                continue
            self.sending.remove(link)
            task = link.inflight.popleft() if link.inflight else None
            if link.inflight:
                self.sending.append(link)
            if task is not None:
                task.status = SUCCESS
                return task
        return super().take_finished()

    def drained(self) -> bool:
        return super().drained() and not self.lost

    def settled(self) -> bool:
        return not (self.sending or self.finished or self.lost or self.moving)

    def arm(self) -> bool:
        ready = super().arm()
        for link in self.connections if self.port is None else ():  # whose bells are heard elsewhere
            if link.inflight:
                ready |= bool(lib.comch_arm_flight(link.tx, link.inflight[0].number))
        return ready

    def inflight(self) -> int:
        return len(self.finished) + sum(len(connection.inflight) for connection in self.connections)

    # What Server and Client say for themselves

    @abstractmethod
    def end(self) -> None: ...

    @abstractmethod
    def report_loss(self, connection: Connection) -> None: ...
