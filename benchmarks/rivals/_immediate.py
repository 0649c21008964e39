"""An end that sends and receives immediate data only, over whatever its producer and consumer stand on."""

from __future__ import annotations

from collections import deque
from typing import NoReturn

import comch_next as comch
from benchmarks.rivals._end import End

DEPTH = 256  # sends and posted receives at a time


class Immediate(End):
    """A producer and a consumer on one engine, which is polled; their tasks are used again and again."""

    def __init__(self, producer: comch.Producer, consumer: comch.Consumer, engine: comch.ProgressEngine) -> None:
        """Start both, and post all receives."""
        self.producer, self.consumer, self.engine = producer, consumer, engine
        self.arrived: deque[comch.PostRecvTask] = deque()
        self.idle: deque[comch.ProducerSendTask] = deque()
        consumer.task_post_recv_set_conf(self.arrived.append, self.on_failed, DEPTH)
        producer.task_send_set_conf(self.idle.append, self.on_failed, DEPTH)
        consumer.start()
        producer.start()
        while consumer.state is comch.State.STARTING:
            engine.progress()
        for _ in range(DEPTH):
            consumer.task_post_recv_alloc_init().submit()

    def send_to(self, consumer_id: int) -> None:
        """Make the tasks of all sends."""
        self.idle += [self.producer.task_send_alloc_init(None, b"\0", consumer_id) for _ in range(DEPTH)]

    def on_failed(self, task: comch.PostRecvTask | comch.ProducerSendTask) -> NoReturn:
        raise RuntimeError(f"a task failed with {task.status.name}")

    def send(self, data: bytes) -> None:
        progress = self.engine.progress
        while not self.idle:
            progress()
        task = self.idle.popleft()
        task.imm_data = data
        while True:
            try:
                return task.submit()
            except comch.Again:
                progress()

    def receive(self) -> bytes:
        progress = self.engine.progress
        while not self.arrived:
            progress()
        task = self.arrived.popleft()
        data = task.imm_data
        assert data is not None
        task.submit()
        return data

    def close(self) -> None:
        """The process ends, and everything with it."""
