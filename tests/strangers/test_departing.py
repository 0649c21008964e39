"""A process that ends says goodbye, however it ends; one that is killed has died."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from tests.control_path.pair import client, leave, server, until
from tests.processes import Child, StartPython
from tests.pull.support import FORMS

PROGRAM = """
import sys
import comch_next as comch
{make}
print("up", flush=True)
sys.stdin.readline()
{end}
"""
CLIENTS = {
    "pulling": "here = comch.Client(comch.open_device('b1:00.0'), 'svc'); here.connect(timeout=60)",
    "one-sided": "here = comch.Client(comch.open_device('b1:00.0'), 'svc', one_sided=True); here.connect(timeout=60)",
    "with tasks": "from tests.control_path.pair import *; here = client(); here.context.start()\n"
    "until(lambda: here.state is State.RUNNING, here.engine)",
    "in a frame that an exception left": "def run():\n"
    "    here = comch.Client(comch.open_device('b1:00.0'), 'svc'); here.connect(timeout=60); 1 / 0\n"
    "try: run()\nexcept ZeroDivisionError as error: kept = error",
}
ENDS = {"end": "", "exit": "sys.exit(3)", "exception": "raise ValueError", "interrupt": "raise KeyboardInterrupt"}
STATUS = {"end": 0, "exit": 3, "exception": 1, "interrupt": -signal.SIGINT}
REPORTED = {"end": "", "exit": "", "exception": "ValueError", "interrupt": "KeyboardInterrupt"}  # the last line


def ended(child: Child, end: str) -> None:
    """Wait for its end, which is that one."""
    finished = child.finish()
    reported = finished.stderr.splitlines()[-1:]
    assert (finished.returncode, reported) == (STATUS[end], [REPORTED[end]] if REPORTED[end] else []), finished.stderr
    assert finished.stderr.count("Traceback") == len(reported)


def depart(child: Child, end: str = "end") -> None:
    child.say("end\n")
    ended(child, end)


def ends_seen(start: Callable[[], Any], depart: Callable[[Any], object] = depart) -> list[bool]:
    """How each end of a child's connection looked to a server here: True for a leave, False for a death."""
    there = server()
    there.context.start()
    child = start()
    until(lambda: there.up, there.engine)
    child.wait_for("up")
    depart(child)
    until(lambda: there.down, there.engine)
    leave(there)
    return [ok for _, ok in there.down]


@pytest.mark.parametrize("make", ["pulling", "one-sided"])
def test_a_threaded_client_whose_process_ends_has_left(make: str, start_python: StartPython) -> None:
    program = PROGRAM.format(make=CLIENTS[make], end="")
    assert ends_seen(partial(start_python, "-c", program, env={"COMCH_PULL": "threaded"})) == [True]


@pytest.mark.parametrize("make", CLIENTS)
def test_a_client_whose_process_ends_has_left(make: str, start_python: StartPython) -> None:
    left = make != "one-sided"  # there nobody is told, and it is a death
    assert ends_seen(partial(start_python, "-c", PROGRAM.format(make=CLIENTS[make], end=""))) == [left]


@pytest.mark.parametrize("end", ENDS)
def test_however_it_ends(end: str, start_python: StartPython) -> None:
    start = partial(start_python, "-c", PROGRAM.format(make=CLIENTS["pulling"], end=ENDS[end]))
    assert ends_seen(start, partial(depart, end=end)) == [True]


COLLECTED = """
import gc, sys, threading, time

class Slow:
    def __del__(self):
        found.set()
        time.sleep(0.2)

def make():
    ring = [Slow()]
    import comch_next as comch
    {make}
    ring += [ring, here]
    print("up", flush=True)
    sys.stdin.readline()

found = threading.Event()
threading.Thread(target=lambda: (make(), gc.collect()), daemon=True).start()
found.wait()
"""


def test_one_that_another_thread_is_just_collecting(start_python: StartPython) -> None:
    """What the collector has found has no weak reference any more, and its finalizer has not been called yet."""
    program = COLLECTED.format(make=CLIENTS["pulling"])
    assert ends_seen(partial(start_python, "-c", program, fresh=True)) == [True]


