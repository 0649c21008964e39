"""Programs that need no interpreter of their own to be started: a server forks them in a fifth of the time.

A program cannot tell, but by its imports, which have been made, and by what only a start decides: options of Python,
PYTHON* variables, the linker's, and the command line in /proc. A command that has any of the former is started as
usual; a test that is about the start itself asks for that.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import socket
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from subprocess import PIPE, Popen  # the real one, also where a test has replaced it
from typing import Any

__all__ = ["LAUNCHER", "ForkedPopen", "server"]

_SERVER = str(Path(__file__).with_name("fork_server.py"))
LAUNCHER = ("-m", "comm_channel_compat", "run")
_IMPORTED = {(): ["comch_next"], LAUNCHER: ["comm_channel_compat", "comm_channel_compat.cc"]}
# What many programs import as well, or what traces them does; else each of them would load it.
_COMMON = [
    "argparse", "cffi", "comch_next.driver._traced", "concurrent.futures.thread", "hashlib", "logging", "pathlib",
    "pycparser.c_parser", "queue", "shutil", "subprocess",
]  # fmt: skip
_DRIVERS = {"emulated": ["comch_next.driver.emulated"], "native": ["comch_next.driver.native"]}
_PR_SET_CHILD_SUBREAPER = 36
_ANSWER_S = 60.0
_MOST_BYTES = 1 << 18

# Variables that are read when an interpreter starts, or by what has been imported; the server obeys these two later.
_READ_AT_START = ("PYTHON", "LD_", "COMCH_COMPAT_")
_READ_LATER = {"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}
# What a program that is verified starts with; it has a server of its own.
_WATCHED = "MIGRATE_WATCH"
_OF_WATCHED = ("PYTHONPATH", "PYTHONHASHSEED")

Variables = tuple[tuple[str, str], ...]
_adopting = threading.Lock()  # it is the process that adopts, for all servers


class Server:
    """A process that forks programs: children of this process, which waits for them and ends them as its own."""

    def __init__(self, launcher: tuple[str, ...], driver: str, variables: Variables) -> None:
        self._before = {**os.environ, **dict(variables)}
        self._set: dict[str, str] | None = None
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._asking.settimeout(_ANSWER_S)
        modules = [*_COMMON, *_IMPORTED[launcher], *_DRIVERS[driver]]
        with theirs:
            self._process = Popen(
                [sys.executable, *launcher, _SERVER, str(theirs.fileno()), *modules],
                stdin=PIPE,
                stdout=PIPE,
                env=self._before,
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)

    def suits(self, env: Mapping[str, str]) -> bool:
        """Whether a fresh interpreter with this environment would be what the server is."""
        return _read_at_start(env) == _read_at_start(self._before)

    def fork(self, words: Sequence[str], env: Mapping[str, str], descriptors: Sequence[int], **job: object) -> int:
        """Start what stands behind "python" on a command line; return its id."""
        with _adopting:
            job |= {"words": words, "env": {**env, **self._set_by_launcher()}}
            waiting, beginning = os.pipe()
            _adopt(True)
            try:
                socket.send_fds(self._asking, [json.dumps(job).encode()], [waiting, *descriptors])
                return int(self._asking.recv(_MOST_BYTES))
            finally:
                _adopt(False)
                os.write(beginning, b"x")  # from here on the program may have orphans
                os.close(waiting)
                os.close(beginning)

    def _set_by_launcher(self) -> dict[str, str]:
        if self._set is None:
            after: dict[str, str] = json.loads(self._asking.recv(_MOST_BYTES))
            self._set = {name: value for name, value in after.items() if self._before.get(name) != value}
        return self._set

    def close(self) -> None:
        """End the server; what it has forked goes on."""
        self._process.kill()
        self._process.communicate()
        self._asking.close()


def _read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    return {name: env[name] for name in env if name.startswith(_READ_AT_START) and name not in _READ_LATER}


def _adopt(on: bool) -> None:
    """Make this process the parent of descendants whose parent ends, or no longer."""
    if ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(on), 0, 0, 0) != 0:
        raise OSError("prctl(PR_SET_CHILD_SUBREAPER) has failed")


@cache
def server(launcher: tuple[str, ...], driver: str, variables: Variables) -> Server:
    """Start a server, or give the one that there is; `variables` are set at its start."""
    return Server(launcher, driver, variables)


def _split(command: Sequence[str], cwd: str) -> tuple[tuple[str, ...], list[str]] | None:
    """Split a command that can be forked into its launcher, if any, and what that is to run."""
    if command[0] != sys.executable:
        return None
    launcher = LAUNCHER if tuple(command[1 : 1 + len(LAUNCHER)]) == LAUNCHER else ()
    words = list(command[1 + len(launcher) :])
    if not words or words[:2] == list(LAUNCHER[:2]):
        return None
    known = words[0] in ("-c", "-m") or os.path.isfile(os.path.join(cwd, words[0]))
    return (launcher, words) if known else None


class ForkedPopen(Popen[Any]):
    """A Popen whose process is forked from a server, where it may be."""

    def _execute_child(
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any, env: Any, *rest: Any
    ) -> None:
        """Start the process, as Popen asks for it in each release from 3.10 on."""
        place = str(cwd or os.getcwd())
        parts = _split(args, place)
        env = dict(os.environ if env is None else env)
        driver = env.get("COMCH_DRIVER", "emulated")
        variables = tuple((name, env[name]) for name in _OF_WATCHED if _WATCHED in env)
        if parts is None or driver not in _DRIVERS or not server(parts[0], driver, variables).suits(env):
            fresh: Any = super()
            fresh._execute_child(args, executable, preexec_fn, close_fds, pass_fds, cwd, env, *rest)
            return
        pipes, session = rest[3:9], rest[14]
        streams = [inherited if pipe == -1 else pipe for inherited, pipe in enumerate([pipes[0], pipes[3], pipes[5]])]
        job = {"keep": list(pass_fds), "cwd": place, "session": session}
        self.pid = server(parts[0], driver, variables).fork(parts[1], env, [*streams, *pass_fds], **job)
        popen: Any = self
        popen._child_created = True
        popen._close_pipe_fds(*pipes)
