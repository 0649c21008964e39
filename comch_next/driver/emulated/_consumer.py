"""The consumer context: it posts buffers, which the other side's producers write to (guide: Comch, Consumer)."""

import os
from collections import deque
from functools import partial
from typing import Any

from comch_next._codes import AccessFlag, ErrorCode, State
from comch_next.driver.emulated._buf import Buf, check_single
from comch_next.driver.emulated._checks import expect, expect_number, in_state, says_no_memory
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Callback, living
from comch_next.driver.emulated._device import limits
from comch_next.driver.emulated._fabric.bells import new_bell
from comch_next.driver.emulated._fabric.handshake import hang_up_all
from comch_next.driver.emulated._fabric.offers import Offer, make_posts, posts_size
from comch_next.driver.emulated._fast_context import (
    FastContext,
    FastContexts,
    FastTask,
    FastTasks,
    check_connected,
    check_submit,
    new_task,
)
from comch_next.driver.emulated._guard import UNCONNECTED, callback, guard, up_to
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.alarm import Alarm
from comch_next.driver.emulated._kernel.memory import ffi, lib, make_shared, map_shared
from comch_next.driver.emulated._mmap import Mmap, check_device, living_mmap
from comch_next.driver.emulated._path import Path
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.emulated._task import POOL, PROGRAM, SUCCESS, held_by_program
from comch_next.driver.protocol import by_system, monotonic, suppress_system, uninterrupted
from comch_next.errors import BadState, Initialization, InvalidValue, IoFailed, NotPermitted

__all__ = ["Consumer", "Consumers", "PostRecvTask", "PostRecvTasks"]

# How long a consumer that stops waits for a producer that has begun to write: less than a `close` waits for IDLE.
PATIENCE_S = 4.0


class PostRecvTask(FastTask, calls.PostRecvTask):
    """A handle. `offset` and `room` are those of the buffer's free part when it was posted; bytes."""

    __slots__ = ()

    _tasks: "PostRecvTasks"

    def forget(self) -> None:
        """Have nothing of an earlier message: it is going to fail."""
        self.producer, self.imm_data = 0, b""


