"""Whatever is sent and received in whatever order: a ring is a queue with a known number of places."""

from __future__ import annotations

import random
from collections import deque

import pytest

from comch_next.driver.emulated._kernel.ring import lib
from tests.ring.ring import AGAIN, LONG, OK, Ring, footprint, ring

SHAPES = [
    # max_msg, recv_limit, send_limit
    (1, 1, 1),
    (15, 1, 2),
    (16, 2, 1),
    (17, 3, 5),
    (100, 7, 1),
    (4080, 1, 1),
    (4080, 64, 64),
    (65535, 2, 3),
]


def sizes_like(rng: random.Random, max_msg: int) -> int:
    """Mostly the borders, where rings break."""
    return rng.choice((0, 1, max_msg, max_msg, max_msg - 1, max_msg // 2, rng.randint(0, max_msg)))


class Model:
    """The queue that a ring must be."""

    def __init__(self, made: Ring) -> None:
        self.ring = made
        self.queue: deque[bytes] = deque()
        self.recv_limit = int(made.tx.recv_limit)
        self.limit = self.recv_limit + int(made.tx.send_limit)
        self.sent = self.sent_bytes = self.received_bytes = 0

    def send(self, data: bytes) -> None:
        result = self.ring.send(data)
        if len(self.queue) < self.limit:
            assert result == OK, f"refused early: {len(self.queue)} of {self.limit} wait"
            self.queue.append(data)
            self.sent += 1
            self.sent_bytes += len(data)
        else:
            assert result == AGAIN

    def receive(self) -> None:
        found = self.ring.receive()
        if self.queue:
            data = self.queue.popleft()
            assert found == data
            self.received_bytes += len(data)
        else:
            assert found == AGAIN

    def check(self) -> None:
        waiting = len(self.queue)
        assert lib.comch_available(self.ring.rx) == waiting
        assert self.ring.tx.head - lib.comch_completed(self.ring.tx) == max(0, waiting - self.recv_limit)
        assert lib.comch_check(self.ring.tx) == (OK if waiting < self.limit else AGAIN)
        assert (self.ring.tx.head, self.ring.tx.sent_bytes) == (self.sent, self.sent_bytes)
        assert (self.ring.rx.tail, self.ring.rx.received_bytes) == (self.sent - waiting, self.received_bytes)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("bias", [0.5, 0.7, 0.95], ids=lambda bias: f"sends={bias}")
def test_random_sequences(shape: tuple[int, int, int], bias: float) -> None:
    for seed in range(12):
        rng = random.Random(f"{shape}{bias}{seed}")
        with ring(*shape) as made:
            model = Model(made)
            for turn in range(400):
                if rng.random() < bias:
                    model.send(rng.randbytes(sizes_like(rng, shape[0])))
                else:
                    for _ in range(rng.choice((1, 1, 1, 2, model.limit))):
                        model.receive()
                if turn % 7 == 0:
                    model.check()
            while model.queue:
                model.receive()
            model.receive()
            model.check()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_full_of_the_longest_messages_at_every_offset(shape: tuple[int, int, int]) -> None:
    """Exactly recv_limit + send_limit fit, wherever in the ring the first of them comes to lie."""
    max_msg = shape[0]
    with ring(*shape) as made:
        model = Model(made)
        for shift in range(40):
            for _ in range(model.limit + 1):
                model.send(bytes([shift]) * max_msg)
            assert len(model.queue) == model.limit
            # A short one in between moves all that follow by less than a whole record.
            while model.queue:
                model.receive()
                if len(model.queue) == 1:
                    model.send(b"x" * min(shift, max_msg))
                    model.receive()
            model.check()


def test_positions_never_leave_the_ring() -> None:
    with ring(1000, 2, 2) as made:
        rng = random.Random(4)
        model = Model(made)
        for _ in range(3000):
            model.send(rng.randbytes(sizes_like(rng, 1000)))
            assert made.tx.pos <= made.tx.capacity
            if rng.random() < 0.6:
                model.receive()
            assert made.rx.pos <= made.rx.capacity
            assert made.tx.committed <= made.tx.capacity


def test_a_ring_is_not_larger_than_its_messages_need() -> None:
    for max_msg, recv_limit, send_limit in SHAPES:
        need = (recv_limit + send_limit + 2) * footprint(max_msg)
        assert need <= lib.comch_ring_capacity(max_msg, recv_limit + send_limit) < need + 4096


def test_empty_and_zero_length() -> None:
    with ring() as made:
        assert made.receive() == AGAIN
        assert made.send(b"") == OK
        assert made.receive() == b""
        assert made.receive() == AGAIN


def test_longer_than_the_limit_is_refused_and_has_no_effect() -> None:
    with ring(100, 1, 1) as made:
        assert made.send(b"x" * 101) == LONG
        assert made.tx.head == 0
        assert made.receive() == AGAIN
        assert made.send(b"x" * 100) == OK


def test_longer_than_the_buffer_stays_and_tells_its_length() -> None:
    with ring(100, 2, 2) as made:
        made.send(b"x" * 77)
        for _ in range(3):
            assert made.receive(76) == LONG
            assert made.reader.poller.length == 77
        assert made.receive(77) == b"x" * 77
        assert made.receive(0) == AGAIN


def test_in_flight_leaves_flight_by_the_readers_read_alone() -> None:
    with ring(10, 2, 3) as made:
        for number in range(5):
            assert made.send(b"%d" % number) == OK
        assert made.send(b"5") == AGAIN
        flights = []
        for _ in range(5):
            flights.append(made.tx.head - lib.comch_completed(made.tx))
            made.receive()
        assert flights == [3, 2, 1, 0, 0]
        assert lib.comch_completed(made.tx) == 5
