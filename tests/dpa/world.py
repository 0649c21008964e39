"""A DPA with one thread and a queue each way, as a program sets them up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import comch_next as comch
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from comch_next.dpa.dev import (
    doca_dpa_dev_comch_consumer_ack,
    doca_dpa_dev_comch_consumer_completion_ack,
    doca_dpa_dev_comch_consumer_completion_request_notification,
    doca_dpa_dev_comch_consumer_get_completion,
    doca_dpa_dev_comch_consumer_get_completion_imm,
    doca_dpa_dev_comch_producer_is_consumer_empty,
    doca_dpa_dev_comch_producer_post_send_imm_only,
    doca_dpa_dev_thread_reschedule,
)

PATIENCE_S = 60.0
DEPTH = 4
Kernel = Callable[[SimpleNamespace], object]


def until(pe: comch.ProgressEngine | None, reached: Callable[[], object]) -> None:
    """Progress until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not reached():
        assert time.monotonic() < deadline
        if pe is None or not pe.progress():
            time.sleep(0.0005)


def received(arg: SimpleNamespace) -> Iterator[bytes]:
    """In a kernel: what has come, each message given back before the next."""
    while True:
        found, element = doca_dpa_dev_comch_consumer_get_completion(arg.comp)
        if not found:
            return
        imm, _ = doca_dpa_dev_comch_consumer_get_completion_imm(element)
        doca_dpa_dev_comch_consumer_completion_ack(arg.comp, 1)
        yield imm


def sleep(arg: SimpleNamespace) -> None:
    """In a kernel: run again when there is a message."""
    doca_dpa_dev_comch_consumer_completion_request_notification(arg.comp)
    doca_dpa_dev_thread_reschedule()


def echo(arg: SimpleNamespace) -> None:
    """A kernel that sends back what it gets, in capitals."""
    if not arg.posted:
        arg.posted = True
        doca_dpa_dev_comch_consumer_ack(arg.consumer, DEPTH)
    for imm in received(arg):
        doca_dpa_dev_comch_consumer_ack(arg.consumer, 1)
        while doca_dpa_dev_comch_producer_is_consumer_empty(arg.producer, arg.cpu):
            time.sleep(0.0001)
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, imm.upper(), len(imm), 0)
    sleep(arg)


class Queues:
    """Both ends of both queues. `arg` is the kernel's argument, `came` what the CPU consumer received."""

    def __init__(self, kernel: Kernel) -> None:
        self.device = comch.open_device("03:00.0")
        self.arg = SimpleNamespace(posted=False, notes=[])
        self.came: list[bytes | None] = []
        self.failed: list[comch.ErrorCode] = []
        self.dpa = Dpa(self.device)
        self.dpa.start()
        self.thread = DpaThread(self.dpa)
        self.thread.set_func_arg(kernel, self.arg)
        self.thread.start()
        self.pe = comch.ProgressEngine()
        self._make_queues()
        self._make_dpa_side()
        self._make_cpu_side()
        self.arg.comp, self.arg.sent = self.comp.get_dpa_handle(), self.sent.get_dpa_handle()
        self.arg.consumer, self.arg.producer = self.dpa_consumer.get_dpa_handle(), self.dpa_producer.get_dpa_handle()
        self.arg.cpu = self.consumer.id

    def _make_queues(self) -> None:
        self.to, self.back = comch.MsgQ(self.device), comch.MsgQ(self.device)
        self.to.set_dpa_consumer(self.dpa)
        self.back.set_dpa_producer(self.dpa)
        self.to.start()
        self.back.start()

    def _make_dpa_side(self) -> None:
        self.comp = comch.ConsumerCompletion()
        self.comp.set_dpa_thread(self.thread)
        self.comp.start()
        self.dpa_consumer = self.to.consumer_create()
        self.dpa_consumer.set_datapath_on_dpa(self.dpa)
        self.dpa_consumer.set_completion(self.comp)
        self.dpa_consumer.set_dev_max_num_recv(DEPTH)
        self.dpa_consumer.start()
        self.sent = DpaCompletion(self.dpa, 64)
        self.sent.start()
        self.dpa_producer = self.back.producer_create()
        self.dpa_producer.user_data = "back"
        self.dpa_producer.set_datapath_on_dpa(self.dpa)
        self.dpa_producer.dpa_completion_attach(self.sent)
        self.dpa_producer.set_dev_max_num_send(DEPTH)
        self.dpa_producer.start()

    def _make_cpu_side(self) -> None:
        self.producer = self.to.producer_create(engine=self.pe)
        self.producer.task_send_set_conf(comch.ProducerSendTask.free, self._lost, 64)
        self.producer.start()
        self.consumer = self.back.consumer_create(engine=self.pe)
        self.consumer.task_post_recv_set_conf(self._arrived, self._lost, 8)
        self.consumer.start()
        until(self.pe, lambda: self.consumer.state is comch.State.RUNNING)
        self.post(8)

    def post(self, number: int) -> None:
        for _ in range(number):
            self.consumer.task_post_recv_alloc_init().submit()

    def _arrived(self, task: comch.PostRecvTask) -> None:
        self.came.append(task.imm_data)
        task.submit()

    def _lost(self, task: Any) -> None:
        self.failed.append(task.status)
        task.free()

    def send(self, imm: bytes) -> None:
        """Send to the kernel, once it takes part."""
        self.pe.progress()  # which frees what has been sent
        task = self.producer.task_send_alloc_init(None, imm, self.dpa_consumer.id)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return task.submit()
            except comch.Again:
                assert time.monotonic() < deadline
                if not self.pe.progress():
                    time.sleep(0.0005)

    def until(self, reached: Callable[[], object]) -> None:
        until(self.pe, reached)

    def close(self) -> None:
        self.thread.stop(PATIENCE_S)
        for context in (self.producer, self.consumer, self.dpa_consumer, self.dpa_producer):
            context.close()
        for completion in (self.comp, self.sent):
            completion.stop()
            completion.destroy()
        self.thread.destroy()
        for queue in (self.to, self.back):
            queue.stop()
            queue.destroy()
        self.dpa.stop()
        self.dpa.destroy()


@contextmanager
def queues(kernel: Kernel) -> Iterator[Queues]:
    """Both queues, whose kernel runs."""
    made = Queues(kernel)
    made.thread.run()
    yield made
    made.close()
