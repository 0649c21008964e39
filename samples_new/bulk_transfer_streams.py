"""The two streams of bulk_transfer, one each way: each runs in a thread of its own, on an engine of its own."""

import contextlib
import os
import time
import zlib
from typing import NamedTuple

import comch_next as comch
from comch_next import AccessFlag, State

NUM_BUFFERS = 8  # in rotation, each way
TIMEOUT_S = 30.0  # for one step
TICK_S = 0.01  # how often one that waits looks whether the other stream has failed
MAX_SIZE = 1 << 26  # bytes of a buffer, of which each end has NUM_BUFFERS each way
PAUSE_S = 10e-6  # between attempts to send: no event tells that the other side has posted a buffer


class Plan(NamedTuple):
    """Buffers each way, and bytes of each; the client chooses, and says so in its "start"."""

    buffers: int
    size: int

    @classmethod
    def of(cls, buffers: int, size: int) -> "Plan":
        """A plan that can be carried out; ValueError for another."""
        if buffers < 1 or not 1 <= size <= MAX_SIZE:
            raise ValueError(f"{buffers} buffers of {size} bytes: legal is 1 buffer or more, of 1 to {MAX_SIZE} bytes")
        return cls(buffers, size)


class Stream:
    """One direction: its callbacks, and what they have learned. A thread runs it and turns its engine.

    `kept` is what the main thread closes when both have ended: nothing that the other side could notice before.
    """

    access: AccessFlag
    context: comch.Consumer | comch.Producer

    def __init__(self, device: comch.Device, plan: Plan, kept: contextlib.ExitStack) -> None:
        self.plan = plan
        self.kept = kept
        self.engine = kept.enter_context(comch.ProgressEngine())
        self.memory = kept.enter_context(comch.Mmap(device, NUM_BUFFERS * plan.size, self.access))
        self.inventory = kept.enter_context(comch.BufInventory(NUM_BUFFERS))
        self.left = plan.buffers  # buffers that have not come through
        self.checksum = 0  # CRC-32 of all bytes in order
        self.seconds = 0.0
        self.failure: BaseException | None = None
        self.free_slots = list(range(NUM_BUFFERS))  # parts of the memory that no task uses

    def address(self, slot: int) -> int:
        return self.memory.addr + slot * self.plan.size

    def give_back(self, task: comch.PostRecvTask | comch.ProducerSendTask) -> None:
        """The task to its pool, its buffer to the inventory, its part of the memory to the list."""
        self.free_slots.append(task.user_data)
        if task.buf is not None:
            task.buf.dec_refcount()
        task.free()

    def on_failed(self, task: comch.PostRecvTask | comch.ProducerSendTask) -> None:
        self.break_off(task.status)
        self.give_back(task)

    def break_off(self, code: comch.ErrorCode) -> None:
        self.fail(comch.from_code(code, f"the stream broke off with {self.left} buffers to go"))

    def fail(self, error: BaseException) -> None:
        """Let the next `progress` raise it; the main thread tells what the other stream has failed with."""
        self.failure = self.failure or error

    def progress(self) -> bool:
        """Turn this thread's engine. Raises what the stream has failed with."""
        moved = self.engine.progress()
        if self.failure is None and self.context.state not in (State.STARTING, State.RUNNING):
            self.break_off(comch.ErrorCode.CONNECTION_RESET)  # nobody else stops it
        if self.failure is not None:
            raise self.failure
        return moved

    def show(self, what: str) -> None:
        buffers, size = self.plan
        print(f"peer 1 {what} {buffers} buffers of {size} bytes, checksum {self.checksum:08x}")
        print(f"time: {what} in {self.seconds:.3f} s, {buffers * size / self.seconds / 1e9:.2f} GB/s", flush=True)


class Incoming(Stream):
    """Posts buffers, and each again as soon as it has been read."""

    access = AccessFlag.PCI_READ_WRITE

    def run(self, connection: comch.Connection) -> None:
        consumer = comch.Consumer(connection, self.memory, engine=self.engine)
        self.kept.enter_context(contextlib.closing(consumer))
        self.context = self.consumer = consumer
        self.to_post = self.plan.buffers
        consumer.task_post_recv_set_conf(self.on_received, self.on_failed, NUM_BUFFERS)
        consumer.start()
        while consumer.state is State.STARTING:  # until the main thread has told the other side of it
            self.progress_or_wait()
        began = time.perf_counter()
        self.post()
        while self.left:
            self.progress_or_wait()
        self.seconds = time.perf_counter() - began

    def post(self) -> None:
        while self.free_slots and self.to_post:
            slot = self.free_slots.pop()
            buf = self.inventory.buf_get_by_addr(self.memory, self.address(slot), self.plan.size)
            task = self.consumer.task_post_recv_alloc_init(buf)
            task.user_data = slot
            task.submit()
            self.to_post -= 1

    def on_received(self, task: comch.PostRecvTask) -> None:
        assert task.buf is not None
        self.checksum = zlib.crc32(task.buf.view, self.checksum)
        self.left -= 1
        self.give_back(task)
        self.post()

    def progress_or_wait(self) -> None:
        deadline = time.monotonic() + TIMEOUT_S
        while not self.progress() and not self.engine.wait(TICK_S):
            if time.monotonic() > deadline:
                raise comch.TimeOut(f"no buffer came for {TIMEOUT_S:g} s")


class Outgoing(Stream):
    """Sends buffers as fast as the other side posts its own."""

    access = AccessFlag.LOCAL_READ_WRITE

    def run(self, connection: comch.Connection, consumer_id: int) -> None:
        producer = comch.Producer(connection, engine=self.engine)
        self.kept.enter_context(contextlib.closing(producer))
        self.context = producer
        producer.task_send_set_conf(self.on_sent, self.on_failed, NUM_BUFFERS)
        producer.start()
        self.memory.view[:] = os.urandom(len(self.memory))
        began = time.perf_counter()
        for number in range(self.plan.buffers):
            self.progress()
            while not self.free_slots:
                self.progress()
            slot = self.free_slots.pop()
            buf = self.inventory.buf_get_by_data(self.memory, self.address(slot), self.plan.size)
            view = buf.view
            view[:8] = number.to_bytes(8, "big")[-len(view) :]  # so that no buffer is like the one before
            self.checksum = zlib.crc32(view, self.checksum)
            task = producer.task_send_alloc_init(buf, None, consumer_id)
            task.user_data = slot
            self.submit(task)
        while self.left:
            self.progress()
        self.seconds = time.perf_counter() - began

    def submit(self, task: comch.ProducerSendTask) -> None:
        """Try until the other side has posted a buffer."""
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            try:
                task.submit()
                return
            except comch.Again:
                if self.failure is not None or time.monotonic() > deadline:
                    self.give_back(task)
                    raise self.failure or comch.TimeOut(f"no buffer was posted for {TIMEOUT_S:g} s") from None
            except comch.DocaError:
                self.give_back(task)
                raise
            self.engine.progress()  # what has failed meanwhile fails this one, too
            time.sleep(PAUSE_S)

    def on_sent(self, task: comch.ProducerSendTask) -> None:
        self.left -= 1
        self.give_back(task)
