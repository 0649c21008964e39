"""Faults of the fast path: consumers and producers, their tasks, and the memory that they use."""

from __future__ import annotations

from functools import partial
from typing import Any

from comch_next._codes import AccessFlag, ErrorCode
from comch_next.driver.emulated import _consumer, _sharing
from comch_next.driver.emulated._buf import Buf
from comch_next.driver.emulated._consumer import Consumer, Consumers, PostRecvTasks
from comch_next.driver.emulated._context import Contexts
from comch_next.driver.emulated._engine import Engines
from comch_next.driver.emulated._fabric.channel import Channel
from comch_next.driver.emulated._fast_context import FastContext, FastContexts, FastTask, FastTasks
from comch_next.driver.emulated._fast_path import FastPath
from comch_next.driver.emulated._inventory import BufInventories
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.emulated._mmap import Mmap
from comch_next.driver.emulated._mmaps import Mmaps
from comch_next.driver.emulated._producer import Producer, ProducerSendTask, ProducerSendTasks
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.emulated._task import SUCCESS, Task
from comch_next.errors import Again
from tests.conformance.faults import Fault, always, fail_later, finish, finish_twice, never, nothing, swapped

__all__ = ["FAULTS", "SILENCES"]

begin, registered, arm = Consumer.begin, Consumer._registered, Consumer.arm_filled
add_receives, post = Consumers.task_post_recv_set_conf, PostRecvTasks.submit
send, write_to = ProducerSendTasks.submit, ProducerSendTask.write_to
create_from_export = Mmaps.create_from_export


# Consumers


def begin_alone(consumer: Consumer) -> None:
    """Runs as soon as its own engine progresses."""
    begin(consumer)
    assert consumer.engine is not None
    assert consumer._offer is not None
    consumer.engine.call_soon_threadsafe(partial(consumer._registered, consumer._offer))


def deliver_elsewhere(consumer: Consumer, offer: Any) -> None:
    """The connection's engine delivers, not the consumer's own."""
    registered(consumer, offer)
    own: Any = consumer.engine
    other: Any = consumer.path.connection.context.engine  # type: ignore[attr-defined]
    own.consumers, other.consumers = (), (*other.consumers, consumer)


def withdraw_open(consumer: Consumer) -> None:
    """Producers may write on while it stops."""
    assert consumer._offer is not None
    consumer.path.run(partial(consumer.path.withdraw, consumer._offer))


def expire_and_keep(path: FastPath, consumer_id: int) -> bool:
    """A consumer of the other side that has expired stays known, and cannot come back."""
    path._tell(path.connection.context.expired_consumer, consumer_id)
    return True


def arm_and_deny(consumer: Consumer) -> bool:
    arm(consumer)
    return False


# Receives


def post_a_twin(_: PostRecvTasks, task: Any) -> None:
    """Posts another buffer over the same bytes, so that the program's never grows."""
    buf = task.buf
    if buf is not None:
        task.buf = Buf(buf.inventory, buf.mmap, buf.head, buf.len, buf.data, buf.data_len)
    post(task)


def post_over_the_data(_: PostRecvTasks, task: Any) -> None:
    length, task.buf.data_len = task.buf.data_len, 0
    post(task)
    task.buf.data_len = length


def swap_receives(consumers: Consumers, ctx: Any, done: Any, failed: Any, number: int) -> None:
    add_receives(consumers, ctx, swapped(done), failed, number)


def succeed(task: Task, _: object) -> None:
    finish(task, SUCCESS)


def succeed_stopping(task: FastTask, _: object) -> None:
    task.fail(SUCCESS)


# Sends


def send_the_whole(_: ProducerSendTasks, task: Any) -> None:
    """All of the buffer, not its data alone."""
    if task.buf is not None:
        task.buf.data, task.buf.data_len = task.buf.head, task.buf.len
    send(task)


def send_from_pci(_: ProducerSendTasks, task: Any) -> None:
    """Only out of memory with the permission that a consumer's needs."""
    if task.buf is None or task.buf.mmap.allows(AccessFlag.PCI_READ_WRITE):
        send(task)
    else:
        task.fail(ErrorCode.IO_FAILED)


