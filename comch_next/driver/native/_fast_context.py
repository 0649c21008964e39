"""What consumers and producers have in common: contexts on a connection that is up (guide: Comch, Fast Path)."""

from typing import Any, ClassVar

from comch_next.driver.native._buf import Buf
from comch_next.driver.native._connection import Connection, living_connection
from comch_next.driver.native._context import Context
from comch_next.driver.native._handle import live
from comch_next.driver.native._library import ffi
from comch_next.driver.native._mmap import Mmap
from comch_next.driver.native._task import Task, Tasks, expect_held
from comch_next.driver.protocol import uninterrupted
from comch_next.errors import BadState, InvalidValue

__all__ = ["FastContext", "FastTask", "FastTasks", "buf_pointer", "connected"]


class FastContext(Context):
    """A handle; it may have another engine than its connection, which lives longer. Those of a queue have none."""

    reached: ClassVar[str] = "a memory map that has the connection's device"  # where its buffers may lie

    connection: Connection | None = None

    def check_buf(self, buf: object, name: str) -> None:
        """Raise InvalidValue for a buffer that none of its tasks may have: for functions that refuse nothing."""
        found = live(buf, Buf, name)
        if self.connection is None:
            raise InvalidValue(f"{name}: a message queue carries immediate data, and no buffers")
        if any(isinstance(task, FastTask) and task.is_filled for task in found.submitted()):
            raise InvalidValue(f"{name} takes a buffer that is not posted; wait for the completion of its task")
        if found.is_chained():
            raise InvalidValue(f"{name} takes a single buffer: chained ones are not supported by Comch")
        if not self.reaches(found.mmap):
            raise InvalidValue(f"{name} takes a buffer of {self.reached}")

    def reaches(self, mmap: Mmap) -> bool:
        """Whether its tasks may have buffers of that map."""
        return self.dev in mmap.devices


class FastTask(Task):
    """A handle. `pointer` is that of its kind; `buf` is kept until the task has another, or ends."""

    __slots__ = ("buf", "pointer")

    is_filled: ClassVar[bool] = False  # the library writes to its buffer, which no other task may have meanwhile

    buf: Buf | None

    def __init__(self, pointer: Any, *args: Any) -> None:
        super().__init__(pointer, *args)
        self.pointer = pointer
        self.buf = None

    def use(self, buf: Buf | None) -> None:
        """Have that buffer from now on, and no other."""
        if self.buf is not None:
            self.buf.tasks.discard(self)
        if buf is not None:
            buf.tasks.add(self)
        self.buf = buf

    def free_submitted(self) -> None:
        """Give a submitted task up: no callback reports it. The header forbids it, NVIDIA's secure channel does it."""
        self.give_back()


class FastTasks(Tasks):
    """What the nouns PostRecvTasks and ProducerSendTasks have in common."""

    set_buf_call: ClassVar[str]

    @uninterrupted
    def set_buf(self, task: Any, buf: Any) -> None:
        name = self.set_buf_call
        expect_held(task, name)
        if buf is not None:
            task.ctx.check_buf(buf, name)
        self.library[name](task.pointer, buf_pointer(buf, name))
        task.use(buf)

    def get_buf(self, task: Any) -> Buf | None:
        buf: Buf | None = task.buf
        return buf


def connected(connection: object, name: str) -> Connection:
    """Return a connection that a consumer or producer can be made on."""
    if isinstance(connection, Connection) and connection.is_gone():
        raise BadState(f"{name} was attempted on a connection that is not up: it has ended")
    return living_connection(connection, name)


def buf_pointer(buf: object, name: str) -> Any:
    """Return a buffer's pointer; NULL for None."""
    return ffi.NULL if buf is None else live(buf, Buf, name).pointer
