"""The quick calls of the fast path: beside the public frames no Python code of the library runs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import pytest

from comch_next import AccessFlag, BufInventory, Consumer, Mmap, PostRecvTask, Producer, ProducerSendTask, State
from tests.control_path.pair import client, connect, ignore, leave, server, until
from tests.frames import TURNS, fewest, frames
from tests.inside import inside


class Lane:
    """A consumer and a producer whose tasks are used again and again; callbacks are calls of C."""

    def __init__(self, memory: int | bytearray) -> None:
        self.there, self.here = server(), client()
        self.news: list[int] = []
        self.there.context.event_consumer_register(ignore, ignore)
        self.here.context.event_consumer_register(lambda _, number: self.news.append(number), ignore)
        connect(self.there, self.here)
        self.inbox = Mmap(self.there.context.device, memory, AccessFlag.PCI_READ_WRITE)
        self.outbox = Mmap(self.here.context.device, 4096, AccessFlag.LOCAL_READ_WRITE)
        self.inventory = BufInventory(8)
        for thing in (self.inbox, self.outbox, self.inventory):
            thing.start()
        self.consumer, self.producer = Consumer(self.there.connection, self.inbox), Producer(self.here.connection)
        self.arrived: deque[PostRecvTask] = deque()
        self.sent: deque[ProducerSendTask] = deque()
        self.consumer.task_post_recv_set_conf(self.arrived.append, ignore, 4)
        self.producer.task_send_set_conf(self.sent.append, ignore, 4)
        self.consumer.start()
        self.producer.start()
        self.until(lambda: bool(self.news) and self.consumer.state is State.RUNNING)
        buf = self.inventory.buf_get_by_addr(self.inbox, self.inbox.addr, len(self.inbox))
        self.post = self.consumer.task_post_recv_alloc_init(buf)
        self.outbox.view[:5] = b"hello"
        buf = self.inventory.buf_get_by_data(self.outbox, self.outbox.addr, 5)
        self.send = self.producer.task_send_alloc_init(buf, b"imm", self.consumer.id)

    def until(self, condition: Callable[[], object]) -> None:
        until(condition, self.there.engine, self.here.engine)

    def progress_soon(self) -> None:
        """Progress as in a tight loop: for one that has been away it were time to poll the sockets."""
        for side in (self.there, self.here):
            inside(side.engine).poller.polled()
            side.engine.progress()

    def pass_one(self) -> None:
        """One message, from its post to both completions."""
        self.post.submit()
        self.send.submit()
        while not (self.arrived and self.sent):
            self.progress_soon()

    def take_back(self) -> tuple[bytes, bytes | None]:
        """What has come; the tasks may be used again."""
        self.arrived.popleft()
        self.sent.popleft()
        assert self.post.buf is not None
        found = bytes(self.post.buf.view), self.post.imm_data
        self.post.buf.reset_data_len()
        return found

    def close(self) -> None:
        for task in (self.post, self.send):
            assert task.buf is not None
            task.buf.dec_refcount()
            task.free()
        for context in (self.consumer, self.producer):
            context.stop()
        self.until(lambda: self.consumer.state is self.producer.state is State.IDLE)
        for thing in (self.consumer, self.producer, self.inbox, self.outbox, self.inventory):
            thing.destroy()
        leave(self.here, self.there)


@pytest.mark.parametrize("memory", [4096, bytearray(4096)], ids=["of the library", "of the program"])
def test_from_its_post_to_both_completions_a_message_runs_public_frames_only(memory: int | bytearray) -> None:
    lane = Lane(memory)
    runs, found = [], []
    for _ in range(TURNS):
        runs.append(frames(lane.pass_one))
        found.append(lane.take_back())
    assert min(runs, key=len) == ["submit", "submit"]
    assert found == [(b"hello", b"imm")] * TURNS
    lane.close()


def test_a_progress_that_finds_nothing_for_a_consumer_runs_no_python_code() -> None:
    lane = Lane(4096)
    lane.post.submit()
    assert fewest(lane.progress_soon) == []
    lane.send.submit()
    lane.until(lambda: lane.arrived and lane.sent)
    lane.take_back()
    lane.close()


def test_what_a_long_copy_fills_is_what_a_short_one_would() -> None:
    """A copy that takes long lets other threads run, and comes by another way."""
    lane = Lane(1 << 20)
    size = 256 * 1024
    source = Mmap(lane.here.context.device, size, AccessFlag.LOCAL_READ_WRITE)
    source.start()
    source.view[:] = bytes(range(256)) * (size // 256)
    buf = lane.inventory.buf_get_by_data(source, source.addr, size)
    small, lane.send.buf = lane.send.buf, buf
    lane.pass_one()
    assert lane.take_back() == (bytes(source.view), b"imm")
    lane.send.buf = small
    buf.dec_refcount()
    source.destroy()
    lane.close()
