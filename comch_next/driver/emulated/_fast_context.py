"""What consumers and producers have in common: contexts on a connection that is up (guide: Comch, Fast Path)."""

import select
import socket
from typing import Any, ClassVar

from comch_next._codes import ErrorCode, State
from comch_next.driver.emulated._buf import Buf
from comch_next.driver.emulated._checks import expect, in_state
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Context, unset
from comch_next.driver.emulated._device import DevInfo, limits
from comch_next.driver.emulated._fabric.topology import Limits
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._path import Path
from comch_next.driver.emulated._state import LEGAL, Trigger
from comch_next.driver.emulated._task import PROGRAM, SUCCESS, Task, Tasks, held_by_program
from comch_next.driver.protocol import by_system, new_lock, suppress_system, uninterrupted
from comch_next.errors import BadState, Initialization, NoMemory, NotConnected, NotSupported

__all__ = [
    *("FastContext", "FastContexts", "FastTask", "FastTasks", "check_connected"),
    *("check_room", "check_submit", "new_task"),
]


class FastTask(Task, calls.FastTask):
    """A handle. `buf` may be None where immediate data is enough."""

    __slots__ = ()

    ctx: Context
    buf: Buf | None

    def finish_now(self, status: ErrorCode) -> None:
        """Submit it, to complete with this status. Raises BadState if the pool has taken it back meanwhile."""
        if not self.fail(status):
            held_by_program(self, "task_submit")


class FastTasks(Tasks):
    """What the nouns PostRecvTasks and ProducerSendTasks have in common."""

    def free_submitted(self, task: Any) -> None:
        """Give a submitted task up: its context has it back once the library lets go of it, and no callback reports it.

        The header asks that no submitted task be freed; NVIDIA's secure channel frees its posted receives.
        """
        if not task.give_up(task.ctx.posted):
            held_by_program(task, "task_free")
            raise BadState("task_free: the task has just completed, on another thread")

    def get_buf(self, task: FastTask) -> object | None:
        return task.buf

    def get_imm_data(self, task: FastTask) -> bytes | None:
        return task.imm_data or None


class FastContext(Context, calls.FastContext):
    """A handle; Consumer and Producer add what they do. It may have another engine than what it stands on.

    `most`: bytes of the longest buffer. `turn` is the lock of long copies, during which no task is taken back.
    """

    kind: ClassVar[str]
    lost: list[Path]

    def __init__(self, path: Path) -> None:
        self.path = path
        self.id = path.next_id()
        self.fatal = False  # it stops because the other side has been lost
        self._sock: socket.socket | None = None  # the connection's, while it is watched
        self.turn = new_lock()
        try:
            super().__init__(path.dev, self.kind)
        except Initialization as error:  # descriptors have run out, for which servers and clients have another code
            raise NoMemory(str(error)) from error
        self.lost = []
        self.most = self.dev.info.row.limits.max_buf_size
        path.made[self.kind].add(self)

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    def supported(self) -> bool:
        return self.dev.info.row.capable

    def missing(self) -> list[str]:
        """The mandatory configuration that has not been given: its own, and that of what it stands on."""
        lacking = ["the task configuration"] if self.on_done is unset else []
        return lacking + self.path.lacking()

    def begin(self) -> None:
        self.fatal = False
        if self.path.in_process and self.engine is not None:
            self.engine.yields = True
        self.path.live.append(self)  # before the check: its end, on another thread, notifies these
        sock = self.path.end_of_peer()
        if self.path.status is not ErrorCode.SUCCESS:
            raise NotConnected(f"ctx_start: the {self.path} has ended; {self} cannot run on it any more")
        if sock is not None:
            self._watch_peer(sock)

    def _watch_peer(self, sock: socket.socket) -> None:
        """Watch the connection's socket, in case its engine makes no progress."""
        self._sock = sock
        try:
            self.watched(sock, self.on_peer_lost, select.EPOLLRDHUP)
        except by_system(OSError, ValueError):
            self._sock = None  # another thread has just closed it, which `live` makes known

    def undo_begin(self) -> None:
        self.end()

    def became_idle(self) -> None:
        self.end()
        super().became_idle()

    def end(self) -> None:
        """Give back what a started context needs."""
        self._unwatch_peer()
        if self in self.path.live:
            self.path.live.remove(self)

    def _unwatch_peer(self) -> None:
        if self._sock is not None:
            with suppress_system(OSError, ValueError):  # it has been closed since
                self.unwatch(self._sock)
            self._sock = None
        self._handlers.clear()

    @uninterrupted
    def on_peer_lost(self) -> None:
        """Note that the peer is lost: this context's progress reports it."""
        self._unwatch_peer()
        if not self.lost and self.state in (State.STARTING, State.RUNNING):
            self.lost.append(self.path)
            self.busy_engine()

    def why(self) -> ErrorCode:
        """Return what tasks fail with: this side's stop, or what ended the other, be it not noticed yet."""
        if not self.fatal:
            return ErrorCode.NOT_CONNECTED
        status = self.path.status
        return self.path.unnoticed_end() if status is SUCCESS else status

    def stop(self) -> State:
        """Take part no more; IDLE when no task is out, else through progress."""
        self.check_engine("ctx_stop")
        clean = False
        if self.state in (State.STARTING, State.RUNNING):
            self.withdraw()
            clean = self.vacate(LEGAL[State.IDLE])
        return self.move_to_stop(clean=clean)

    def check(self) -> bool:
        """The loss of the connection is fatal: STARTING falls back, RUNNING stops."""
        if self.lost:
            self._stop_lost()
            return True
        return False

    @uninterrupted
    def _stop_lost(self) -> None:
        self.lost.clear()
        if self.state in (State.STARTING, State.RUNNING):
            self.fatal = True
            self.withdraw()
            self.move(Trigger.REFUSED if self.state is State.STARTING else Trigger.FATAL)

    def not_on_dpa(self, call: str) -> BadState:
        """The refusal of a call that is for DPA consumers and producers only."""
        return BadState(
            f"{call} was attempted on {self}, which is of the host; a message queue makes those of the DPA"
        )

    def take_back_tasks(self) -> None:
        with self.turn:
            super().take_back_tasks()

    def withdraw(self) -> None:
        """Give up what STARTING and RUNNING need, before the context leaves them."""

    def destroy(self) -> None:
        super().destroy()
        self.path.made[self.kind].discard(self)


