"""What the faces of an attack share: ends, their calls, and how they are made, opened, moved and closed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from comch_next import DocaError, State

DPU, HOST = "03:00.0", "b1:00.0"
DATA = b"x" * 300
Call = Callable[["End"], object]


class End:
    """One end: its context or endpoint, and what a program holds of it."""

    context: Any
    engine: Any = None
    port: Any = None
    connection: Any = None

    def __init__(self, *, server: bool) -> None:
        self.is_server = server
        self.device: Any = None
        self.representor: Any = None


def give_back(end: End) -> None:
    """Close the devices of an end."""
    for device in (end.representor, end.device):
        if device is not None:
            device.close()


class Face:
    """`calls` are harmless ones, `ends` end the life of an end, some to begin another one."""

    calls: dict[str, Call]
    ends: dict[str, Call]

    def make(self, *, server: bool) -> End:
        """Make an end that does nothing yet."""
        raise NotImplementedError

    def open(self, end: End) -> None:
        """Listen, or begin to connect."""
        raise NotImplementedError

    def move(self, end: End) -> None:
        """Take what has come, and have the other end move on."""
        raise NotImplementedError

    def is_up(self, end: End) -> bool:
        """Whether the end has its connection."""
        raise NotImplementedError

    def close(self, end: End) -> None:
        """Give everything back."""
        raise NotImplementedError

    def damage(self, end: End) -> list[str]:
        """What the end has received that nobody sent so."""
        return []


def then(*calls: Call) -> Call:
    """Do one after the other, whether or not one before it was refused."""

    def do(end: End) -> None:
        for call in calls:
            with suppress(DocaError):
                call(end)

    return do


def ignore(*_: object) -> None:
    """Stand for a callback."""


def free(task: Any) -> None:
    """Give a task back that has completed."""
    task.free()


def leave(stop: Callable[[], object], get_state: Callable[[], State], progress: Callable[[], object]) -> None:
    """Stop a context, and move on to IDLE; again, if another thread has started it meanwhile."""
    stop()
    while (state := get_state()) is not State.IDLE:
        if state is not State.STOPPING:
            with suppress(DocaError):  # it has moved on
                stop()
        progress()


def stop(end: End) -> None:
    """Stop the end's context, and move on to IDLE."""
    context = end.context
    leave(context.stop, lambda: context.state, end.engine.progress)


def close(end: End) -> None:
    """Close the context."""
    end.context.close()


def destroy(end: End) -> None:
    """Destroy the context."""
    end.context.destroy()


def engine_destroy(end: End) -> None:
    """Destroy the engine."""
    end.engine.destroy()
