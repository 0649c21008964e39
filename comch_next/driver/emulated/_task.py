"""What every task has: an owner, one completion, and the calls of doca_task_* (guide: DOCA Core Task)."""

from collections import deque
from enum import Enum, auto
from typing import Any

from comch_next._codes import ErrorCode, SubmitFlag
from comch_next.driver.emulated._checks import expect
from comch_next.driver.emulated._kernel.typed import Protocol
from comch_next.errors import BadState, InvalidValue

__all__ = ["LIBRARY", "POOL", "PROGRAM", "SUCCESS", "NumberedTask", "Task", "TaskOwner", "Tasks", "held_by_program"]


class Owner(Enum):
    """Who holds a task: the program, the library until the callback, or the pool."""

    PROGRAM = auto()
    LIBRARY = auto()
    POOL = auto()


# The hot path spares calls: a check is called when it is going to refuse, and members of an enum, which are slow to
# reach, are looked up once.
PROGRAM, LIBRARY, POOL = Owner.PROGRAM, Owner.LIBRARY, Owner.POOL
SUCCESS = ErrorCode.SUCCESS


class TaskOwner(Protocol):
    """The context of a task. `finished` are those that progress has to complete."""

    finished: "deque[Task]"
    tasks_out: int


class Task:
    """A handle, filled by its pool: a constructor would be one more call for every message."""

    __slots__ = ("context", "owner", "status", "user_data")

    context: TaskOwner
    owner: Owner
    status: ErrorCode
    user_data: Any

    def finish(self, status: ErrorCode) -> None:
        """Queue the one completion; progress delivers it."""
        self.status = status
        self.context.finished.append(self)


class NumberedTask(Task):
    """A task of a send. `number`, from submit on, is its message's place in the connection's order of sends."""

    __slots__ = ("number",)

    number: int


def held_by_program(task: Task, call: str) -> None:
    """Raise BadState unless the program holds the task."""
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
            raise InvalidValue(f"task_submit_ex takes SubmitFlag bits, not {flags!r}")
        self.submit(task)

    def free(self, task: Task) -> None:
        if task.owner is not PROGRAM:
            self.free_submitted(task)
            return
        task.context.tasks_out -= 1
        task.owner = POOL
        task.user_data = None  # it points back at the task: without the cycle both die at once, and their message

    def free_submitted(self, task: Task) -> None:
        """Free a task that the program does not hold: refused, unless its kind allows it."""
        held_by_program(task, "task_free")

    def get_status(self, task: Task) -> ErrorCode:
        return task.status

    def set_user_data(self, task: Task, user_data: object) -> None:
        task.user_data = user_data

    def get_user_data(self, task: Task) -> Any:
        return task.user_data

    def get_ctx(self, task: Task) -> object:
        return task.context
