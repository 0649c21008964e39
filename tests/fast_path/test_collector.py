"""A finalizer of the program's, which the collector runs in the middle of a call, takes what the call has looked at."""

from __future__ import annotations

from typing import Any

import pytest

import comch_next as comch
from comch_next import AccessFlag, BufInventory, Consumer, ErrorCode, Mmap
from tests.collecting import at_every_collection
from tests.control_path.pair import leave, pair
from tests.fast_path.lane import Lane
from tests.inside import inside


def test_a_consumer_gives_no_more_tasks_than_it_has(lane: Lane) -> None:
    consumer = lane.run().inbox.consumer
    held = [consumer.task_post_recv_alloc_init(None) for _ in range(15)]
    taken: list[comch.PostRecvTask] = []

    def take() -> None:
        if (task := comch.outcome(consumer.task_post_recv_alloc_init, None)[1]) is not None:
            taken.append(task)

    for block in at_every_collection(take):
        with block:
            take()
        assert len(held + taken) == inside(consumer).num_tasks
        taken.pop().free()
    for task in held:
        task.free()


def test_a_context_gives_no_more_tasks_than_it_has() -> None:
    there, here = pair(tasks=1)
    held: list[comch.SendTask] = []

    def take() -> None:
        message = bytearray(b"x")
        task = comch.outcome(here.context.task_send_alloc_init, here.connection, message)[1]
        if task is not None:
            held.append(task)

    for block in at_every_collection(take):
        with block:
            take()
        assert len(held) == 1
        held.pop().free()
    leave(here, there)


@pytest.mark.parametrize("what", ["buffer", "consumer"])
def test_nothing_lies_in_a_map_that_has_been_destroyed(lane: Lane, what: str) -> None:
    maps: list[Mmap] = []
    codes = set()
    for block in at_every_collection(lambda: comch.outcome(maps[-1].destroy)):
        made = Mmap(lane.there.context.device, 4096, AccessFlag.PCI_READ_WRITE)
        maps.append(made)
        made.start()
        addr = made.addr
        found: Any
        with BufInventory(1) as inventory:
            inventory.start()
            with block:
                if what == "buffer":
                    code, found = comch.outcome(inventory.buf_get_by_addr, made, addr, 4096)
                else:
                    code, found = comch.outcome(Consumer, lane.there.connection, made)
            there_is = inside(made).alive
            if found is not None:
                (found.dec_refcount if what == "buffer" else found.destroy)()
            made.destroy()
        assert there_is or code is ErrorCode.INVALID_VALUE
        codes.add(code)
    assert codes == {ErrorCode.SUCCESS, ErrorCode.INVALID_VALUE}
