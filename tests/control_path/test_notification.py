"""The notification handle of an engine: when it wakes who sleeps on it."""

from __future__ import annotations

import select
import threading
from typing import Any

import pytest

from comch_next import OperatingSystem, ProgressEngine, State
from tests.control_path.pair import Side, client, connect, leave, pair, server, until
from tests.processes import SOON_S


class Sleeper:
    """An epoll set with an engine's handle alone, waited for without a time-out in a thread of its own."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.epoll = select.epoll()
        self.epoll.register(side.engine.notification_handle, select.EPOLLIN)

    def sleep_until(self, condition: Any) -> None:
        """The loop of the guide: progress until nothing moves, arm, sleep, clear."""
        engine = self.side.engine
        while not condition():
            if engine.progress():
                continue
            engine.request_notification()
            assert self.epoll.poll(SOON_S), "slept past what happened"
            engine.clear_notification(engine.notification_handle)

    def close(self) -> None:
        self.epoll.close()


def test_it_wakes_for_clients_messages_and_farewells() -> None:
    there, here = server(), client()
    there.context.start()
    sleeper = Sleeper(there)
    ready = threading.Event()

    def other_side() -> None:
        here.context.start()
        until(lambda: here.state is State.RUNNING, here.engine)
        for number in range(50):
            here.send(b"%d" % number)
            until(lambda number=number: len(here.done) > number, here.engine)  # type: ignore[misc]
        ready.wait(SOON_S)
        here.context.stop()
        until(lambda: here.state is State.IDLE, here.engine)

    thread = threading.Thread(target=other_side)
    thread.start()
    sleeper.sleep_until(lambda: there.up)
    sleeper.sleep_until(lambda: len(there.messages) == 50)
    ready.set()
    sleeper.sleep_until(lambda: there.down)
    thread.join()
    assert there.messages == [b"%d" % number for number in range(50)]
    sleeper.close()
    leave(there, here)


def test_it_wakes_for_a_completion() -> None:
    """A task waits in flight until the receiver reads: that is an event for the sender's engine."""
    there, here = server(recv_queue_size=1), client()
    connect(there, here)
    sleeper = Sleeper(here)
    for _ in range(3):
        here.send()
    here.engine.progress()
    assert len(here.done) == 1
    thread = threading.Thread(target=lambda: until(lambda: len(there.messages) == 3, there.engine))
    thread.start()
    sleeper.sleep_until(lambda: len(here.done) == 3)
    thread.join()
    sleeper.close()
    leave(here, there)


@pytest.mark.parametrize("max_events", [None, 1])
def test_what_came_of_a_progress_after_arming_is_covered(max_events: int | None) -> None:
    """Programs that run on an event loop arm, then look, then sleep: the connection that they find was not there."""
    there, here = server(), client()
    there.engine.max_events = max_events
    there.context.start()
    poller = select.epoll()
    poller.register(there.engine.notification_handle, select.EPOLLIN)
    there.engine.request_notification()
    here.context.start()
    until(lambda: there.up and here.state is State.RUNNING, here.engine, there.engine)
    until(lambda: not there.engine.progress())
    here.send()
    assert poller.poll(SOON_S)
    until(lambda: len(there.messages) == 1, there.engine)
    poller.close()
    leave(here, there)


@pytest.mark.parametrize("max_events", [None, 1])
def test_a_connection_that_comes_up_after_arming_is_covered(max_events: int | None) -> None:
    """A client that another thread's progress has taken from STARTING to RUNNING: the thread that sleeps is told."""
    there, here = server(), client()
    here.engine.max_events = max_events
    there.context.start()
    here.context.start()
    poller = select.epoll()
    poller.register(here.engine.notification_handle, select.EPOLLIN)
    here.engine.request_notification()
    until(lambda: there.up and here.state is State.RUNNING, here.engine, there.engine)
    assert poller.poll(SOON_S)
    poller.close()
    leave(here, there)


def test_it_is_ready_at_once_for_what_came_before_arming() -> None:
    there, here = pair()
    until(lambda: not there.engine.progress())
    here.send()
    poller = select.epoll()
    poller.register(there.engine.notification_handle, select.EPOLLIN)
    there.engine.request_notification()
    assert poller.poll(0)
    there.engine.clear_notification()
    assert not poller.poll(0), "cleared: not ready although the message is there"
    there.engine.request_notification()
    assert poller.poll(0), "armed twice is as good as once"
    poller.close()
    leave(here, there)


def test_it_is_silent_when_not_armed() -> None:
    there, here = pair()
    until(lambda: not there.engine.progress())
    there.engine.clear_notification()
    here.send()
    poller = select.epoll()
    poller.register(there.engine.notification_handle, select.EPOLLIN)
    assert not poller.poll(0)
    poller.close()
    leave(here, there)


def test_it_wakes_when_a_stop_can_finish() -> None:
    """The last task is freed outside of progress: what is left to do must not be slept through."""
    there, here = pair()
    task = here.task()
    here.context.stop()
    until(lambda: not here.engine.progress())
    assert here.state is State.STOPPING
    task.free()
    assert here.engine.wait(SOON_S)
    here.engine.progress()
    assert here.states[-1] == (State.STOPPING, State.IDLE)
    leave(here, there)


def test_wait_ends_at_its_time_out() -> None:
    with ProgressEngine() as engine:
        assert engine.wait(0) is False
        assert engine.wait(0.01) is False


def test_clear_takes_its_own_handle_or_zero() -> None:
    with ProgressEngine() as engine, ProgressEngine() as other:
        engine.clear_notification()
        engine.clear_notification(engine.notification_handle)
        for handle in (other.notification_handle, -1, 1 << 40, "x"):
            with pytest.raises(OperatingSystem, match="not this engine's handle"):
                engine.clear_notification(handle)  # type: ignore[arg-type]


@pytest.mark.parametrize("timeout", [1e7, float("inf")])
def test_the_longest_waits(timeout: float) -> None:
    """More than poll takes at once."""
    there, here = pair()
    here.send(b"x")
    assert there.engine.wait(timeout)
    until(lambda: there.messages, there.engine)
    leave(here, there)
