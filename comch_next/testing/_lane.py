"""A DPA with one kernel and a message queue each way, as a program sets them up; see _msgq for the checks."""

import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from types import SimpleNamespace
from typing import Any

from comch_next._codes import ErrorCode, State
from comch_next._msgq import ConsumerCompletion, MsgQ
from comch_next.device import Device
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from comch_next.engine import ProgressEngine
from comch_next.errors import DocaError
from comch_next.task import PostRecvTask
from comch_next.testing._waiting import until

__all__ = ["DPA_DEPTH", "RECEIVES", "Lane"]

DPA_DEPTH = 4  # receives, and sends, of the kernel at a time
RECEIVES = 8  # that this process posts
_SENDS = 64  # of this process at a time; and completions that the kernel has not acknowledged
_NAP_S = 0.0002


class Lane:
    """Both queues on a device; a `with` block ends them. `came`: what the consumer of this process received.

    `arg` is the kernel's argument; once `arg.over` is set, a kernel that waits has to end.
    """

    def __init__(
        self, device: Device, kernel: Callable[[SimpleNamespace], object], timeout: float, driver: str | None = None
    ) -> None:
        self.timeout = timeout
        self.arg = SimpleNamespace(posted=False, over=False, notes=[])
        self.came: list[bytes | None] = []
        self.done: list[ErrorCode] = []  # of sends that succeeded
        self.failed: list[ErrorCode] = []  # of tasks that failed
        self.engine = ProgressEngine(driver)
        self.dpa = Dpa(device)
        self.dpa.start()
        self.thread = DpaThread(self.dpa)
        self.thread.set_func_arg(kernel, self.arg)
        self.thread.start()
        self.to, self.back = MsgQ(device), MsgQ(device)
        self.to.set_dpa_consumer(self.dpa)
        self.back.set_dpa_producer(self.dpa)
        for queue in (self.to, self.back):
            queue.start()
        self._make_dpa_side(driver)
        self._make_cpu_side()
        self.arg.completion, self.arg.sent = self.completion.get_dpa_handle(), self.sent.get_dpa_handle()
        self.arg.consumer, self.arg.producer = self.dpa_consumer.get_dpa_handle(), self.dpa_producer.get_dpa_handle()
        self.arg.cpu = self.consumer.id

    def _make_dpa_side(self, driver: str | None) -> None:
        self.completion = ConsumerCompletion(driver)
        self.completion.set_dpa_thread(self.thread)
        self.completion.start()
        self.dpa_consumer = self.to.consumer_create()
        self.dpa_consumer.set_datapath_on_dpa(self.dpa)
        self.dpa_consumer.set_completion(self.completion)
        self.dpa_consumer.set_dev_max_num_recv(DPA_DEPTH)
        self.dpa_consumer.start()
        self.sent = DpaCompletion(self.dpa, _SENDS)
        self.sent.start()
        self.dpa_producer = self.back.producer_create()
        self.dpa_producer.user_data = "back"
        self.dpa_producer.set_datapath_on_dpa(self.dpa)
        self.dpa_producer.dpa_completion_attach(self.sent)
        self.dpa_producer.set_dev_max_num_send(DPA_DEPTH)
        self.dpa_producer.start()

    def _make_cpu_side(self) -> None:
        self.producer = self.to.producer_create(engine=self.engine)
        self.producer.task_send_set_conf(self._sent, self._lost, _SENDS)
        self.producer.start()
        self.consumer = self.back.consumer_create(engine=self.engine)
        self.consumer.task_post_recv_set_conf(self._received, self._lost, RECEIVES)
        self.consumer.start()
        self.wait_until(lambda: self.consumer.state is State.RUNNING, True, "whether the consumer of this process runs")
        for _ in range(RECEIVES):
            self.consumer.task_post_recv_alloc_init().submit()

    def _sent(self, task: Any) -> None:
        self.done.append(task.status)
        task.free()

    def _received(self, task: PostRecvTask) -> None:
        self.came.append(task.imm_data)
        task.submit()

    def _lost(self, task: Any) -> None:
        self.failed.append(task.status)
        task.free()

    def wait_until(self, see: Callable[[], object], wanted: object, what: str) -> None:
        """Progress until `see` gives what is wanted; AssertionError after the time-out."""
        until(see, wanted, what, self._turn, self.timeout)

    def _turn(self) -> None:
        if not self.engine.progress():
            time.sleep(_NAP_S)  # kernels may be on this processor, too

    def __enter__(self) -> "Lane":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.arg.over = True
        with nullcontext() if error is None else suppress(DocaError):  # the failure is what counts
            self.close()

    def close(self) -> None:
        """Stop and destroy all, in the documented order."""
        self.thread.stop(self.timeout)
        for context in (self.producer, self.consumer, self.dpa_consumer, self.dpa_producer):
            context.close()
        for completion in (self.completion, self.sent):
            completion.stop()
            completion.destroy()
        self.thread.destroy()
        for queue in (self.to, self.back):
            queue.stop()
            queue.destroy()
        self.dpa.stop()
        self.dpa.destroy()
        self.engine.destroy()
