"""The producer context: it writes to buffers that the other side's consumers posted (guide: Comch, Producer)."""

from functools import cached_property
from typing import Any

from comch_next.driver.native._calls import Noun, as_bytes, as_pointer, call
from comch_next.driver.native._context import Callback
from comch_next.driver.native._device import is_supported
from comch_next.driver.native._fast_context import FastContext, FastTask, FastTasks, buf_pointer, connected
from comch_next.driver.native._handle import live
from comch_next.driver.native._library import ffi, passed
from comch_next.driver.native._task import expect_held
from comch_next.driver.protocol import counted, quoted, uninterrupted
from comch_next.errors import InvalidValue

__all__ = ["Producer", "ProducerSendTask", "ProducerSendTasks", "Producers"]

_CB = "doca_comch_producer_task_send_completion_cb_t"
_MOST_ID = (1 << 32) - 1


class Producer(FastContext, tag="doca_comch_producer"):
    """A handle."""

    kind = "doca_comch_producer"

    @cached_property
    def most_imm_data(self) -> int:
        """The most bytes of immediate data, which the setter of a task does not check."""
        name, cell = "doca_comch_consumer_cap_get_max_imm_data_len", ffi.new("uint32_t *")
        library = self.life.library
        with self.dev.lock:
            passed(library[name], name, library["doca_dev_as_devinfo"](self.dev.pointer), cell)
        return int(cell[0])


class ProducerSendTask(FastTask):
    """A handle. `imm_data` is in the memory that the library reads it from, None without any."""

    __slots__ = ("consumer_id", "imm_data")

    cell = ffi.typeof("struct doca_comch_producer_task_send **")
    as_task = "doca_comch_producer_task_send_as_task"

    consumer_id: int
    imm_data: Any


class Producers(Noun):
    """The noun Producers of the driver protocol."""

    @uninterrupted
    def create(self, connection: object) -> Producer:
        name, cell = "doca_comch_producer_create", ffi.new("struct doca_comch_producer **")
        link = connected(connection, name)
        with link.lock:
            passed(self.library[name], name, connected(link, name).pointer, cell)
            made = Producer(self.library, cell[0], link.context.dev, [link.context.life])
        made.connection = link
        return made

    get_id = call("doca_comch_producer_get_id")

    def task_send_set_conf(self, producer: object, done: Callback, failed: Callback, number: int) -> None:
        name = "doca_comch_producer_task_send_set_conf"
        live(producer, Producer, name).set_completions(name, _CB, done, failed, number)

    def task_send_alloc_init(
        self, producer: object, buf: Any, imm_data: Any, consumer_id: int, user_data: object = None
    ) -> ProducerSendTask:
        name = "doca_comch_producer_task_send_alloc_init"
        context = live(producer, Producer, name)
        _check_id(consumer_id, name)
        held, *immediate = _immediate(imm_data, name)
        task = context.alloc(ProducerSendTask, name, user_data, buf_pointer(buf, name), *immediate, consumer_id)
        task.use(buf)
        task.imm_data, task.consumer_id = held, consumer_id
        return task

    set_dev_max_num_send = call("doca_comch_producer_set_dev_max_num_send")

    def dpa_completion_attach(self, producer: object, completion: int, user_data: int | None) -> None:
        name = "doca_comch_producer_dpa_completion_attach"
        context = live(producer, Producer, name)
        found = as_pointer("struct doca_dpa_completion *", completion, name)
        with context.lock:
            live(context, Producer, name)  # again: another thread may have destroyed it
            if user_data is not None:
                passed(self.library["doca_ctx_set_user_data"], name, context.life.ctx, user_data)
            passed(self.library[name], name, context.pointer, found)

    get_dpa_handle = call("doca_comch_producer_get_dpa_handle")
    cap_is_supported = is_supported("doca_comch_producer_cap_is_supported")
    cap_get_max_num_tasks = call("doca_comch_producer_cap_get_max_num_tasks")
    cap_get_max_buf_size = call("doca_comch_producer_cap_get_max_buf_size")
    cap_get_max_buf_list_len = call("doca_comch_producer_cap_get_max_buf_list_len")
    cap_get_max_producers = call("doca_comch_producer_cap_get_max_producers")


def _check_id(consumer_id: object, name: str) -> None:
    if type(consumer_id) is not int or not 1 <= consumer_id <= _MOST_ID:
        raise InvalidValue(f"{name} takes a whole number from 1 to {_MOST_ID}, not {quoted(consumer_id)}")


def _immediate(imm_data: Any, name: str) -> tuple[Any, Any, int]:
    """Return immediate data: its memory, and pointer and length as C takes them."""
    if imm_data is None or not (data := as_bytes(imm_data, name)):
        return None, ffi.NULL, 0
    held = ffi.from_buffer("uint8_t[]", data)
    return held, held, len(data)


class ProducerSendTasks(FastTasks):
    """The noun ProducerSendTasks of the driver protocol."""

    kind = ProducerSendTask
    set_buf_call = "doca_comch_producer_task_send_set_buf"

    def get_consumer_id(self, task: Any) -> int:
        found: int = task.consumer_id
        return found

    @uninterrupted
    def set_consumer_id(self, task: Any, consumer_id: int) -> None:
        name = "doca_comch_producer_task_send_set_consumer_id"
        expect_held(task, name)
        _check_id(consumer_id, name)
        self.library[name](task.pointer, consumer_id)
        task.consumer_id = consumer_id

    def get_imm_data(self, task: Any) -> bytes | None:
        return None if task.imm_data is None else bytes(ffi.buffer(task.imm_data))

    @uninterrupted
    def set_imm_data(self, task: Any, imm_data: Any) -> None:
        name = "doca_comch_producer_task_send_set_imm_data"
        expect_held(task, name)
        held, pointer, length = _immediate(imm_data, name)
        if length > task.ctx.most_imm_data:
            what = counted(length, "byte of immediate data is", "bytes of immediate data are")
            raise InvalidValue(f"{name}: {what} above the {task.ctx.most_imm_data} that are carried here")
        self.library[name](task.pointer, pointer, length)
        task.imm_data = held
