"""What another thread does between two steps of a call: tasks are had, submitted and given up without a lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from comch_next import AccessFlag, Again, Buf, InvalidValue, Mmap, State
from tests.fast_path.lane import Lane
from tests.faults.forking import in_child
from tests.inside import inside
from tests.processes import SOON_S


def after(
    monkeypatch: pytest.MonkeyPatch, thing: Any, step: str, meanwhile: Callable[[], object], answer: object = None
) -> None:
    """Have something happen once, right after a step of the library's; `answer`: after one that returns this."""
    taken, left = getattr(thing, step), [meanwhile]

    def stepped(*args: Any) -> Any:
        result = taken(*args)
        if left and (answer is None or result is answer):
            left.pop()()
        return result

    monkeypatch.setattr(thing, step, stepped)


def test_a_receive_that_is_posted_while_its_consumer_stops_fails(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    lane.run()
    after(monkeypatch, inside(lane.inbox.consumer), "withdraw", lane.inbox.post)
    assert lane.inbox.consumer.stop() is State.STOPPING
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
    assert lane.inbox.failed == ["NOT_CONNECTED"]


def test_a_task_that_is_had_when_the_last_has_gone_holds_its_consumer(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    lane.run()
    consumer, had = lane.inbox.consumer, []
    lane.inbox.post()
    after(monkeypatch, inside(consumer), "drained", lambda: had.append(consumer.task_post_recv_alloc_init()), True)
    consumer.stop()
    lane.until(lambda: had and lane.inbox.failed)
    for _ in range(20):
        assert consumer.engine is not None
        consumer.engine.progress()
    assert inside(consumer).state is State.STOPPING
    had.pop().free()
    lane.until(lambda: consumer.state is State.IDLE)


def test_a_held_task_that_is_submitted_while_close_takes_back_completes(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    lane.run()
    inbox = lane.inbox
    buf = inbox.inventory.buf_get_by_addr(inbox.mmap, inbox.mmap.addr, 64)
    held = inbox.consumer.task_post_recv_alloc_init(buf)
    inbox.consumer.stop()
    after(monkeypatch, inside(inbox.consumer), "inflight", held.submit)
    inbox.consumer.close(timeout=SOON_S)
    assert inbox.failed == ["NOT_CONNECTED"]


def test_a_buffer_that_is_given_back_while_its_receive_ends_goes_back(lane: Lane) -> None:
    lane.run()
    inbox = lane.inbox
    free = inbox.inventory.num_free_elements
    buf = inbox.inventory.buf_get_by_addr(inbox.mmap, inbox.mmap.addr, 64)
    inside(buf).posted = True

    class GivenUp(set[Any]):
        def __ior__(self, other: Any) -> GivenUp:  # type: ignore[misc]
            inside(buf).posted = False  # its receive has ended, and has found a count of 1
            self.update(other)
            return self

    inside(inbox.mmap).given_up = GivenUp()
    buf.dec_refcount()
    assert (inbox.inventory.num_free_elements, inside(inbox.mmap).given_up) == (free, set())


LONG = 80_000  # bytes, so many that other threads run while they are copied


@pytest.fixture
def long_lane() -> Iterator[Lane]:
    """A lane with room for LONG bytes."""
    made = Lane(memory=4 * LONG)
    yield made.run()
    made.close()


def long_buf(lane: Lane) -> tuple[Mmap, Buf]:
    """A buffer of 4 * LONG bytes, whose data segment is the third quarter, in a map of its own."""
    mmap = Mmap(lane.here.context.device, 4 * LONG, AccessFlag.LOCAL_READ_WRITE)
    mmap.start()
    mmap.view[2 * LONG : 3 * LONG] = b"x" * LONG
    return mmap, lane.outbox.inventory.buf_get_by_args(mmap, mmap.addr, 4 * LONG, mmap.addr + 2 * LONG, LONG)


def test_a_buffer_that_is_changed_while_it_is_sent(long_lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent lies where the submit found it: another length from there would be beyond the map."""
    lane = long_lane
    lane.inbox.post(room=4 * LONG)
    mmap, buf = long_buf(lane)
    task = lane.outbox.producer.task_send_alloc_init(buf, b"", lane.inbox.consumer.id)
    after(monkeypatch, inside(mmap), "data", lambda: buf.set_data(mmap.addr, 3 * LONG))
    task.submit()
    lane.until(lambda: lane.inbox.received and lane.outbox.sent)
    assert lane.inbox.received == [(b"x" * LONG, None)]
    mmap.destroy()


def test_a_map_that_is_destroyed_while_a_buffer_of_it_is_sent(long_lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    lane = long_lane
    lane.inbox.post(room=4 * LONG)
    mmap, buf = long_buf(lane)
    task = lane.outbox.producer.task_send_alloc_init(buf, b"", lane.inbox.consumer.id)
    data = inside(mmap).data

    def late(*args: Any) -> Any:
        buf.dec_refcount()
        mmap.destroy()
        return data(*args)

    monkeypatch.setattr(inside(mmap), "data", late)
    with pytest.raises(InvalidValue, match="has been destroyed"):
        task.submit()
    task.free()


def test_a_signal_handler_that_sends_in_the_middle_of_a_send(lane: Lane) -> None:
    """It comes when this thread has the consumer's lock already."""
    lane.run()
    target = inside(lane.outbox.producer).targets[lane.inbox.consumer.id]
    with target.lock, pytest.raises(Again):
        lane.outbox.send(lane.inbox.consumer.id, b"x")


def test_a_fork_while_another_thread_announces_a_consumer(lane: Lane) -> None:
    lane.inbox.consumer.start()
    offer = inside(lane.inbox.consumer)._offer
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with offer.lock:
            held.set()
            over.wait(SOON_S)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(SOON_S)
    try:
        assert in_child(lambda: "alive") == "alive"
    finally:
        over.set()
        thread.join()
