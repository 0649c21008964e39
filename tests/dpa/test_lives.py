"""Kernels in several threads, and processes that end or fork while kernels run."""

from __future__ import annotations

import errno
import gc
import os
import signal
import threading
from collections import deque
from types import SimpleNamespace
from typing import Any
from unittest.mock import DEFAULT, Mock

import pytest

import comch_next as comch
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from comch_next.dpa.dev import doca_dpa_dev_thread_reschedule
from comch_next.driver.emulated import _msgq
from comch_next.driver.emulated._dpa import threads as kernels
from comch_next.driver.emulated._dpa.instance import started_dpa
from comch_next.driver.emulated._fabric.offers import Target
from comch_next.driver.protocol import WeakSet
from tests.control_path.pair import ignore
from tests.descriptors import collected_fds, open_fds
from tests.dpa.world import DEPTH, PATIENCE_S, echo, queues, until
from tests.faults.exhausted import full_table
from tests.faults.forking import in_child
from tests.inside import inside
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


def test_an_interrupt_during_a_run_keeps_no_kernel_from_it(monkeypatch: pytest.MonkeyPatch) -> None:
    activates = kernels.DpaThread.activate
    ran: list[object] = []

    def activate(self: kernels.DpaThread) -> None:
        signal.raise_signal(signal.SIGINT)
        activates(self)

    with Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(ran.append, "kernel")
        thread.start()
        monkeypatch.setattr(kernels.DpaThread, "activate", activate)
        with pytest.raises(KeyboardInterrupt):
            thread.run()
        until(None, lambda: ran)
        thread.stop()
        thread.destroy()
    assert ran == ["kernel"]


