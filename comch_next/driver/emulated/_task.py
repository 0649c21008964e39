"""Send tasks: taken from their context's pool, submitted, completed once, freed (guide: DOCA Core Task)."""

from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from comch_next._codes import ErrorCode, SubmitFlag
from comch_next.driver.emulated._checks import as_bytes, expect, in_state
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._ring import lib
from comch_next.errors import BadState, InvalidValue, NoMemory

if TYPE_CHECKING:
    from comch_next.driver.emulated._context import Context

send = lib.comch_send
OK, LOOK = lib.COMCH_OK, lib.COMCH_LOOK

__all__ = ["PROGRAM", "SUCCESS", "SendTask", "SendTasks", "TaskPool"]


class Owner(Enum):
    """Who holds a task: the program, the library until the callback, or the pool."""

    PROGRAM = auto()
    LIBRARY = auto()
    POOL = auto()


# The hot path spares calls: a check is called when it is going to refuse, and members of an enum, which are slow to
# reach, are looked up once.
PROGRAM, LIBRARY, POOL = Owner.PROGRAM, Owner.LIBRARY, Owner.POOL
SUCCESS = ErrorCode.SUCCESS


class SendTask:
    """A handle. `number` is its message's place in the connection's order of sends."""

    __slots__ = ("connection", "context", "message", "number", "owner", "status", "user_data")

    context: "Context"
    connection: Connection
    message: bytes
    number: int  # from submit on
    owner: Owner
    status: ErrorCode
    user_data: Any

    def finish(self, status: ErrorCode) -> None:
        """Queue the one completion; progress delivers it."""
        self.status = status
        self.context.finished.append(self)


class TaskPool:
    """What Servers and Clients have in common: tasks from their contexts' pools. They say their `kind`."""

    kind: type["Context"]

    def task_send_alloc_init(self, ctx: Any, peer: Any, message: Any, user_data: object = None) -> SendTask:
        """A task from the context's pool. Takes its copy of the message now."""
        if not isinstance(ctx, self.kind):
            expect(ctx, self.kind, "task_send_alloc_init")
        if "task_send_alloc_init" not in ctx.legal:
            in_state(ctx, "task_send_alloc_init")
        if not isinstance(peer, Connection) or peer.context is not ctx:
            raise InvalidValue(f"task_send_alloc_init takes a connection of {ctx}, not {peer!r}")
        data = message if type(message) is bytes else as_bytes(message, "task_send_alloc_init")
        if len(data) > peer.max_msg:
            _check_length(len(data), peer)
        if ctx.tasks_out >= ctx.num_tasks:
            text = f"task_send_alloc_init: all {ctx.num_tasks} tasks of {ctx} are in use; progress and free some"
            raise NoMemory(text)
        ctx.tasks_out += 1
        task = SendTask()  # filled here: a constructor would be one more call for every message
        task.context, task.connection, task.message, task.user_data = ctx, peer, data, user_data
        task.owner, task.status = PROGRAM, SUCCESS
        return task


def _check_length(length: int, connection: Connection) -> None:
    most = connection.max_msg or connection.context.msg_size()
    if length > most:
        text = f"task_send_alloc_init: a message of {length} bytes is above this connection's {most}"
        raise InvalidValue(text, length=length)


class SendTasks:
    """The noun SendTasks of the driver protocol."""

    def submit(self, task: SendTask) -> None:
        if task.owner is not PROGRAM:
            where = "is submitted already" if task.owner is LIBRARY else "has been freed"
            raise BadState(f"task_submit: the task {where}; legal for a task that the program holds")
        context, link, message = task.context, task.connection, task.message
        if "task_submit" not in context.legal:
            in_state(context, "task_submit")
        result = send(link.tx, message, len(message))
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
        """Send again, fail the task, or say that there is no memory for the ring's next part."""
        while result == LOOK:  # in this mode progress looks at the sockets
            result = int(send(link.tx, task.message, len(task.message)))
        if result == lib.COMCH_NOMEM:
            raise NoMemory("task_submit: no memory for the next part of the ring")
        if result == lib.COMCH_CORRUPT:
            link.corrupt()
        if result != OK:
            task.finish(ErrorCode.CONNECTION_ABORTED if link.status == SUCCESS else link.status)
        return result

    def try_submit(self, task: object) -> None:
        self.submit(expect(task, SendTask, "task_try_submit"))

    def submit_ex(self, task: SendTask, flags: int) -> None:
        if not isinstance(flags, int) or flags & ~int(SubmitFlag.FLUSH | SubmitFlag.OPTIMIZE_REPORTS):
            raise InvalidValue(f"task_submit_ex takes SubmitFlag bits, not {flags!r}")
        self.submit(task)

    def free(self, task: SendTask) -> None:
        if task.owner is not PROGRAM:
            where = "is submitted; wait for its completion" if task.owner is LIBRARY else "has been freed before"
            raise BadState(f"task_free: the task {where}")
        task.context.tasks_out -= 1
        task.owner = POOL
        task.user_data = None  # it points back at the task: without the cycle both die at once, and their message

    def get_status(self, task: SendTask) -> ErrorCode:
        return task.status

    def set_user_data(self, task: SendTask, user_data: object) -> None:
        task.user_data = user_data

    def get_user_data(self, task: SendTask) -> Any:
        return task.user_data

    def get_ctx(self, task: SendTask) -> object:
        return task.context
