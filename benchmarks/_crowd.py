"""Clients that come all at once and are silent then: python -m benchmarks._crowd COUNT is a process of them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

import comch_next as comch
from tools.processes import ProcessError, finish, read_until, running

__all__ = ["crowd"]

PROCESSES = 4


@contextmanager
def crowd(count: int, environment: Mapping[str, str], deadline: float) -> Iterator[Callable[[], int]]:
    """Processes with `count` clients in all, which are ready to connect to the server "bench".

    Calling what the block gets makes them connect, all at once, and returns when the last one had: nanoseconds of
    the monotonic clock. They leave in order at the end of the block.
    """
    with ExitStack() as stack:
        processes = []
        for number in range(PROCESSES):
            share = count // PROCESSES + (number < count % PROCESSES)
            command = [sys.executable, "-m", "benchmarks._crowd", str(share)]
            processes.append(stack.enter_context(running(command, environment, stdin=subprocess.PIPE)))
        for process in processes:
            read_until(process, "ready", deadline)

        def connect() -> int:
            for process in processes:
                assert process.stdin is not None
                process.stdin.write(b"go\n")
            return max(int(read_until(process, "connected", deadline).split()[-1]) for process in processes)

        yield connect
        for process in processes:
            if (ending := finish(process, deadline)).status:
                raise ProcessError(f"the crowd failed:\n{ending.errors}")


def main(count: int) -> None:
    """Says "ready", waits for a line, connects, says "connected" and when that was, waits for the end of input."""
    with comch.open_device("b1:00.0") as device, comch.ProgressEngine() as engine:
        print("ready", flush=True)
        sys.stdin.readline()
        clients = [comch.Client(device, "bench", engine=engine) for _ in range(count)]
        for client in clients:
            client.connect(timeout=0)
        for client in clients:
            _wait_until_up(client)
        print("connected", time.monotonic_ns(), flush=True)
        sys.stdin.read()
        for client in clients:
            client.close()


def _wait_until_up(client: comch.Client) -> None:
    connection = client.connection
    while client.state is comch.State.STARTING:
        if not client.engine.progress():
            client.engine.wait()
    connection.update_info()  # raises what went wrong, if it did


if __name__ == "__main__":
    main(int(sys.argv[1]))