STRUCK = """
import atexit, signal, threading
from comch_next.driver.protocol import _exit

def strike(frame, event, argument):
    if frame.f_code.co_name == {call!r} and frame.f_locals.get("self") is _exit._calls:
        sys.settrace(None)
        print("struck", flush=True)
        signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Thread(target=lambda kept: threading.Event().wait(), args=(here,), daemon=True).start()  # it does not die
atexit.register(sys.settrace, strike)
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", ["close", "__exit__"])
def test_one_that_is_interrupted_while_it_takes_leave(form: str, call: str, start_python: StartPython) -> None:
    def struck(child: Child) -> None:
        child.say("end\n")
        assert child.succeed().endswith("struck\n")

    program = PROGRAM.format(make=CLIENTS["pulling"], end=STRUCK.format(call=call))
    assert ends_seen(partial(start_python, "-c", program, env={"COMCH_PULL": form}), struck) == [True]


HANGING = """
import atexit, signal, sys, threading
atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # called last: whoever repeats it may be late
import comch_next as comch

def hang(*_):
    if threading.current_thread().name == "comch-progress":
        hangs.set()
        threading.Event().wait()

hangs = threading.Event()
signal.signal(signal.SIGINT, signal.default_int_handler)
here = comch.Client(comch.open_device("b1:00.0"), "svc")
here.set_state_changed_cb(hang)
port = comch.PullPort(here, threaded=True)
here.start()
hangs.wait()
atexit.register(print, "the end", flush=True)  # called before the library takes leave
"""


def test_one_that_waits_for_a_callback_can_be_interrupted(
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMCH_PULL", "threaded")  # so that the server accepts by itself
    with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc"):
        child = start_python("-c", HANGING, fresh=True)
        child.wait_for("the end")
        finished = child.end_by(signal.SIGINT)
    assert finished.returncode == 0, finished
    assert finished.stderr.splitlines()[-1].startswith("KeyboardInterrupt"), finished


def test_one_that_is_killed_has_died(start_python: StartPython) -> None:
    start = partial(start_python, "-c", PROGRAM.format(make=CLIENTS["pulling"], end=""))
    assert ends_seen(start, lambda child: child.signal(signal.SIGKILL)) == [False]


@pytest.mark.parametrize("end", ENDS)
def test_a_server_whose_process_ends_has_left(runtime_dir: Path, end: str, start_python: StartPython) -> None:
    make = "there = comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'svc'); there.listen(); message = None"
    take = f"while message is None: message = comch.outcome(there.receive, timeout=1)[1]\n{ENDS[end]}"
    child = start_python("-c", PROGRAM.format(make=make, end=take))
    child.wait_for("up")
    here = client()
    here.context.start()
    child.say("serve\n")
    until(lambda: here.state is comch.State.RUNNING, here.engine)
    here.send(b"end")
    ended(child, end)
    assert list(runtime_dir.iterdir()) == []
    until(lambda: here.state is comch.State.IDLE, here.engine)
    with pytest.raises(comch.DocaError, match="has left"):
        here.context.connection  # noqa: B018
    leave(here)


# What a program does as it ends, in a function that it has registered, or as its objects go

LAST_WORDS = """
def last_words():
    here.connection.send(b"my last words", timeout=60)
    print(here.receive(timeout=60).data.decode())
"""
TAKEN_LEAVE = """
def last_words(say=print, Error=Exception, name=type):
    for call in calls:
        try:
            call()
        except Error as error:
            say(name(error).__name__)
        else:
            say("nothing")
