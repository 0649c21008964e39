"""Message queues on the native driver, over the C libraries of this project; run as a program.

The DPA is made through libdoca_dpa, as by a C part of a program, and given to the driver by its address.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import comch_next as comch
from comch_next.dpa import Dpa
from tests.faces.world import check, ffi, lib, made

DEPTH, TAG = 4, 7
_PATIENCE_S = 60.0


def address(pointer: Any) -> int:
    return int(ffi.cast("uintptr_t", pointer))


class Program:
    """A kernel that sends back what it gets, reversed."""

    def __init__(self) -> None:
        self.device = comch.open_device("03:00.0")
        self.engine = comch.ProgressEngine()
        self.kernel: Any = ffi.callback("void(uint64_t)", self._reverse)
        self.received: list[bytes] = []
        self.tags: set[int] = set()
        self.posted = False
        self._make_dpa()
        self._to_dpa()
        self._from_dpa()
        own = (self.dpa_consumer, self.completion, self.dpa_producer)
        self.handles = (*(each.get_dpa_handle() for each in own), self.consumer.id)
        self.sends = made(lib.doca_dpa_completion_get_dpa_handle, self.sent)
        check(lib.doca_dpa_thread_run(self.thread))

    def _make_dpa(self) -> None:
        infos, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
        check(lib.doca_devinfo_create_list(infos, number))
        self.dpa = made(lib.doca_dpa_create, made(lib.doca_dev_open, infos[0][0]))
        check(lib.doca_dpa_start(self.dpa))
        self.thread = made(lib.doca_dpa_thread_create, self.dpa)
        kernel = ffi.cast("doca_dpa_func_t *", self.kernel)
        check(lib.doca_dpa_thread_set_func_arg(self.thread, kernel, 0))
        check(lib.doca_dpa_thread_start(self.thread))
        self.sent = made(lib.doca_dpa_completion_create, self.dpa, DEPTH)
        check(lib.doca_dpa_completion_start(self.sent))

    def _to_dpa(self) -> None:
        self.to = comch.MsgQ(self.device)
        self.to.set_dpa_consumer(address(self.dpa))
        self.to.start()
        self.completion = comch.ConsumerCompletion()
        self.completion.set_dpa_thread(address(self.thread))
        self.completion.start()
        self.dpa_consumer = self.to.consumer_create()
        self.dpa_consumer.set_datapath_on_dpa(address(self.dpa))
        self.dpa_consumer.set_completion(self.completion)
        self.dpa_consumer.set_dev_max_num_recv(DEPTH)
        self.dpa_consumer.start()
        self.producer = self.to.producer_create(engine=self.engine)
        self.producer.task_send_set_conf(comch.ProducerSendTask.free, comch.ProducerSendTask.free, DEPTH)
        self.producer.start()

    def _from_dpa(self) -> None:
        self.back = comch.MsgQ(self.device)
        self.back.set_dpa_producer(address(self.dpa))
        self.back.start()
        self.dpa_producer = self.back.producer_create()
        self.dpa_producer.set_datapath_on_dpa(address(self.dpa))
        self.dpa_producer.user_data = TAG
        self.dpa_producer.dpa_completion_attach(address(self.sent))
        self.dpa_producer.set_dev_max_num_send(DEPTH)
        self.dpa_producer.start()
        self.consumer = self.back.consumer_create(engine=self.engine)
        self.consumer.task_post_recv_set_conf(self._came, comch.PostRecvTask.free, DEPTH)
        self.consumer.start()
        self.until(lambda: self.consumer.state is comch.State.RUNNING)
        for _ in range(DEPTH):
            self.consumer.task_post_recv_alloc_init().submit()

    def _came(self, task: comch.PostRecvTask) -> None:
        self.received.append(task.imm_data or b"")
        task.submit()

    def _reverse(self, _: int) -> None:
        consumer, completion, producer, cpu = self.handles
        if not self.posted:
            self.posted = True
            lib.doca_dpa_dev_comch_consumer_ack(consumer, DEPTH)
        element, length = ffi.new("uint64_t *"), ffi.new("uint32_t *")
        while lib.doca_dpa_dev_comch_consumer_get_completion(completion, element):
            imm = lib.doca_dpa_dev_comch_consumer_get_completion_imm(element[0], length)
            message = ffi.buffer(imm, length[0])[:][::-1]
            lib.doca_dpa_dev_comch_consumer_completion_ack(completion, 1)
            lib.doca_dpa_dev_comch_consumer_ack(consumer, 1)
            lib.doca_dpa_dev_comch_producer_post_send_imm_only(producer, cpu, message, len(message), 1)
            while not lib.doca_dpa_dev_get_completion(self.sends, element):
                pass
            self.tags.add(lib.doca_dpa_dev_get_completion_user_data(element[0]))
            lib.doca_dpa_dev_completion_ack(self.sends, 1)
        lib.doca_dpa_dev_comch_consumer_completion_request_notification(completion)
        lib.doca_dpa_dev_thread_reschedule()

    def until(self, reached: Any) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not reached():
            assert time.monotonic() < deadline
            if not self.engine.progress():
                time.sleep(0.0005)

    def send(self, message: bytes) -> None:
        task = self.producer.task_send_alloc_init(None, message, self.dpa_consumer.id)
        self.until(lambda: comch.outcome(task.submit)[0] is not comch.ErrorCode.AGAIN)

    def close(self) -> None:
        contexts = (self.producer, self.dpa_consumer, self.consumer, self.dpa_producer)
        for context in contexts:
            context.close()
        self.completion.stop()
        self.completion.destroy()
        for queue in (self.to, self.back):
            queue.stop()
            queue.destroy()
        check(lib.doca_dpa_completion_stop(self.sent))
        check(lib.doca_dpa_completion_destroy(self.sent))
        check(lib.doca_dpa_thread_stop(self.thread))
        check(lib.doca_dpa_thread_destroy(self.thread))
        check(lib.doca_dpa_stop(self.dpa))
        check(lib.doca_dpa_destroy(self.dpa))


def main() -> int:
    program = Program()
    for message in (b"abc", bytes(range(32)), b"x"):
        program.send(message)
        program.until(lambda: program.received)
        assert program.received.pop() == message[::-1]
    assert program.tags == {TAG}
    code, _ = comch.outcome(Dpa, program.device)
    print("a DPA from here:", code.name)
    program.close()
    print("closed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
