"""What every task has: an owner, one completion, and the calls of doca_task_* (guide: DOCA Core Task)."""

from collections import deque
from typing import TYPE_CHECKING, Any

from comch_next._codes import ErrorCode, SubmitFlag
from comch_next.driver.emulated._checks import expect
from comch_next.driver.emulated._kernel.calls import LIBRARY, POOL, PROGRAM
from comch_next.driver.protocol import KERNELS, quoted, refuse_kernel
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import BadState, InvalidValue

__all__ = ["LIBRARY", "POOL", "PROGRAM", "SUCCESS", "Task", "TaskOwner", "Tasks", "held_by_program"]

# The hot path spares calls: a check is called when it is going to refuse, and members of an enum, which are slow to
# reach, are looked up once.
SUCCESS = ErrorCode.SUCCESS


class TaskOwner(Protocol):
    """The context of a task. `finished` are those that progress has to complete."""

    finished: "deque[Task]"
    tasks_out: int
    moving: bool

    def wake(self) -> None: ...


class Task:
    """A handle. `ctx` is its context, `token` what its callbacks are called with.

    `owner`: who holds it, the program, the library until the callback, or the pool.
    """

    if not TYPE_CHECKING:  # a type checker would have the attributes here, which the kinds have
        __slots__ = ()

    ctx: TaskOwner
    owner: str
    status: ErrorCode
    token: Any

    def finish(self, status: ErrorCode) -> None:
        """Queue the one completion; progress delivers it."""
        self.status = status
        self.ctx.finished.append(self)


def held_by_program(task: Task, call: str) -> None:
    """Raise BadState unless the program holds the task, and in kernels."""
    if KERNELS:
        refuse_kernel(call)
    if task.owner is not PROGRAM:
        where = "is submitted already; wait for its completion" if task.owner is LIBRARY else "has been freed before"
        raise BadState(f"{call}: the task {where}; legal for a task that the program holds")


class Tasks:
    """What the nouns of tasks have in common; they name their `kind` and define how to submit it."""

    kind: type[Task]

    def submit(self, task: Any) -> None:
        raise NotImplementedError

    def try_submit(self, task: object) -> None:
        self.submit(expect(task, self.kind, "task_try_submit"))

    def submit_ex(self, task: Any, flags: int) -> None:
        if not isinstance(flags, int) or flags & ~int(SubmitFlag.FLUSH | SubmitFlag.OPTIMIZE_REPORTS):
            raise InvalidValue(f"task_submit_ex takes SubmitFlag bits, not {quoted(flags)}")
        self.submit(task)

    def free(self, task: Task) -> None:
        if KERNELS:
            refuse_kernel("task_free")
        if task.owner is not PROGRAM:
            self.free_submitted(task)
            return
        task.ctx.tasks_out -= 1
        task.owner = POOL
        task.token = None  # it points back at the task: without the cycle both die at once, and their message
        if task.ctx.moving:
            task.ctx.wake()  # it stops when the last one has been freed

    def free_submitted(self, task: Task) -> None:
        """Free a task that the program does not hold: refused, unless its kind allows it."""
        held_by_program(task, "task_free")

    def get_status(self, task: Task) -> ErrorCode:
        return task.status

    def set_user_data(self, task: Task, user_data: object) -> None:
        task.token = user_data

    def get_user_data(self, task: Task) -> Any:
        return task.token

    def get_ctx(self, task: Task) -> object:
        return task.ctx
