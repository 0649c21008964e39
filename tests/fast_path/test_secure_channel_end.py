"""The end of NVIDIA's secure channel, call for call."""

from __future__ import annotations

import threading
from typing import Any

from comch_next import (
    AccessFlag,
    BufInventory,
    Connection,
    Consumer,
    Mmap,
    PostRecvTask,
    Producer,
    ProducerSendTask,
    ProgressEngine,
    State,
    open_device,
)
from tests.control_path.pair import until
from tests.fast_path.lane import Lane

_SIZE, _TASKS, _MESSAGES = 64, 32, 200


class Stream:
    """One thread of NVIDIA's secure channel: a fast-path context with device, memory and engine of its own."""

    def __init__(self, pci_addr: str, size: int, count: int, permissions: AccessFlag) -> None:
        self.device = open_device(pci_addr)
        self.memory = bytearray(size * count)
        self.mmap = Mmap(self.device, self.memory, permissions)
        self.mmap.start()
        self.inventory = BufInventory(count)
        self.inventory.start()
        self.engine = ProgressEngine()
        self.completed = 0
        self.failed = 0

    def end(self, context: Consumer | Producer) -> None:
        """Stop, progress until IDLE, destroy; the device is closed before the map that it is in."""
        assert context.stop() in (State.STOPPING, State.IDLE)
        until(lambda: context.state is State.IDLE, self.engine)
        context.destroy()
        self.engine.destroy()
        self.device.close()
        self.mmap.destroy()
        self.inventory.destroy()


def _consume(connection: Connection, pci_addr: str, running: Any) -> None:
    stream = Stream(pci_addr, _SIZE, _TASKS, AccessFlag.PCI_READ_WRITE)
    consumer = Consumer(connection, stream.mmap, engine=stream.engine)

    def done(task: PostRecvTask) -> None:
        stream.completed += 1
        assert task.buf is not None
        assert bytes(task.buf.view) == b"s" * _SIZE
        task.buf.reset_data_len()
        task.submit()

    def failed(task: PostRecvTask) -> None:
        stream.failed += 1

    consumer.task_post_recv_set_conf(done, failed, _TASKS)
    consumer.start()
    until(lambda: consumer.state is State.RUNNING, stream.engine)
    bufs, tasks = [], []
    for number in range(_TASKS):
        bufs.append(stream.inventory.buf_get_by_addr(stream.mmap, stream.mmap.addr + number * _SIZE, _SIZE))
        tasks.append(consumer.task_post_recv_alloc_init(bufs[-1]))
        tasks[-1].submit()
    until(lambda: stream.completed == _MESSAGES, stream.engine)
    for buf, task in zip(bufs, tasks, strict=True):
        buf.dec_refcount()
        task.free()
    stream.end(consumer)
    assert stream.failed == 0
    running.release()


def _produce(connection: Connection, pci_addr: str, news: list[int], running: Any) -> None:
    stream = Stream(pci_addr, _SIZE, 1, AccessFlag.PCI_READ_ONLY)
    stream.memory[:] = b"s" * _SIZE
    producer = Producer(connection, engine=stream.engine)
    submitted = 0

    def submit(task: ProducerSendTask) -> None:
        nonlocal submitted
        while True:
            try:
                task.submit()
            except BlockingIOError:
                continue
            submitted += 1
            return

    def done(task: ProducerSendTask) -> None:
        stream.completed += 1
        if submitted < _MESSAGES:
            submit(task)

    producer.task_send_set_conf(done, done, _TASKS)
    producer.start()
    buf = stream.inventory.buf_get_by_data(stream.mmap, stream.mmap.addr, _SIZE)
    until(lambda: news, stream.engine)
    tasks = [producer.task_send_alloc_init(buf, None, news[0]) for _ in range(_TASKS)]
    for task in tasks:
        submit(task)
    until(lambda: stream.completed == _MESSAGES, stream.engine)
    for task in tasks:
        task.free()
    buf.dec_refcount()
    stream.end(producer)
    running.release()


def test_the_end_of_the_secure_channel_call_for_call() -> None:
    """Two streams on each side, one each way, in threads of their own, while this one turns the control path."""
    lane = Lane()
    at_server: list[int] = []
    lane.there.context.stop()
    lane.until(lambda: lane.there.state is lane.here.state is State.IDLE)
    lane.inbox.close()
    lane.outbox.close()
    lane.there.context.event_consumer_register(lambda _, number: at_server.append(number), lambda *_: None)
    lane.there.context.start()
    lane.here.context.start()
    lane.until(lambda: lane.here.state is State.RUNNING and len(lane.there.up) == 2)
    over = threading.Semaphore(0)
    threads = [
        threading.Thread(target=_consume, args=(lane.there.connection, "03:00.0", over)),
        threading.Thread(target=_produce, args=(lane.here.connection, "b1:00.0", lane.news, over)),
        threading.Thread(target=_consume, args=(lane.here.connection, "b1:00.0", over)),
        threading.Thread(target=_produce, args=(lane.there.connection, "03:00.0", at_server, over)),
    ]
    for thread in threads:
        thread.start()
    until(lambda: not any(thread.is_alive() for thread in threads), lane.there.engine, lane.here.engine)
    for thread in threads:
        thread.join()
        assert over.acquire(blocking=False), "every stream came to its end"
    for side in (lane.here, lane.there):
        side.context.close()
        side.engine.destroy()
        side.context.device.close()
