"""The engines of a side, and what callbacks reported in their progress."""

import select
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from comch_next.engine import ProgressEngine

__all__ = ["EngineSide"]

_TICK_S = 0.001


class EngineSide:
    """Engines by name, "main" being the one of servers and clients."""

    def __init__(self, driver: str | None) -> None:
        self.driver = driver
        self.engines: dict[str, ProgressEngine] = {}
        self.hooks: dict[tuple[str, str], Callable[..., object]] = {}
        self._told: dict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)

    def run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call `function(side, *args)` in the side's process; `function` is a module's, and returns a plain value."""
        return function(self, *args)

    # What callbacks told

    def tell(self, kind: str, key: str, *values: Any) -> None:
        """Record what a callback got, and call the hook for it, if there is one."""
        self._told[kind, key].append(values)
        if (hook := self.hooks.get((kind, key))) is not None:
            hook(*values)

    def told(self, kind: str, key: str = "main") -> list[tuple[Any, ...]]:
        """Return what callbacks of a context got since the last `forget`, oldest first.

        By kind: state (old, new); message (connection, data); up and down (connection, ok); new and expired
        (connection, id); done and failed (task, status); received (task, data, immediate data, producer's id),
        where data of more than 4 KiB is its SHA-256.
        """
        return list(self._told[kind, key])

    def forget(self) -> None:
        """Forget what callbacks got, and the hooks."""
        self._told.clear()
        self.hooks.clear()

    # Turning and waiting

    def engine(self, name: str) -> ProgressEngine:
        """Return the engine of that name, which the first call makes."""
        if name not in self.engines:
            self.engines[name] = ProgressEngine(self.driver)
        return self.engines[name]

    def progress(self, name: str = "main") -> bool:
        """Progress one engine once; return whether anything happened."""
        return self.engine(name).progress()

    def turn(self) -> bool:
        """Progress every engine once; return whether anything happened."""
        moved = [engine.progress() for engine in list(self.engines.values())]
        return any(moved)

    def rest(self) -> None:
        """Progress every engine once; if nothing happened, wait a moment for the first one."""
        if not self.turn() and self.engines:
            next(iter(self.engines.values())).wait(_TICK_S)

    def wait(self, timeout: float, name: str = "main") -> bool:
        """Sleep until an engine has something to do; return False after `timeout` seconds."""
        return self.engine(name).wait(timeout)

    def arm(self, name: str = "main") -> None:
        """Arm the notification of an engine (C: doca_pe_request_notification)."""
        self.engine(name).request_notification()

    def ready(self, timeout: float, name: str = "main") -> bool:
        """Return whether epoll finds the engine's notification handle readable within `timeout` seconds."""
        with select.epoll() as epoll:
            epoll.register(self.engine(name).notification_handle, select.EPOLLIN)
            return bool(epoll.poll(timeout))

    def disarm(self, name: str = "main") -> None:
        """Clear the notification of an engine (C: doca_pe_clear_notification)."""
        self.engine(name).clear_notification()

    def destroy_engine(self, name: str = "main") -> None:
        """Destroy an engine (C: doca_pe_destroy)."""
        self.engines[name].destroy()
        del self.engines[name]
