"""A process that ends says goodbye, however it ends; one that is killed has died."""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from tests.control_path.pair import client, leave, server, until
from tests.processes import StartPython

PROGRAM = """
import sys
import comch_next as comch
{make}
print("up", flush=True)
sys.stdin.readline()
{end}
"""
CLIENTS = {
    "pulling": "here = comch.Client(comch.open_device('b1:00.0'), 'svc'); here.connect()",
    "one-sided": "here = comch.Client(comch.open_device('b1:00.0'), 'svc', one_sided=True); here.connect()",
    "with tasks": "from tests.control_path.pair import *; here = client(); here.context.start()\n"
    "until(lambda: here.state is State.RUNNING, here.engine)",
    "in a frame that an exception left": "def run():\n"
    "    here = comch.Client(comch.open_device('b1:00.0'), 'svc'); here.connect(); 1 / 0\n"
    "try: run()\nexcept ZeroDivisionError as error: kept = error",
}
ENDS = {"end": "", "exit": "sys.exit(3)", "exception": "raise ValueError", "interrupt": "raise KeyboardInterrupt"}


def depart(child: Any) -> None:
    child.say("end\n")
    child.finish()


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
    assert ends_seen(partial(start_python, "-c", PROGRAM.format(make=CLIENTS["pulling"], end=ENDS[end]))) == [True]


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
    child.finish()
    assert list(runtime_dir.iterdir()) == []
    until(lambda: here.state is comch.State.IDLE, here.engine)
    with pytest.raises(comch.DocaError, match="has left"):
        here.context.connection  # noqa: B018
    leave(here)


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
