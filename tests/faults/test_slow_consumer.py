"""A slow consumer: its producer sees AGAIN and nothing else, in bounded memory, until the consumer has gone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import comch_next as comch
import comm_channel_compat as compat
from comch_next import ErrorCode, NoMemory
from tests.compat import support
from tests.control_path import pair
from tests.differences import differs
from tests.event_channels.support import fill as fill_old
from tests.processes import Child, StartPython
from tests.pull.support import FORMS, PEER, End, Stage, until

ITS_QUEUE, OWN_QUEUE = 64, 16  # messages: the consumer's default, and what the producer may have in flight
ENDS = {"leave": ErrorCode.SHUTDOWN, "die": ErrorCode.CONNECTION_RESET}


@pytest.fixture
def stage(runtime_dir: Path) -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


@pytest.fixture
def consumer(start_python: StartPython) -> Child:
    """A process that reads one message for every line "receive"; made when the producer listens."""
    return start_python("-c", "import sys; sys.stdin.readline()\n" + PEER)


def producer(stage: Stage, consumer: Child, form: str) -> End:
    port = stage.server(form, send_queue_size=OWN_QUEUE)
    port.context.start()
    consumer.say("go\n")
    end = End(port.context, port, until(port.accept))
    consumer.wait_for("up")
    return end


def fill(end: End, number: int = 0) -> int:
    """Send until AGAIN; the number of the next message."""
    while end.send(b"%d" % number):
        number += 1
    return number


def resident() -> int:
    """This process's memory in bytes."""
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("end", ENDS)
def test_never_then_one_by_one_then_gone(stage: Stage, consumer: Child, form: str, end: str) -> None:
    there = producer(stage, consumer, form)
    number = fill(there)
    assert number == ITS_QUEUE + OWN_QUEUE
    before = resident()
    for _ in range(5000):
        assert there.send(bytes(4000)) is False  # and nothing else, however often it is tried
    assert resident() - before < 4 << 20
    assert there.port.in_flight(there.connection) == OWN_QUEUE
    for read in range(10):
        consumer.say("receive\n")
        assert consumer.wait_for(str(read)) == str(read)
        until(lambda: there.port.in_flight(there.connection) == OWN_QUEUE - 1)
        assert fill(there, number) == number + 1
        number += 1
    consumer.say(f"{end}\n")
    codes: set[ErrorCode] = set()

    def told() -> bool:
        codes.add(comch.outcome(there.send, b"x")[0])
        return ENDS[end] in codes

    until(told)
    assert codes <= {ErrorCode.SUCCESS, ENDS[end]}  # outcome says SUCCESS of AGAIN, too: the port's send returns it
    assert there.port.failed(there.connection) == OWN_QUEUE
    assert comch.outcome(there.port.receive)[0] == ENDS[end]
    assert there.port.receive() is None


@pytest.mark.parametrize("end", ENDS)
def test_with_tasks(consumer: Child, end: str) -> None:
    """A full pool is NO_MEMORY; each message read completes one task, the end fails the others once."""
    there = pair.server(tasks=ITS_QUEUE + OWN_QUEUE)
    there.context.start()
    consumer.say("go\n")
    pair.until(lambda: there.up, there.engine)
    for number in range(ITS_QUEUE + OWN_QUEUE):
        there.send(b"%d" % number)
    pair.until(lambda: len(there.done) == ITS_QUEUE, there.engine)
    held = [there.task() for _ in range(ITS_QUEUE)]
    with pytest.raises(NoMemory):
        there.task()
    for read in range(5):
        consumer.say("receive\n")
        consumer.wait_for(str(read))
        pair.until(lambda read=read: len(there.done) == ITS_QUEUE + 1 + read, there.engine)  # type: ignore[misc]
    consumer.say(f"{end}\n")
    pair.until(lambda: there.down, there.engine)
    pair.until(lambda: len(there.failed) == OWN_QUEUE - 5, there.engine)
    assert {task.status for task in there.failed} == {ENDS[end]}
    assert len(there.done) == ITS_QUEUE + 5
    for task in held:
        task.free()
    pair.leave(there)


def test_a_slow_one_does_not_hold_up_the_others(stage: Stage, start_python: StartPython) -> None:
    port = stage.server("driver", send_queue_size=OWN_QUEUE)
    slow = stage.meet(port, stage.client("driver"))[0]
    fast, reader = stage.meet(port, stage.client("driver"))
    fill(slow)
    for number in range(1000):
        assert fast.send(b"%d" % number)
        assert reader.receive() == b"%d" % number
        assert slow.send(b"x") is False


def test_under_the_old_names(form: str) -> None:
    both = support.Pair(send_queue_size=8, recv_queue_size=8)
    sent = fill_old(both.client, both.to_service)
    if differs(form, "messages"):
        assert sent >= 16 + 8
    else:
        assert sent == 16
    for _ in range(3):
        for _ in range(100):
            with pytest.raises(compat.Again):
                both.client.sendto(b"y", both.to_service)
        before = sent
        while sent == before:  # one read makes room for one, or for several at once
            support.eventually(both.service.recvfrom, 10)
            sent += fill_old(both.client, both.to_service)
        if not differs(form, "messages"):
            assert sent == before + 1
    both.service.destroy()
    with pytest.raises(compat.ConnectionReset):
        support.eventually(both.client.sendto, b"z", both.to_service)
    both.client.destroy()