"""
AFTER_ALL = {
    "registered before the import": "import atexit; atexit.register(last_words)",
    "as an object goes": "class Last:\n    def __del__(self): last_words()\nlast = Last()",
}
CALLS = """
calls = here.receive, lambda c=here.connection: c.send(b"x", timeout=1) or c.flush(timeout=1)
"""


def words_at_exit(start_python: StartPython, form: str, before: str, after: str = "") -> list[str]:
    """Run a client whose server answers; return what it prints."""
    program = f"{before}\nimport comch_next as comch\n{after}\n{CLIENTS['pulling']}\n{CALLS}"
    with comch.open_device("03:00.0") as device, comch.Server(device, "b1:00.0", "svc") as there:
        child = start_python("-c", program, env={"COMCH_PULL": form}, fresh=True)
        while child.process.poll() is None:
            with suppress(comch.TimeOut, comch.ConnectionReset):
                there.receive(timeout=0.05).reply(b"heard")
    finished = child.finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    return finished.stdout.splitlines()


@pytest.mark.parametrize("form", FORMS)
def test_a_program_says_its_last_words(form: str, start_python: StartPython) -> None:
    after = f"import atexit\n{LAST_WORDS}\natexit.register(last_words)"
    assert words_at_exit(start_python, form, "", after) == ["heard"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("when", AFTER_ALL)
def test_words_after_the_leave_are_refused(form: str, when: str, start_python: StartPython) -> None:
    received, sent = words_at_exit(start_python, form, TAKEN_LEAVE + AFTER_ALL[when])
    ended = {"ConnectionReset", "NotConnected", "InvalidValue"}  # the last one for an object that went before
    assert received in ended | {"BadState"}
    assert sent in ended | {"IoFailed"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("when", AFTER_ALL)
def test_nobody_waits_for_ever_after_the_leave(form: str, when: str, start_python: StartPython) -> None:
    listen = "there = comch.Server(comch.open_device('03:00.0'), 'b1:00.0', 'svc'); there.listen()"
    program = f"{TAKEN_LEAVE}{AFTER_ALL[when]}\nimport comch_next as comch\n{listen}\ncalls = [there.receive]"
    finished = start_python("-c", program, env={"COMCH_PULL": form}, fresh=True).finish()
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout in ("BadState\n", "InvalidValue\n")


ASKED = """
import atexit, sys
@atexit.register
def ask():
    print("left", flush=True)
    sys.stdin.readline()
    calls = lambda: here.receive(timeout=1), lambda: link.send(b"x", timeout=1)
    print(*(comch.outcome(call)[0].name for call in calls), here.port.status(link).name)

import comch_next as comch
{make}
"""
SERVES = """
here = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
here.listen()
link = here.receive(timeout=60).connection
"""
IS_SERVED = f"{CLIENTS['pulling']}\nlink = here.connection; link.send(b'first', timeout=60)"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("noticed", [False, True])
@pytest.mark.parametrize("serves", [False, True])
def test_after_the_leave_it_is_this_side_that_has_left(
    serves: bool, noticed: bool, form: str, start_python: StartPython
) -> None:
    child = start_python("-c", ASKED.format(make=SERVES if serves else IS_SERVED), env={"COMCH_PULL": form}, fresh=True)
    there: Any = client_of_child() if serves else comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
    with closing(there):
        link = there.connection if serves else first_client(there)
        child.wait_for("left")
        if noticed:
            until(lambda: there.port.status(link) is comch.ErrorCode.SHUTDOWN, there.engine)
        finished = child.finish()
    assert finished.stdout.splitlines()[1:] == ["NOT_CONNECTED NOT_CONNECTED NOT_CONNECTED"], finished


def first_client(there: comch.Server) -> comch.Connection:
    """The client that sends the first message."""
    there.listen()
    return there.receive(timeout=60).connection


def client_of_child() -> comch.Client:
    """A client that has sent a message to its server."""
    there = comch.Client(comch.open_device("b1:00.0"), "svc")
    there.connect(timeout=60, wait_for_server=True).send(b"first", timeout=60)
    return there


ACCEPTS_LATE = """
import atexit, sys
atexit.register(lambda: print(comch.outcome(here.receive, timeout=0)[0].name, here.connections))
import comch_next as comch
here = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
here.listen()
print("up", flush=True)
sys.stdin.readline()
"""


def test_no_client_is_accepted_after_the_leave(start_python: StartPython) -> None:
    child = start_python("-c", ACCEPTS_LATE, fresh=True)
    child.wait_for("up")
    with closing(comch.Client(comch.open_device("b1:00.0"), "svc")) as here:
        link = here.connect(timeout=0)
        assert child.finish().stdout.splitlines()[1:] == ["AGAIN []"]
        until(lambda: here.state is comch.State.IDLE, here.engine)
        assert here.port is not None
        assert here.port.status(link) is comch.ErrorCode.CONNECTION_ABORTED


def test_a_forked_child_that_ends_says_nothing_for_its_parent(start_python: StartPython) -> None:
    there = server()
    there.context.start()
    end = "import os\nif os.fork() == 0: sys.exit()\nos.wait(); print('forked', flush=True); sys.stdin.readline()"
    child = start_python("-c", PROGRAM.format(make=CLIENTS["pulling"], end=end))
    until(lambda: there.up, there.engine)
    child.wait_for("up")
    child.say("fork\n")
    child.wait_for("forked")
    for _ in range(5):
        there.engine.wait(0.002)
        there.engine.progress()
    assert not there.down
    depart(child)
    until(lambda: there.down, there.engine)
    leave(there)
