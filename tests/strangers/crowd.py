"""Strangers by the dozen: bare sockets that only knock, and clients that greet well and do nothing more."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fabric.hostile import Attacker

# Connects and hangs up as fast as it can, until it is killed or nobody listens any more.
FLOOD = """
import pathlib, socket, sys
(path,) = pathlib.Path(sys.argv[1]).glob("*.sock")
print("flooding", flush=True)
while True:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as sock:
        sock.setblocking(False)
        try:
            sock.connect(str(path))
        except BlockingIOError:
            pass
        except OSError:
            break
"""


def knock(runtime_dir: Path) -> socket.socket:
    """A socket connected to the one server there, which says nothing."""
    (path,) = runtime_dir.glob("*.sock")
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sock.setblocking(False)
    sock.connect(str(path))
    return sock


@contextmanager
def knockers(runtime_dir: Path, count: int) -> Iterator[list[socket.socket]]:
    """So many silent ones, the oldest first."""
    made: list[socket.socket] = []
    try:
        for _ in range(count):
            made.append(knock(runtime_dir))
        yield made
    finally:
        for sock in made:
            sock.close()


@contextmanager
def greeters(runtime_dir: Path, count: int) -> Iterator[list[Attacker]]:
    """So many clients that have greeted well and wait for their welcome."""
    made: list[Attacker] = []
    try:
        for _ in range(count):
            made.append(Attacker(runtime_dir))
            made[-1].greet()
        yield made
    finally:
        for client in made:
            client.close()


def hung_up(sock: socket.socket) -> bool:
    """Whether the server has dropped it."""
    try:
        return sock.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
