"""Both paths of one connection, through tasks and callbacks: a stream on the control path, another on the fast path."""

from __future__ import annotations

import random
from collections.abc import Callable

import comch_next as comch
from comch_next import State
from tests.fast_path.lane import Inbox, Outbox
from tests.stress.stream import Fault, Stream

_IMMEDIATE = 15  # bytes of the stream's header


class _Path:
    """What a stream sends through; `accepted` sends if that can be done now."""

    def __init__(self, accepted: Callable[[bytes], bool]) -> None:
        self._accepted = accepted

    def send(self, data: bytes, *, timeout: float) -> None:
        assert timeout == 0
        if not self._accepted(data):
            raise comch.Again("nothing is posted, or all tasks are in use")


class Talk:
    """What one side says and checks. `context` has `done` and `failed` as its task callbacks."""

    def __init__(
        self, context: comch.Server | comch.Client, connection: comch.Connection, rng: random.Random, life: int = 0
    ) -> None:
        self._context = context
        self.connection = connection
        self.control = Stream(_Path(self._submit), rng, life)
        self.lane = Stream(_Path(self._fill), rng, life)
        memory: int | bytearray = rng.choice((1 << 16, bytearray(1 << 16)))
        self.inbox = Inbox(connection, context.device, memory=memory, engine=context.engine)
        self.outbox = Outbox(connection, context.device, engine=context.engine)
        self._partner = 0  # the other side's consumer
        self._expired = False
        self._states: list[State] = []  # of the producer
        self.outbox.producer.set_state_changed_cb(lambda _, __, new: self._states.append(new))
        self.inbox.consumer.start()
        self.outbox.producer.start()

    @property
    def life(self) -> int:
        """Whose it is, once something has come."""
        return self.control.life or self.lane.life

    @property
    def ended(self) -> bool:
        """Whether the other side has sent its last on both paths."""
        return self.control.ended and self.lane.ended

    def partner(self, consumer_id: int) -> None:
        """The other side has this consumer."""
        self._partner = consumer_id

    def expired(self, consumer_id: int) -> None:
        """It is going, or the connection has ended."""
        if consumer_id != self._partner or self._expired:
            raise Fault(f"consumer {consumer_id} expired in life {self.life:x}, whose partner is {self._partner}")
        self._expired = True

    def check_expired(self) -> None:
        """With its connection, at the latest."""
        if self._partner and not self._expired:
            raise Fault(f"nobody said what became of consumer {self._partner} in life {self.life:x}")

    def _submit(self, data: bytes) -> bool:
        try:
            self._context.task_send_alloc_init(self.connection, data).submit()
        except comch.NoMemory:
            return False
        return True

    def _fill(self, data: bytes) -> bool:
        producer = self.outbox.producer
        if not self._partner or producer.state is not State.RUNNING:
            return False
        try:
            self.outbox.send(self._partner, data, data[:_IMMEDIATE] if len(data) % 2 else b"")
        except (comch.Again, comch.NoMemory):
            return False
        return True

    def turn(self) -> None:
        """Take what has come over the fast path, and post again."""
        for data, imm_data in self.inbox.received:
            self.take(data or b"", imm_data)
        self.inbox.received.clear()
        self.control.life = self.lane.life = self.life
        consumer = self.inbox.consumer
        while consumer.state is State.RUNNING and consumer.num_inflight_tasks < 8:
            self.inbox.post()

    def take(self, data: bytes, imm_data: bytes | None) -> None:
        """Check what has come over the fast path."""
        if imm_data != (data[:_IMMEDIATE] if len(data) % 2 else None):
            raise Fault(f"immediate data {imm_data!r} came with {data[:_IMMEDIATE]!r}")
        self.lane.take(data)

    def stop(self) -> None:
        """Take part in the fast path no more; progress does the rest."""
        for context in (self.outbox.producer, self.inbox.consumer):
            if context.state in (State.STARTING, State.RUNNING):
                context.stop()

    def idle(self) -> bool:
        """Whether everything can be given back."""
        return self.outbox.producer.state is self.inbox.consumer.state is State.IDLE

    def close(self) -> None:
        """Give it back; between one start and the next it has been told of each state once."""
        for states in (self.inbox.states, self._states):
            told: set[State] = set()
            for state in states:
                if state is State.STARTING:
                    told.clear()
                if state in told:
                    raise Fault(f"life {self.life:x} was told of {[state.name for state in states]}")
                told.add(state)
        self.inbox.close()
        self.outbox.close()


def done(task: comch.SendTask) -> None:
    """A send has been done."""
    if task.status != comch.ErrorCode.SUCCESS:
        raise Fault(f"a send was reported as done with {task.status!r}")
    task.free()


def failed(task: comch.SendTask) -> None:
    """A send has failed with its connection."""
    if task.status == comch.ErrorCode.SUCCESS:
        raise Fault("a send was reported as failed without an error")
    task.free()
