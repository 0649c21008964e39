"""The engines of a side, and what callbacks told in their progress."""

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
        """Call `function(side, *args)` where the side lives; it is a module's, and gives a plain value."""
        return function(self, *args)

    # What callbacks told

    def tell(self, kind: str, key: str, *values: Any) -> None:
        """Note what a callback was told, and call the hook for it, if there is one."""
        self._told[kind, key].append(values)
        if (hook := self.hooks.get((kind, key))) is not None:
            hook(*values)

    def told(self, kind: str, key: str = "main") -> list[tuple[Any, ...]]:
        """What callbacks of a context were told since the last `forget`, oldest first.

        By kind: state (old, new); message (connection, data); up and down (connection, ok); new and expired
        (connection, id); done and failed (task, status); received (task, data, immediate data, producer's id),
        where data of more than 4 KiB is its SHA-256.
        """
        return list(self._told[kind, key])

    def forget(self) -> None:
        """Forget what was told, and the hooks."""
        self._told.clear()
        self.hooks.clear()

    # Turning and waiting

    def engine(self, name: str) -> ProgressEngine:
        """The engine of that name, made when first asked for."""
        if name not in self.engines:
            self.engines[name] = ProgressEngine(self.driver)
        return self.engines[name]

    def progress(self, name: str = "main") -> bool:
        """Turn one engine once; whether anything moved."""
        return self.engine(name).progress()

    def turn(self) -> bool:
        """Turn every engine once; whether anything moved."""
        moved = [engine.progress() for engine in list(self.engines.values())]
        return any(moved)

    def rest(self) -> None:
        """Turn every engine once; when nothing moved wait a moment for the first one."""
        if not self.turn() and self.engines:
            next(iter(self.engines.values())).wait(_TICK_S)

    def wait(self, timeout: float, name: str = "main") -> bool:
        """Sleep until an engine has something to do; False after `timeout` seconds."""
        return self.engine(name).wait(timeout)

    def arm(self, name: str = "main") -> None:
        """C: doca_pe_request_notification."""
        self.engine(name).request_notification()

    def ready(self, timeout: float, name: str = "main") -> bool:
        """Whether epoll finds the engine's notification handle readable within `timeout` seconds."""
        with select.epoll() as epoll:
            epoll.register(self.engine(name).notification_handle, select.EPOLLIN)
            return bool(epoll.poll(timeout))

    def disarm(self, name: str = "main") -> None:
        """C: doca_pe_clear_notification."""
        self.engine(name).clear_notification()

    def destroy_engine(self, name: str = "main") -> None:
        """C: doca_pe_destroy."""
        self.engines[name].destroy()
        del self.engines[name]
