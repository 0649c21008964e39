"""A send that waits or takes long holds locks of its own; whoever has the engine's may wait for these."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tests.fast_path.lane import Lane
from tests.inside import inside
from tests.processes import SOON_S
from tests.pull.support import until


def is_held(lock: Any) -> bool | None:
    """True once another thread has the lock."""
    if lock.acquire(blocking=False):
        lock.release()
        return None
    return True


def started(call: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread


def test_a_send_that_ends_while_its_producer_is_closed(lane: Lane) -> None:
    """On an engine that is armed, the completion has to wake it."""
    producer = lane.run().outbox.producer
    context = inside(producer)
    task = producer.task_send_alloc_init(None, b"imm", lane.inbox.consumer.id)
    target = context.targets[lane.inbox.consumer.id]
    producer.engine.request_notification()
    with target.lock:
        sending = started(task.submit)  # which nobody has posted for, so that it is no quick one
        until(lambda: is_held(context.turn))
        lane.inbox.post()
        producer.stop()
        closing = started(producer.close)
        until(lambda: is_held(context.lock))
    for thread in (sending, closing):
        thread.join(SOON_S)
        assert not thread.is_alive()
    lane.until(lambda: lane.inbox.received)
    assert lane.inbox.received == [(b"", b"imm")]
