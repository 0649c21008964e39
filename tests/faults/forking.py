"""Forked children of the test itself: each has a deadline, tells what it found, and ends without cleaning up."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any, TypeVar

import comch_next as comch
from tests.processes import SOON_S

T = TypeVar("T")
Calls = Mapping[str, Callable[[], Any]]


def fork() -> int:
    """os.fork, also beside threads, which is what some tests are about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def in_child(body: Callable[[], T]) -> T:
    """The result of `body` in a forked child; AssertionError with the child's traceback when it raises."""
    reader, writer = os.pipe()
    pid = fork()
    if pid == 0:
        _tell(writer, body)
    os.close(writer)
    try:
        answer = hear(reader)
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)  # it has said all, or is out of time
        os.waitpid(pid, 0)
    worked, result = pickle.loads(answer)
    assert worked, f"in the child: {result}"
    return result  # type: ignore[no-any-return]


def _tell(writer: int, body: Callable[[], Any]) -> None:
    try:
        told = True, body()
    except BaseException:
        told = False, traceback.format_exc()
    with open(writer, "wb") as pipe:
        pickle.dump(told, pipe)
    signal.pause()  # until it is killed: nothing of the parent's is unwound here


def hear(reader: int) -> bytes:
    """Return what a child tells through a pipe until it closes that."""
    heard = b""
    poller = select.poll()
    poller.register(reader, select.POLLIN)
    while poller.poll(SOON_S * 1000):
        part = os.read(reader, 1 << 16)
        if not part:
            return heard
        heard += part
    raise AssertionError("the child did not answer in time")


class Forking:
    """A callback that forks when it is called first, and then raises in the child, unless it is to return there."""

    def __init__(self, error: Exception | None = None) -> None:
        self.pids: list[int] = []
        self._error = error

    def __call__(self, *_: object) -> None:
        if not self.pids:
            self.pids.append(fork())
            if self.pids == [0] and self._error is not None:
                raise self._error

    def told_by_child(self, call: Callable[[], object]) -> str:
        """Make a call that calls back; return the name of what it raises in the child, "" if it returns there."""
        reader, writer = os.pipe()
        try:
            call()
        except BaseException as error:
            if self.pids != [0]:
                raise
            os.write(writer, type(error).__name__.encode())
        finally:
            if self.pids == [0]:
                os._exit(0)
            os.close(writer)
        try:
            return hear(reader).decode()
        finally:
            os.close(reader)
            os.kill(self.pids[0], signal.SIGKILL)
            os.waitpid(self.pids[0], 0)


def answers(calls: Calls) -> dict[str, tuple[str, str]]:
    """What each call says: the name of its code, and the message of its error."""
    said = {}
    for name, call in calls.items():
        try:
            said[name] = "SUCCESS", repr(call())
        except comch.DocaError as error:
            said[name] = error.code.name, str(error)
    return said


def only_bad_state(calls: Calls) -> None:
    """In a forked child every one of the calls is BAD_STATE, again and again, and says why."""
    first, second = in_child(lambda: (answers(calls), answers(calls)))
    for name, (code, text) in first.items():
        assert (code, "fork" in text) == ("BAD_STATE", True), f"{name}: {code} {text}"
    assert first == second


def ask_for_an_echo(answer: Any) -> None:
    """What a child of multiprocessing does, with objects of its own: ask the parent's server for an echo."""
    with comch.open_device("b1:00.0") as device, closing(comch.Client(device, "svc")) as client:
        client.connect(timeout=SOON_S)
        client.connection.send(b"from a child", timeout=SOON_S)
        answer.put(client.receive(timeout=SOON_S).data)


ENDS: dict[str, Callable[[], object]] = {
    "_exit": lambda: os._exit(0),
    "exec": lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"]),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
}


def child_that_ends(how: str) -> None:
    """A forked child has come to that end."""
    pid = fork()
    if pid == 0:
        try:
            ENDS[how]()
        finally:
            os._exit(1)
    assert os.waitpid(pid, 0)[1] in (0, signal.SIGKILL)
