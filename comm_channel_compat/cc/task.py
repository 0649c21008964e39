"""Tasks: units of work that the library completes once (old guide: Tasks; guide: DOCA Core Task)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next import ErrorCode
from comch_next.pull import passing
from comm_channel_compat._known import current, remember
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import count, function, unwrap
from comm_channel_compat.cc.context import Context
from comm_channel_compat.cc.memory import Buf

__all__ = ["ConsumerTaskPostRecv", "ProducerTaskSend", "Task", "TaskSend", "both_completed", "task_of"]


@old_call("doca_task_")
class Task:
    """What `as_task` returns (C: struct doca_task). The library has it from submit to its callback."""

    __slots__ = ("_ctx", "_modern", "_user_data")

    def __init__(self, modern: Any, ctx: Context) -> None:
        self._modern = modern
        self._ctx = ctx
        self._user_data: Any = None

    @property
    def modern(self) -> Any:
        """The task of comch_next. New code may set its user data, and `wrap` finds the old task all the same."""
        if (task := task_of(self._modern)) is not None and task._task is self:
            remember(task, self._modern)
        return self._modern

    def submit(self) -> None:
        """Submit the task; on failure it stays the program's."""
        self._modern.submit()

    def submit_ex(self, flags: int) -> None:
        """Submit the task with DOCA_TASK_SUBMIT_FLAG_* bits."""
        self._modern.submit_ex(flags)

    def try_submit(self) -> None:
        """Submit the task, as `submit`."""
        self._modern.try_submit()

    def free(self) -> None:
        """Return the task to the pool of its context."""
        self._modern.free()

    def get_status(self) -> ErrorCode:
        """Return the result of the last completion."""
        status: ErrorCode = self._modern.status
        return status

    def set_user_data(self, user_data: object) -> None:
        """Set the object that callbacks get as task_user_data."""
        self._user_data = user_data

    def get_user_data(self) -> Any:
        """Return the object that was set; None before."""
        return self._user_data

    def get_ctx(self) -> Context:
        """Return the context whose pool has the task."""
        return self._ctx


class _OfTask:
    """What every kind of task has: it is a task of the library's, too."""

    __slots__ = ("__weakref__", "_task")

    def __init__(self, modern: Any, ctx: Context) -> None:
        self._task = Task(modern, ctx)
        modern.user_data = self

    @property
    def modern(self) -> Any:
        """The task of comch_next."""
        return self._task.modern

    def as_task(self) -> Task:
        """Return the generic task, for submit, free, status and user data."""
        return self._task


@old_call("doca_cc_task_send_")
class TaskSend(_OfTask):
    """One message to send (C: struct doca_cc_task_send; DOCA 2.5: struct doca_cc_send_task)."""

    __slots__ = ()


class _BufTask(_OfTask):
    """A task with a buffer, which stays the program's."""

    __slots__ = ("_buf",)

    def __init__(self, modern: Any, ctx: Context, buf: Buf) -> None:
        super().__init__(modern, ctx)
        self._buf: Buf | None = buf  # the latest handle

    def get_buf(self) -> Buf | None:
        """Return the buffer; None if new code has made or left the task without one."""
        modern = self._task._modern.buf
        self._buf = buf = None if modern is None else current(self._buf, modern, Buf)
        return buf

    def set_buf(self, buf: Buf) -> None:
        """Use the task again with another buffer; not while it is submitted."""
        self._task._modern.buf = unwrap(buf, Buf, "buf")
        self._buf = buf


@old_call("doca_cc_producer_task_send_")
class ProducerTaskSend(_BufTask):
    """Data for one consumer (C: struct doca_cc_producer_task_send; DOCA 2.5: struct doca_cc_producer_send_task)."""

    __slots__ = ()

    def get_consumer_id(self) -> int:
        """Return the id of the consumer that the task is for."""
        number: int = self._task._modern.consumer_id
        return number

    def set_consumer_id(self, consumer_id: int) -> None:
        """Send to another consumer; not while it is submitted."""
        self._task._modern.consumer_id = count(consumer_id, "consumer_id")


@old_call("doca_cc_consumer_task_post_recv_")
class ConsumerTaskPostRecv(_BufTask):
    """A buffer to receive into (C: struct doca_cc_consumer_task_post_recv; 2.5: doca_cc_consumer_post_recv_task)."""

    __slots__ = ()

    def get_producer_id(self) -> int:
        """Return the id of the producer that wrote; 0 before the completion."""
        number: int = self._task._modern.producer_id
        return number


def task_of(modern: Any) -> _OfTask | None:
    """Return the old task that has a modern one's user data; None if new code has made that, or set the data."""
    task = modern.user_data
    return task if isinstance(task, _OfTask) and task._task._modern is modern else None


def both_completed(task_completion_cb: Any, task_error_cb: Any, ctx: Context) -> tuple[Callable[[Any], object], ...]:
    """Make callbacks of comch_next from the program's: `callback(task, task_user_data, ctx_user_data)`."""
    return _completed(task_completion_cb, "task_completion_cb", ctx), _completed(task_error_cb, "task_error_cb", ctx)


def _completed(callback: Any, what: str, ctx: Context) -> Callable[[Any], object]:
    call = function(callback, what)

    def arguments(modern: Any) -> tuple[Any, ...]:
        task = modern.user_data
        if not isinstance(task, _OfTask) or (own := task._task)._modern is not modern:  # made or set by new code
            from comm_channel_compat.cc._conversion import wrap  # which stands on this module

            task = wrap(modern)
            own = task._task
        return task, own._user_data, ctx._compat_user_data

    return passing(arguments, call)
