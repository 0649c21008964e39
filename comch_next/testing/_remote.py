"""A side in another process: the calls go over a pipe, one at a time."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any

from comch_next.errors import DocaError, from_code
from comch_next.testing._side import Side

__all__ = ["RemoteSide", "serve"]

_CALL_S = 60.0  # far above what a call may take that does not wait
_WAITS = {"run", "wait", "ready"}  # each wait in them has a deadline of its own
_MOST_WAITS = 60  # that such a call may wait out to their deadlines: a driver that does not return has none
_END_S = 5.0
_CHILD = "from comch_next.testing._remote import serve; serve()"


class RemoteSide:
    """It has the methods of Side. Its process ends with it, or when this process does. `timeout`: that of each wait."""

    def __init__(self, role: str, service: str, driver: str | None, timeout: float) -> None:
        self._role = role
        self._timeout = timeout
        self._pipe, child = Pipe()
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        with child:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CHILD, str(child.fileno()), role, service, driver or ""],
                stdin=subprocess.DEVNULL,
                pass_fds=[child.fileno()],
                env={**os.environ, "PYTHONPATH": path},
            )

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **options: self._call(name, args, options)

    def _call(self, name: str, args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        where = f"{name} in the {self._role}'s process"
        try:
            self._pipe.send((name, args, options))
            most = _CALL_S + _MOST_WAITS * self._timeout * (name in _WAITS)
            if not self._pipe.poll(most):
                self._process.kill()
                raise AssertionError(f"{where} gave no answer within {most} s")
            kind, *values = self._pipe.recv()
        except (EOFError, ConnectionError) as error:
            raise AssertionError(f"{where}: the process has ended") from error
        if kind == "refused":
            raise from_code(*values)
        if kind == "failed":
            raise AssertionError(f"{where}: {values[0]}")
        return values[0]

    def end(self) -> None:
        """Close the pipe, which ends the process."""
        self._pipe.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def serve() -> None:
    """In the other process: work a side until nobody calls any more.

    The arguments: the pipe's descriptor, role, service, driver.
    """
    fd, role, service, driver = sys.argv[1:]
    side = Side(role, service, driver or None)
    pipe = Connection(int(fd))
    with suppress(EOFError, ConnectionError):
        while True:
            name, args, options = pipe.recv()
            pipe.send(_answer(getattr(side, name), args, options))


def _answer(call: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
    try:
        return "value", call(*args, **options)
    except DocaError as error:
        return "refused", int(error.code), str(error)
    except AssertionError as error:
        return "failed", str(error)
    except Exception:
        return "failed", traceback.format_exc()
