"""What consumers and producers have in common: contexts on a connection that is up (guide: Comch, Fast Path)."""

from typing import Any

from comch_next.driver.native._buf import Buf
from comch_next.driver.native._connection import Connection, living_connection
from comch_next.driver.native._context import Context
from comch_next.driver.native._handle import live
from comch_next.driver.native._library import ffi
from comch_next.driver.native._task import Task, Tasks
from comch_next.errors import BadState

__all__ = ["FastContext", "FastTask", "FastTasks", "buf_pointer", "connected"]


class FastContext(Context):
    """A handle; it may have another engine than its connection, which lives longer."""

    connection: Connection


class FastTask(Task):
    """A handle. `pointer` is that of its kind; `buf` is kept until the task has another, or ends."""

    __slots__ = ("buf", "pointer")

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
