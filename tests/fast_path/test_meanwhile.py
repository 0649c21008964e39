"""What another thread does between two steps of a call: tasks are had, submitted and given up without a lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comch_next import State
from tests.fast_path.lane import Lane
from tests.inside import inside


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
    inbox.consumer.close(timeout=5.0)
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
