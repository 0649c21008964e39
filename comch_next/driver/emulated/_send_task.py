"""Send tasks of the control path (guide: Comch, Control Channel Send Task)."""

from typing import Any

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._checks import as_bytes, expect, in_state
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._kernel.ring import lib
from comch_next.driver.emulated._task import LIBRARY, PROGRAM, SUCCESS, NumberedTask, Tasks, held_by_program
from comch_next.errors import InvalidValue, NoMemory

OK, POLL = lib.COMCH_OK, lib.COMCH_POLL

__all__ = ["SendTask", "SendTasks", "TaskPool"]


class SendTask(NumberedTask):
    """A handle."""

    __slots__ = ("connection", "message")

    context: ControlContext
    connection: Connection
    message: bytes


class TaskPool:
    """What Servers and Clients have in common: tasks from their contexts' pools. They name their `kind`."""

    kind: type[ControlContext]

    def task_send_alloc_init(self, ctx: Any, peer: Any, message: Any, user_data: object = None) -> SendTask:
        """A task from the context's pool. Takes its copy of the message now."""
        if not isinstance(ctx, self.kind):
            expect(ctx, self.kind, "task_send_alloc_init")
        context: ControlContext = ctx
        if "task_send_alloc_init" not in context.legal:
            in_state(context, "task_send_alloc_init")
        if not isinstance(peer, Connection) or peer.context is not ctx:
            raise InvalidValue(f"task_send_alloc_init takes a connection of {context}, not {peer!r}")
        data = message if type(message) is bytes else as_bytes(message, "task_send_alloc_init")
        if len(data) > peer.max_msg:
            _check_length(len(data), peer, context)
        if context.tasks_out >= context.num_tasks:
            text = f"all {context.num_tasks} tasks of {context} are in use; progress and free some"
            raise NoMemory(f"task_send_alloc_init: {text}")
        context.tasks_out += 1
        task = SendTask()  # filled here: a constructor would be one more call for every message
        task.context, task.connection, task.message, task.user_data = context, peer, data, user_data
        task.owner, task.status = PROGRAM, SUCCESS
        return task


def _check_length(length: int, connection: Connection, context: ControlContext) -> None:
    most = connection.max_msg or context.msg_size()
    if length > most:
        text = f"task_send_alloc_init: a message of {length} bytes is above this connection's {most}"
        raise InvalidValue(text, length=length)


class SendTasks(Tasks):
    """The noun SendTasks of the driver protocol."""

    kind = SendTask

    def submit(self, task: SendTask) -> None:
        if task.owner is not PROGRAM:
            held_by_program(task, "task_submit")
        context, link, message = task.context, task.connection, task.message
        if "task_submit" not in context.legal:
            in_state(context, "task_submit")
        result = link.send(message)
        if result != OK:
            result = self._refused(task, link, result)
        if result == OK:
            link.submitted = task.number = link.submitted + 1
            inflight = link.inflight
            if not inflight:
                context.sending.append(link)
            inflight.append(task)
        task.owner = LIBRARY
        if not context.attended:
            context.busy_engine()

    def _refused(self, task: SendTask, link: Connection, result: int) -> int:
        """Send again, fail the task, or raise NoMemory for the ring's next part."""
        while result == POLL:  # in this mode progress polls the sockets
            result = link.send(task.message)
        if result == lib.COMCH_NOMEM:
            raise NoMemory("task_submit: no memory for the next part of the ring")
        if result == lib.COMCH_CORRUPT:
            link.on_protocol_violation()
        if result != OK:
            task.finish(ErrorCode.CONNECTION_ABORTED if link.status == SUCCESS else link.status)
        return result
