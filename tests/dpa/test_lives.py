"""Kernels in several threads, and processes that end or fork while kernels run."""

from __future__ import annotations

import os
import signal
import threading

import pytest

import comch_next as comch
from comch_next.dpa import Dpa, DpaThread
from comch_next.dpa.dev import doca_dpa_dev_thread_reschedule
from tests.dpa.world import echo, queues, until
from tests.processes import StartPython, Threads


def test_each_thread_runs_its_own_kernel() -> None:
    ran: list[tuple[int, str]] = []

    def kernel(number: int) -> None:
        ran.append((number, threading.current_thread().name))
        doca_dpa_dev_thread_reschedule()

    with Dpa(comch.open_device("03:00.0")) as dpa:
        threads = [DpaThread(dpa) for _ in range(5)]
        for number, thread in enumerate(threads):
            thread.set_func_arg(kernel, number)
            thread.start()
            thread.run()
        until(None, lambda: len(ran) == 5)
        for thread in threads:
            thread.stop()
            thread.destroy()
    assert sorted(number for number, _ in ran) == [0, 1, 2, 3, 4]
    assert all("kernel" in name for _, name in ran)


def test_a_stop_during_a_start_is_one_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = threading.Thread.start

    def start(self: threading.Thread) -> None:
        with pytest.raises(comch.BadState, match="which is not started"):
            thread.stop()
        starts(self)

    with Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(print)
        monkeypatch.setattr(threading.Thread, "start", start)
        thread.start()
        thread.stop()
        thread.destroy()


def test_an_interrupt_during_a_start_leaves_a_thread_that_can_be_stopped(
    monkeypatch: pytest.MonkeyPatch, threads: Threads
) -> None:
    starts = threading.Thread.start

    def start(self: threading.Thread) -> None:
        starts(self)
        signal.raise_signal(signal.SIGINT)

    with Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(print)
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", start)
            with pytest.raises(KeyboardInterrupt):
                thread.start()
        thread.stop()
        thread.destroy()
    assert threads() == 0


def test_a_thread_takes_no_signals_of_the_program() -> None:
    """sigwait and signalfd get only what no thread takes; the faults of a thread are its own."""
    masks: list[set[int]] = []

    def kernel(_: object) -> None:
        masks.append({int(number) for number in signal.pthread_sigmask(signal.SIG_BLOCK, ())})
        doca_dpa_dev_thread_reschedule()

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(kernel)
        thread.start()
        thread.run()
        until(None, lambda: masks)
        thread.stop()
        thread.destroy()
    assert {signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGCHLD, signal.SIGRTMIN} <= masks[0]
    assert signal.SIGSEGV not in masks[0]
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before


def test_two_lanes_do_not_disturb_each_other() -> None:
    with queues(echo) as one, queues(echo) as other:
        for number in range(50):
            one.send(b"one %d" % number)
            other.send(b"other %d" % number)
        one.until(lambda: len(one.came) == 50)
        other.until(lambda: len(other.came) == 50)
        assert one.came == [b"ONE %d" % number for number in range(50)]
        assert other.came == [b"OTHER %d" % number for number in range(50)]


ENDLESS = """
import time
import comch_next as comch
from comch_next.dpa import Dpa, DpaThread
dpa = Dpa(comch.open_device("03:00.0"))
dpa.start()
thread = DpaThread(dpa)
def kernel(arg):
    print("runs", flush=True)
    while True:
        {body}
thread.set_func_arg(kernel)
thread.start()
thread.run()
time.sleep(0.2)
print("ends", flush=True)
"""


@pytest.mark.parametrize("body", ["pass", "time.sleep(0.01)"])
def test_a_process_ends_while_a_kernel_runs(start_python: StartPython, body: str) -> None:
    done = start_python("-c", ENDLESS.format(body=body)).finish()
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["runs", "ends"], "")


def test_what_a_fork_inherits_is_the_parents() -> None:
    with queues(echo) as lane:
        child = os.fork()
        if child == 0:
            codes = []
            for call in (lane.thread.stop, lane.dpa.stop, lane.to.stop, lane.producer.start):
                try:
                    call()
                except comch.DocaError as error:
                    codes.append(error.code)
            os._exit(0 if codes == [comch.ErrorCode.BAD_STATE] * 4 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        lane.send(b"still here")
        lane.until(lambda: lane.came)


def test_a_lane_that_ended_leaves_nothing(threads: Threads) -> None:
    with queues(echo) as lane:
        assert threads() == 1
    assert threads() == 0
    with pytest.raises(comch.InvalidValue, match="has been destroyed"):
        lane.dpa.start()
