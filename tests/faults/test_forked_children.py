"""Forked children: what they make is their own, and their end and their life leave their parent unharmed."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import Client, ConnectionAborted, ConnectionReset, Server
from tests.control_path.pair import Side, client, connect, leave, pair, until
from tests.control_path.pulled import dialled
from tests.faults.forking import ENDS, child_that_ends, in_child
from tests.processes import SOON_S, StartPython


def talk(there: Side, here: Side) -> None:
    """Both still have each other, and the name still stands for the server."""
    there.messages.clear()
    here.messages.clear()
    here.send(b"ping")
    there.send(b"pong", there.up[0][0])
    until(lambda: there.messages and here.messages, there.engine, here.engine)
    assert (there.messages, here.messages, there.down) == ([b"ping"], [b"pong"], [])
    newcomer = client()
    connect(there, newcomer)
    leave(newcomer)
    until(lambda: there.down, there.engine)
    there.down.clear()


@pytest.mark.parametrize("how", ENDS)
def test_the_end_of_a_child_is_none_of_its_parents(how: str) -> None:
    there, here = pair()
    child_that_ends(how)
    talk(there, here)
    leave(here, there)


AS_A_PROGRAM = """
import os, sys
import comch_next as comch
dpu, host = comch.open_device("03:00.0"), comch.open_device("b1:00.0")
rep = dpu.open_representor("b1:00.0")
with dpu, host, rep, comch.Server(dpu, rep, "svc") as server, comch.ProgressEngine() as engine:
    client = comch.Client(host, "svc", engine=engine)
    client.connect(timeout=0)
    comch.outcome(server.receive, timeout=0)
    pid = os.fork()
    if pid == 0:
        sys.exit(7)     # through every with block, and the interpreter's end
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
    client.connection.send(b"still here", timeout=60)
    assert server.receive(timeout=60).data == b"still here"
    client.close()
"""


@pytest.mark.usefixtures("form")
def test_a_child_may_leave_its_parents_with_blocks(start_python: StartPython) -> None:
    quiet = "ignore:This process:DeprecationWarning"  # from Python 3.12 on, of any fork beside a thread
    done = start_python("-W", quiet, "-c", AS_A_PROGRAM).finish()
    assert (done.returncode, done.stderr) == (0, "")


IN_THE_HELPER = """
import os, threading
import comch_next as comch

def fork(context, old, new):
    if threading.current_thread().name == "comch-progress" and not forked.is_set():
        if (child := os.fork()):
            children.append(child)
            forked.set()

children, forked = [], threading.Event()
threading.excepthook = lambda hook: print(hook.exc_type.__name__, flush=True)
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as server:
    client = comch.Client(comch.open_device("b1:00.0"), "svc")
    client.set_state_changed_cb(fork)
    port = comch.PullPort(client)
    client.start()  # and no progress: it comes up in the helper thread
    connection = client.connection
    assert forked.wait(60)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
    connection.send(b"still here", timeout=60)
    assert server.receive(timeout=60).data == b"still here"
    client.close()
"""


def test_a_child_of_the_helper_thread_is_told_why_that_ends(start_python: StartPython) -> None:
    quiet = "ignore:This process:DeprecationWarning"  # from Python 3.12 on, of any fork beside a thread
    done = start_python("-W", quiet, "-c", IN_THE_HELPER, env={"COMCH_PULL": "threaded"}).finish()
    assert (done.returncode, done.stdout, done.stderr) == (0, "BadState\n", "")


def test_a_child_makes_objects_of_its_own() -> None:
    there, here = pair()

    def body() -> tuple[bytes, bytes]:
        with comch.open_device("03:00.0") as dpu, comch.open_device("b1:00.0") as host:
            with Server(dpu, "b1:00.0", "mine") as own, dialled() as to_parent:
                to_parent.connection.send(b"from the child", timeout=SOON_S)
                mine = Client(host, "mine")
                mine.connect(timeout=0)
                comch.outcome(own.receive, timeout=0)
                mine.connection.send(b"own", timeout=SOON_S)
                data = own.receive(timeout=SOON_S).data
                mine.close()
        return data, to_parent.name.encode()

    assert _turning(there, body) == (b"own", b"svc")
    assert there.messages == [b"from the child"]
    leave(here, there)


def _turning(side: Side, body: Callable[[], Any]) -> Any:
    """Run `body` in a child while a thread turns the parent's engine."""
    ended = threading.Event()

    def turn() -> None:
        while not ended.is_set():
            side.engine.wait(0.01)
            side.engine.progress()

    thread = threading.Thread(target=turn)
    thread.start()
    try:
        return in_child(body)
    finally:
        ended.set()
        thread.join()


FORKS_AND_STAYS = """
import os, sys, time
import comch_next as comch
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
server.listen()
print("listening", flush=True)
server.receive().reply(b"hello")
if os.fork() == 0:
    print("forked", flush=True)
    sys.stdin.read()
else:
    time.sleep(1000)
"""


@pytest.mark.usefixtures("form")
def test_a_child_that_lives_on_hides_no_death(start_python: StartPython) -> None:
    """Only the parent is killed: its client hears of it at once, and its name is free."""
    child = start_python("-c", FORKS_AND_STAYS)
    child.wait_for("listening")
    with comch.open_device("b1:00.0") as host, comch.open_device("03:00.0") as dpu:
        here = Client(host, "svc")
        connection = here.connect(timeout=SOON_S)
        connection.send(b"?")
        assert here.receive(timeout=SOON_S).data == b"hello"
        child.wait_for("forked")
        child.signal(signal.SIGKILL)
        with pytest.raises(ConnectionReset):
            here.receive(timeout=SOON_S)
        child.process.wait()  # its sockets may go before its locks
        here.close()
        again = Client(host, "svc")
        with pytest.raises(ConnectionAborted):
            again.connect(timeout=SOON_S)
        again.close()
        with Server(dpu, "b1:00.0", "svc"):
            pass


@pytest.mark.usefixtures("form")
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(start_python: StartPython, method: str) -> None:
    done = start_python("-m", "tests.faults.forking_pool", method).finish()
    assert (done.returncode, done.stdout, done.stderr) == (0, "b'from a child'\n" * 2, "")


def test_a_child_of_multiprocessing_gets_bad_state(runtime_dir: Path) -> None:
    there, here = pair()
    method = multiprocessing.get_context("fork")
    queue = method.SimpleQueue()

    def body() -> None:
        queue.put([comch.outcome(call)[0].name for call in (there.engine.progress, here.context.stop)])

    child = method.Process(target=body)
    child.start()
    assert queue.get() == ["BAD_STATE"] * 2
    child.join(SOON_S)
    assert child.exitcode == 0
    talk(there, here)
    leave(here, there)
