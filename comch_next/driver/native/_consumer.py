"""The consumer context: it posts buffers, which the other side's producers write to (guide: Comch, Consumer)."""

from typing import Any

from comch_next.driver.native._calls import Noun, call
from comch_next.driver.native._completion import ConsumerCompletion
from comch_next.driver.native._context import Callback
from comch_next.driver.native._device import is_supported
from comch_next.driver.native._fast_context import FastContext, FastTask, FastTasks, buf_pointer, connected
from comch_next.driver.native._handle import live
from comch_next.driver.native._library import ffi, passed
from comch_next.driver.native._mmap import Mmap
from comch_next.driver.native._task import expect_held
from comch_next.driver.protocol import uninterrupted

__all__ = ["Consumer", "Consumers", "PostRecvTask", "PostRecvTasks"]

_CB = "doca_comch_consumer_task_post_recv_completion_cb_t"


class Consumer(FastContext, tag="doca_comch_consumer"):
    """A handle; `mmap` is what its buffers lie in."""

    kind = "doca_comch_consumer"
    reached = "the consumer's memory map"

    mmap: Mmap

    def reaches(self, mmap: Mmap) -> bool:
        return mmap is self.mmap


class PostRecvTask(FastTask):
    """A handle."""

    __slots__ = ()

    is_filled = True
    cell = ffi.typeof("struct doca_comch_consumer_task_post_recv **")
    as_task = "doca_comch_consumer_task_post_recv_as_task"


class Consumers(Noun):
    """The noun Consumers of the driver protocol."""

    @uninterrupted
    def create(self, connection: object, buf_mmap: object) -> Consumer:
        name, cell = "doca_comch_consumer_create", ffi.new("struct doca_comch_consumer **")
        link, mmap = connected(connection, name), live(buf_mmap, Mmap, name)
        with link.lock, mmap.lock:
            passed(self.library[name], name, connected(link, name).pointer, live(mmap, Mmap, name).pointer, cell)
            made = Consumer(self.library, cell[0], link.context.dev, [link.context.life, mmap.life])
        made.connection, made.mmap = link, mmap
        return made

    get_id = call("doca_comch_consumer_get_id")
    set_imm_data_len = call("doca_comch_consumer_set_imm_data_len")
    get_imm_data_len = call("doca_comch_consumer_get_imm_data_len")

    def task_post_recv_set_conf(self, consumer: object, done: Callback, failed: Callback, number: int) -> None:
        name = "doca_comch_consumer_task_post_recv_set_conf"
        live(consumer, Consumer, name).set_completions(name, _CB, done, failed, number)

    def task_post_recv_alloc_init(self, consumer: object, buf: Any, user_data: object = None) -> PostRecvTask:
        name = "doca_comch_consumer_task_post_recv_alloc_init"
        context = live(consumer, Consumer, name)
        task = context.alloc(PostRecvTask, name, user_data, buf_pointer(buf, name))
        task.use(buf)
        return task

    set_dev_max_num_recv = call("doca_comch_consumer_set_dev_max_num_recv")

    @uninterrupted
    def set_completion(self, consumer: object, completion: object, user_data: int | None) -> None:
        name = "doca_comch_consumer_set_completion"
        context, found = live(consumer, Consumer, name), live(completion, ConsumerCompletion, name)
        with context.lock, found.lock:
            pointers = live(context, Consumer, name).pointer, live(found, ConsumerCompletion, name).pointer
            passed(self.library[name], name, *pointers, user_data or 0)
            context.life.join(found.life)

    get_dpa_handle = call("doca_comch_consumer_get_dpa_handle")
    cap_is_supported = is_supported("doca_comch_consumer_cap_is_supported")
    cap_get_max_num_tasks = call("doca_comch_consumer_cap_get_max_num_tasks")
    cap_get_max_buf_size = call("doca_comch_consumer_cap_get_max_buf_size")
    cap_get_max_buf_list_len = call("doca_comch_consumer_cap_get_max_buf_list_len")
    cap_get_max_consumers = call("doca_comch_consumer_cap_get_max_consumers")
    cap_get_max_imm_data_len = call("doca_comch_consumer_cap_get_max_imm_data_len")


class PostRecvTasks(FastTasks):
    """The noun PostRecvTasks of the driver protocol."""

    kind = PostRecvTask
    set_buf_call = "doca_comch_consumer_task_post_recv_set_buf"

    def get_producer_id(self, task: Any) -> int:
        found: int = self._read(task, "doca_comch_consumer_task_post_recv_get_producer_id")
        return found

    def get_imm_data(self, task: Any) -> bytes | None:
        with task.ctx.lock:
            length = self._read(task, "doca_comch_consumer_task_post_recv_get_imm_data_len")
            if not length:
                return None
            return bytes(ffi.buffer(self._read(task, "doca_comch_consumer_task_post_recv_get_imm_data"), length))

    def _read(self, task: Any, name: str) -> Any:
        """Ask the library what has been received, as long as it has the task."""
        with task.ctx.lock:
            expect_held(task, name)
            return self.library[name](task.pointer)
