"""The generic context of a server, client, producer or consumer (guide: DOCA Core Context)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next import InvalidValue, NotConnected, State
from comch_next.pull import passing
from comm_channel_compat._known import remember
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import function

__all__ = ["Context", "OfContext"]


@old_call("doca_ctx_")
class Context:
    """What `as_ctx` returns (C: struct doca_ctx)."""

    def __init__(self, modern: comch.Context, name: str, may_use_own: bool) -> None:
        self._compat_modern: Any = modern  # until it is destroyed
        self._compat_name = name
        self._compat_user_data: Any = None
        self._compat_may_use_own = may_use_own  # an engine that its start makes

    def __repr__(self) -> str:
        return f"<Context of a {self._compat_name}>"

    @property
    def modern(self) -> Any:
        """The context of comch_next; InvalidValue once it has been destroyed."""
        modern = self._compat_modern  # once: another thread may destroy it in between
        if modern is None:
            raise InvalidValue(f"the {self._compat_name} has been destroyed; make another")
        return modern

    def start(self) -> State:
        """Start the context. Returns its state: STARTING where C returns IN_PROGRESS."""
        self._compat_need_engine("start")
        state: State = self.modern.start()
        return state

    def stop(self) -> State:
        """Stop the context. Returns its state: STOPPING, until progress has finished, where C returns IN_PROGRESS."""
        self._compat_need_engine("stop")
        state: State = self.modern.stop()
        return state

    def get_num_inflight_tasks(self) -> int:
        """Return how many tasks are submitted and not completed."""
        number: int = self.modern.num_inflight_tasks
        return number

    def set_user_data(self, user_data: object) -> None:
        """Set the object that callbacks get as ctx_user_data."""
        self.modern  # noqa: B018  # raises when it has been destroyed
        self._compat_user_data = user_data

    def get_user_data(self) -> Any:
        """Return the object that was set; None before."""
        self.modern  # noqa: B018  # raises when it has been destroyed
        return self._compat_user_data

    def set_state_changed_cb(self, cb: Callable[[Any, Context, State, State], object]) -> None:
        """Call `cb(user_data, ctx, prev_state, next_state)` on every change of state."""
        changed = function(cb, "cb")
        self.modern.set_state_changed_cb(passing(lambda _, old, new: (self._compat_user_data, self, old, new), changed))

    def get_state(self) -> State:
        """Return the state: IDLE, STARTING, RUNNING or STOPPING."""
        state: State = self.modern.state
        return state

    def flush_tasks(self) -> None:
        """Send the tasks that were submitted without the flush flag."""
        self.modern.flush_tasks()

    def _compat_need_engine(self, call: str) -> None:
        if not (self.modern._has_engine or self._compat_may_use_own):
            raise NotConnected(f"ctx_{call}: the {self._compat_name} has no progress engine; connect one first")

    def _compat_destroy(self) -> None:
        self.modern.destroy()
        self._compat_modern = None


class OfContext:
    """What a server, client, producer and consumer share: each is a context, too."""

    def __init__(self, modern: comch.Context, may_use_own: bool = False) -> None:
        self._compat_ctx = Context(modern, type(self).__name__.lower(), may_use_own)
        remember(self, modern)  # last: another thread's wrap finds it from here on

    @property
    def modern(self) -> Any:
        """The context of comch_next; InvalidValue once it has been destroyed."""
        return self._compat_ctx.modern

    def as_ctx(self) -> Context:
        """Return the generic context, for start, stop, state, user data and to connect an engine."""
        self._compat_ctx.modern  # noqa: B018  # raises when it has been destroyed
        return self._compat_ctx

    def destroy(self) -> None:
        """Destroy the context. Raises InUse unless it is IDLE."""
        self._compat_ctx._compat_destroy()
