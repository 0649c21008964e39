"""How soon a survivor hears that its peer was killed: python -m benchmarks._death SURVIVOR KILLS kills so many.

The survivor is one process (`_survivors`), the victims are forked here, one after the other. A victim is killed
when the survivor sleeps, and the survivor tells when it knew.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import comch_next as comch
from tools.processes import ProcessError, read_until, running

__all__ = ["BARE", "SURVIVORS"]

KILL_DEADLINE_S = 10.0
Victim = Callable[[Callable[[], None], Callable[[], object]], None]  # told how to be ready, and how to wait for its end
BARE = "a bare socket in recv()"


def _client(ready: Callable[[], None], leash: Callable[[], object]) -> None:
    """A victim that a surviving service loses."""
    ready()
    with comch.Client(comch.open_device("b1:00.0"), "bench") as client:
        client.connection.send(b"here I am")
        leash()


def _service(ready: Callable[[], None], leash: Callable[[], object]) -> None:
    """A victim that a surviving client loses."""
    with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "bench") as server:
        ready()
        server.receive().reply(b"here I am")
        leash()


def _bare(ready: Callable[[], None], leash: Callable[[], object]) -> None:
    """A victim with a socket only. It has loaded the driver all the same: the kernel unloads it before it tells."""
    comch.open_device("b1:00.0").close()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.connect(os.environ["COMCH_RUNTIME_DIR"] + "/bare")
        sock.sendall(b"here I am")
        ready()
        leash()


# What the tables call it -> who is killed; the survivors themselves are in `_survivors`. The bare socket shows how
# long the kernel takes to end such a process and to wake another.
SURVIVORS = {
    BARE: _bare,
    "service in receive()": _client,
    "client in receive()": _service,
    "service in epoll on recv_fd": _client,
    "service in epoll on the engine's handle": _client,
    "generation 1 service in epoll": _client,
}


def _fork(victim: Victim) -> tuple[int, socket.socket]:
    """A victim's process id, and our end of its leash: it says when it is ready, and leaves when we do."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid:
        theirs.close()
        return pid, ours
    ours.close()
    _be(victim, theirs)


def _be(victim: Victim, leash: socket.socket) -> NoReturn:
    try:
        victim(lambda: leash.sendall(b"r"), lambda: leash.recv(1))
    finally:
        os._exit(1)


def _wait_until_asleep(pid: int, deadline: float) -> None:
    """Poll the state of a process; it is asleep in a wait of its own."""
    stat = Path(f"/proc/{pid}/stat")
    while stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0] != "S":
        if time.monotonic() > deadline:
            raise ProcessError("the survivor does not sleep")


def _kill_one(survivor: subprocess.Popen[bytes], name: str) -> float:
    deadline = time.monotonic() + KILL_DEADLINE_S
    assert survivor.stdin is not None
    pid, leash = _fork(SURVIVORS[name])
    with leash:
        leash.settimeout(KILL_DEADLINE_S)
        leash.recv(1)
        survivor.stdin.write(b"meet\n")
        read_until(survivor, "met", deadline)
        _wait_until_asleep(survivor.pid, deadline)
        before = time.monotonic_ns()
        os.kill(pid, signal.SIGKILL)
        lost = int(read_until(survivor, "lost", deadline).split()[-1])
        os.waitpid(pid, 0)
    return (lost - before) / 1e6


def main(name: str, kills: int) -> None:
    """Prints a list of milliseconds."""
    command = [sys.executable, "-m", "benchmarks._survivors", name]
    with running(command, os.environ, stdin=subprocess.PIPE) as survivor:
        read_until(survivor, "ready", time.monotonic() + KILL_DEADLINE_S)
        print(json.dumps([_kill_one(survivor, name) for _ in range(kills)]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
