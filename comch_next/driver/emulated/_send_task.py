"""Send tasks of the control path (guide: Comch, Control Channel Send Task)."""

from functools import cache
from typing import Any

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._checks import as_bytes, expect, in_state
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._control import ControlContext
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.ring import lib
from comch_next.driver.emulated._task import PROGRAM, SUCCESS, Task, Tasks, held_by_program
from comch_next.driver.protocol import Call, by_system, counted, quoted, uninterrupted
from comch_next.errors import InvalidValue, NoMemory

OK = lib.COMCH_OK

__all__ = ["SendTask", "SendTasks", "TaskPool"]


class SendTask(Task, calls.SendTask):
    """A handle. `number`, from submit on, is its message's place in the connection's order of sends."""

    __slots__ = ()

    _tasks: "SendTasks"
    ctx: ControlContext
    connection: Connection


@cache
def _kind(base: type) -> type:
    """Make the tasks of a program's own class, which are their own handles."""
    if base is object:
        return SendTask
    return type(base.__name__, (SendTask, base), {"__slots__": (), "__module__": base.__module__})


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
            raise InvalidValue(f"task_send_alloc_init takes a connection of {context}, not {quoted(peer)}")
        data = message if type(message) is bytes else as_bytes(message, "task_send_alloc_init")
        if len(data) > peer.max_msg:
            _check_length(len(data), peer, context)
        try:
            return SendTask(context, peer, data, user_data)
        except by_system(LookupError):
            text = f"all {context.num_tasks} tasks of {context} are in use; progress and free some"
            raise NoMemory(f"task_send_alloc_init: {text}") from None

    def quick_alloc(self, ctx: ControlContext, slow: Call, base: type, program: object) -> Call | None:
        return calls.task_alloc(ctx, slow, _kind(base), program)


def _check_length(length: int, connection: Connection, context: ControlContext) -> None:
    most = connection.max_msg or context.msg_size()
    if length > most:
        text = f"task_send_alloc_init: a message of {counted(length, 'byte')} is above this connection's {most}"
        raise InvalidValue(text, length=length)


class SendTasks(Tasks):
    """The noun SendTasks of the driver protocol."""

    kind = SendTask

    submit: Any = staticmethod(SendTask.submit)

    @uninterrupted
    def submit_checked(self, task: SendTask) -> None:
        """Submit a task that may be refused, or fail."""
        if task.owner is not PROGRAM:
            held_by_program(task, "task_submit")
        context = task.ctx
        if "task_submit" not in context.legal:
            in_state(context, "task_submit")
        result = task.launch()
        if result != OK:
            self._refused(task, task.connection, result)
        if not context.attended:
            context.busy_engine()

    def _refused(self, task: SendTask, link: Connection, result: int) -> None:
        """Fail the task, or raise NoMemory for the ring's next part."""
        if result == lib.COMCH_NOMEM:
            raise NoMemory("task_submit: no memory for the next part of the ring")
        status = ErrorCode.CONNECTION_ABORTED if link.status == SUCCESS else link.status
        if result == lib.COMCH_CORRUPT:
            link.report_violation()  # the engine ends it: this is any thread's
            status = ErrorCode.CONNECTION_RESET
        if not task.fail(status):
            held_by_program(task, "task_submit")  # the pool has taken it back meanwhile


SendTask._tasks = SendTasks()
