"""Many clients connect at once: python -m benchmarks._storm SERVER COUNT is the server that they come to."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping

import comch_next as comch
from benchmarks._crowd import crowd
from tools.processes import read_until, running

__all__ = ["SERVERS", "storm"]

STORM_DEADLINE_S = 30.0


def storm(name: str, count: int, environment: Mapping[str, str]) -> float:
    """Milliseconds from the start signal until `count` clients and the server have all their connections."""
    deadline = time.monotonic() + STORM_DEADLINE_S
    command = [sys.executable, "-m", "benchmarks._storm", name, str(count)]
    with running(command, environment, stdin=subprocess.PIPE) as server:
        read_until(server, "listening", deadline)
        with crowd(count, environment, deadline) as connect:
            before = time.monotonic_ns()
            clients_up = connect()
            server_up = int(read_until(server, "connected", deadline).split()[-1])
            return (max(clients_up, server_up) - before) / 1e6


def _by_callbacks(server: comch.Server, count: int) -> None:
    """As NVIDIA documents it: the engine progresses, and sleeps when there is nothing to do."""
    up: list[comch.Connection] = []
    server.task_send_set_conf(print, print, count)
    server.event_msg_recv_register(print)
    server.event_connection_status_changed_register(lambda connection, ok: up.append(connection), print)
    server.start()
    print("listening", flush=True)
    while len(up) < count:
        if not server.engine.progress():
            server.engine.wait()


def _by_accept(server: comch.Server, count: int) -> None:
    """As the conveniences and the old faces have it: the program asks for whoever waits."""
    port = comch.PullPort(server)
    server.start()
    print("listening", flush=True)
    for _ in range(count):
        while port.accept() is None:
            port.arm_recv()
            comch.engine.wait_readable(lambda: port.recv_fd, None)


# What the tables call it -> how the server learns of its clients.
SERVERS: dict[str, Callable[[comch.Server, int], None]] = {
    "callbacks": _by_callbacks,
    "accept": _by_accept,
}


def main(name: str, count: int) -> None:
    """Says "listening", then "connected" and when that was; leaves at the end of its input."""
    with comch.open_device("03:00.0") as device:
        server = comch.Server(device, "b1:00.0", "bench")
        SERVERS[name](server, count)
        print("connected", time.monotonic_ns(), flush=True)
        sys.stdin.read()
        server.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
