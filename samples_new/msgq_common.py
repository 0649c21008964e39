"""The set-up of both msgq samples: a DPA with one thread, and a message queue each way (guide: Comch, MsgQ)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import comch_next as comch
from comch_next.dpa import Dpa, DpaCompletion, DpaThread

DEPTH = 16  # receives that a side has posted at most
TIMEOUT_S = 30.0  # for one step


@dataclass
class Argument:
    """What the kernel is started with: handles are numbers there."""

    consumer: int = 0
    completion: int = 0
    producer: int = 0
    cpu_consumer_id: int = 0
    posted: bool = False
    plan: Any = None


class Lane(contextlib.ExitStack):
    """Both queues with all of their ends. The kernel runs from `thread.run` on."""

    def __init__(self, device: comch.Device, kernel: Callable[[Argument], object]) -> None:
        super().__init__()
        self.received: list[bytes] = []
        self.argument = Argument()
        self.engine = self.enter_context(comch.ProgressEngine())
        self.dpa = self.enter_context(Dpa(device))
        self.thread = DpaThread(self.dpa)
        self.callback(self.thread.destroy)
        self.thread.set_func_arg(kernel, self.argument)
        self.thread.start()
        self._to_the_dpa(device)
        self._from_the_dpa(device)
        self.callback(self.thread.stop)  # first of all: the kernel may still run when its last answer has come

    def _to_the_dpa(self, device: comch.Device) -> None:
        queue = comch.MsgQ(device)
        self.callback(queue.destroy)
        queue.set_dpa_consumer(self.dpa)
        queue.start()
        self.callback(queue.stop)
        completion = comch.ConsumerCompletion()
        self.callback(completion.destroy)
        completion.set_dpa_thread(self.thread)
        completion.start()
        self.callback(completion.stop)
        consumer = queue.consumer_create()
        self.callback(consumer.close)
        consumer.set_datapath_on_dpa(self.dpa)
        consumer.set_completion(completion)
        consumer.set_dev_max_num_recv(DEPTH)
        consumer.start()
        self.producer = queue.producer_create(engine=self.engine)
        self.callback(self.producer.close)
        self.producer.task_send_set_conf(comch.ProducerSendTask.free, comch.ProducerSendTask.free, DEPTH)
        self.producer.start()
        self.dpa_consumer_id = consumer.id
        self.argument.consumer, self.argument.completion = consumer.get_dpa_handle(), completion.get_dpa_handle()

    def _from_the_dpa(self, device: comch.Device) -> None:
        queue = comch.MsgQ(device)
        self.callback(queue.destroy)
        queue.set_dpa_producer(self.dpa)
        queue.start()
        self.callback(queue.stop)
        completion = DpaCompletion(self.dpa, DEPTH)
        self.callback(completion.destroy)
        completion.start()
        self.callback(completion.stop)
        producer = queue.producer_create()
        self.callback(producer.close)
        producer.set_datapath_on_dpa(self.dpa)
        producer.dpa_completion_attach(completion)
        producer.set_dev_max_num_send(DEPTH)
        producer.start()
        consumer = queue.consumer_create(engine=self.engine)
        self.callback(consumer.close)
        consumer.task_post_recv_set_conf(self._on_received, comch.PostRecvTask.free, DEPTH)
        consumer.start()
        while consumer.state is not comch.State.RUNNING:
            self.progress()
        for _ in range(DEPTH):
            consumer.task_post_recv_alloc_init().submit()
        self.argument.producer, self.argument.cpu_consumer_id = producer.get_dpa_handle(), consumer.id

    def _on_received(self, task: comch.PostRecvTask) -> None:
        self.received.append(task.imm_data or b"")
        task.submit()

    def progress(self) -> None:
        """Take the next step. Raises what the kernel failed with, and TimeOut."""
        if not self.engine.progress() and not self.engine.wait(TIMEOUT_S):
            raise comch.TimeOut(f"the kernel did nothing for {TIMEOUT_S:g} s")
        if self.dpa.error is not None:
            raise self.dpa.error

    def send(self, message: bytes) -> None:
        """Send to the kernel, as soon as it has posted a receive."""
        task = self.producer.task_send_alloc_init(None, message, self.dpa_consumer_id)
        while comch.outcome(task.submit)[0] is comch.ErrorCode.AGAIN:
            self.engine.progress()