class Consumer(FastContext, calls.Consumer):
    """A handle. `posts` is the kernel's view of what is posted, while started; the hot calls hold it, too."""

    kind = "consumer"
    start_trigger = Trigger.START_LATER
    undelivered = ErrorCode.IO_FAILED  # a receive, where the exporter of the memory has gone

    def __init__(self, path: Path, mmap: Mmap) -> None:
        self._offer: Offer | None = None
        self._bell = -1  # this side's end; producers have the other
        super().__init__(path)  # from here on a fork on another thread lets go of these
        self.mmap, self.addr = mmap, mmap.addr
        self.remote = mmap.remote is not None
        self.imm_max = path.most_imm_data
        self.posts: Any = None
        self.posted = deque()
        self._memory: Any = None  # keeps the posts mapped
        self._deadline = 0.0  # of its stop
        self._alarm: Alarm | None = None  # which wakes the program then
        self._bounce: Any = None  # a `char *` where producers write for memory that they cannot be given
        mmap.consumers.add(self)

    def let_go(self) -> None:
        super().let_go()
        if self._offer is not None:
            self._offer.close()
        self._give_up_bell()

    # Life

    def begin(self) -> None:
        super().begin()
        try:
            self._offer = self._share()
            self.path.run(partial(self.path.announce, self._offer, partial(self._announced, self._offer)))
        except by_system(OSError, MemoryError) as error:
            raise Initialization(f"ctx_start: {self} cannot get its memory: {error}") from error

    def _share(self) -> Offer:
        """Make what producers need, and the kernel's view of it."""
        depth, mmap = self.num_tasks, self.mmap
        offer = Offer(self.id, depth, self.imm_max, mmap.size, [])
        try:
            offer.fds.append(make_posts(depth, self.imm_max))
            self._memory = map_shared(offer.fds[0], posts_size(depth, self.imm_max))
            if mmap.fd >= 0:
                offer.fds.append(os.dup(mmap.fd))
            else:
                offer.fds.append(make_shared("comch-bounce", mmap.size, commit=True))
                self._bounce = map_shared(offer.fds[1], mmap.size)
            self._bell, other_end = new_bell()
            offer.fds.append(other_end)
            self.listen(self._bell)
        except BaseException:
            offer.close()
            raise
        self.posts = ffi.new("comch_consumer *", {"depth": depth, "imm_max": self.imm_max})
        self.posts.stride = lib.comch_post_stride(self.imm_max)
        lib.comch_consumer_attach(self.posts, self._memory)
        self.bounce = 0 if self._bounce is None else int(ffi.cast("uintptr_t", self._bounce))
        self.hold((self.posts, self._memory), int(ffi.cast("uintptr_t", self.posts)))
        return offer

    def listen(self, bell: int) -> None:
        """Listen to the bell that producers ring."""
        assert self.engine is not None
        self.engine.notification.listen(bell, self.path.report_violation)

    def unlisten(self, bell: int) -> None:
        """Stop listening to the bell."""
        if self.engine is not None:
            self.engine.notification.unlisten(bell)

    def _announced(self, offer: Offer) -> None:
        """Run, by the connection's engine, once producers know the consumer; this consumer's engine does the rest."""
        engine = self.engine  # asked once: its own thread may destroy the consumer meanwhile
        if engine is not None:
            engine.call_soon_threadsafe(partial(self._registered, offer))

    def _registered(self, offer: Offer) -> None:
        if offer is self._offer and self.state is State.STARTING and not self.lost:
            assert self.engine is not None
            self.engine.read(self)
            self.move(Trigger.CONNECTED)

    def withdraw(self) -> None:
        assert self._offer is not None
        lib.comch_close_posts(self.posts)
        self._deadline = monotonic() + PATIENCE_S
        if lib.comch_being_written(self.posts):
            self._wake_at_deadline()
        self._offer.close()
        self.path.run(partial(self.path.withdraw, self._offer))

    @uninterrupted
    def _wake_at_deadline(self) -> None:
        """Wake a program that sleeps until then: a producer that never finishes rings no bell. Idempotent."""
        if self.engine is None or self._alarm is not None:
            return
        with suppress_system(OSError):  # for want of descriptors: then a progress that comes by itself finds out
            self._alarm = Alarm()
            self._alarm.set(max(0.0, self._deadline - monotonic()))
            self.engine.notification.watch(self._alarm)

    @uninterrupted
    def _end_patience(self) -> None:
        alarm, self._alarm = self._alarm, None
        if alarm is not None:
            if self.engine is not None:
                self.engine.notification.unwatch(alarm)
            alarm.close()

    def check(self) -> bool:
        moved = super().check()
        if self.state is not State.STOPPING:
            return moved
        if self.posted and self._being_written():
            if monotonic() < self._deadline:
                self._wake_at_deadline()
                return moved
            self.report_violation()
        self._end_patience()
        if self.posted:
            assert self.engine is not None
            if self in self.engine.consumers and self.arm_filled():
                return True  # the engine delivers what has been written before the rest fails
            self._stop_reading()
            self._fail_posted()
            moved = True  # the failures are reported in this context's next turn
        return moved

    @uninterrupted
    def _fail_posted(self) -> None:
        """Fail the posted receives."""
        why = self.why()
        while self.posted:
            task = self.posted.popleft()
            buf = task.buf
            if buf is not None:
                buf.posted = False
                if not buf.refcount:
                    buf.let_go()
            if task.owner is POOL:
                self.tasks_out -= 1
            else:
                task.forget()
                task.finish(why)

    def arm(self) -> bool:
        return super().arm() or (self.state is State.STOPPING and bool(self.posted) and not self._being_written())

    def _being_written(self) -> bool:
        """Return whether a producer has to finish first; one that died never will."""
        return not self.fatal and self.path.status is SUCCESS and bool(lib.comch_being_written(self.posts))

    def _stop_reading(self) -> None:
        """Stop reading the posts: what is still written there is dropped."""
        if self.engine is not None:
            self.engine.stop_reading(self)

    def end(self) -> None:
        super().end()
        self.hold(None, 0)
        self.posts = self._memory = self._bounce = self._offer = None
        self._stop_reading()
        self._end_patience()
        if self._bell >= 0:
            self.unlisten(self._bell)
            self._give_up_bell()

    def _give_up_bell(self) -> None:
        bell, self._bell = self._bell, -1
        if bell >= 0:
            hang_up_all([bell])

    def destroy(self) -> None:
        super().destroy()
        self.mmap.consumers.discard(self)

    def inflight(self) -> int:
        return super().inflight() + len(self.posted)

    # Of DPA consumers

    def set_dev_max_num_recv(self, number: int) -> None:
        raise self.not_on_dpa("consumer_set_dev_max_num_recv")

    def set_completion(self, completion: object, user_data: object) -> None:
        raise self.not_on_dpa("consumer_set_completion")

    def get_dpa_handle(self) -> int:
        raise self.not_on_dpa("consumer_get_dpa_handle")

    # Receiving

    def arm_filled(self) -> bool:
        """Before the engine sleeps: whether a post has been written to already."""
        return bool(lib.comch_arm_posts(self.posts))

    def hand_over(self, place: tuple[int, int]) -> bool:
        """Copy what a producer wrote at (offset, length) to the process whose memory it is. Whether it has it now."""
        assert self.mmap.remote is not None
        offset, length = place
        try:
            self.mmap.remote.write(self.addr + offset, self._bounce + offset, length)
        except IoFailed:
            return False
        return True

    def report_violation(self) -> None:
        """Report that the peer violated the protocol of posts: it loses the connection."""
        self._stop_reading()
        self.path.report_violation()
        self.on_peer_lost()


