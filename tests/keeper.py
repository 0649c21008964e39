"""End what a test run leaves running when it is killed: another process, which waits for the run's end, does.

What a run starts, and what that starts in turn, has the run's mark in the environment that it began with.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
import uuid
from contextlib import suppress

_MARK = "TEST_RUN"
_AGAIN_S = 0.1


def keep() -> None:
    """Mark what this process starts from now on, and have it ended when this process has; once in each run.

    What runs under a run, its workers for one, has its mark and is ended with the rest.
    """
    if _MARK in os.environ:
        return
    command = [sys.executable, __file__, str(os.getpid()), mark := uuid.uuid4().hex]
    os.posix_spawn(sys.executable, command, os.environ, setsid=True)  # whoever kills the run's group does not kill it
    os.environ[_MARK] = mark


def _marked(mark: str) -> list[int]:
    """Return the ids of the processes that began with a mark in their environment."""
    ids = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:  # ended, or another user's
            if f"{_MARK}={mark}".encode() in file.read().split(b"\0"):
                ids.append(int(name))
    return ids


def _end(run: int, mark: str) -> None:
    """Wait for the end of a run, and kill what has its mark until nothing has."""
    ended = select.poll()
    with suppress(ProcessLookupError):  # it has ended before
        ended.register(os.pidfd_open(run), select.POLLIN)
        if os.getppid() == run:
            ended.poll()
    while ids := _marked(mark):
        for process in ids:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(_AGAIN_S)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # one from the keyboard is for the tests
    _end(int(sys.argv[1]), sys.argv[2])
