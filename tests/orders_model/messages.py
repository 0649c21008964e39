"""Calls that send and receive, each compared with the model."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

import comch_next as comch
from comch_next.errors import InvalidValue
from tests.orders_model.choices import (
    ENDED,
    lengths,
    pick,
)
from tests.orders_model.connecting import Connecting
from tests.orders_model.model import End, EndState, Phase
from tests.orders_model.stage import LATE, compare, until


class Messages(Connecting):
    """Sends and receives on connections in every state."""

    @precondition(lambda self: self.has())
    @rule(who=pick, which=pick, length=lengths, through_context=st.booleans())
    def send(self, who: int, which: int, length: str, through_context: bool) -> None:
        subject = self.living(who)
        if subject is None:
            return
        end, connection = self._some_end(subject, which)
        if end is not None and self._would_overflow(end):
            return
        data = self._data(end, length)
        if through_context and LATE:
            expected = self.world.send_to(subject.model, data, end)
            call = lambda: subject.real.send_to(data, connection, timeout=0)  # noqa: E731
        elif end is None or end.owner is not subject.model:
            return
        else:
            expected = self.world.send(end, data)
            call = lambda: connection.send(data, timeout=0)  # noqa: E731
        compare(expected, call, f"send of {len(data)} bytes through {end} on {subject.model.key}")
        self.stage.settle()

    @precondition(lambda self: self.has(*ENDED))
    @rule(which=pick)
    def send_after_the_end(self, which: int) -> None:
        ended = [end for subject in self.stage.subjects for end in subject.connections if end.state in ENDED]
        living = [end for end in ended if end.owner.phase is not Phase.CLOSED]
        if not living:
            return
        end = living[which % len(living)]
        connection = self.stage.connection(end)
        expected = self.world.send(end, b"x")
        compare(expected, lambda: connection.send(b"x", timeout=0), f"send through {end}")
        self.stage.settle()

    @precondition(lambda self: self.has(EndState.UP))
    @rule(who=pick, which=pick, count=st.integers(2, 70))
    def send_many(self, who: int, which: int, count: int) -> None:
        """Until the queue is full, perhaps."""
        subject = self.living(who)
        ends = self.stage.known(subject) if subject else []
        if not ends:
            return
        end = ends[-1 - which % len(ends)]
        connection = self.stage.connection(end)
        for _ in range(count):
            if self._would_overflow(end):
                return
            data = self._data(end, "short")
            expected = self.world.send(end, data)
            compare(expected, lambda: connection.send(data, timeout=0), f"send through {end}")  # noqa: B023
            if expected or end.state is not EndState.UP:
                break
        self.stage.settle()

    def _would_overflow(self, end: End) -> bool:
        """A full queue of a threaded port holds up its engine ("messages"), so nothing there happens in time."""
        unread = sum(len(other.inbox) for other in end.peer.owner.ends)
        return self.threaded and unread + 1 >= end.peer.recv_queue_size

    def _data(self, end: End | None, length: str) -> bytes:
        size = end.max_msg_size if end else 64
        stamp = b"%d" % self.world.stamp()
        return {"short": stamp, "empty": b"", "longest": stamp.ljust(size), "too long": bytes(size + 1)}[length]

    @rule(who=pick)
    def receive(self, who: int) -> None:
        """One answer, of a context that has something to say more often than not."""
        due = [subject for subject in self.stage.subjects if subject.model.due()]
        subject = due[who % len(due)] if due and who < 8 else self.living(who)
        if subject is not None:
            self.stage.receive(subject)

    @precondition(lambda self: self.has_due())
    @rule(who=pick, count=st.integers(1, 70))
    def receive_many(self, who: int, count: int) -> None:
        due = [subject for subject in self.stage.subjects if subject.model.due()]
        subject = due[who % len(due)]
        while subject.model.due() and count:
            self.stage.receive(subject)
            count -= 1

    @precondition(lambda self: self.has_due())
    @rule(who=pick)
    def receive_into_too_little(self, who: int) -> None:
        """A message that is longer than the program can hold stays."""
        subject = self.living(who)
        due = subject.model.due() if subject else []
        if subject is None or len(due) != 1 or not due[0].inbox[0].data:
            return
        length = len(due[0].inbox[0].data)
        found: list[Any] = []

        def refused() -> bool:
            try:
                subject.real.receive(length - 1, timeout=0)
            except comch.Again:
                return False
            except InvalidValue as error:
                found.append(error.length)
            return True

        until(refused, "receive reports the message that is too long")
        assert found == [length]
