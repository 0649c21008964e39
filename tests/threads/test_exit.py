"""A process that ends while its threads are inside calls: it ends at once, with its own status, and leaves no file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import StartPython

# Starts threads that make random calls, and ends in one way or another.
PROGRAM = """
import random, sys, threading, time
from comch_next import DocaError
from tests.threads.duel import connect
from tests.threads.faces import FACES

face, ending = FACES[sys.argv[1]], sys.argv[2]
sys.setswitchinterval(0.00001)
server, client = face.make(server=True), face.make(server=False)
connect(face, server, client)


def work(end):
    while True:
        try:
            random.choice(list(face.calls.values()))(end)
        except DocaError:
            pass


for end in (server, client, server, client):
    threading.Thread(target=work, args=(end,), daemon=True).start()
time.sleep(random.random() * 0.02)  # the end comes at any moment of the work: there is no condition to wait for
if ending == "an exception":
    raise ValueError("the program's own")
if ending == "an exit":
    sys.exit(3)
"""
STATUS = {"its last line": 0, "an exception": 1, "an exit": 3}
REPORTED = {"its last line": [], "an exception": ["ValueError: the program's own"], "an exit": []}  # by its last line


@pytest.mark.parametrize(
    ("face", "form", "ending"),
    [
        ("pull", "driver", "an exit"),
        ("pull", "threaded", "an exception"),
        ("event loop", "threaded", "its last line"),
        ("fast path apart", "driver", "its last line"),
    ],
)
def test_it_ends(start_python: StartPython, runtime_dir: Path, face: str, form: str, ending: str) -> None:
    finished = start_python("-c", PROGRAM, face, ending, env={"COMCH_PULL": form}).finish()
    assert finished.returncode == STATUS[ending], finished.stderr
    assert finished.stderr.splitlines()[-1:] == REPORTED[ending]
    assert finished.stderr.count("Traceback") == len(REPORTED[ending]), finished.stderr
    assert list(runtime_dir.iterdir()) == []


# A thread of its own starts or stops a server, and comes no further than a call of the system's until the process ends.
CAUGHT = """
import os, sys, threading, time
from comch_next import Server, open_device
from comch_next.driver.emulated._kernel import handle

call, number = sys.argv[1], int(sys.argv[2])
device = open_device("03:00.0")
server = Server(device, device.open_representor("b1:00.0"), "caught")
at_work, calls, made = threading.Event(), [], getattr(os, call)


def caught(*args, **options):
    result = made(*args, **options)
    if threading.current_thread() is worker:
        calls.append(call)
        if len(calls) == number:
            at_work.set()
            while not handle.has_left():
                time.sleep(0.001)
            time.sleep(0.1)  # for the end to go on, if nothing stops it
    return result


def work():
    server.listen()
    server.close()


worker = threading.Thread(target=work, daemon=True)
setattr(os, call, caught)
worker.start()
assert at_work.wait(60)
"""


@pytest.mark.parametrize(("call", "number"), [("open", 2), ("chmod", 1), ("unlink", 1)])
def test_the_end_waits_for_a_thread_that_makes_or_removes_files(
    start_python: StartPython, runtime_dir: Path, call: str, number: int
) -> None:
    finished = start_python("-c", CAUGHT, call, str(number)).finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert list(runtime_dir.iterdir()) == []


# Its exit function is called after the library's own.
LATE = """
import atexit
calls = []
atexit.register(lambda: calls[0]())
from comch_next import Client, Server, open_device
"""
LATE_CALLS = {
    "server 'late' cannot listen": "device = open_device('03:00.0')\n"
    "calls.append(Server(device, device.open_representor('b1:00.0'), 'late').listen)",
    "client 'late' cannot connect": "calls.append(Client(open_device('b1:00.0'), 'late').connect)",
}


@pytest.mark.parametrize("told", LATE_CALLS)
def test_nothing_starts_when_the_library_has_taken_leave(
    told: str, start_python: StartPython, runtime_dir: Path
) -> None:
    finished = start_python("-c", LATE + LATE_CALLS[told], fresh=True).finish()
    assert f"Initialization: {told}: the process is ending" in finished.stderr
    assert list(runtime_dir.iterdir()) == []