def check_room(path: Path, kind: str, most: int) -> None:
    """Refuse what has as many of the kind as it may."""
    if path.made[kind].size >= most:
        raise NoMemory(f"{kind}_create: the {path} has all {most} that it may have; destroy one first")


def check_connected(connection: Connection, kind: str, most: int) -> None:
    """Refuse a connection that is not up, or has as many of the kind as it may."""
    if connection.status is not ErrorCode.SUCCESS:
        raise BadState(f"{kind}_create was attempted on a connection that is not up: {connection.reason}")
    check_room(connection.fast, kind, most)


def new_task(context: FastContext, task: FastTask, user_data: object) -> None:
    """Take a task out of the context's pool, or NoMemory when all are in use."""
    task.imm_data = b""
    if not task.take_from(context, user_data):
        raise NoMemory(f"all {context.num_tasks} tasks of {context} are in use; progress and free some")


def check_submit(task: FastTask) -> Any:
    """The context of a task that may be submitted now."""
    if task.owner is not PROGRAM:
        held_by_program(task, "task_submit")
    if "task_submit" not in task.ctx.legal:
        in_state(task.ctx, "task_submit")
    return task.ctx


class FastContexts:
    """What the nouns Consumers and Producers have in common. They name their `kind`."""

    kind: type[FastContext]

    def get_id(self, context: object) -> int:
        return expect(context, self.kind, f"{self.kind.kind}_get_id").id

    def cap_is_supported(self, devinfo: object) -> bool:
        return expect(devinfo, DevInfo, f"{self.kind.kind}_cap_is_supported").row.capable

    def cap_get_max_num_tasks(self, devinfo: object) -> int:
        return limits(devinfo, f"{self.kind.kind}_cap_get_max_num_tasks").max_fast_tasks

    def cap_get_max_buf_size(self, devinfo: object) -> int:
        return self._limits(devinfo, "cap_get_max_buf_size").max_buf_size

    def cap_get_max_buf_list_len(self, devinfo: object) -> int:
        self._limits(devinfo, "cap_get_max_buf_list_len")
        return 1

    def _limits(self, devinfo: object, call: str) -> Limits:
        """The limits of a device that can run them; NotSupported for another."""
        row = expect(devinfo, DevInfo, f"{self.kind.kind}_{call}").row
        if not row.capable:
            raise NotSupported(f"{self.kind.kind}_{call}: device {row.pci_addr} has no fast path")
        return row.limits
