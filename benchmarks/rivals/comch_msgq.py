"""A message queue each way between this process and a kernel on the DPA, which sends back what it gets.

The kernel's thread and the polling one are in one process, and so on one processor, that of the measuring end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import End
from benchmarks.rivals._immediate import DEPTH, Immediate
from benchmarks.rivals.memcpy import Nobody
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

UNANSWERED = 1  # the first byte of a message that the kernel drops


@dataclass
class Argument:
    """What the kernel is given: handles are numbers there."""

    consumer: int = 0
    completion: int = 0
    producer: int = 0
    answer_to: int = 0
    posted: bool = False


def kernel(argument: Argument) -> None:
    """Answer what has come, and sleep until more does."""
    if not argument.posted:
        argument.posted = True
        doca_dpa_dev_comch_consumer_ack(argument.consumer, DEPTH)
    while True:
        found, element = doca_dpa_dev_comch_consumer_get_completion(argument.completion)
        if not found:
            break
        message, length = doca_dpa_dev_comch_consumer_get_completion_imm(element)
        doca_dpa_dev_comch_consumer_completion_ack(argument.completion, 1)
        doca_dpa_dev_comch_consumer_ack(argument.consumer, 1)
        if message[0] == UNANSWERED:
            continue
        while doca_dpa_dev_comch_producer_is_consumer_empty(argument.producer, argument.answer_to):
            pass
        doca_dpa_dev_comch_producer_post_send_imm_only(argument.producer, argument.answer_to, message, length, 0)
    doca_dpa_dev_comch_consumer_completion_request_notification(argument.completion)
    doca_dpa_dev_thread_reschedule()


class Queues(Immediate):
    """The end of this process, on both queues."""

    def send_many(self, data: bytes, count: int) -> None:
        """Have the kernel drop so many messages, and answer one more."""
        dropped = bytes([UNANSWERED]) + data[1:]
        for _ in range(count):
            self.send(dropped)
        self.send(data)


def serve(folder: Path, ready: Callable[[], None]) -> End:
    ready()
    return Nobody()


def connect(folder: Path) -> End:
    device, argument = comch.open_device("03:00.0"), Argument()
    dpa = Dpa(device)
    dpa.start()
    thread = DpaThread(dpa)
    thread.set_func_arg(kernel, argument)
    thread.start()
    there, back = comch.MsgQ(device), comch.MsgQ(device)
    there.set_dpa_consumer(dpa)
    back.set_dpa_producer(dpa)
    there.start()
    back.start()
    consumer = _dpa_consumer(there, dpa, thread, argument)
    _dpa_producer(back, dpa, argument)
    engine = comch.ProgressEngine()
    end = Queues(there.producer_create(engine=engine), back.consumer_create(engine=engine), engine)
    end.send_to(consumer.id)
    argument.answer_to = end.consumer.id
    thread.run()
    return end


def _dpa_consumer(queue: comch.MsgQ, dpa: Dpa, thread: DpaThread, argument: Argument) -> comch.Consumer:
    completion = comch.ConsumerCompletion()
    completion.set_dpa_thread(thread)
    completion.start()
    consumer = queue.consumer_create()
    consumer.set_datapath_on_dpa(dpa)
    consumer.set_completion(completion)
    consumer.set_dev_max_num_recv(DEPTH)
    consumer.start()
    argument.completion, argument.consumer = completion.get_dpa_handle(), consumer.get_dpa_handle()
    return consumer


def _dpa_producer(queue: comch.MsgQ, dpa: Dpa, argument: Argument) -> None:
    completion = DpaCompletion(dpa, DEPTH)
    completion.start()
    producer = queue.producer_create()
    producer.set_datapath_on_dpa(dpa)
    producer.dpa_completion_attach(completion)
    producer.set_dev_max_num_send(DEPTH)
    producer.start()
    argument.producer = producer.get_dpa_handle()
