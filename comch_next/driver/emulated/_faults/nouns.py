"""Nouns that fail on demand, as COMCH_FAULTS lists: they refuse as the real ones do, and lose what those lose."""

import socket
from functools import partial
from typing import Any

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._checks import as_bytes, says_no_memory
from comch_next.driver.emulated._client import Clients
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._fast_context import check_submit
from comch_next.driver.emulated._faults.faults import Faults
from comch_next.driver.emulated._kernel.alarm import Alarm
from comch_next.driver.emulated._path import Path
from comch_next.driver.emulated._port import AGAIN, OK, POLL, Port, open_port
from comch_next.driver.emulated._producer import ProducerSendTask, ProducerSendTasks
from comch_next.driver.emulated._send_task import SendTask, TaskPool
from comch_next.driver.emulated._server import Server as RealServer
from comch_next.driver.emulated._server import Servers
from comch_next.driver.emulated._task import SUCCESS
from comch_next.driver.protocol import WeakTable
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import Again, NoMemory

__all__ = ["make_faulty"]


class Nouns(Protocol):
    """The nouns of the emulated driver that can be faulty."""

    open_port: Any
    servers: Servers
    clients: Clients
    producer_send_tasks: ProducerSendTasks


# Whoever needs the engine's lock under that of the faults, to end a connection or to wake the engine, takes it first: a
# progress has it when it judges a client.


def _die(connection: Connection | Path) -> None:
    """End a connection, or a message queue, as a death does: without a farewell, so that the other side sees one."""
    connection.lose(ErrorCode.CONNECTION_RESET, "the other side has died (COMCH_FAULTS)")


class FaultyPort(Port):
    """Refuses sends. While the queue is full, an armed send_fd sleeps."""

    def __init__(self, faults: Faults, *args: Any) -> None:
        super().__init__(*args)
        self.quick = None
        self._faults = faults
        self._alarm: Alarm | None = None

    def send(self, connection: Connection, data: Any) -> bool:
        message = as_bytes(data, "send")
        if connection.in_progress():
            self.poll_sockets()  # so that its first message is judged, too
        if connection.in_progress():
            return self.not_accepted(connection, AGAIN, message)
        result = self._try(connection, message)
        if result == POLL:
            self.poll_sockets()  # callbacks run here, so nothing is locked
            result = self._try(connection, message, polled=True)
        if result == AGAIN:
            self.poll_if_due()
        return result == OK or self.not_accepted(connection, result, message)

    def _try(self, connection: Connection, message: bytes, *, polled: bool = False) -> int:
        """Judge it, send it and count it, in one step for all threads."""
        with connection.lock, self._faults.lock:
            fault = self._faults.next("send") if connection.status is SUCCESS else None
            if fault == "drop":
                _die(connection)
            elif fault is not None:
                return int(AGAIN)
            result = (connection.send_now if polled else connection.send)(message)
            if result == OK:
                self._faults.accepted("send")
            return result

    @says_no_memory
    def arm_send(self) -> None:
        left = self._faults.left("send")
        if self._alarm is not None:
            self._alarm.stop()
        if not left:
            super().arm_send()
            return
        channel = self.channels.get("send")
        if self._alarm is None:
            self._alarm = Alarm()
            channel.watch(self._alarm)
        channel.arm()
        self._alarm.set(left)


class _Pool(TaskPool):
    """Has no task to give. Who waits for one, in progress, is woken when it is time to ask again."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults
        self._alarms: WeakTable[ControlContext, Alarm] = WeakTable()

    def task_send_alloc_init(self, ctx: Any, peer: Any, message: Any, user_data: object = None) -> SendTask:
        task = super().task_send_alloc_init(ctx, peer, message, user_data)
        with self._faults.lock:
            fault = self._faults.next("task")
            if fault in (None, "drop"):
                self._faults.accepted("task")
        if fault == "drop":
            with peer.lock:
                _die(peer)
        elif fault is not None:
            task.free()
            self._wake_later(ctx)
            raise NoMemory(f"task_send_alloc_init: all {ctx.num_tasks} tasks of {ctx} are in use (COMCH_FAULTS)")
        return task

    def quick_alloc(self, *_: object) -> None:
        """Every task is judged."""

    def _wake_later(self, ctx: ControlContext) -> None:
        left = self._faults.left("task")
        if not left:
            assert ctx.engine is not None
            ctx.engine.call_soon_threadsafe(lambda: None)
            return
        alarm = self._alarms.get(ctx)
        if alarm is None:
            alarm = self._alarms[ctx] = Alarm()
            ctx.watched(alarm, alarm.stop)
        alarm.set(left)


class Server(RealServer):
    """Does not see clients for a while. `late` are those that have connected meanwhile."""

    faults: Faults
    alarm: Alarm | None = None

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.late: list[socket.socket] = []

    def meet(self, sock: socket.socket, *, at_once: bool = True) -> None:
        with self.faults.lock:
            seen = self.faults.next("service") is None
            if seen:
                self.faults.accepted("service")
        if seen:
            super().meet(sock, at_once=at_once)
            return
        self.late.append(sock)
        if self.alarm is None:
            self.alarm = Alarm()
        self.watched(self.alarm, self._meet_late, accepts=True)
        self.alarm.set(self.faults.left("service"))

    def _meet_late(self) -> None:
        assert self.alarm is not None
        self.alarm.stop()
        for _ in range(len(self.late)):  # who is late again waits for the next alarm
            if self.late:  # a callback may have stopped it all
                self.meet(self.late.pop(0))

    def end(self) -> None:
        super().end()
        if self.alarm is not None:
            self.unwatch(self.alarm)
            self.alarm.close()
            self.alarm = None
        while self.late:
            self.late.pop().close()

    def let_go(self) -> None:
        super().let_go()
        for sock in self.late:
            sock.close()


class _Servers(_Pool, Servers):
    """Makes servers that are late."""

    kind = Server

    def create(self, dev: object, rep: object, name: object) -> Server:
        server = super().create(dev, rep, name)
        assert isinstance(server, Server)
        server.faults = self._faults
        return server


class _Clients(_Pool, Clients):
    """Nothing of its own."""


class _ProducerSendTasks(ProducerSendTasks):
    """Refuses to submit. A connection is lost at once, which its own engine, perhaps another one, then reports."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def submit(self, task: ProducerSendTask) -> None:
        check_submit(task)
        context: Any = task.ctx
        with context.lock, self._faults.lock:
            fault = None if context.moving else self._faults.next("producer")
            if fault is None:
                super().submit(task)
                self._faults.accepted("producer")
        if fault == "drop":
            _die(context.path)  # without the lock of this engine: its connection's may be another one
            self.submit(task)
        elif fault is not None:
            raise Again(f"task_submit: consumer {task.consumer_id} has posted nothing (COMCH_FAULTS)")


def make_faulty(driver: Nouns, text: str) -> None:
    """Put faulty nouns in the place of the real ones. Raises InvalidValue for a text that is not understood."""
    faults = Faults(text)
    driver.open_port = partial(open_port, make=partial(FaultyPort, faults))
    driver.servers = _Servers(faults)
    driver.clients = _Clients(faults)
    driver.producer_send_tasks = _ProducerSendTasks(faults)
