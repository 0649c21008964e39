"""The fast path of comch_next: posted buffers, producer tasks used again and again, one progress engine."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import MAX_SIZE, QUEUE_SIZE, End
from comch_next import AccessFlag


class FastPath(End):
    """A consumer and a producer on one connection; a task carries a view of its buffer.

    `send` writes to a buffer and `receive` copies out of one. The loops one way do neither: what they send lies in
    the buffers already, and what they receive is dropped.
    """

    def __init__(self, context: comch.Server | comch.Client, size: int, depth: int) -> None:
        self.context = context
        self.size, self.depth = size, depth
        self.connection: comch.Connection | None = None
        self.consumer_id = 0
        self.arrived: deque[comch.PostRecvTask] = deque()
        self.idle: deque[comch.ProducerSendTask] = deque()  # in turn, so that every buffer is used
        self.length = size  # of what is sent
        context.task_send_set_conf(comch.SendTask.free, comch.SendTask.free, 1)
        context.event_msg_recv_register(self.on_message)
        context.event_consumer_register(self.on_new_consumer, self.on_expired_consumer)

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        """Nothing to do: nobody sends any."""

    def on_connected(self, connection: comch.Connection, ok: bool) -> None:
        self.connection = connection

    def on_disconnected(self, connection: comch.Connection, ok: bool) -> None:
        """Nothing to do: the run is over."""

    def on_new_consumer(self, connection: comch.Connection, consumer_id: int) -> None:
        self.consumer_id = consumer_id

    def on_expired_consumer(self, connection: comch.Connection, consumer_id: int) -> None:
        """Nothing to do: the run is over."""

    def open(self, connection: comch.Connection) -> None:
        """Post all buffers, and make a task for each of those to be sent."""
        device, size, engine = self.context.device, self.size * self.depth, self.context.engine
        inbox = comch.Mmap(device, size, AccessFlag.PCI_READ_WRITE)
        outbox = comch.Mmap(device, size, AccessFlag.LOCAL_READ_WRITE)
        inventory = comch.BufInventory(2 * self.depth)
        for each in (inbox, outbox, inventory):
            each.start()
        consumer, producer = comch.Consumer(connection, inbox), comch.Producer(connection)
        consumer.task_post_recv_set_conf(self.arrived.append, self.arrived.append, self.depth)
        producer.task_send_set_conf(self.idle.append, self.idle.append, self.depth)
        consumer.start()
        producer.start()
        while consumer.state is comch.State.STARTING or not self.consumer_id:
            engine.progress()
        for start in range(0, size, self.size):
            buf = inventory.buf_get_by_addr(inbox, inbox.addr + start, self.size)
            post = consumer.task_post_recv_alloc_init(buf)
            post.user_data = inbox.view[start : start + self.size]
            post.submit()
            buf = inventory.buf_get_by_data(outbox, outbox.addr + start, self.size)
            task = producer.task_send_alloc_init(buf, None, self.consumer_id)
            task.user_data = outbox.view[start : start + self.size]
            self.idle.append(task)

    def send(self, data: bytes) -> None:
        self.fit(len(data))
        while not self.idle:
            self.context.engine.progress()
        task = self.idle.popleft()
        task.user_data[: self.length] = data
        self.submit(task)

    def fit(self, length: int) -> None:
        """Have all tasks send so many bytes from now on."""
        if length == self.length:
            return
        while len(self.idle) < self.depth:
            self.context.engine.progress()
        for task in self.idle:
            assert task.buf is not None
            task.buf.data_len = length
        self.length = length

    def submit(self, task: comch.ProducerSendTask) -> None:
        while True:
            try:
                return task.submit()
            except comch.Again:
                self.context.engine.progress()

    def receive(self) -> bytes:
        progress = self.context.engine.progress
        while not self.arrived:
            progress()
        task = self.arrived.popleft()
        buf = task.buf
        assert buf is not None
        data = bytes(task.user_data[: buf.data_len])
        buf.reset_data_len()
        task.submit()
        return data

    def send_many(self, data: bytes, count: int) -> None:
        self.fit(len(data))
        idle, progress, submit = self.idle, self.context.engine.progress, self.submit
        for _ in range(count):
            while not idle:
                progress()
            submit(idle.popleft())

    def receive_many(self, count: int) -> None:
        arrived, progress = self.arrived, self.context.engine.progress
        for _ in range(count):
            while not arrived:
                progress()
            task = arrived.popleft()
            assert task.buf is not None
            task.buf.reset_data_len()
            task.submit()

    def close(self) -> None:
        """The process ends, and everything with it."""


def serve(folder: Path, ready: Callable[[], None], size: int = MAX_SIZE, depth: int = QUEUE_SIZE) -> End:
    server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "bench")
    end = FastPath(server, size, depth)
    server.event_connection_status_changed_register(end.on_connected, end.on_disconnected)
    server.start()
    ready()
    while end.connection is None:
        server.engine.progress()
    end.open(end.connection)
    return end


def connect(folder: Path, size: int = MAX_SIZE, depth: int = QUEUE_SIZE) -> End:
    client = comch.Client(comch.open_device("b1:00.0"), "bench")
    end = FastPath(client, size, depth)
    client.start()
    while client.state is comch.State.STARTING:
        client.engine.progress()
    end.open(client.connection)
    return end
