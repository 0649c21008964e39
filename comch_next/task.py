"""Tasks: what the library does and completes once (guide: DOCA Core Task; Comch, Tasks)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comch_next._codes import ErrorCode
from comch_next._handles import handle_of
from comch_next._names import CNames, spelled
from comch_next.driver.protocol import uninterrupted
from comch_next.errors import code_name

if TYPE_CHECKING:
    from comch_next._control import ControlContext
    from comch_next.consumer import Consumer
    from comch_next.memory import Buf
    from comch_next.producer import Producer

__all__ = ["PostRecvTask", "ProducerSendTask", "SendTask", "Task"]


@spelled
class Task(CNames):
    """The calls of every task (C: struct doca_task). The library owns it from submit to its completion callback."""

    __slots__ = ()

    _kind = "Task"  # a driver's tasks may be of a subclass
    _handle: Any
    _tasks: Any
    user_data: Any

    def __repr__(self) -> str:
        task: Any = self  # every kind has a context
        return f"<{self._kind} of {task.context!r}, last result {code_name(self.status)}>"

    def submit(self) -> None:
        """Submit the task (C: doca_task_submit). A refused one stays with the program.

        Raises BadState unless the program holds it.
        """
        self._tasks.submit(self._handle)

    def try_submit(self) -> None:
        """Submit the task (C: doca_task_try_submit)."""
        self._tasks.try_submit(self._handle)

    def submit_ex(self, flags: int) -> None:
        """Submit the task with SubmitFlag bits (C: doca_task_submit_ex)."""
        self._tasks.submit_ex(self._handle, flags)

    def free(self) -> None:
        """Return the task to its context's pool (C: doca_task_free). Raises BadState if it is submitted or was freed.

        A context that stops is IDLE only when all its tasks have been freed, those included whose callbacks failed:
        free them there, or later, while it is STOPPING.
        """
        self._tasks.free(self._handle)

    @property
    def status(self) -> ErrorCode:
        """The result of the last completion. It prints as its number, as in C; the task prints with its name."""
        status: ErrorCode = self._tasks.get_status(self._handle)
        return status


@spelled
class SendTask(Task):
    """A task that sends one message and can be submitted again (C: struct doca_comch_task_send).

    context: the server or client of the task (C: doca_task_get_ctx).
    Made by a context's `task_send_alloc_init`. A driver with quick calls makes tasks of a subclass, which are their
    own handles.
    """

    __slots__ = ()

    _kind = "SendTask"
    context: ControlContext


class HandledSendTask(SendTask):
    """A task beside its handle, filled by its context: a constructor would be one more call for every message."""

    __slots__ = ("_handle", "_tasks", "context", "user_data")


class _BufTask(Task):
    """A task with a buffer, which stays the program's: its reference count is not touched."""

    __slots__ = ("_buf", "_handle", "_tasks", "user_data")

    _buf: Buf | None

    def free(self) -> None:
        """Return the task to its context's pool (C: doca_task_free). Raises BadState if it was freed before.

        A submitted task may be freed, too, before its context is stopped: no callback reports it any more, and it
        returns to the pool when the library releases it, at the latest when the context is IDLE.
        """
        self._tasks.free(self._handle)

    @property
    def buf(self) -> Buf | None:
        """The buffer, or None. Set another one to use the task again; not while it is submitted."""
        return self._buf

    @buf.setter
    @uninterrupted
    def buf(self, buf: Buf | None) -> None:
        self._tasks.set_buf(self._handle, handle_of(buf))
        self._buf = buf


@spelled
class PostRecvTask(_BufTask):
    """A task that posts a buffer for producers to write to (C: struct doca_comch_consumer_task_post_recv).

    Made by `Consumer.task_post_recv_alloc_init`. It completes when a producer has written; the data is then
    appended to the buffer's.
    """

    __slots__ = ("consumer",)

    _kind = "PostRecvTask"

    @property
    def context(self) -> Consumer:
        """The consumer of the task (C: doca_task_get_ctx)."""
        return self.consumer

    def __init__(self, consumer: Consumer, buf: Buf | None) -> None:
        self.consumer = consumer
        self.user_data: Any = None
        self._tasks = consumer._tasks
        self._buf = buf
        self._handle = consumer._consumers.task_post_recv_alloc_init(consumer._handle, handle_of(buf), self)

    @property
    def producer_id(self) -> int:
        """The number of the producer that wrote; 0 before the completion."""
        found: int = self._tasks.get_producer_id(self._handle)
        return found

    @property
    def imm_data(self) -> bytes | None:
        """The immediate data that was received; None without any."""
        found: bytes | None = self._tasks.get_imm_data(self._handle)
        return found


@spelled
class ProducerSendTask(_BufTask):
    """A task that sends data to one consumer (C: struct doca_comch_producer_task_send).

    Made by `Producer.task_send_alloc_init`. Raises Again from submit while the consumer has posted nothing,
    InvalidValue when what it posted next is too small.
    """

    __slots__ = ("producer",)

    _kind = "ProducerSendTask"

    @property
    def context(self) -> Producer:
        """The producer of the task (C: doca_task_get_ctx)."""
        return self.producer

    def __init__(self, producer: Producer, buf: Buf | None, imm_data: Any, consumer_id: int) -> None:
        self.producer = producer
        self.user_data: Any = None
        self._tasks = producer._tasks
        self._buf = buf
        self._handle = producer._producers.task_send_alloc_init(
            producer._handle, handle_of(buf), imm_data, consumer_id, self
        )

    @property
    def consumer_id(self) -> int:
        """The number of the consumer to send to. Settable while the program holds the task."""
        found: int = self._tasks.get_consumer_id(self._handle)
        return found

    @consumer_id.setter
    def consumer_id(self, consumer_id: int) -> None:
        self._tasks.set_consumer_id(self._handle, consumer_id)

    @property
    def imm_data(self) -> bytes | None:
        """The immediate data to send; None without any. Settable while the program holds the task."""
        found: bytes | None = self._tasks.get_imm_data(self._handle)
        return found

    @imm_data.setter
    def imm_data(self, imm_data: bytes | None) -> None:
        self._tasks.set_imm_data(self._handle, imm_data)
