"""kill -9 on a fast path: each task completes once, contexts come to IDLE, and nothing hangs."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

import comch_next as comch
from comch_next import State
from comch_next.driver.emulated import _fast_path
from comch_next.driver.emulated._fabric import handshake
from tests.control_path.pair import Side, client, ignore, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Inbox, Lane, Outbox
from tests.inside import inside
from tests.processes import SOON_S, StartPython

PREAMBLE = """
import comch_next as comch
from tests.control_path.pair import client, ignore, server, until
from tests.fast_path.lane import Inbox, Outbox
from comch_next import State
news = []
"""

PRODUCER = PREAMBLE + """
here = client()
here.context.event_consumer_register(lambda _, number: news.append(number), lambda *_: None)
here.context.start()
until(lambda: here.state is State.RUNNING and news, here.engine)
outbox = Outbox(here.connection, here.context.device)
outbox.producer.start()
print("sending", flush=True)
number = 0
while True:
    outbox.send_on(news[0], b"%d" % number, here.engine)
    number += 1
"""

CONSUMER = PREAMBLE + """
there = server()
there.context.event_consumer_register(ignore, ignore)
there.context.start()
until(lambda: there.up, there.engine)
inbox = Inbox(there.connection, there.context.device)
inbox.consumer.start()
until(lambda: inbox.consumer.state is State.RUNNING, there.engine)
inbox.post(8)
print("posted", flush=True)
while True:
    if inbox.received:
        inbox.received.clear()
        inbox.post()
    there.engine.wait(1)
    there.engine.progress()
