"""What every task has: an owner, one completion, and the calls of doca_task_* (guide: DOCA Core Task).

Who has a task is known here, because the functions that submit and free one validate nothing.
"""

from typing import TYPE_CHECKING, Any, ClassVar

from comch_next._codes import ErrorCode, SubmitFlag
from comch_next.driver.native._calls import Noun
from comch_next.driver.native._library import refusal
from comch_next.errors import BadState, InvalidValue

if TYPE_CHECKING:
    from comch_next.driver.native._context import Context

__all__ = ["FREED", "HELD", "SUBMITTED", "Task", "Tasks", "expect_held"]

HELD, SUBMITTED, FREED = "held by the program", "submitted; wait for its completion", "freed before"


class Task:
    """A handle: `pointer` is that of its kind, `base` the same as a doca_task. `token`: what its callbacks get."""

    __slots__ = ("__weakref__", "base", "context", "owner", "pointer", "status", "token")

    cell: ClassVar[Any]  # the C type that a task's pointer is written to
    as_task: ClassVar[str]  # the function that makes a doca_task of it

    def __init__(self, pointer: Any, base: Any, context: "Context", token: object) -> None:
        self.pointer, self.base = pointer, base
        self.context = context
        self.owner = HELD
        self.status = ErrorCode.SUCCESS
        self.token: Any = token

    def read_status(self) -> None:
        """Ask the library what the task has completed with."""
        try:
            self.status = ErrorCode(self.context.life.library["doca_task_get_status"](self.base))
        except ValueError:  # of a newer release
            self.status = ErrorCode.UNKNOWN

    def free(self) -> None:
        """Give it back to the pool."""
        self.owner = FREED
        self.token = None  # it points back at the task
        self.context.life.free(self.pointer, self.base)

    def __del__(self) -> None:
        if self.owner is HELD:  # dropped without a free
            self.context.life.dropped.append((self.pointer, self.base))


def expect_held(task: Task, name: str) -> None:
    """Raise BadState unless the program holds the task, INVALID_VALUE when its context is no more."""
    if task.owner is HELD and task.context.life.tasks.get(task.pointer) is not task.base:
        task.owner = FREED  # the pool has taken it back
    if task.owner is not HELD:
        raise BadState(f"{name}: the task is {task.owner}; legal for a task that the program holds")
    if task.context.pointer is None:
        raise task.context.fault(f"{name}: the {task.context} of the task is no more")


class Tasks(Noun):
    """What the nouns of tasks have in common; they name their `kind`."""

    kind: type[Task]

    def submit(self, task: object) -> None:
        self._submit(task, "doca_task_submit")

    def try_submit(self, task: object) -> None:
        self._submit(task, "doca_task_try_submit")

    def submit_ex(self, task: object, flags: int) -> None:
        if not isinstance(flags, int) or flags & ~int(SubmitFlag.FLUSH | SubmitFlag.OPTIMIZE_REPORTS):
            raise InvalidValue(f"doca_task_submit_ex takes SubmitFlag bits, not {flags!r}")
        self._submit(task, "doca_task_submit_ex", flags)

    def _submit(self, task: Any, name: str, *flags: int) -> None:
        found = self._own(task, name)
        life = found.context.life
        with life.lock:
            expect_held(found, name)
            found.owner, life.submitted[found.pointer] = SUBMITTED, found
            code = self.library[name](found.base, *flags)
            if code:
                found.owner = HELD
                del life.submitted[found.pointer]
                raise refusal(code, name)

    def _own(self, task: object, name: str) -> Task:
        if not isinstance(task, self.kind):
            raise InvalidValue(f"{name} takes a {self.kind.__name__}, not {task!r}")
        return task

    def free(self, task: object) -> None:
        found = self._own(task, "doca_task_free")
        with found.context.lock:
            if found.owner is SUBMITTED:
                self.free_submitted(found)
            else:
                expect_held(found, "doca_task_free")
                found.free()

    def free_submitted(self, task: Task) -> None:
        """Free a task that the library has: refused, unless its kind allows it."""
        expect_held(task, "doca_task_free")

    def get_status(self, task: Task) -> ErrorCode:
        return task.status

    def set_user_data(self, task: Task, user_data: object) -> None:
        task.token = user_data

    def get_user_data(self, task: Task) -> Any:
        return task.token

    def get_ctx(self, task: Task) -> object:
        return task.context
