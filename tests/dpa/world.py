"""A DPA with one thread and a queue each way, as a program sets them up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import comch_next as comch
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
from comch_next.testing._lane import DPA_DEPTH, Lane

PATIENCE_S = 60.0
DEPTH = DPA_DEPTH
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
        found, element = doca_dpa_dev_comch_consumer_get_completion(arg.completion)
        if not found:
            return
        imm, _ = doca_dpa_dev_comch_consumer_get_completion_imm(element)
        doca_dpa_dev_comch_consumer_completion_ack(arg.completion, 1)
        yield imm


def sleep(arg: SimpleNamespace) -> None:
    """In a kernel: run again when there is a message."""
    doca_dpa_dev_comch_consumer_completion_request_notification(arg.completion)
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


class Queues(Lane):
    """Both ends of both queues, and what the tests do with them."""

    def __init__(self, kernel: Kernel) -> None:
        self.device = comch.open_device("03:00.0")
        super().__init__(self.device, kernel, PATIENCE_S)

    def post(self, number: int) -> None:
        for _ in range(number):
            self.consumer.task_post_recv_alloc_init().submit()

    def send(self, imm: bytes) -> None:
        """Send to the kernel, once it takes part."""
        self.engine.progress()  # which frees what has been sent
        task = self.producer.task_send_alloc_init(None, imm, self.dpa_consumer.id)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return task.submit()
            except comch.Again:
                assert time.monotonic() < deadline
                if not self.engine.progress():
                    time.sleep(0.0005)

    def until(self, reached: Callable[[], object]) -> None:
        until(self.engine, reached)


@contextmanager
def queues(kernel: Kernel) -> Iterator[Queues]:
    """Both queues, whose kernel runs."""
    made = Queues(kernel)
    made.thread.run()
    yield made
    made.close()
