"""What a task of the fast path says of itself."""

from __future__ import annotations

from typing import Any

import pytest

from comch_next import AccessFlag, InvalidValue, Mmap
from tests.fast_path.lane import SIZE, Lane


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


def test_every_task_prints_the_name_of_its_result(lane: Lane) -> None:
    printed: list[str] = []

    def failed(task: Any) -> None:
        printed.append(f"{task}")
        task.free()

    lane.inbox.consumer.task_post_recv_set_conf(failed, failed, 16)
    lane.run()
    send: Any = lane.here.task(b"x")
    produce: Any = lane.outbox.producer.task_send_alloc_init(None, b"x", lane.inbox.consumer.id)
    texts = [f"{task}" for task in (send, produce)]
    assert texts[0] == f"<SendTask of {lane.here.context!r}, last result DOCA_SUCCESS>"
    assert texts[1] == f"<ProducerSendTask of {lane.outbox.producer!r}, last result DOCA_SUCCESS>"
    send.free()
    produce.free()
    lane.inbox.consumer.task_post_recv_alloc_init().submit()
    lane.inbox.consumer.stop()
    lane.until(lambda: printed)
    assert printed == [f"<PostRecvTask of {lane.inbox.consumer!r}, last result DOCA_ERROR_NOT_CONNECTED>"]


@pytest.mark.parametrize("when", ["posted", "submitted while it stops"])
def test_a_receive_that_fails_has_nothing_of_the_message_before(lane: Lane, when: str) -> None:
    """Programs have one callback for both, and submit a task again for the next message."""
    seen: list[tuple[int, bytes | None]] = []
    held: list[Any] = []

    def done(task: Any) -> None:
        seen.append((task.producer_id, task.imm_data))
        task.submit() if when == "posted" else held.append(task)

    def failed(task: Any) -> None:
        seen.append((task.producer_id, task.imm_data))
        task.free()

    consumer = lane.inbox.consumer
    consumer.task_post_recv_set_conf(done, failed, 16)
    lane.run()
    consumer.task_post_recv_alloc_init().submit()
    lane.outbox.producer.task_send_alloc_init(None, b"pay 5", consumer.id).submit()
    lane.until(lambda: seen)
    lane.outbox.producer.engine.progress()
    consumer.stop()
    for task in held:
        task.submit()
    lane.until(lambda: len(seen) == 2)
    assert seen == [(lane.outbox.producer.id, b"pay 5"), (0, None)]


def test_numbers_of_a_class_that_neither_hashes_nor_adds(lane: Lane) -> None:
    class Number(int):
        __hash__ = None  # type: ignore[assignment]

        def __radd__(self, _: int) -> str:  # type: ignore[misc,override]
            return "no number"

    lane.run().inbox.post()
    task = lane.outbox.producer.task_send_alloc_init(None, b"imm", Number(lane.inbox.consumer.id))
    task.submit()
    lane.until(lambda: lane.inbox.received)
    inventory = lane.inbox.inventory
    before = inventory.num_elements
    inventory.expand(Number(3))
    assert inventory.num_elements == before + 3


def test_a_buffer_of_another_map_over_the_same_memory() -> None:
    memory = bytearray(SIZE)
    lane = Lane(memory=memory).run()
    with Mmap(lane.there.context.device, memory, AccessFlag.PCI_READ_WRITE) as other:
        buf = lane.inbox.inventory.buf_get_by_addr(other, other.addr, 64)
        with pytest.raises(InvalidValue, match="taken from that map"):
            lane.inbox.consumer.task_post_recv_alloc_init(buf)
        buf.dec_refcount()
    lane.close()