class _Unclear(deque[Any]):
    """Completions that cannot be dropped without an interrupt."""

    def clear(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_a_completion_context_whose_start_is_interrupted_can_be_started() -> None:
    with Dpa(comch.open_device("03:00.0")) as dpa:
        completion = DpaCompletion(dpa, 1)
        inside(completion).ended, ended = _Unclear(), inside(completion).ended
        with pytest.raises(KeyboardInterrupt):
            completion.start()
        inside(completion).ended = ended
        completion.start()
        completion.stop()
        completion.destroy()


def test_a_failure_of_the_dpa_during_a_start_ends_the_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []

    def ask(dpa: Any, call: str) -> Any:
        found = started_dpa(dpa, call)
        found.fail(KeyError("of another kernel"))
        return found

    with Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(ran.append, "kernel")
        monkeypatch.setattr(kernels, "started_dpa", ask)
        thread.start()
        thread.run()
        inside(thread)._thread.join(PATIENCE_S)
        thread.stop()
        thread.destroy()
    assert ran == []


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
import threading, time
import comch_next as comch
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
dpa = Dpa(comch.open_device("03:00.0"))
dpa.start()
thread = DpaThread(dpa)
running = threading.Event()
def kernel(arg):
    print("runs", flush=True)
    running.set()
    while True:
        {body}
thread.set_func_arg(kernel)
thread.start()
thread.run()
running.wait()
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


def test_what_the_program_has_dropped_holds_no_thread_and_no_completion_context() -> None:
    with Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        both = [comch.MsgQ(comch.open_device("03:00.0")) for _ in range(2)]
        both[0].set_dpa_consumer(dpa)
        both[1].set_dpa_producer(dpa)
        part: Any  # queues and completion contexts, which have no class in common
        received, sent = comch.ConsumerCompletion(), DpaCompletion(dpa, 4)
        received.set_dpa_thread(thread)
        sent.set_thread(thread)
        for part in (*both, received, sent):
            part.start()
        consumer, producer = both[0].consumer_create(), both[1].producer_create()
        for context in (consumer, producer):
            context.set_datapath_on_dpa(dpa)
            context.user_data = context  # a circle
        consumer.set_completion(received)
        producer.dpa_completion_attach(sent)
        del consumer, producer, context
        for part in (received, sent):
            part.stop()
        del received, sent, part
        thread.destroy()
        for queue in both:
            queue.stop()
            queue.destroy()


def test_a_forked_child_leaves_the_block_of_a_dpa() -> None:
    with Dpa(comch.open_device("03:00.0")) as dpa:
        if not (child := os.fork()):
            try:
                dpa.__exit__(None, None, None)
            except BaseException:
                os._exit(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize("left", [0, 1])
def test_a_thread_without_descriptors_leaves_none(left: int) -> None:
    with Dpa(comch.open_device("03:00.0")) as dpa:
        before = collected_fds()
        with full_table(left), pytest.raises(comch.NoMemory, match="dpa_thread_create"):
            DpaThread(dpa)
        gc.collect()
        assert open_fds() == before


def test_an_interrupt_leaves_no_thread_half_made(monkeypatch: pytest.MonkeyPatch) -> None:
    makes = os.eventfd

    def make(*args: Any) -> int:
        made = makes(*args)
        signal.raise_signal(signal.SIGINT)
        return made

    with Dpa(comch.open_device("03:00.0")) as dpa:
        before = collected_fds()
        monkeypatch.setattr(os, "eventfd", make)
        with pytest.raises(KeyboardInterrupt):
            DpaThread(dpa)
        gc.collect()
        assert open_fds() == before


class Late:
    """An epoll object whose wait ends with a ring of a bell that somebody else has by then."""

    def __init__(self, watch: Any, bell: int) -> None:
        self._watch, self._bell = watch, bell

    def __getattr__(self, name: str) -> Any:
        return getattr(self._watch, name)

    def poll(self) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = self._watch.poll()
        return [(self._bell, 1), *found]


def test_a_ring_for_a_consumer_that_has_gone_stops_nobody() -> None:
    """Its bell's number is another one's when the thread comes to read it."""
    with queues(echo) as lane:
        thread = inside(lane.thread)
        thread._watch = Late(thread._watch, inside(lane.dpa_consumer)._bell)
        for number in range(2 * DEPTH):
            lane.send(b"message")
            lane.until(lambda: len(lane.came) > number)  # noqa: B023
        assert set(lane.came) == {b"MESSAGE"}


def test_a_kernel_may_be_any_callable() -> None:
    class Kernel:
        """It can be called, and not be shown."""

        def __call__(self, arg: SimpleNamespace) -> None:
            echo(arg)

        def __repr__(self) -> str:
            raise NotImplementedError

    with queues(Kernel()) as lane:
        assert str(inside(lane.thread)) == "DPA thread of Kernel"
        lane.send(b"message")
        lane.until(lambda: lane.came)


def test_what_a_program_does_with_the_exception_of_a_kernel_is_the_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    """threading.excepthook runs on the thread of the kernel, which has ended."""
    told: list[object] = []

    def kernel(_: object) -> None:
        raise KeyError

    def hook(args: threading.ExceptHookArgs) -> None:
        told.append(args.exc_type)
        try:
            told.append(engine.progress())
        except BaseException as error:
            told.append(error)

    monkeypatch.setattr(threading, "excepthook", hook)
    with comch.ProgressEngine() as engine, Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(kernel)
        thread.start()
        thread.run()
        until(None, lambda: len(told) == 2)
        thread.stop()
        thread.destroy()
    assert told == [KeyError, False]


def test_a_consumer_without_memory_for_its_producers_can_be_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with comch.open_device("03:00.0") as device, Dpa(device) as dpa:
        msgq = comch.MsgQ(device)
        msgq.set_dpa_producer(dpa)
        msgq.start()
        consumer = msgq.consumer_create()
        consumer.task_post_recv_set_conf(ignore, ignore, 4)
        engine, before = consumer.engine, collected_fds()
        none = Mock(wraps=Target, side_effect=[OSError(errno.ENOMEM, "no memory"), DEFAULT])
        monkeypatch.setattr(_msgq, "Target", none)
        with pytest.raises(comch.Initialization, match="no memory"):
            consumer.start()
        assert (open_fds(), inside(msgq).live) == (before, [])
        consumer.start()
        until(engine, lambda: consumer.state is comch.State.RUNNING)
        consumer.stop()
        until(engine, lambda: consumer.state is comch.State.IDLE)
        consumer.destroy()
        msgq.stop()
        msgq.destroy()


def test_a_dpa_consumer_whose_bell_cannot_be_listened_to_can_be_started_again() -> None:
    with queues(lambda _: doca_dpa_dev_thread_reschedule()) as lane:
        thread, consumer = inside(lane.thread), lane.dpa_consumer
        consumer.stop()
        before, watch = collected_fds(), thread._watch
        thread._watch = Mock(wraps=watch)
        thread._watch.register.side_effect = OSError(errno.ENOSPC, "no room")
        with pytest.raises(comch.Initialization, match="no room"):
            consumer.start()
        thread._watch = watch
        assert (consumer.state, open_fds()) == (comch.State.IDLE, before)
        consumer.start()


def test_a_consumer_that_outlives_its_queue_closes_nothing_of_the_programs() -> None:
    """The collector comes to the objects of a cycle in no order; a finalizer of the program's may close the other."""
    with comch.open_device("03:00.0") as device, Dpa(device) as dpa:
        msgq = comch.MsgQ(device)
        msgq.set_dpa_producer(dpa)
        msgq.start()
        consumer = msgq.consumer_create()
        consumer.task_post_recv_set_conf(ignore, ignore, 4)
        consumer.start()
        bell = inside(msgq).targets[consumer.id].bell
        inside(msgq).let_go()
        os.dup2(0, bell)  # another thread of the program's has opened something
        consumer.close()
        os.close(bell)
        msgq.stop()
        msgq.destroy()


class _Leaving:
    """A consumer whose own thread destroys it while another thread reports the end of its peer."""

    def __init__(self, *engines: Any) -> None:
        self.engines = list(engines)

    @property
    def engine(self) -> Any:
        return self.engines.pop(0)

    def on_peer_lost(self) -> None: ...


def test_a_consumer_that_is_destroyed_meanwhile_keeps_no_other_from_its_news() -> None:
    reports: list[object] = []
    engine = SimpleNamespace(call_soon_threadsafe=reports.append)
    with comch.open_device("03:00.0") as device:
        msgq = comch.MsgQ(device)
        live = inside(msgq).live
        live += [_Leaving(None), _Leaving(engine, None), _Leaving(engine)]
        inside(msgq).dpa_failed()
        assert len(reports) == 2
        live.clear()
        msgq.destroy()


class _Interrupted(WeakSet[Any]):
    """Users of a thing, of which one cannot leave it without an interrupt."""

    def discard(self, member: object) -> None:
        signal.raise_signal(signal.SIGINT)
        super().discard(member)


@pytest.mark.parametrize("last", ["completion", "queue", "dpa"])
def test_an_interrupt_in_the_middle_of_an_end_leaves_nothing_half_ended(last: str) -> None:
    """What holds on to its parents could not be destroyed any more, nor they."""
    device = comch.open_device("03:00.0")
    dpa = Dpa(device)
    dpa.start()
    things: dict[str, Any] = {"completion": DpaCompletion(dpa, 1), "queue": comch.MsgQ(device)}
    things["queue"].set_dpa_consumer(dpa)
    things["dpa"] = dpa
    parent = inside(device) if last == "dpa" else inside(dpa)
    for name, thing in things.items():
        if name == "dpa":
            dpa.stop()
        if name == last:
            users, parent.users = parent.users, _Interrupted()
            for user in users:
                parent.users.add(user)
            with pytest.raises(KeyboardInterrupt):
                thing.destroy()
            parent.users, users = WeakSet(), list(parent.users)
            for user in users:
                parent.users.add(user)
        else:
            thing.destroy()
    device.close()


def test_a_child_that_a_kernel_forks_is_no_kernel() -> None:
    found: list[str] = []

    def kernel(_: object) -> None:
        found.append(in_child(lambda: str(comch.open_device("03:00.0").devinfo.pci_addr_str)))

    with Dpa(comch.open_device("03:00.0")) as dpa:
        thread = DpaThread(dpa)
        thread.set_func_arg(kernel)
        thread.start()
        thread.run()
        until(None, lambda: found or dpa.error)
        thread.stop()
        thread.destroy()
    assert found == ["0000:03:00.0"]