class Consumers(FastContexts):
    """The noun Consumers of the driver protocol."""

    kind = Consumer

    @says_no_memory
    @uninterrupted
    def create(self, connection: object, buf_mmap: object) -> Consumer:
        link = expect(connection, Connection, "consumer_create")
        with UNCONNECTED:
            mmap = living_mmap(buf_mmap, "consumer_create")
            if not mmap.started:
                raise InvalidValue("consumer_create takes a memory map that is started")
            if not (mmap.allows(AccessFlag.PCI_READ_WRITE) and mmap.writable()):
                raise NotPermitted("consumer_create takes a memory map with permission PCI_READ_WRITE")
            check_device(mmap, link.context.dev, "consumer_create")
            check_connected(link, "consumer", link.context.dev.info.row.limits.max_consumers)
            consumer = Consumer(link.fast, mmap)
            if not mmap.alive:  # since it was checked, by a finalizer of the program's
                consumer.destroy()
                living_mmap(mmap, "consumer_create")
            return consumer

    @guard("consumer_", living(Consumer))
    def set_imm_data_len(self, consumer: Consumer, imm_data_len: int) -> None:
        most = consumer.path.most_imm_data
        consumer.imm_max = expect_number(imm_data_len, most, "consumer_set_imm_data_len", least=0)

    def get_imm_data_len(self, consumer: object) -> int:
        return expect(consumer, Consumer, "consumer_get_imm_data_len").imm_max

    @guard("", living(Consumer), done=callback, failed=callback, number=up_to("max_fast_tasks"))
    def task_post_recv_set_conf(self, consumer: Consumer, done: Callback, failed: Callback, number: int) -> None:
        consumer.on_done, consumer.on_failed, consumer.num_tasks = done, failed, number

    def task_post_recv_alloc_init(self, consumer: object, buf: object, user_data: object = None) -> PostRecvTask:
        context = expect(consumer, Consumer, "task_post_recv_alloc_init")
        in_state(context, "task_post_recv_alloc_init")
        task = PostRecvTask()
        task.buf = _postable(context, buf, "task_post_recv_alloc_init")
        task.producer = 0
        new_task(context, task, user_data)
        return task

    @guard("consumer_", living(Consumer))
    def set_dev_max_num_recv(self, consumer: Consumer, number: int) -> None:
        consumer.set_dev_max_num_recv(number)

    @guard("consumer_", living(Consumer))
    @uninterrupted
    def set_completion(self, consumer: Consumer, completion: object, user_data: object) -> None:
        consumer.set_completion(completion, user_data)

    @guard("consumer_", living(Consumer))
    def get_dpa_handle(self, consumer: Consumer) -> int:
        return consumer.get_dpa_handle()

    def cap_get_max_consumers(self, devinfo: object) -> int:
        return limits(devinfo, "consumer_cap_get_max_consumers").max_consumers

    def cap_get_max_imm_data_len(self, devinfo: object) -> int:
        return limits(devinfo, "consumer_cap_get_max_imm_data_len").max_imm_data_len


def _postable(context: Consumer, buf: object, call: str) -> Buf | None:
    if buf is None:
        return None
    context.path.check_takes_buffers(call)
    return check_single(buf, context.mmap, call)


class PostRecvTasks(FastTasks):
    """The noun PostRecvTasks of the driver protocol."""

    kind = PostRecvTask
    submit: Any = staticmethod(PostRecvTask.submit)

    def submit_checked(self, task: PostRecvTask) -> None:
        """Submit a task that may be refused."""
        context: Any = task.ctx
        if task.owner is not PROGRAM or "task_submit" not in context.legal:
            check_submit(task)
        buf = task.buf
        if buf is not None:
            mmap = context.mmap
            chained = buf.next is not None or buf.previous is not None
            if chained or buf.posted or not buf.refcount or buf.mmap is not mmap:
                check_single(buf, mmap, "task_submit")
            if buf.len > context.most:
                raise InvalidValue("task_submit: the buffer is longer than a consumer's may be")
        if context.moving:  # it is stopping
            task.forget()
            task.finish_now(context.why())
        else:
            # Nothing is in its way: what was has been removed meanwhile.
            raise BadState("task_submit was attempted on a task or buffer that two threads use at once")

    def set_buf(self, task: PostRecvTask, buf: object) -> None:
        held_by_program(task, "task_post_recv_set_buf")
        context: Any = task.ctx
        task.buf = _postable(context, buf, "task_post_recv_set_buf")

    def get_producer_id(self, task: PostRecvTask) -> int:
        return task.producer


PostRecvTask._tasks = PostRecvTasks()
