"""Consumers and producers of generation 2, in the names of both shapes; memory that is shared."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.cc.world import World, cc, ignore, okay


class Shape(NamedTuple):
    """How a release spelled the calls of the fast path."""

    post: str
    send: str
    count: Callable[[int], int]  # of tasks, as set_conf took it


SHAPES = {
    "2.5": Shape("post_recv_task", "send_task", lambda count: count.bit_length() - 1),
    "2.6": Shape("task_post_recv", "task_send", lambda count: count),
}


@pytest.fixture(params=SHAPES)
def shape(request: pytest.FixtureRequest) -> Shape:
    return SHAPES[request.param]


def call(noun: str, words: str, verb: str) -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(cc, f"doca_cc_{noun}_{words}_{verb}")
    return function


def test_data_arrives(world: World, shape: Shape) -> None:
    done: list[tuple[str, Any, Any]] = []

    def received(task: Any, task_user_data: Any, ctx_user_data: Any) -> None:
        buf = call("consumer", shape.post, "get_buf")(task)
        done.append(("received", task_user_data, ctx_user_data))
        address, length = okay(cc.doca_buf_get_data(buf)), okay(cc.doca_buf_get_data_len(buf))
        assert ctypes.string_at(address, length) == bytes(world.buffer[:length]) == b"through the fast path"
        cc.doca_task_free(call("consumer", shape.post, "as_task")(task))
        cc.doca_buf_dec_refcount(buf)

    def sent(task: Any, task_user_data: Any, ctx_user_data: Any) -> None:
        done.append(("sent", task_user_data, ctx_user_data))
        assert call("producer", shape.send, "get_consumer_id")(task) == okay(cc.doca_cc_consumer_get_id(world.consumer))
        generic = call("producer", shape.send, "as_task")(task)
        assert cc.doca_task_get_status(generic) == cc.DOCA_SUCCESS
        cc.doca_buf_dec_refcount(call("producer", shape.send, "get_buf")(task))
        cc.doca_task_free(generic)

    consumer, producer = world.consumer, world.producer
    okay(call("consumer", shape.post, "set_conf")(consumer, received, ignore, shape.count(2)))
    okay(call("producer", shape.send, "set_conf")(producer, sent, ignore, shape.count(2)))
    for made, name in ((consumer, "the consumer"), (producer, "the producer")):
        okay(cc.doca_ctx_set_user_data(made.as_ctx(), name))
        world.running(made)
    world.until(lambda: world.consumer_ids)

    post = okay(call("consumer", shape.post, "alloc_init")(consumer, world.buf()))
    cc.doca_task_set_user_data(call("consumer", shape.post, "as_task")(post), 1)
    okay(cc.doca_task_submit(call("consumer", shape.post, "as_task")(post)))
    send = okay(call("producer", shape.send, "alloc_init")(producer, world.buf(2048, b"through the fast path"), 99))
    call("producer", shape.send, "set_consumer_id")(send, world.consumer_ids[0])
    cc.doca_task_set_user_data(call("producer", shape.send, "as_task")(send), 2)
    while (rc := cc.doca_task_submit(call("producer", shape.send, "as_task")(send))) == cc.DOCA_ERROR_AGAIN:
        cc.doca_pe_progress(world.pe)
    assert rc == cc.DOCA_SUCCESS
    world.until(lambda: len(done) == 2)
    assert sorted(done) == [("received", 1, "the consumer"), ("sent", 2, "the producer")]


def test_another_buffer_for_a_task(world: World, shape: Shape) -> None:
    first, second = world.buf(), world.buf(1024)
    task = okay(call("consumer", shape.post, "alloc_init")(world.running(world.consumer), first))
    assert call("consumer", shape.post, "set_buf")(task, second) is None
    assert call("consumer", shape.post, "get_buf")(task) is second
    assert call("consumer", shape.post, "set_buf")(task, None) is None  # as C: nothing happens, nothing is reported
    assert call("consumer", shape.post, "get_buf")(task) is second
    cc.doca_task_free(task.as_task())
    for buf in (first, second):
        cc.doca_buf_dec_refcount(buf)


def test_a_negative_id_is_invalid(world: World) -> None:
    """An int in DOCA 2.5, an uint32_t in 2.6."""
    producer, buf = world.running(world.producer), world.buf()
    for name in ("send_task", "task_send"):
        answer = call("producer", name, "alloc_init")(producer, buf, -1)
        assert answer == (cc.DOCA_ERROR_INVALID_VALUE, None)
    with pytest.raises(cc.InvalidValue, match="consumer_id is -1"):
        producer.task_send_alloc_init(buf, -1)
    cc.doca_buf_dec_refcount(buf)


def test_memory_is_an_address_or_a_buffer(world: World) -> None:
    address, length = okay(cc.doca_mmap_get_memrange(world.mmap))
    assert address == ctypes.addressof(ctypes.c_char.from_buffer(world.buffer))
    assert length == len(world.buffer)
    by_buffer = okay(cc.doca_buf_inventory_buf_get_by_addr(world.inventory, world.mmap, world.buffer, 16))
    part = memoryview(world.buffer)[32:48]
    by_part = okay(cc.doca_buf_inventory_buf_get_by_args(world.inventory, world.mmap, part, 16, part[4:], 8))
    assert cc.doca_buf_get_head(by_buffer) == (cc.DOCA_SUCCESS, address)
    assert cc.doca_buf_get_head(by_part) == (cc.DOCA_SUCCESS, address + 32)
    assert cc.doca_buf_get_data(by_part) == (cc.DOCA_SUCCESS, address + 36)
    assert cc.doca_buf_get_data_len(by_part) == (cc.DOCA_SUCCESS, 8)
    for buf in (by_buffer, by_part):
        assert cc.doca_buf_dec_refcount(buf) == (cc.DOCA_SUCCESS, 1)
    for wrong in (b"read-only", "text", None, -1):
        answer = cc.doca_buf_inventory_buf_get_by_addr(world.inventory, world.mmap, wrong, 1)
        assert answer == (cc.DOCA_ERROR_INVALID_VALUE, None)
    memory = (ctypes.c_char * 64)()
    mmap = okay(cc.doca_mmap_create())
    assert cc.doca_mmap_set_memrange(mmap, ctypes.addressof(memory), 64) == cc.DOCA_SUCCESS
    assert cc.doca_mmap_get_memrange(mmap) == (cc.DOCA_SUCCESS, ctypes.addressof(memory), 64)
    assert cc.doca_mmap_destroy(mmap) == cc.DOCA_SUCCESS


def test_an_import_has_the_user_data_that_it_was_made_with(world: World) -> None:
    described, length = okay(cc.doca_mmap_export_pci(world.mmap, world.host))
    imported = okay(cc.doca_mmap_create_from_export("mine", described, length, world.dpu))
    assert okay(cc.doca_mmap_get_user_data(imported)) == "mine"
    okay(cc.doca_mmap_destroy(imported))