"""


def test_a_killed_producer(start_python: StartPython) -> None:
    before = collected_fds()
    there = server()
    there.context.event_consumer_register(ignore, ignore)
    there.context.start()
    peer = start_python("-c", PRODUCER)
    until(lambda: there.up, there.engine)
    inbox = Inbox(there.connection, there.context.device)
    inbox.consumer.start()
    until(lambda: inbox.consumer.state is State.RUNNING, there.engine)
    inbox.post(8)

    def enough() -> bool:
        while inbox.consumer.num_inflight_tasks < 8:
            inbox.post()
        return len(inbox.received) > 500

    until(enough, there.engine)
    peer.signal(signal.SIGKILL)
    until(lambda: inbox.consumer.state is State.IDLE and there.down, there.engine)
    numbers = [int(data or b"-1") for data, _ in inbox.received]
    assert numbers == list(range(len(numbers))), "in order, none twice, none missing"
    assert inbox.failed == ["CONNECTION_RESET"] * (len(inbox.failed))
    assert len(inbox.failed) <= 16
    assert there.down == [(there.connection, False)]
    assert State.STOPPING in inbox.states
    inbox.close()
    leave(there)
    peer.kill()
    assert open_fds() == before


def test_a_killed_consumer(start_python: StartPython) -> None:
    before = collected_fds()
    peer = start_python("-c", CONSUMER)
    here = client()
    news: list[int] = []
    gone: list[int] = []
    here.context.event_consumer_register(lambda _, number: news.append(number), lambda _, number: gone.append(number))
    _start_when_served(here)
    until(lambda: news, here.engine)
    outbox = Outbox(here.connection, here.context.device)
    outbox.producer.start()
    peer.wait_for("posted")
    for number in range(200):
        outbox.send_on(news[0], b"%d" % number, here.engine)
    peer.signal(signal.SIGKILL)
    until(lambda: outbox.producer.state is State.IDLE and here.state is State.IDLE, here.engine)
    assert gone == news, "its consumers have expired with it"
    assert outbox.sent == 200
    assert outbox.failed == []
    outbox.close()
    leave(here)
    peer.kill()
    assert open_fds() == before


def _start_when_served(here: Side) -> None:
    """Dial until the other process listens."""

    def running() -> bool:
        if here.state is State.IDLE:
            here.context.start()
        return here.state is State.RUNNING

    until(running, here.engine)


def test_a_death_is_noticed_without_the_connections_engine(start_python: StartPython) -> None:
    """A worker with an engine of its own does not depend on somebody turning the other."""
    there = server()
    there.context.event_consumer_register(ignore, ignore)
    there.context.start()
    peer = start_python("-c", PRODUCER)
    until(lambda: there.up, there.engine)
    with comch.ProgressEngine() as own:
        inbox = Inbox(there.connection, there.context.device, engine=own)
        inbox.consumer.start()
        until(lambda: inbox.consumer.state is State.RUNNING, there.engine, own)
        inbox.post(4)
        until(lambda: len(inbox.received) == 4, own)
        peer.signal(signal.SIGKILL)
        assert own.wait(SOON_S), "the death wakes a sleeper"
        until(lambda: inbox.consumer.state is State.IDLE, own)
        until(lambda: there.down, there.engine)
        inbox.close()
    leave(there)


@pytest.mark.parametrize("how", ["client stops", "server disconnects"])
def test_an_orderly_leave_of_the_other_side(lane: Lane, how: str) -> None:
    """Its own contexts have to be stopped first; ours are told that the connection has gone."""
    lane.run()
    lane.inbox.post(2)
    if how == "client stops":
        lane.outbox.producer.stop()
        lane.here.context.stop()
        lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
        assert lane.inbox.failed == ["SHUTDOWN", "SHUTDOWN"]
        return
    lane.inbox.consumer.stop()
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
    lane.there.context.disconnect(lane.there.connection)
    task = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    lane.until(lambda: lane.outbox.producer.state is State.STOPPING)
    task.submit()
    lane.until(lambda: lane.outbox.producer.state is State.IDLE)
    assert lane.outbox.failed == ["SHUTDOWN"]


def test_a_forked_child_has_none_of_it(lane: Lane, tmp_path: Path) -> None:
    lane.run()
    lane.inbox.post(2)
    attempts: list[Callable[[], object]] = [
        lane.inbox.consumer.stop,
        lambda: lane.inbox.consumer.task_post_recv_alloc_init(),
        lambda: lane.outbox.send(lane.inbox.consumer.id, b"x"),
        lambda: lane.inbox.mmap.view,
        lambda: lane.inbox.inventory.num_elements,
    ]
    child = os.fork()
    if child == 0:
        codes = [comch.outcome(attempt)[0].name for attempt in attempts]
        (tmp_path / "codes").write_text(" ".join(codes), encoding="ascii")
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert (tmp_path / "codes").read_text(encoding="ascii") == " ".join(["BAD_STATE"] * len(attempts))
    lane.outbox.send(lane.inbox.consumer.id, b"unharmed")
    lane.until(lambda: lane.inbox.received)
    assert lane.inbox.received == [(b"unharmed", None)]




def test_a_consumer_that_there_is_no_memory_for_is_no_fault_of_its_peer(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_fast_path, "Target", Mock(side_effect=OSError(errno.ENOMEM, "Cannot allocate memory")))
    connection = inside(lane.here.connection)
    lane.inbox.consumer.start()
    lane.until(lambda: lane.there.down and lane.inbox.consumer.state is lane.here.state is State.IDLE)
    assert connection.reason == "a consumer of the peer cannot be used: [Errno 12] Cannot allocate memory"


def test_a_consumer_that_cannot_be_announced_later_either(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    """The socket was full, and now too many descriptors are in flight: the connection is lost, and nothing else."""
    full = BlockingIOError(errno.EAGAIN, "full")
    send = Mock(side_effect=[full, OSError(errno.ETOOMANYREFS, "too many")])
    monkeypatch.setattr(_fast_path, "handshake", SimpleNamespace(send=send, close_all=handshake.close_all))
    lane.inbox.consumer.start()
    lane.until(lambda: lane.there.down and lane.inbox.consumer.state is State.IDLE)
    assert [ok for _, ok in lane.there.down] == [False]
    assert send.call_count == 2
