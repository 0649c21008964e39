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
        """Callbacks `(task, task_user_data, ctx_user_data)` for both endings, and how many tasks there are."""
        callbacks = both_completed(task_completion_cb, task_error_cb, self._ctx)
        self.modern.task_send_set_conf(*callbacks, count(num_send_tasks, "num_send_tasks"))

    def send_task_set_conf(self, task_completion_cb: OnSent, task_error_cb: OnSent, log_num_tasks: int) -> None:
        """DOCA 2.5: with the log2 of the number of tasks."""
        callbacks = both_completed(task_completion_cb, task_error_cb, self._ctx)
        self.modern.task_send_set_conf(*callbacks, absolute(log_num_tasks))
