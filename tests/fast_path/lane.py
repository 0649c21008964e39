"""A fast path in one process: a connected pair, a consumer on one side and a producer on the other."""

from __future__ import annotations

from typing import Any

from comch_next import (
    AccessFlag,
    Again,
    Buf,
    BufInventory,
    Connection,
    Consumer,
    Device,
    Mmap,
    NoMemory,
    PostRecvTask,
    Producer,
    ProducerSendTask,
    ProgressEngine,
    State,
)
from tests.control_path.pair import client, connect, ignore, leave, server, until

SIZE = 4096


class Inbox:
    """A consumer, its memory, and what its tasks brought; every task is freed by its callback."""

    def __init__(
        self, connection: Connection, device: Device, *, memory: Any = 1 << 16, engine: ProgressEngine | None = None
    ) -> None:
        self.mmap = Mmap(device, memory, AccessFlag.PCI_READ_WRITE)
        self.mmap.start()
        self.inventory = BufInventory(64)
        self.inventory.start()
        self.consumer = Consumer(connection, self.mmap, engine=engine)
        self.consumer.task_post_recv_set_conf(self._done, self._failed, 16)
        self.received: list[tuple[bytes | None, bytes | None]] = []
        self.failed: list[str] = []
        self.states: list[State] = []
        self.consumer.set_state_changed_cb(lambda _, __, new: self.states.append(new))
        self._free = [self.mmap.addr + offset for offset in range(0, len(self.mmap), SIZE)]

    def _done(self, task: PostRecvTask) -> None:
        self.received.append((None if task.buf is None else bytes(task.buf.view), task.imm_data))
        self._give_back(task)

    def _failed(self, task: PostRecvTask) -> None:
        self.failed.append(task.status.name)
        self._give_back(task)

    def _give_back(self, task: PostRecvTask) -> None:
        if task.buf is not None:
            self._free.append(task.buf.head)
            task.buf.dec_refcount()
        task.free()

    def post(self, count: int = 1, *, room: int = SIZE) -> None:
        """Post so many buffers."""
        for _ in range(count):
            buf = self.inventory.buf_get_by_addr(self.mmap, self._free.pop(0), room)
            self.consumer.task_post_recv_alloc_init(buf).submit()

    def close(self) -> None:
        """Everything back; the consumer is IDLE."""
        self.consumer.destroy()
        self.mmap.destroy()
        self.inventory.destroy()


class Outbox:
    """A producer and its memory."""

    def __init__(self, connection: Connection, device: Device, *, engine: ProgressEngine | None = None) -> None:
        self.mmap = Mmap(device, 1 << 16, AccessFlag.LOCAL_READ_WRITE)
        self.mmap.start()
        self.inventory = BufInventory(64)
        self.inventory.start()
        self.producer = Producer(connection, engine=engine)
        self.producer.task_send_set_conf(self._done, self._failed, 16)
        self.sent = 0
        self.failed: list[str] = []

    def _done(self, task: ProducerSendTask) -> None:
        self.sent += 1
        self._give_back(task)

    def _failed(self, task: ProducerSendTask) -> None:
        self.failed.append(task.status.name)
        self._give_back(task)

    def _give_back(self, task: ProducerSendTask) -> None:
        if task.buf is not None:
            task.buf.dec_refcount()
        task.free()

    def buf(self, data: bytes) -> Buf:
        """A buffer that holds the data."""
        self.mmap.view[: len(data)] = data
        return self.inventory.buf_get_by_data(self.mmap, self.mmap.addr, len(data))

    def send(self, consumer_id: int, data: bytes, imm_data: bytes = b"") -> None:
        """Submit one send; a refusal leaves nothing behind."""
        buf = self.buf(data)
        try:
            task = self.producer.task_send_alloc_init(buf, imm_data, consumer_id)
        except Exception:
            buf.dec_refcount()
            raise
        try:
            task.submit()
        except Exception:
            self._give_back(task)
            raise

    def send_on(self, consumer_id: int, data: bytes, *engines: ProgressEngine) -> None:
        """The same, again and again until something is posted and a task is free."""

        def accepted() -> bool:
            try:
                self.send(consumer_id, data)
            except (Again, NoMemory):
                return False
            return True

        until(accepted, *engines)

    def close(self) -> None:
        """Everything back; the producer is IDLE."""
        self.producer.destroy()
        self.mmap.destroy()
        self.inventory.destroy()


class Lane:
    """`there` is the server with the inbox, `here` the client with the outbox, which has heard of the consumer."""

    def __init__(self, **options: Any) -> None:
        self.there, self.here = server(), client()
        self.news: list[int] = []
        self.gone: list[int] = []
        self.there.context.event_consumer_register(ignore, ignore)
        self.here.context.event_consumer_register(
            lambda _, number: self.news.append(number), lambda _, number: self.gone.append(number)
        )
        connect(self.there, self.here)
        self.inbox = Inbox(self.there.connection, self.there.context.device, **options)
        self.outbox = Outbox(self.here.connection, self.here.context.device)
        self.engines = (self.there.engine, self.here.engine, self.inbox.consumer.engine)

    def run(self) -> Lane:
        """Start both ends, and wait until the client has heard of the consumer."""
        self.inbox.consumer.start()
        self.outbox.producer.start()
        self.until(lambda: self.inbox.consumer.state is State.RUNNING and self.inbox.consumer.id in self.news)
        return self

    def until(self, condition: Any) -> None:
        """Turn every engine until the condition holds."""
        until(condition, *self.engines)

    def settle(self) -> None:
        """Turn every engine until none moves."""
        moving = True
        while moving:
            moved = [engine.progress() for engine in self.engines]
            moving = any(moved)

    def close(self) -> None:
        """Stop what runs, and give everything back."""
        for context in (self.inbox.consumer, self.outbox.producer):
            if context.state is not State.IDLE:
                context.stop()
        self.until(lambda: self.inbox.consumer.state is self.outbox.producer.state is State.IDLE)
        self.inbox.close()
        self.outbox.close()
        leave(self.here, self.there)
