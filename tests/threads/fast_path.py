"""Consumers and producers as a face: each end has one of each, posts, sends, and checks what comes."""

from __future__ import annotations

import gc
import os
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import comch_next as comch
from comch_next import AccessFlag, DocaError, State
from tests.threads.face import DPU, HOST, Call, End, Face, free, give_back, ignore, leave, then
from tests.threads.letters import SIZE, Letters, Received

__all__ = ["Fast"]

_ROOMS, _TASKS = 64, 16
_TRACED = "COMCH_TRACE" in os.environ  # callbacks begin in the tracer: an interrupt there is one in the callback


class FastEnd(End):
    """An end with a consumer, a producer, and memory for both. `rooms` are addresses where nothing lies."""

    consumer: Any = None
    producer: Any = None
    fast_engine: Any
    received: Received

    def __init__(self, *, server: bool) -> None:
        super().__init__(server=server)
        self.device = comch.open_device(DPU if server else HOST)
        self.engine = comch.ProgressEngine()
        self.mmap = comch.Mmap(self.device, SIZE * _ROOMS, AccessFlag.PCI_READ_WRITE)
        self.mmap.start()
        self.inventory = comch.BufInventory(_ROOMS)
        self.inventory.start()
        self.rooms = deque(range(self.mmap.addr, self.mmap.addr + SIZE * _ROOMS, SIZE))
        self.peers: set[int] = set()  # the other side's consumers
        self.letters = Letters()
        self.damage: list[str] = []
        self.made: list[Any] = []  # one that is started while it is closed goes on

    def new_consumer(self) -> None:
        """Make the consumer, and start it."""
        received = self.received = Received(self.damage, lossy=_TRACED)

        def done(task: comch.PostRecvTask) -> None:
            try:
                received.take(task.imm_data or b"", b"" if task.buf is None else bytes(task.buf.view))
            except BaseException:  # the callback is interrupted, and its message with it
                received.lossy = True
                raise
            self.take_back(task)

        self.consumer = comch.Consumer(self.connection, self.mmap, engine=self.fast_engine)
        self.made.append(self.consumer)
        self.consumer.task_post_recv_set_conf(done, self.take_back, _TASKS)
        self.consumer.start()

    def new_producer(self) -> None:
        """Make the producer, and start it."""
        self.producer = comch.Producer(self.connection, engine=self.fast_engine)
        self.made.append(self.producer)
        self.producer.task_send_set_conf(self.take_back, self._failed, _TASKS)
        self.producer.start()

    def _failed(self, task: comch.ProducerSendTask) -> None:
        self.letters.failed()
        self.take_back(task)

    def take_back(self, task: Any) -> None:
        """Give back what a task that has ended held."""
        if task.buf is not None:
            self.rooms.append(task.buf.head)
            task.buf.dec_refcount()
        task.free()

    def progress(self) -> bool:
        """Move both engines on."""
        moved: bool = self.engine.progress()
        return moved | (self.fast_engine is not None and self.fast_engine.progress())


def _task(end: Any, make: Callable[[comch.Buf, int], Any]) -> Any:
    """Make a task with a buffer; what was refused leaves nothing behind."""
    if not end.rooms:
        return None
    room = end.rooms.popleft()
    try:
        buf = end.inventory.buf_get_by_addr(end.mmap, room, SIZE)
    except DocaError:
        end.rooms.append(room)
        raise
    try:
        return make(buf, room)
    except DocaError:
        buf.dec_refcount()
        end.rooms.append(room)
        raise


def _submit(end: Any, task: Any) -> None:
    try:
        task.submit()
    except DocaError:
        with suppress(comch.BadState):  # the pool has taken it back
            end.take_back(task)
        raise


def _post(end: Any) -> None:
    if (task := _task(end, lambda buf, _: end.consumer.task_post_recv_alloc_init(buf))) is not None:
        _submit(end, task)


def _post_and_free(end: Any) -> None:
    if (task := _task(end, lambda buf, _: end.consumer.task_post_recv_alloc_init(buf))) is not None:
        end.received.lossy = True
        _submit(end, task)
        buf = task.buf
        task.free()
        buf.dec_refcount()


def _post_nothing(end: Any) -> None:
    task = end.consumer.task_post_recv_alloc_init()
    _submit(end, task)


def _hold_post(end: Any) -> Any:
    task = end.consumer.task_post_recv_alloc_init()
    task.buf = None
    known = task.buf, task.status, task.producer_id, task.imm_data, task.context
    task.free()
    return known


def _hold_send(end: Any) -> Any:
    task = end.producer.task_send_alloc_init(None, b"imm", 1)
    task.buf, task.consumer_id, task.imm_data = None, 2, b"other"
    known = task.status, task.consumer_id, task.imm_data, task.context
    task.free()
    return known


def _send_to(end: Any, peer: int, *, with_buf: bool) -> None:
    head = end.letters.head(peer)

    def fill(buf: comch.Buf, room: int) -> comch.ProducerSendTask:
        buf.set_data(room, SIZE)
        buf.view[:] = Letters.text(head)
        task: comch.ProducerSendTask = end.producer.task_send_alloc_init(buf, head, peer)
        return task

    task = _task(end, fill) if with_buf else end.producer.task_send_alloc_init(None, head, peer)
    if task is not None:
        try:
            _submit(end, task)
        except DocaError:
            raise
        except BaseException:
            end.letters.forget(peer)
            raise
        end.letters.sent(peer)


