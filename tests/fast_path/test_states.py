"""The states of consumers and producers, and which call each state allows."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

import comch_next as comch
from comch_next import (
    BadConfig,
    BadState,
    Consumer,
    InUse,
    InvalidValue,
    NotConnected,
    Producer,
    ProgressEngine,
    State,
)
from tests.control_path.pair import client, connect, ignore, leave, server, until
from tests.fast_path.lane import Inbox, Lane, Outbox

CONSUMER_CALLS: dict[str, Callable[[Consumer], object]] = {
    "set_imm_data_len": lambda consumer: setattr(consumer, "imm_data_len", 16),
    "task_post_recv_set_conf": lambda consumer: consumer.task_post_recv_set_conf(ignore, ignore, 4),
    "task_post_recv_alloc_init": lambda consumer: consumer.task_post_recv_alloc_init().free(),
}


@pytest.mark.parametrize("call", CONSUMER_CALLS)
def test_each_state_allows_what_the_table_says(lane: Lane, call: str) -> None:
    consumer, attempt = lane.inbox.consumer, CONSUMER_CALLS[call]
    configures = call != "task_post_recv_alloc_init"

    def legal(state: State) -> bool:
        return (state is State.IDLE) is configures and state is not State.STARTING

    def check(state: State) -> None:
        assert consumer.state is state
        if legal(state):
            attempt(consumer)
            return
        with pytest.raises(BadState, match=rf"while {state.name}; it is legal while"):
            attempt(consumer)

    check(State.IDLE)
    consumer.start()
    check(State.STARTING)
    lane.until(lambda: consumer.state is State.RUNNING)
    check(State.RUNNING)
    held = consumer.task_post_recv_alloc_init()
    consumer.stop()
    check(State.STOPPING)
    held.free()
    lane.until(lambda: consumer.state is State.IDLE)
    check(State.IDLE)


def test_a_producer_configures_only_while_idle(lane: Lane) -> None:
    producer = lane.outbox.producer
    with pytest.raises(BadState, match="while IDLE"):
        producer.task_send_alloc_init(None, b"x", 1)
    assert producer.start() is State.RUNNING
    with pytest.raises(BadState, match="while RUNNING"):
        producer.task_send_set_conf(ignore, ignore, 4)
    assert producer.stop() is State.IDLE


def test_a_consumer_runs_only_through_its_connections_engine() -> None:
    with comch.ProgressEngine() as own:
        lane = Lane(engine=own)
        consumer = lane.inbox.consumer
        assert consumer.start() is State.STARTING
        for _ in range(20):
            own.progress()
        lane.there.engine.progress()
        assert lane.inbox.states == [State.STARTING], "its callbacks run in its own engine"
        own.progress()
        assert lane.inbox.states == [State.STARTING, State.RUNNING]
        lane.close()


@pytest.mark.parametrize("kind", ["consumer", "producer"])
def test_nothing_starts_without_its_tasks(lane: Lane, kind: str) -> None:
    bare = Consumer(lane.there.connection, lane.inbox.mmap) if kind == "consumer" else Producer(lane.here.connection)
    with pytest.raises(BadConfig, match="task configuration"):
        bare.start()
    bare.destroy()


@pytest.mark.parametrize("side", ["server", "client"])
def test_nothing_starts_without_the_consumer_event(side: str) -> None:
    """The guide asks for it of every consumer and producer; a context without fast path needs none."""
    there, here = server(), client()
    bare = there if side == "server" else here
    (here if side == "server" else there).context.event_consumer_register(ignore, ignore)
    connect(there, here)
    inbox, outbox = Inbox(bare.connection, bare.context.device), Outbox(bare.connection, bare.context.device)
    for context in (inbox.consumer, outbox.producer):
        with pytest.raises(BadConfig, match=f"lacks the consumer event of its {side} 'svc'"):
            context.start()
        assert context.state is State.IDLE
    inbox.close()
    outbox.close()
    here.send(b"still works")
    until(lambda: there.messages, there.engine, here.engine)
    leave(here, there)


def test_started_stopped_and_started_again_before_anybody_looks(lane: Lane) -> None:
    """What the other side hears is one life after the other, whatever was overtaken."""
    consumer = lane.inbox.consumer
    for _ in range(5):
        consumer.start()
        consumer.stop()
    lane.run()
    assert lane.news == [consumer.id]
    assert lane.gone == []
    for _ in range(5):
        consumer.stop()
        consumer.start()
    lane.until(lambda: consumer.state is State.RUNNING and len(lane.news) - len(lane.gone) == 1 and len(lane.gone) > 0)
    lane.inbox.post()
    lane.outbox.send(consumer.id, b"still the same")
    lane.until(lambda: lane.inbox.received)
    assert lane.inbox.received == [(b"still the same", None)]


@pytest.mark.parametrize("name", ["consumer", "producer"])
def test_a_state_callback_may_start_what_has_become_idle(lane: Lane, name: str) -> None:
    context = getattr(lane.inbox, name, None) or getattr(lane.outbox, name)
    stops: list[int] = []

    def changed(_: object, __: State, new: State) -> None:
        if new is State.IDLE and not stops:
            stops.append(1)
            context.start()

    context.set_state_changed_cb(changed)
    lane.run()
    context.stop()
    announced = 2 if name == "consumer" else 1
    lane.until(lambda: context.state is State.RUNNING and len(lane.news) == announced)
    lane.inbox.post()
    lane.outbox.send_on(lane.inbox.consumer.id, b"again", *lane.engines)
    lane.until(lambda: lane.inbox.received)


def test_started_and_stopped_while_another_thread_turns_the_connection() -> None:
    """What one thread announces with the consumer's descriptors, the other closes: they change hands in one piece."""
    engine, over = ProgressEngine(), threading.Event()
    lane = Lane(engine=engine)

    def turn() -> None:
        while not over.is_set():
            lane.there.engine.progress()
            lane.here.engine.progress()

    turning, consumer, before = threading.Thread(target=turn), lane.inbox.consumer, sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    turning.start()
    try:
        for _ in range(1500):
            consumer.start()
            consumer.stop()
            until(lambda: consumer.state is State.IDLE, engine)
    finally:
        over.set()
        turning.join()
        sys.setswitchinterval(before)
    assert (lane.there.down, lane.here.state) == ([], State.RUNNING)
    lane.close()
    engine.destroy()


