"""The consumer: posts buffers that the other side's producers write to (old guide: Consumer)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next.arguments import absolute
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import count, unwrap
from comm_channel_compat.cc.connection import Connection
from comm_channel_compat.cc.context import OfContext
from comm_channel_compat.cc.memory import Buf, Mmap
from comm_channel_compat.cc.task import ConsumerTaskPostRecv, both_completed

__all__ = ["Consumer"]

OnReceived = Callable[[ConsumerTaskPostRecv, Any, Any], object]


@old_call("doca_cc_consumer_")
class Consumer(OfContext):
    """A queue of receives on a connection (C: struct doca_cc_consumer).

    Its start leaves it STARTING until the connection's engine and its own have progressed.
    """

    @old_call("doca_cc_consumer_create")
    def __init__(self, cc_connection: Connection, buf_mmap: Mmap) -> None:
        connection = unwrap(cc_connection, Connection, "cc_connection")
        super().__init__(comch.Consumer(connection, unwrap(buf_mmap, Mmap, "buf_mmap")))

    def get_id(self) -> int:
        """Return the id by which producers of the other side address the consumer."""
        number: int = self.modern.id
        return number

    def task_post_recv_set_conf(
        self, task_completion_cb: OnReceived, task_error_cb: OnReceived, num_post_recv_tasks: int
    ) -> None:
        """Set callbacks `(task, task_user_data, ctx_user_data)` for success and failure, and the number of tasks."""
        callbacks = both_completed(task_completion_cb, task_error_cb, self._compat_ctx)
        self.modern.task_post_recv_set_conf(*callbacks, count(num_post_recv_tasks, "num_post_recv_tasks"))

    def post_recv_task_set_conf(
        self, task_completion_cb: OnReceived, task_error_cb: OnReceived, log_num_tasks: int
    ) -> None:
        """Set the callbacks and the log2 of the number of tasks, as in DOCA 2.5."""
        callbacks = both_completed(task_completion_cb, task_error_cb, self._compat_ctx)
        self.modern.task_post_recv_set_conf(*callbacks, absolute(log_num_tasks))

    def task_post_recv_alloc_init(self, buf: Buf) -> ConsumerTaskPostRecv:
        """Return a task that posts the free part of a buffer, which lies in the consumer's map."""
        return self._compat_alloc(buf)

    def post_recv_task_alloc_init(self, buf: Buf) -> ConsumerTaskPostRecv:
        """Return a receive task under the name of DOCA 2.5: as task_post_recv_alloc_init."""
        return self._compat_alloc(buf)

    def _compat_alloc(self, buf: Buf) -> ConsumerTaskPostRecv:
        modern = self.modern.task_post_recv_alloc_init(unwrap(buf, Buf, "buf"))
        return ConsumerTaskPostRecv(modern, self._compat_ctx, buf)
