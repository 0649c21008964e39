"""Send tasks of the control path (guide: Comch, Control Channel Send Task)."""

from functools import cache
from typing import Any

from comch_next.driver.native._library import ffi
from comch_next.driver.native._task import Task, Tasks

__all__ = ["OwnTask", "SendTask", "SendTasks"]


class SendTask(Task):
    """A handle. `data` is the message, which the library may read until the task has completed; `peer` has it then."""

    __slots__ = ()

    cell = ffi.typeof("struct doca_comch_task_send **")
    as_task = "doca_comch_task_send_as_task"

    def expect_peer(self, name: str) -> None:
        context: Any = self.ctx
        context.own(self.peer, name)


class SendTasks(Tasks):
    """The noun SendTasks of the driver protocol."""

    kind = SendTask


class OwnTask(SendTask):
    """A task of a program's own class: its own handle, and what its callbacks get."""

    __slots__ = ()

    _tasks: SendTasks

    @property
    def _handle(self) -> "OwnTask":
        return self

    @staticmethod
    @cache
    def of(base: type, tasks: SendTasks) -> "type[OwnTask]":
        """Return the kind whose tasks are a program's, which are of that class."""
        members = {"__slots__": (), "__module__": base.__module__, "_tasks": tasks}
        return type(base.__name__, (OwnTask, base), members)
