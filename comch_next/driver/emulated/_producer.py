"""The producer context: it writes to buffers that the other side's consumers posted (guide: Comch, Producer)."""

from typing import Any

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._buf import Buf, check_single
from comch_next.driver.emulated._checks import as_bytes, expect, expect_number, in_state, says_no_memory
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Callback, living
from comch_next.driver.emulated._device import limits
from comch_next.driver.emulated._fabric.offers import Target
from comch_next.driver.emulated._fast_context import (
    FastContext,
    FastContexts,
    FastTask,
    FastTasks,
    check_connected,
    check_submit,
    new_task,
)
from comch_next.driver.emulated._guard import UNCONNECTED, callback, guard, up_to
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.memory import lib
from comch_next.driver.emulated._mmap import check_device
from comch_next.driver.emulated._path import Path
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.emulated._task import PROGRAM, SUCCESS, held_by_program
from comch_next.driver.protocol import counted, uninterrupted
from comch_next.errors import Again, InvalidValue, IoFailed

__all__ = ["Producer", "ProducerSendTask", "ProducerSendTasks", "Producers"]

OK, AGAIN, CORRUPT = lib.COMCH_OK, lib.COMCH_AGAIN, lib.COMCH_CORRUPT
_MOST_ID = (1 << 32) - 1


class Producer(FastContext, calls.Producer):
    """A handle. It copies when a task is submitted; progress delivers the completion."""

    kind = "producer"
    start_trigger = Trigger.START_NOW
    posted = ()  # a producer's tasks complete at once

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.targets = path.targets

    def refused(self, task: "ProducerSendTask", result: int, target: Target) -> ErrorCode:
        """A send that no post took: raise, or return what the task fails with."""
        if result == AGAIN:
            raise Again(f"task_submit: consumer {task.consumer_id} has posted nothing; progress and submit again")
        if result == CORRUPT:
            self.path.report_violation()
            return ErrorCode.CONNECTION_RESET
        if result == lib.COMCH_CLOSED:
            raise InvalidValue(f"task_submit: consumer {task.consumer_id} has stopped")
        length = 0 if task.buf is None else task.buf.data_len
        text = (
            f"{counted(length, 'byte')} and {len(task.imm_data)} of immediate data (it takes {target.imm_max} of those)"
        )
        raise InvalidValue(f"task_submit: the buffer that consumer {task.consumer_id} posted is too small for {text}")

    # Of DPA producers

    def set_dev_max_num_send(self, number: int) -> None:
        raise self.not_on_dpa("producer_set_dev_max_num_send")

    def dpa_completion_attach(self, completion: object, user_data: object) -> None:
        raise self.not_on_dpa("producer_dpa_completion_attach")

    def get_dpa_handle(self) -> int:
        raise self.not_on_dpa("producer_get_dpa_handle")

    # Sending

    def unknown(self, task: "ProducerSendTask") -> ErrorCode:
        """There is no such consumer: raise, or return what the task fails with as the connection has ended."""
        status = self.path.status
        if status is SUCCESS:
            raise InvalidValue(f"task_submit: there is no consumer {task.consumer_id} on the other side")
        return status


class ProducerSendTask(FastTask, calls.ProducerSendTask):
    """A handle."""

    __slots__ = ()

    _tasks: "ProducerSendTasks"


class Producers(FastContexts):
    """The noun Producers of the driver protocol."""

    kind = Producer

    @says_no_memory
    @uninterrupted
    def create(self, connection: object) -> Producer:
        link = expect(connection, Connection, "producer_create")
        with UNCONNECTED:
            check_connected(link, "producer", link.context.dev.info.row.limits.max_producers)
            return Producer(link.fast)

    @guard("", living(Producer), done=callback, failed=callback, number=up_to("max_fast_tasks"))
    def task_send_set_conf(self, producer: Producer, done: Callback, failed: Callback, number: int) -> None:
        producer.on_done, producer.on_failed, producer.num_tasks = done, failed, number

    def task_send_alloc_init(
        self, producer: object, buf: object, imm_data: object, consumer_id: int, user_data: object = None
    ) -> ProducerSendTask:
        context = expect(producer, Producer, "task_send_alloc_init")
        in_state(context, "task_send_alloc_init")
        task = ProducerSendTask()
        task.buf = _sendable(context, buf, "task_send_alloc_init")
        imm = _immediate(context, imm_data, "task_send_alloc_init")
        if buf is None and not imm:
            raise InvalidValue("task_send_alloc_init takes a buffer, immediate data, or both")
        task.consumer_id = expect_number(consumer_id, _MOST_ID, "task_send_alloc_init")
        new_task(context, task, user_data)
        task.imm_data = imm
        return task

    @guard("producer_", living(Producer))
    def set_dev_max_num_send(self, producer: Producer, number: int) -> None:
        producer.set_dev_max_num_send(number)

    @guard("producer_", living(Producer))
    @uninterrupted
    def dpa_completion_attach(self, producer: Producer, completion: object, user_data: object) -> None:
        producer.dpa_completion_attach(completion, user_data)

    @guard("producer_", living(Producer))
    def get_dpa_handle(self, producer: Producer) -> int:
        return producer.get_dpa_handle()

    def cap_get_max_producers(self, devinfo: object) -> int:
        return limits(devinfo, "producer_cap_get_max_producers").max_producers


