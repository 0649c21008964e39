"""The progress engine (guide: DOCA Core Progress Engine)."""

from __future__ import annotations

from threading import get_ident

import comch_next as comch
from comch_next import InvalidValue
from comch_next.arguments import instance
from comm_channel_compat._known import remember
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc.context import Context

__all__ = ["ProgressEngine"]


@old_call("doca_pe_")
class ProgressEngine:
    """The engine that drives contexts: callbacks run inside `progress` (C: struct doca_pe)."""

    @old_call("doca_pe_create")
    def __init__(self) -> None:
        self._modern: comch.ProgressEngine | None = comch.ProgressEngine(max_events=1)
        self._threads: set[int] = set()  # that are inside of progress
        remember(self, self._modern)

    def __repr__(self) -> str:
        return f"<ProgressEngine{' (destroyed)' if self._modern is None else ''}>"

    @property
    def modern(self) -> comch.ProgressEngine:
        """The engine of comch_next; InvalidValue once it has been destroyed."""
        modern = self._modern  # once: another thread may destroy it in between
        if modern is None:
            raise InvalidValue("the progress engine has been destroyed; make another")
        return modern

    def connect_ctx(self, ctx: Context) -> None:
        """Connect a context, which is IDLE and has no other engine."""
        self.modern.connect_ctx(instance(ctx, Context, "ctx").modern)
        ctx._has_engine = True

    def progress(self) -> bool:
        """Run the callback of one task or event, if there is one. Returns whether anything happened.

        An exception of a callback is raised at the end. Raises BadState inside a callback.
        """
        thread = get_ident()
        if thread in self._threads:
            return self.modern.progress()  # which refuses
        self._threads.add(thread)
        try:
            return self.modern.progress()
        finally:
            self._threads.discard(thread)

    def can_progress(self) -> bool:
        """Return whether progress is legal: the engine exists, and none of its callbacks is running."""
        return self._modern is not None and get_ident() not in self._threads

    def get_notification_handle(self) -> int:
        """Return a descriptor for epoll, readable after `request_notification` when progress has something to do."""
        return self.modern.notification_handle

    def request_notification(self) -> None:
        """Arm the notification handle for one wake-up."""
        self.modern.request_notification()

    def clear_notification(self, handle: int) -> None:
        """Disarm the notification handle after a wake-up."""
        self.modern.clear_notification(handle)

    def get_num_inflight_tasks(self) -> int:
        """Return how many tasks of all contexts are submitted and not completed."""
        return self.modern.num_inflight_tasks

    def destroy(self) -> None:
        """Destroy the engine. Raises InUse while contexts that are connected to it exist."""
        self.modern.destroy()
        self._modern = None
