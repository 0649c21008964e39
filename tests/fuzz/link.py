"""One connection of a victim, good or bad."""

from __future__ import annotations

import random

import comch_next as comch
from comch_next import State
from tests.stress.stream import Fault
from tests.stress.talk import Talk

_CODES = comch.ErrorCode
_REFUSALS = (_CODES.SUCCESS, _CODES.AGAIN, _CODES.BAD_STATE, _CODES.INVALID_VALUE, _CODES.NO_MEMORY)


class Link:
    """A connection, with a consumer and a producer on it. It is bad until the token comes."""

    def __init__(
        self, context: comch.Server | comch.Client, connection: comch.Connection, rng: random.Random, token: bytes
    ) -> None:
        self.good = False
        self.talk = Talk(context, connection, rng)
        self._context = context
        self._token = token
        self._partners: set[int] = set()
        self._held: comch.PostRecvTask | None = None  # as a program may hold one when its consumer stops

    def partner(self, consumer_id: int) -> None:
        self._partners.add(consumer_id)
        self.talk.partner(consumer_id)

    def expired(self, consumer_id: int) -> None:
        self._partners.remove(consumer_id)

    def message(self, data: bytes) -> None:
        if self._judge(data):
            self.talk.control.take(data)

    def _judge(self, data: bytes) -> bool:
        """Whether it is the good one's; the token must be nowhere else."""
        self.good = self.good or data.startswith(self._token)
        if not self.good and self._token in data:
            raise Fault("a bad connection brought what only the good one has")
        return self.good

    def turn(self) -> None:
        """Answer the good one, post again to both."""
        for data, _ in self.talk.inbox.received:
            self._judge(data or b"")
        if not self.good:
            self.talk.inbox.received.clear()
        self.talk.turn()
        for stream in (self.talk.control, self.talk.lane):
            while stream.sent < stream.received and stream.send():
                pass

    def owes(self) -> bool:
        """Whether answers wait for room, of which nobody will tell."""
        return any(stream.sent < stream.received for stream in (self.talk.control, self.talk.lane))

    def provoke(self) -> None:
        """Have a bad one do what it can: send something on both paths, wherever it goes; refusals are its loss."""
        if self.good:
            return
        consumer = self.talk.inbox.consumer
        if self._held is None and consumer.state is State.RUNNING:
            self._held = consumer.task_post_recv_alloc_init()
        for attempt in (
            lambda: self._context.task_send_alloc_init(self.talk.connection, b"x").submit(),
            *(lambda number=number: self.talk.outbox.send(number, b"y" * 100) for number in self._partners),
        ):
            code, _ = comch.outcome(attempt)
            if code not in _REFUSALS:
                raise Fault(f"sending to a bad connection failed with {code!r}")

    def move_on(self) -> None:
        """One step of the consumer of a bad one: from RUNNING to STOPPING, to IDLE, and up again."""
        consumer = self.talk.inbox.consumer
        if self.good:
            return
        if consumer.state is State.RUNNING:
            consumer.stop()
        elif consumer.state is State.STOPPING:
            self.let_go()
        elif consumer.state is State.IDLE:
            comch.outcome(consumer.start)  # it may have lost its connection just now

    def let_go(self) -> None:
        """Give back what was held."""
        if self._held is not None:
            self._held.free()
            self._held = None
