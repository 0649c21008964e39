"""What a task of the fast path says of itself."""

from __future__ import annotations

from typing import Any

from tests.fast_path.lane import Lane


def test_every_task_knows_its_context(lane: Lane) -> None:
    lane.run()
    send: Any = lane.here.task(b"x")
    receive: Any = lane.inbox.consumer.task_post_recv_alloc_init()
    produce: Any = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    assert send.context is lane.here.context
    assert receive.context is receive.consumer is lane.inbox.consumer
    assert produce.context is produce.producer is lane.outbox.producer
    for task in (send, receive, produce):
        assert task._tasks.get_ctx(task._handle) is task.context._handle
        task.free()
