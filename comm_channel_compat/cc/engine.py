"""The progress engine (guide: DOCA Core Progress Engine)."""

from __future__ import annotations

import comch_next as comch
from comch_next import DocaError, InvalidValue
from comm_channel_compat._known import remember
from comm_channel_compat._old_calls import old_call
from comm_channel_compat._refusals import code_of
from comm_channel_compat.cc._arguments import unwrap
from comm_channel_compat.cc.context import Context

__all__ = ["ProgressEngine"]

# Modules that stand between a call and the library: those of the account, too.
_ACCOUNT = ("_old_calls", "_account", "_observed")
_BETWEEN = {__name__, "contextlib", *(f"comm_channel_compat.{name}" for name in _ACCOUNT)}


@old_call("doca_pe_")
class ProgressEngine:
    """The engine that drives contexts: callbacks run inside `progress` (C: struct doca_pe)."""

    @old_call("doca_pe_create")
    def __init__(self) -> None:
        self._compat_modern: comch.ProgressEngine | None = comch.ProgressEngine(max_events=1)
        remember(self, self._compat_modern)

    def __repr__(self) -> str:
        return f"<ProgressEngine{' (destroyed)' if self._compat_modern is None else ''}>"

    @property
    def modern(self) -> comch.ProgressEngine:
        """The engine of comch_next; InvalidValue once it has been destroyed."""
        modern = self._compat_modern  # once: another thread may destroy it in between
        if modern is None:
            raise InvalidValue("the progress engine has been destroyed; make another")
        return modern

    def connect_ctx(self, ctx: Context) -> None:
        """Connect a context, which is IDLE and has no other engine."""
        self.modern.connect_ctx(unwrap(ctx, Context, "ctx"))

    def progress(self) -> bool:
        """Run the callback of one task or event, if there is one. Returns whether anything happened.

        An exception of a callback is raised at the end. Raises BadState inside a callback.
        """
        return self.modern.progress()

    def _compat_progress_unless_refused(self) -> bool:
        """Progress as C does, which has no code for a refusal; raise what a callback raises, as ever."""
        try:
            return self.progress()
        except DocaError as error:
            if _is_of_callback(error):
                raise
            code_of(error)
            return False

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
        self._compat_modern = None


def _is_of_callback(error: DocaError) -> bool:
    """Whether a callback has raised it, and not the library: callbacks are called in other modules."""
    trace = error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__"))
        if module not in _BETWEEN and module.partition(".")[0] != "comch_next":
            return True
        trace = trace.tb_next
    return False
