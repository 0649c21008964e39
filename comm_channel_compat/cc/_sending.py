"""The configuration of send tasks, which servers, clients and producers share (old guide: Send Task)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next.arguments import absolute
from comm_channel_compat.cc._arguments import count
from comm_channel_compat.cc.context import OfContext
from comm_channel_compat.cc.task import both_completed

__all__ = ["Sending"]

OnSent = Callable[[Any, Any, Any], object]  # (task, task_user_data, ctx_user_data)


class Sending(OfContext):
    """A context with tasks that send."""

    def task_send_set_conf(self, task_completion_cb: OnSent, task_error_cb: OnSent, num_send_tasks: int) -> None:
        """Set callbacks `(task, task_user_data, ctx_user_data)` for success and failure, and the number of tasks."""
        callbacks = both_completed(task_completion_cb, task_error_cb, self._compat_ctx)
        self.modern.task_send_set_conf(*callbacks, count(num_send_tasks, "num_send_tasks"))

    def send_task_set_conf(self, task_completion_cb: OnSent, task_error_cb: OnSent, log_num_tasks: int) -> None:
        """Set the callbacks and the log2 of the number of tasks, as in DOCA 2.5."""
        callbacks = both_completed(task_completion_cb, task_error_cb, self._compat_ctx)
        self.modern.task_send_set_conf(*callbacks, absolute(log_num_tasks))