def _send(end: Any) -> None:
    for peer in list(end.peers):
        _send_to(end, peer, with_buf=True)


def _send_imm(end: Any) -> None:
    for peer in list(end.peers):
        _send_to(end, peer, with_buf=False)


def _state(name: str) -> Call:
    def ask(end: Any) -> object:
        context = getattr(end, name)
        context.set_state_changed_cb(ignore)
        return context.state, context.num_inflight_tasks, context.engine, context.id, repr(context)

    return ask


def _conf(end: Any) -> object:
    end.consumer.imm_data_len = 32
    return end.consumer.imm_data_len


def _another(end: Any) -> None:
    consumer = comch.Consumer(end.connection, end.mmap)
    try:
        consumer.task_post_recv_set_conf(free, free, 1)
        with consumer:
            consumer.task_post_recv_alloc_init().submit()
    finally:
        consumer.close()


def _another_producer(end: Any) -> None:
    producer = comch.Producer(end.connection)
    try:
        producer.task_send_set_conf(free, free, 1)
    finally:
        producer.destroy()


def _of(name: str, call: str) -> Call:
    return lambda end: getattr(getattr(end, name), call)()


def _stop(name: str) -> Call:
    def run(end: Any) -> None:
        context = getattr(end, name)

        def progress() -> None:
            if not end.progress():
                gc.collect()  # the task of a callback that was interrupted holds the context until then

        leave(context.stop, lambda: context.state, progress)

    return run


def _leave(end: Any) -> None:
    if end.is_server:
        end.context.disconnect(end.connection)
    else:
        end.context.disconnect()


class Fast(Face):
    """The fast path. `apart`: consumer and producer have an engine of their own."""

    calls: dict[str, Call] = {
        "post": _post,
        "post nothing": _post_nothing,
        "post and free": _post_and_free,
        "hold a post": _hold_post,
        "send": _send,
        "send immediate data": _send_imm,
        "hold a send": _hold_send,
        "consumer's state": _state("consumer"),
        "producer's state": _state("producer"),
        "consumer.imm_data_len": _conf,
        "consumer.start": _of("consumer", "start"),
        "producer.start": _of("producer", "start"),
        "consumer.flush_tasks": _of("consumer", "flush_tasks"),
        "producer.flush_tasks": _of("producer", "flush_tasks"),
        "another consumer": _another,
        "another producer": _another_producer,
        "progress": lambda end: end.progress(),  # type: ignore[attr-defined]
        "wait": lambda end: end.engine.wait(0.001),
        "num_inflight_tasks": lambda end: end.engine.num_inflight_tasks,
        "context.stop": lambda end: end.context.stop(),
    }
    ends: dict[str, Call] = {
        **{f"{name}.{call}": _of(name, call) for name in ("consumer", "producer") for call in ("close", "destroy")},
        **{f"stop the {name}": _stop(name) for name in ("consumer", "producer")},
        **{f"stop and start the {name}": then(_stop(name), _of(name, "start")) for name in ("consumer", "producer")},
        "another life": then(
            _of("consumer", "close"),
            _of("producer", "close"),
            lambda end: end.new_consumer(),  # type: ignore[attr-defined]
            lambda end: end.new_producer(),  # type: ignore[attr-defined]
        ),
        "disconnect": _leave,
        "close all": then(
            _of("consumer", "close"), _of("producer", "close"), _of("context", "close"), _of("engine", "destroy")
        ),
        "take the memory": then(
            _of("consumer", "close"), _of("producer", "close"), _of("mmap", "destroy"), _of("inventory", "destroy")
        ),
    }

    def __init__(self, *, apart: bool = False) -> None:
        self._apart = apart

    def make(self, *, server: bool) -> End:
        end = FastEnd(server=server)
        end.fast_engine = comch.ProgressEngine() if self._apart else None
        end.context = (comch.Server if server else comch.Client)(end.device, name="svc", engine=end.engine)
        end.context.task_send_set_conf(free, free, 16)
        end.context.event_msg_recv_register(ignore)
        end.context.event_consumer_register(
            lambda _, number: end.peers.add(number), lambda _, number: end.peers.discard(number)
        )
        if server:
            end.context.device_rep = HOST

            def came(connection: Any, ok: bool) -> None:
                end.connection = connection

            end.context.event_connection_status_changed_register(came, ignore)
        return end

    def open(self, end: End) -> None:
        if end.is_server:
            end.context.listen()
        else:
            end.connection = end.context.connect(timeout=0)

    def move(self, end: Any) -> None:
        end.progress()
        if end.producer is not None:
            _send(end)
            _post(end)
        elif end.connection is not None and end.context.state is State.RUNNING:
            end.new_consumer()
            end.new_producer()

    def is_up(self, end: Any) -> bool:
        return end.producer is not None and end.consumer.state is State.RUNNING and bool(end.peers)

    def close(self, end: Any) -> None:
        for context in (*end.made, end.context):
            context.close()
        for engine in (end.fast_engine, end.engine):
            if engine is not None:
                engine.destroy()
        end.mmap.destroy()
        end.inventory.destroy()
        give_back(end)

    def damage(self, end: Any) -> list[str]:
        found: list[str] = end.damage
        return found
