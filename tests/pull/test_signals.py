"""The signals of a program are its own: the helper thread of the threaded port takes none of them."""

from __future__ import annotations

import gc
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from comch_next.driver.protocol import _signals
from tests.inside import inside
from tests.processes import StartPython
from tests.pull.support import FORMS, Stage, until

# Signals that a program may wait for.
TAKEN = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGALRM, signal.SIGCHLD, signal.SIGRTMIN)

WAITS = """
import os, select, signal, sys
import comch_next as comch
from comch_next.pull import PullPort
from tests.signalfd import signalfd

form, when, way = sys.argv[1:]
wanted = {signal.SIGUSR1, signal.SIGINT}
if when == "before":
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
server = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
port = PullPort(server, threaded=form == "threaded")
server.start()
if when == "after":
    signal.pthread_sigmask(signal.SIG_BLOCK, wanted)
fd = signalfd(wanted)
print("waiting", flush=True)
for _ in wanted:
    if way == "sigwait":
        came = signal.sigwait(wanted)
    else:
        select.select([fd], [], [])
        came = os.read(fd, 128)[0]  # ssi_signo
    print(signal.Signals(came).name, flush=True)
server.close()
"""


@pytest.mark.parametrize("way", ["sigwait", "signalfd"])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("form", FORMS)
def test_a_program_that_waits_for_signals_gets_them(start_python: StartPython, form: str, when: str, way: str) -> None:
    """Whether it has blocked them before it opens a port or after."""
    child = start_python("-c", WAITS, form, when, way)
    child.wait_for("waiting")
    for number in (signal.SIGUSR1, signal.SIGINT):
        child.signal(number)
        child.wait_for(number.name)
    done = child.finish()
    assert (done.returncode, done.stderr) == (0, "")


def blocked(thread: threading.Thread) -> int:
    """The signals that a thread blocks, as the kernel has them: bit n - 1 stands for signal n."""
    status = Path(f"/proc/self/task/{thread.native_id}/status").read_text()
    return int(status.partition("SigBlk:")[2].split()[0], 16)


def test_the_helper_takes_no_signal_of_a_program_that_blocks_none(stage: Stage) -> None:
    before, mask = set(threading.enumerate()), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    stage.pair("threaded", "threaded")
    helpers = set(threading.enumerate()) - before
    assert len(helpers) == 2
    for helper in helpers:
        for number in TAKEN:
            assert blocked(helper) >> (number - 1) & 1, number
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == mask


def test_a_helper_that_another_thread_starts_takes_none_either(stage: Stage) -> None:
    """Python's calls hold signals back on the main thread only."""
    before = set(threading.enumerate())
    opener = threading.Thread(target=stage.pair, args=("threaded", "threaded"))
    opener.start()
    opener.join()
    helpers = set(threading.enumerate()) - before
    assert len(helpers) == 2
    for helper in helpers:
        for number in TAKEN:
            assert blocked(helper) >> (number - 1) & 1, number


def test_a_crash_of_the_helper_is_still_reported(stage: Stage) -> None:
    """faulthandler needs the signals that a fault raises in the thread itself."""
    before = set(threading.enumerate())
    stage.pair("threaded", "driver")
    (helper,) = set(threading.enumerate()) - before
    for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT):
        assert not blocked(helper) >> (number - 1) & 1, number


def test_receiving_nothing_holds_no_signals_back(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what moves something does: a receive is called thousands of times for each message."""
    service, client = stage.pair("driver", "driver")
    masks: list[tuple[object, ...]] = []
    gc.collect()  # what the collector finalizes holds signals back
    gc.disable()
    with monkeypatch.context() as patches:
        patches.setattr(_signals, "HeldSignals", lambda *arguments: masks.append(arguments))
        for end in (service, client):
            inside(end.port.context).delivery.notify()  # the next receive polls the sockets
            assert end.port.receive() is None
            assert end.port.receive() is None
        assert service.port.accept() is None
    gc.enable()
    assert masks == []


def test_a_handler_that_receives_leaves_each_message_to_one(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes inside a receive of the program, which has just looked at the message."""
    service, client = stage.meet(stage.server("driver"), stage.client("threaded", recv_queue_size=1))
    port: Any = client.port._port
    handled: list[bytes] = []

    def handle() -> None:
        if threading.current_thread() is threading.main_thread():
            port.helper.wake = lambda: None
            handled.append(client.receive())
            until(lambda: service.send(b"second"))

    until(lambda: service.send(b"first"))
    until(lambda: port.queue)
    with monkeypatch.context() as patched:
        patched.setattr(port.helper, "wake", handle)
        received = client.receive()
    assert (handled, received) == ([b"first"], b"second")
