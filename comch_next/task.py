"""Send tasks (guide: Comch, Control Channel Send Task)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from comch_next._codes import ErrorCode
from comch_next.errors import InvalidValue

if TYPE_CHECKING:
    from comch_next.connection import Connection
    from comch_next.context import Context

__all__ = ["SendTask"]


class SendTask:
    """One message to send, again and again if need be (C: struct doca_comch_task_send and struct doca_task).

    Made by a context's `task_send_alloc_init`. The library owns it from submit to its completion callback.
    """

    __slots__ = ("_handle", "_tasks", "context", "user_data")

    def __init__(self, context: Context, alloc: Callable[..., Any], connection: Connection, message: Any) -> None:
        self.context = context
        self.user_data: Any = None
        self._tasks = context._tasks
        try:
            peer = connection._handle
        except AttributeError:
            raise InvalidValue(f"task_send_alloc_init takes a connection of {context!r}, not {connection!r}") from None
        self._handle = alloc(context._handle, peer, message, self)

    def submit(self) -> None:
        """C: doca_task_submit. Raises BadState unless the program holds the task; then it still does."""
        self._tasks.submit(self._handle)

    def try_submit(self) -> None:
        """The same (C: doca_task_try_submit)."""
        self._tasks.try_submit(self._handle)

    def submit_ex(self, flags: int) -> None:
        """The same with SubmitFlag bits (C: doca_task_submit_ex)."""
        self._tasks.submit_ex(self._handle, flags)

    def free(self) -> None:
        """Give it back to its context's pool (C: doca_task_free). BadState while submitted or freed before."""
        self._tasks.free(self._handle)

    @property
    def status(self) -> ErrorCode:
        """The result of the last completion."""
        return self._tasks.get_status(self._handle)
