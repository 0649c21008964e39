"""What receiving the largest messages costs: python -m benchmarks._large ROUNDS prints it, in copies of as many bytes.

Such a copy is what no receive can do without, from shared memory that has just been written into bytes of Python's.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from mmap import mmap
from statistics import median

import comch_next as comch

SIZE = 65535  # bytes, the limit of the devices
COUNT = 16  # messages of one round, which all fit in the queue


def main(rounds: int) -> None:
    """Measure both in every round, in one process: the median of their ratios."""
    with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
        server, client = comch.Server(dpu, "b1:00.0", "large"), comch.Client(host, "large")
        for context in (server, client):
            context.configure(max_msg_size=SIZE, recv_queue_size=COUNT, send_queue_size=COUNT)
        server.listen()
        connection = _meet(server, client)
        data, memory = bytes(SIZE), memoryview(mmap(-1, SIZE * COUNT))
        parts = [memory[at : at + SIZE] for at in range(0, SIZE * COUNT, SIZE)]
        ratios = [_received(server, connection, data) / _copied(parts, data) for _ in range(rounds)]
        client.close()
        server.close()
    print(median(ratios))


def _meet(server: comch.Server, client: comch.Client) -> comch.Connection:
    connection = client.connect(timeout=0)
    while client.state is comch.State.STARTING:
        with suppress(comch.Again):
            server.receive(timeout=0)
        client.engine.progress()
    return connection


def _received(server: comch.Server, connection: comch.Connection, data: bytes) -> float:
    for _ in range(COUNT):
        connection.send(data, 0)

    def receive() -> None:
        for _ in range(COUNT):
            server.receive(timeout=0)

    return _seconds(receive)


def _copied(parts: list[memoryview], data: bytes) -> float:
    for part in parts:
        part[:] = data

    def copy() -> None:
        for part in parts:
            bytes(part)

    return _seconds(copy)


def _seconds(call: Callable[[], None]) -> float:
    before = time.perf_counter()
    call()
    return time.perf_counter() - before


if __name__ == "__main__":
    main(int(sys.argv[1]))
