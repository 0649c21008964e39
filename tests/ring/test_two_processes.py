"""One process writes, another reads, both as fast as they can: every message once, whole and in order."""

from __future__ import annotations

import hashlib
import random
import time

import pytest

from comch_next.driver.emulated._kernel.ring import Receiver
from tests.processes import StartPython
from tests.ring.ring import AGAIN, OK, Reader, ring, send

COUNT = 30_000


def message(rng: random.Random, number: int, max_msg: int) -> bytes:
    return (b"%08d" % number + bytes([number % 256]) * rng.randint(0, max_msg))[:max_msg]


def read(fd: int, shape: tuple[int, int, int], count: int) -> None:
    """The reading process: prints a digest of all that it got."""
    receiver = Receiver(fd, *shape, -1).attach()
    reader = Reader(receiver)
    digest = hashlib.sha256()
    for _ in range(count):
        while isinstance(data := reader.data(), int):
            assert data == AGAIN
            time.sleep(0)  # two processes and perhaps one core
        digest.update(b"%d:" % len(data) + data)
    print(digest.hexdigest())


@pytest.mark.parametrize("shape", [(8, 1, 1), (300, 5, 3), (5000, 40, 24)], ids=str)
def test_every_message_once_whole_and_in_order(start_python: StartPython, shape: tuple[int, int, int]) -> None:
    with ring(*shape) as made:
        program = f"from tests.ring.test_two_processes import read; read({made.fd}, {shape}, {COUNT})"
        child = start_python("-c", program, pass_fds=(made.fd,))
        digest = hashlib.sha256()
        rng = random.Random(1)
        for number in range(COUNT):
            data = message(rng, number, shape[0])
            while (result := send(made.tx, data)) == AGAIN:
                time.sleep(0)
            assert result == OK
            digest.update(b"%d:" % len(data) + data)
        assert child.finish() == (0, digest.hexdigest() + "\n", "")
