"""What every task has: an owner, one completion, and the calls of doca_task_* (guide: DOCA Core Task).

Who has a task is known here, because the functions that submit and free one validate nothing.
"""

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from comch_next._codes import ErrorCode, SubmitFlag
from comch_next.driver.native._calls import Noun
from comch_next.driver.native._handle import address, task_at
from comch_next.driver.native._kernel import calls
from comch_next.driver.native._kernel.calls import FREED, HELD, SUBMITTED
from comch_next.driver.native._library import refusal
from comch_next.driver.protocol import by_system, quoted, uninterrupted
from comch_next.errors import BadState, InvalidValue

if TYPE_CHECKING:
    from comch_next.driver.native._context import Context

__all__ = ["Task", "Tasks", "expect_held"]

_SUCCESS = ErrorCode.SUCCESS  # members of an enum are slow to reach


class Task(calls.Task):
    """A handle of the context `ctx`: `address` is where its kind's struct is, `base` the same as a doca_task.

    `token`: what its callbacks get. What submits and frees it leaves to the calls here what does not succeed at once.
    """

    __slots__ = ("__weakref__",)

    cell: ClassVar[Any]  # the C type that a task's pointer is written to
    as_task: ClassVar[str]  # the function that makes a doca_task of it

    def __init__(self, pointer: Any, ctx: "Context", token: object) -> None:
        library = ctx.life.library
        self.address, self.base = address(pointer), address(library[self.as_task](pointer))
        self.ctx = ctx
        self.status = _SUCCESS
        self.token = token
        ctx.life.tasks[self.address] = self.base
        self.owner = HELD

    @uninterrupted
    def submit_by(self, name: str = "doca_task_submit", *flags: int) -> None:
        """Submit it by that function, which gives it to the library."""
        life = self.ctx.life
        with life.lock:
            expect_held(self, name)
            self.expect_peer(name)
            self.owner, life.submitted[self.address], code = SUBMITTED, self, -1
            try:
                code = life.library[name](task_at(self.base), *flags)
            finally:
                if code:  # it has been refused, or the library has no such function
                    self.owner = HELD
                    del life.submitted[self.address]
            if code:
                self.refused(code, name)

    def expect_peer(self, name: str) -> None:
        """Refuse to submit what the library would reach by a connection that has ended."""

    def refused(self, code: int, name: str) -> NoReturn:
        """Raise what the library has refused."""
        raise refusal(code, name)

    def free_checked(self) -> None:
        """Give it back to the pool, if the program holds it."""
        with self.ctx.life.lock:
            if self.owner is SUBMITTED:
                self.free_submitted()
            else:
                expect_held(self, "doca_task_free")
                self.give_back()

    def free_submitted(self) -> None:
        """Free a task that the library has: refused, unless its kind allows it."""
        expect_held(self, "doca_task_free")

    @uninterrupted
    def give_back(self) -> None:
        """Give it back to the pool, whoever holds it."""
        self.owner = FREED
        self.token = None  # it points back at the task
        self.ctx.life.free(self.address, self.base)

    def take_back(self, failed: bool) -> None:
        """Have it from the library, which has completed it; ask with what, unless that has succeeded."""
        self.owner, self.status = HELD, _SUCCESS
        if not failed:
            return
        try:
            self.status = ErrorCode(self.ctx.life.library["doca_task_get_status"](task_at(self.base)))
        except by_system(ValueError):  # of a newer release
            self.status = ErrorCode.UNKNOWN


def expect_held(task: Task, name: str) -> None:
    """Raise BadState unless the program holds the task, INVALID_VALUE when its context is no more."""
    if task.owner is HELD and task.ctx.life.tasks.get(task.address) is not task.base:
        task.owner = FREED  # the pool has taken it back
    if task.owner is not HELD:
        raise BadState(f"{name}: the task is {task.owner}; legal for a task that the program holds")
    if task.ctx.pointer is None:
        raise task.ctx.fault(f"{name}: the {task.ctx} of the task has been destroyed")


class Tasks(Noun):
    """What the nouns of tasks have in common; they name their `kind`."""

    kind: type[Task]

    def submit(self, task: object) -> None:
        self._own(task, "doca_task_submit").submit()

    def try_submit(self, task: object) -> None:
        self._submit(task, "doca_task_try_submit")

    def submit_ex(self, task: object, flags: int) -> None:
        if not isinstance(flags, int) or flags & ~int(SubmitFlag.FLUSH | SubmitFlag.OPTIMIZE_REPORTS):
            raise InvalidValue(f"doca_task_submit_ex takes SubmitFlag bits, not {quoted(flags)}")
        self._submit(task, "doca_task_submit_ex", flags)

    def _submit(self, task: object, name: str, *flags: int) -> None:
        self._own(task, name).submit_by(name, *flags)

    def _own(self, task: object, name: str) -> Task:
        if not isinstance(task, self.kind):
            raise InvalidValue(f"{name} takes a {self.kind.__name__}, not {quoted(task)}")
        return task

    def free(self, task: object) -> None:
        self._own(task, "doca_task_free").free()

    def get_status(self, task: Task) -> ErrorCode:
        return task.status

    def set_user_data(self, task: Task, user_data: object) -> None:
        task.token = user_data

    def get_user_data(self, task: Task) -> Any:
        return task.token

    def get_ctx(self, task: Task) -> object:
        return task.ctx