def _write(context: Any, task: ProducerSendTask, target: Target) -> None:
    """Have the task write to the consumer's next post, or fail."""
    base, data, length = None, 0, 0
    try:  # what is sent stays until the copy has been made, whatever becomes of the map or the buffer
        if (buf := task.buf) is not None:
            data, length = buf.data, buf.data_len
            base, data = buf.mmap.data(data, length)
    except IoFailed:
        task.finish_now(ErrorCode.IO_FAILED)
        return
    with context.turn, target.lock:
        result = task.write_to(target, base, data, length)
    if result != OK:
        task.finish_now(context.refused(task, result, target))


def _sendable(context: Any, buf: object, call: str) -> Buf | None:
    if buf is None:
        return None
    context.path.check_takes_buffers(call)
    found = check_single(buf, None, call)
    check_device(found.mmap, context.dev, call)
    if found.data_len > context.most:
        what = counted(found.data_len, "byte of data is", "bytes of data are")
        raise InvalidValue(f"{call}: {what} above the {context.most} of a producer")
    return found


def _immediate(context: Producer, imm_data: object, call: str) -> bytes:
    data = b"" if imm_data is None else as_bytes(imm_data, call)
    most = context.path.most_imm_data
    if len(data) > most:
        what = counted(len(data), "byte of immediate data is", "bytes of immediate data are")
        raise InvalidValue(f"{call}: {what} above the {most} that are carried here")
    return data


class ProducerSendTasks(FastTasks):
    """The noun ProducerSendTasks of the driver protocol."""

    kind = ProducerSendTask
    submit: Any = staticmethod(ProducerSendTask.submit)

    def submit_checked(self, task: ProducerSendTask) -> None:
        """Submit a task that may be refused, or whose copy takes so long that other threads are to run meanwhile."""
        context: Any = task.ctx
        if task.owner is not PROGRAM or "task_submit" not in context.legal:
            check_submit(task)
        buf = task.buf
        if buf is None:
            if not task.imm_data:
                raise InvalidValue("task_submit takes a task with a buffer, immediate data, or both")
        else:
            chained = buf.next is not None or buf.previous is not None
            if not buf.refcount or chained or buf.data_len > context.most:
                _sendable(context, buf, "task_submit")
        target = context.targets.get(task.consumer_id)
        if context.moving:
            task.finish_now(context.why())  # it is stopping
        elif target is None:
            task.finish_now(context.unknown(task))
        else:
            _write(context, task, target)

    def set_buf(self, task: ProducerSendTask, buf: object) -> None:
        held_by_program(task, "producer_task_send_set_buf")
        task.buf = _sendable(task.ctx, buf, "producer_task_send_set_buf")

    def get_consumer_id(self, task: ProducerSendTask) -> int:
        return task.consumer_id

    def set_consumer_id(self, task: ProducerSendTask, consumer_id: int) -> None:
        held_by_program(task, "producer_task_send_set_consumer_id")
        task.consumer_id = expect_number(consumer_id, _MOST_ID, "producer_task_send_set_consumer_id")

    def set_imm_data(self, task: ProducerSendTask, imm_data: object) -> None:
        held_by_program(task, "producer_task_send_set_imm_data")
        context: Any = task.ctx
        task.imm_data = _immediate(context, imm_data, "producer_task_send_set_imm_data")


ProducerSendTask._tasks = ProducerSendTasks()