def test_the_order_of_leaving_is_enforced(lane: Lane) -> None:
    lane.run()
    for attempt in (lane.there.context.stop, lane.here.context.stop):
        with pytest.raises(InUse, match="still carries"):
            attempt()
    with pytest.raises(InUse, match="still carries"):
        lane.there.context.disconnect(lane.there.connection)
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"nothing was lost")
    lane.until(lambda: lane.inbox.received)


def test_posted_receives_fail_once_when_the_consumer_stops(lane: Lane) -> None:
    lane.run()
    lane.inbox.post(3)
    assert lane.inbox.consumer.num_inflight_tasks == 3
    assert lane.inbox.consumer.stop() is State.STOPPING
    late = lane.inbox.consumer.task_post_recv_alloc_init()
    late.submit()
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
    assert lane.inbox.failed == ["NOT_CONNECTED"] * 4
    lane.until(lambda: lane.gone)
    with pytest.raises(InvalidValue, match="no consumer"):
        lane.outbox.send(lane.inbox.consumer.id, b"too late")


def test_a_submit_while_the_producer_stops_fails_at_the_next_progress(lane: Lane) -> None:
    lane.run()
    task = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    assert lane.outbox.producer.stop() is State.STOPPING
    task.submit()
    lane.until(lambda: lane.outbox.producer.state is State.IDLE)
    assert lane.outbox.failed == ["NOT_CONNECTED"]


def test_nothing_starts_on_a_connection_that_has_ended(lane: Lane) -> None:
    lane.here.context.stop()
    lane.until(lambda: lane.there.down and lane.here.state is State.IDLE)
    for context in (lane.inbox.consumer, lane.outbox.producer):
        with pytest.raises(NotConnected, match="has ended"):
            context.start()
        assert context.state is State.IDLE
    with pytest.raises(BadState, match="not up"):
        Producer(lane.there.connection)
    connect(lane.there, lane.here)
    Producer(lane.here.connection).destroy()


def test_a_posted_buffer_stays_as_it_is(lane: Lane) -> None:
    """What a producer writes lies where the buffer said that it would, or nowhere."""
    lane.run()
    inbox = lane.inbox
    buf = inbox.inventory.buf_get_by_addr(inbox.mmap, inbox.mmap.addr, 64)
    spare = inbox.consumer.task_post_recv_alloc_init(buf)
    inbox.consumer.task_post_recv_alloc_init(buf).submit()
    for attempt in (spare.submit, lambda: inbox.consumer.task_post_recv_alloc_init(buf)):
        with pytest.raises(InvalidValue, match="not posted"):
            attempt()
    for change in (buf.reset_data_len, lambda: buf.set_data(buf.head, 8), lambda: setattr(buf, "data_len", 64)):
        with pytest.raises(InUse, match="is posted"):
            change()
    other = inbox.inventory.buf_get_by_addr(inbox.mmap, inbox.mmap.addr + 64, 64)
    with pytest.raises(InUse, match="is posted"):
        other.chain_list(buf)
    other.dec_refcount()
    buf.inc_refcount()  # the callback gives one back
    lane.outbox.send(inbox.consumer.id, b"x" * 40)
    lane.until(lambda: inbox.received)
    assert (buf.data_len, bytes(buf.view)) == (40, b"x" * 40)
    spare.submit()
    with pytest.raises(InvalidValue, match="too small"):
        lane.outbox.send(inbox.consumer.id, b"y" * 25)
    lane.outbox.send(inbox.consumer.id, b"y" * 24)
    lane.until(lambda: len(inbox.received) == 2)
    assert inbox.received[1] == (b"x" * 40 + b"y" * 24, None)


@pytest.mark.parametrize("nothing", [b"", None])
def test_a_send_of_nothing_is_refused(lane: Lane, nothing: bytes | None) -> None:
    lane.run()
    lane.inbox.post()
    task = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    task.imm_data = nothing
    assert task.imm_data is None
    with pytest.raises(InvalidValue, match="immediate data, or both"):
        task.submit()
    task.free()


def test_a_stop_whose_callback_raises_ends_as_others(lane: Lane) -> None:
    lane.run()
    lane.inbox.post(2)

    def fail(_: object, __: object, new: State) -> None:
        if new is State.STOPPING:
            raise LookupError

    lane.inbox.consumer.set_state_changed_cb(fail)
    with pytest.raises(LookupError):
        lane.inbox.consumer.stop()
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
    assert lane.inbox.failed == ["NOT_CONNECTED"] * 2
