"""Tasks of consumers and producers (guide: Comch, Fast Path)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next.capi._callbacks import Callbacks
from comch_next.capi._watched import watched_tasks
from comch_next.capi.binding import bytes_at
from comch_next.capi.handles import HANDLES, Handle
from comch_next.capi.seam import DRIVER
from comch_next.errors import InvalidValue

__all__ = ["fast_path"]

_SUCCESS = 0
_CONSUMER, _PRODUCER = "doca_comch_consumer", "doca_comch_producer"
_RECV, _SEND = "doca_comch_consumer_task_post_recv", "doca_comch_producer_task_send"
_TASKS = {_CONSUMER: _RECV, _PRODUCER: _SEND}
_ALLOC_POST, _ALLOC_SEND = DRIVER.consumers.task_post_recv_alloc_init, DRIVER.producers.task_send_alloc_init
_POSTS, _SENDS = watched_tasks(DRIVER.post_recv_tasks), watched_tasks(DRIVER.producer_send_tasks)


def _buf(address: int) -> Any:
    return HANDLES.find("doca_buf", address).target if address else None


def _new_task(tag: str, context: Handle, noun: Any, alloc: Callable[..., Any], *args: Any) -> int:
    """Make a handle, and the task that carries it."""
    task = HANDLES.new(tag, None, context)
    try:
        task.target = alloc(context.target, *args, task)
    except BaseException:
        HANDLES.drop_one(task)
        raise
    task.noun = noun
    return task.address


def _set_conf(callbacks: Callbacks, tag: str, call: Callable[..., Any]) -> Callable[..., int]:
    def run(ctx: int, completion: int, error: int, number: int) -> int:
        context = HANDLES.find(tag, ctx)
        name = f"{_TASKS[tag]}_completion_cb_t"
        called = [callbacks.completed(name, address) for address in (completion, error)]
        call(context.target, *called, number)
        return _SUCCESS

    return run


def _post_recv_alloc_init(consumer: int, buf: int, out: Any) -> int:
    context, posted = HANDLES.find(_CONSUMER, consumer), _buf(buf)
    out[0] = _new_task(_RECV, context, _POSTS, _ALLOC_POST, posted)
    return _SUCCESS


def _get_buf(tag: str) -> Callable[[int], int]:
    def run(task: int) -> int:
        handle = HANDLES.find(tag, task)
        buf = handle.noun.get_buf(handle.target)
        return 0 if buf is None else HANDLES.of("doca_buf", buf).address

    return run


def _set_buf(tag: str) -> Callable[[int, int], None]:
    def run(task: int, buf: int) -> None:
        handle = HANDLES.find(tag, task)
        handle.noun.set_buf(handle.target, _buf(buf))

    return run


def _get_imm_data_len(tag: str) -> Callable[[int], int]:
    def run(task: int) -> int:
        handle = HANDLES.find(tag, task)
        return len(handle.noun.get_imm_data(handle.target) or b"")

    return run


def fast_path(ffi: Any, callbacks: Callbacks) -> tuple[dict[str, Any], dict[str, Any]]:
    """The functions that return a code, and those that do not."""

    def data(pointer: Any, length: int) -> bytes | None:
        if length and not pointer:
            raise InvalidValue(f"immediate data of {length} bytes is NULL")
        return bytes_at(ffi, pointer, length) or None

    def send_alloc_init(producer: int, buf: int, imm: Any, length: int, consumer_id: int, out: Any) -> int:
        context, sent = HANDLES.find(_PRODUCER, producer), _buf(buf)
        out[0] = _new_task(_SEND, context, _SENDS, _ALLOC_SEND, sent, data(imm, length), consumer_id)
        return _SUCCESS

    def get_imm_data(tag: str) -> Callable[[int], int]:
        def run(task: int) -> int:
            handle = HANDLES.find(tag, task)
            imm = handle.noun.get_imm_data(handle.target)
            if not imm:
                return 0
            handle.kept = ffi.from_buffer(imm)
            return int(ffi.cast("uintptr_t", handle.kept))

        return run

    def set_imm_data(task: int, imm: Any, length: int) -> None:
        handle = HANDLES.find(_SEND, task)
        handle.noun.set_imm_data(handle.target, data(imm, length) or b"")

    coded = {
        f"{_RECV}_set_conf": _set_conf(callbacks, _CONSUMER, DRIVER.consumers.task_post_recv_set_conf),
        f"{_SEND}_set_conf": _set_conf(callbacks, _PRODUCER, DRIVER.producers.task_send_set_conf),
        f"{_RECV}_alloc_init": _post_recv_alloc_init,
        f"{_SEND}_alloc_init": send_alloc_init,
    }
    bare: dict[str, Any] = {f"{_SEND}_set_imm_data": set_imm_data}
    for tag in (_RECV, _SEND):
        bare[f"{tag}_get_buf"] = _get_buf(tag)
        bare[f"{tag}_set_buf"] = _set_buf(tag)
        bare[f"{tag}_get_imm_data"] = get_imm_data(tag)
        bare[f"{tag}_get_imm_data_len"] = _get_imm_data_len(tag)
    return coded, bare