def write_half(task: ProducerSendTask, target: Any, _: object, data: int, length: int) -> int:
    """Of a long buffer; the rest is not there yet when all of it is told."""
    there = ffi.new("char[]", length)
    ffi.memmove(there, ffi.cast("char *", data), length // 2)
    return write_to(task, target, there, int(ffi.cast("uintptr_t", there)), length)


def accept_any_id(_: Producer, task: Task) -> None:
    task.finish(SUCCESS)


def say_again(*_: object) -> None:
    raise Again("whatever it is")


# Memory


def import_a_copy(mmaps: Mmaps, *args: Any) -> Mmap:
    made = create_from_export(mmaps, *args)
    made.use(ffi.new("char[]", bytes(made.view())), made.size, made.fd)
    return made


def take_lists(buf: Buf, *_: object) -> Buf:
    return buf


FAULTS: list[Fault] = [
    (Producer, "start_trigger", Trigger.START_LATER, "producer_runs_at_once"),
    (Consumer, "begin", begin_alone, "consumer_needs_its_connections_engine"),
    (FastPath, "lacking", lambda _: [], "fast_path_without_consumer_event"),
    (_consumer, "in_state", nothing, "fast_path_calls_refused_by_state"),
    (FastPath, "check_unused", nothing, "connection_outlives_its_consumers_and_producers"),
    (FastPath, "check_unused", nothing, "starting_consumer_holds_its_connection"),
    (Contexts, "destroy", nothing, "fast_contexts_outlive_nothing_below"),
    # Limits
    (FastPath, "next_id", lambda _: 7, "number_of_consumers_and_producers"),
    (Consumers, "task_post_recv_set_conf", nothing, "number_of_fast_path_tasks"),
    (Consumers, "set_imm_data_len", nothing, "immediate_data_len"),
    (FastContexts, "cap_get_max_buf_size", lambda *_: 4096, "max_buf_size"),
    (FastContexts, "cap_get_max_buf_list_len", lambda *_: 8, "fast_path_capabilities"),
    # Receives
    (PostRecvTasks, "submit", post_a_twin, "buffers_and_immediate_data"),
    (PostRecvTasks, "submit", post_over_the_data, "data_is_appended"),
    (PostRecvTasks, "get_producer_id", lambda *_: 1, "two_producers_take_turns"),
    (Consumers, "task_post_recv_set_conf", swap_receives, "order_of_one_producer"),
    (FastTasks, "free_submitted", nothing, "posted_receives_are_given_up"),
    (Task, "finish", succeed, "receives_that_nothing_came_for_fail_once"),
    (Task, "finish", finish_twice, "receives_that_nothing_came_for_fail_once"),
    (Consumer, "withdraw", withdraw_open, "stop_while_a_producer_writes"),
    # Sends
    (ProducerSendTasks, "submit", send_the_whole, "only_the_data_segment_is_sent"),
    (ProducerSendTasks, "set_imm_data", nothing, "tasks_are_used_again_with_other_values"),
    (ProducerSendTask, "write_to", write_half, "long_buffers_arrive_intact"),
    (ProducerSendTask, "write_to", write_half, "data_is_whole_when_it_is_told"),
    (Producer, "refused", fail_later, "nothing_posted"),
    (Producer, "refused", say_again, "what_does_not_fit"),
    (Producer, "unknown", accept_any_id, "unknown_consumer"),
    # Memory
    (_consumer, "check_single", take_lists, "chained_buffers_are_refused"),
    (Mmap, "allows", always, "memory_of_a_consumer"),
    (Mmaps, "create_from_export", import_a_copy, "export_and_import"),
    (Mmaps, "stop", nothing, "exported_map_cannot_be_stopped"),
    (_sharing, "_check_exportable", nothing, "exported_map_cannot_be_stopped"),
    (Mmaps, "stop", nothing, "memory_outlives_its_buffers"),
    (BufInventories, "destroy", nothing, "memory_outlives_its_buffers"),
]

SILENCES: list[Fault] = [
    (FastPath, "withdraw", nothing, "consumers_are_announced"),
    (FastPath, "report_expired", never, "consumers_expire_with_the_connection"),
    (FastPath, "_expire", expire_and_keep, "fast_path_restarts"),
    (FastContext, "on_peer_lost", nothing, "contexts_fall_with_the_connection"),
    (FastTask, "finish_now", succeed_stopping, "submission_to_stopping_contexts_fails"),
    (ProducerSendTasks, "submit", send_from_pci, "producers_memory_is_local"),
    (Consumer, "_registered", deliver_elsewhere, "each_context_on_its_own_engine_and_thread"),
    # Sleeping
    (Channel, "watch", nothing, "descriptor_wakes_for_a_consumer"),
    (Engines, "request_notification", nothing, "descriptor_wakes_for_a_lost_connection"),
    (Producer, "arm", never, "descriptor_wakes_for_a_producer"),
    (Consumer, "arm_filled", never, "descriptor_wakes_for_a_filled_buffer"),
    (Consumer, "arm_filled", arm_and_deny, "descriptor_wakes_for_a_filled_buffer"),
    (Consumer, "arm_filled", never, "no_filled_buffer_is_slept_through"),
]
