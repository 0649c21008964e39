"""Send tasks of the control path (guide: Comch, Control Channel Send Task)."""

from comch_next.driver.native._library import ffi
from comch_next.driver.native._task import Task, Tasks

__all__ = ["SendTask", "SendTasks"]


class SendTask(Task):
    """A handle. `data` is the message, which the library may read until the task has completed."""

    __slots__ = ("data",)

    cell = ffi.typeof("struct doca_comch_task_send **")
    as_task = "doca_comch_task_send_as_task"

    data: bytes


class SendTasks(Tasks):
    """The noun SendTasks of the driver protocol."""

    kind = SendTask
