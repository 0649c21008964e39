"""A driver with a fault does not pass: each row breaks the emulated driver in one place, and names who must notice."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from comch_next._codes import ErrorCode, State
from comch_next.driver.emulated import _consumer, _guard
from comch_next.driver.emulated._buf import Buf
from comch_next.driver.emulated._client import Client
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._consumer import Consumer, PostRecvTasks
from comch_next.driver.emulated._control import ControlContext, ControlContexts
from comch_next.driver.emulated._device import Devices
from comch_next.driver.emulated._dpa.completions import DpaCompletion, _Completions
from comch_next.driver.emulated._dpa.instance import Dpa
from comch_next.driver.emulated._engine import Engine, Engines
from comch_next.driver.emulated._fast_context import FastContext
from comch_next.driver.emulated._fast_path import FastPath
from comch_next.driver.emulated._inventory import BufInventories
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.emulated._mmap import Mmap
from comch_next.driver.emulated._mmaps import Mmaps
from comch_next.driver.emulated._msgq import MsgQ
from comch_next.driver.emulated._producer import Producer
from comch_next.driver.emulated._send_task import SendTasks, TaskPool
from comch_next.driver.emulated._server import Server
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.emulated._task import PROGRAM, SUCCESS, Task, Tasks
from comch_next.errors import Again
from comch_next.testing import CHECKS, in_one_process
from tests.leftovers import close_leftovers

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # what a faulty driver leaves behind

BY_NAME = {check.__name__.removeprefix("check_"): check for check in CHECKS}

request, arm, post, finish, free = (
    Engine.request_notification,
    Consumer.arm_filled,
    PostRecvTasks.submit,
    Task.finish,
    Tasks.free,
)
keep = _Completions.keep
begin, stop, alloc, submit = Consumer.begin, ControlContext.stop, TaskPool.task_send_alloc_init, SendTasks.submit
register, create_from_export = ControlContexts.event_msg_recv_register, Mmaps.create_from_export


def nothing(*_: object) -> None:
    """Stands for a step that a driver forgets."""


def never(*_: object) -> bool:
    return False


def always(*_: object) -> bool:
    return True


def arm_without_looking(engine: Engine) -> None:
    """Arms everything, slowly, and does not see what was there before."""
    request(engine)
    time.sleep(0.0002)
    armed = engine.notification
    armed.disarm()
    armed.armed = True


def arm_and_deny(consumer: Consumer) -> bool:
    arm(consumer)
    return False


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


def succeed(task: Task, _: object) -> None:
    finish(task, SUCCESS)


def send_in_any_state(_: SendTasks, task: Any, *__: object) -> None:
    task.fail(SUCCESS)


def submit_and_progress(_: SendTasks, task: Any) -> None:
    """Calls back for what has completed by then."""
    submit(task)
    task.ctx.engine.progress()


def finish_twice(task: Task, status: Any) -> None:
    finish(task, status)
    finish(task, status)


def free_again(tasks: Tasks, task: Any) -> None:
    task.owner = PROGRAM
    free(tasks, task)


def begin_alone(consumer: Consumer) -> None:
    """Runs as soon as its own engine progresses."""
    begin(consumer)
    assert consumer.engine is not None
    assert consumer._offer is not None
    consumer.engine.call_soon_threadsafe(partial(consumer._registered, consumer._offer))


def stop_slowly(context: ControlContext) -> Any:
    """STOPPING even with nothing outstanding."""
    context.tasks_out += 1
    state = stop(context)
    context.tasks_out -= 1
    return state


def drained_with_tasks(context: ControlContext) -> bool:
    drained = context.state is State.STOPPING and not context.lost
    if drained:
        context.tasks_out = 0
    return drained


def alloc_beyond_the_pool(pool: TaskPool, ctx: Any, *args: Any) -> Any:
    ctx.num_tasks += 1
    return alloc(pool, ctx, *args)


def import_a_copy(mmaps: Mmaps, *args: Any) -> Mmap:
    made = create_from_export(mmaps, *args)
    made.use(ffi.new("char[]", bytes(made.view())), made.size, made.fd)
    return made


def take_lists(buf: Buf, *_: object) -> Buf:
    return buf


def drop_empty(contexts: ControlContexts, ctx: Any, on_message: Any, view: bool) -> None:
    register(contexts, ctx, lambda connection, data: data and on_message(connection, data), view)


def swap(contexts: ControlContexts, ctx: Any, on_message: Any, view: bool) -> None:
    """The second of two messages comes first."""
    held: list[Any] = []

    def on_either(connection: Any, data: Any) -> None:
        held.append((connection, data))
        if len(held) == 2:
            on_message(*held.pop())
            on_message(*held.pop())

    register(contexts, ctx, on_either, view)


def tell_later(contexts: ControlContexts, ctx: Any, on_message: Any, view: bool) -> None:
    """Messages are told behind all else that a progress finds."""
    register(contexts, ctx, lambda *told: ctx.engine.call_soon_threadsafe(partial(on_message, *told)), view)


def say_again(*_: object) -> None:
    raise Again("whatever it is")


def nobody_sent(completions: _Completions, _: int, data: Any) -> Any:
    return keep(completions, 0, data)


def fail_later(*_: object) -> ErrorCode:
    return ErrorCode.CONNECTION_RESET


def accept_any_id(_: Producer, task: Task) -> None:
    task.finish(SUCCESS)


FAULTS: list[tuple[Any, str, Any, str]] = [
    (Server, "start_trigger", Trigger.START_LATER, "server_runs_at_once"),
    (Producer, "start_trigger", Trigger.START_LATER, "producer_runs_at_once"),
    (Consumer, "begin", begin_alone, "consumer_needs_its_connections_engine"),
    (ControlContext, "stop", stop_slowly, "stop_with_nothing_outstanding"),
    (ControlContext, "drained", drained_with_tasks, "stop_waits_for_tasks"),
    (ControlContext, "missing", lambda _: [], "start_without_mandatory_configuration"),
    (_guard, "in_state", nothing, "calls_refused_by_state"),
    (_consumer, "in_state", nothing, "fast_path_calls_refused_by_state"),
    (Task, "finish", finish_twice, "what_waits_fails_at_stop"),
    (SendTasks, "_refused", send_in_any_state, "submission_while_stopping_fails"),
    (Tasks, "free", free_again, "free_rules"),
    (TaskPool, "task_send_alloc_init", alloc_beyond_the_pool, "pool_runs_out"),
    (ControlContexts, "event_msg_recv_register", drop_empty, "messages_of_every_length"),
    (ControlContexts, "event_msg_recv_register", swap, "messages_keep_their_order"),
    (SendTasks, "submit", submit_and_progress, "callbacks_run_inside_progress_only"),
    (ControlContexts, "set_recv_queue_size", nothing, "recv_queue_size"),
    (ControlContexts, "event_msg_recv_register", tell_later, "last_words_arrive"),
    (Connection, "counter", lambda *_: 0, "counters"),
    (Server, "report_loss", nothing, "server_is_told_of_its_client"),
    (Client, "report_loss", nothing, "server_disconnects_its_client"),
    (Connection, "update_info", nothing, "client_without_server_falls_back"),
    (FastPath, "withdraw", nothing, "consumers_are_announced"),
    (FastPath, "check_unused", nothing, "connection_outlives_its_consumers_and_producers"),
    (FastContext, "on_peer_lost", nothing, "contexts_fall_with_the_connection"),
    (Engines, "destroy", nothing, "contexts_outlive_nothing_below"),
    (Devices, "close", nothing, "contexts_outlive_nothing_below"),
    (Mmaps, "stop", nothing, "memory_outlives_its_buffers"),
    (BufInventories, "destroy", nothing, "memory_outlives_its_buffers"),
    (FastPath, "next_id", lambda _: 7, "number_of_consumers_and_producers"),
    (Engine, "request_notification", arm_without_looking, "descriptor_wakes_for_a_message"),
    (Engine, "request_notification", arm_without_looking, "no_message_is_slept_through"),
    (ControlContext, "arm", never, "descriptor_wakes_for_a_completion"),
    (ControlContext, "arm", never, "no_completion_is_slept_through"),
    (Producer, "arm", never, "descriptor_wakes_for_a_producer"),
    (Consumer, "arm_filled", never, "descriptor_wakes_for_a_filled_buffer"),
    (Consumer, "arm_filled", arm_and_deny, "descriptor_wakes_for_a_filled_buffer"),
    (Consumer, "arm_filled", never, "no_filled_buffer_is_slept_through"),
    (PostRecvTasks, "submit", post_a_twin, "buffers_and_immediate_data"),
    (PostRecvTasks, "submit", post_over_the_data, "data_is_appended"),
    (Task, "finish", succeed, "receives_that_nothing_came_for_fail_once"),
    (Task, "finish", finish_twice, "receives_that_nothing_came_for_fail_once"),
    (Producer, "refused", say_again, "what_does_not_fit"),
    (Producer, "unknown", accept_any_id, "unknown_consumer"),
    (_consumer, "check_single", take_lists, "chained_buffers_are_refused"),
    (Mmap, "allows", always, "memory_of_a_consumer"),
    (Mmaps, "create_from_export", import_a_copy, "export_and_import"),
    (_Completions, "keep", nobody_sent, "msgq_carries_messages_both_ways"),
    (DpaCompletion, "add", nothing, "msgq_carries_messages_both_ways"),
    (Producer, "refused", fail_later, "msgq_nothing_posted"),
    (Dpa, "check_unused", nothing, "msgq_order_of_ends"),
    (MsgQ, "dpa_failed", nothing, "msgq_refused_device_call_is_fatal"),
    (Dpa, "fail", nothing, "msgq_refused_device_call_is_fatal"),
]

# Checks of which no fault is known yet that makes them fail; a new one needs a row above.
WITHOUT_A_FAULT = {
    "changes_of_state_are_told_without_gaps",
    "client_passes_through_starting",
    "consumers_expire_with_the_connection",
    "data_is_whole_when_it_is_told",
    "descriptor_wakes_for_a_consumer",
    "descriptor_wakes_for_a_lost_connection",
    "descriptor_wakes_for_connections",
    "each_context_on_its_own_engine_and_thread",
    "every_way_to_submit",
    "exported_map_cannot_be_stopped",
    "fast_contexts_outlive_nothing_below",
    "fast_path_capabilities",
    "fast_path_restarts",
    "fast_path_without_consumer_event",
    "immediate_data_len",
    "length_of_names",
    "long_buffers_arrive_intact",
    "many_contexts_on_one_engine",
    "max_buf_size",
    "max_msg_size",
    "message_is_copied",
    "message_size_is_taken_from_the_other_side",
    "message_sizes_that_differ_do_not_connect",
    "name_that_is_taken",
    "nothing_posted",
    "number_of_clients",
    "number_of_fast_path_tasks",
    "number_of_send_tasks",
    "only_the_data_segment_is_sent",
    "order_of_one_producer",
    "posted_receives_are_given_up",
    "producers_memory_is_local",
    "resubmission_in_the_callback",
    "server_refuses_a_client",
    "servers_and_clients_restart",
    "several_clients",
    "starting_consumer_holds_its_connection",
    "stop_of_a_server_with_a_client",
    "stop_while_a_producer_writes",
    "submission_to_stopping_contexts_fails",
    "tasks_complete_once_and_in_order",
    "tasks_are_used_again_with_other_values",
    "tasks_stay_in_flight_while_the_queue_is_full",
    "two_producers_take_turns",
    "wait_says_whether_there_is_something",
}


def test_each_check_has_a_fault_or_is_known_to_have_none() -> None:
    with_one = {check for *_, check in FAULTS}
    assert sorted(with_one | WITHOUT_A_FAULT) == sorted(BY_NAME)
    assert not with_one & WITHOUT_A_FAULT


@pytest.fixture(autouse=True)
def no_remains() -> Iterator[None]:
    """What a check that fails leaves is closed by the whole driver, and the rest collected where that is expected."""
    yield
    close_leftovers()
    gc.collect()


@pytest.mark.parametrize(
    ("place", "name", "fault", "check"), FAULTS, ids=lambda value: getattr(value, "__name__", None)
)
def test_the_check_fails(place: Any, name: str, fault: Any, check: str) -> None:
    with pytest.MonkeyPatch.context() as driver:
        for noun, quick in ((TaskPool, "quick_alloc"), (Engines, "quick_request")):
            driver.setattr(noun, quick, nothing)  # the fault may be in a call that a quick one stands before
        driver.setattr(place, name, fault)
        with pytest.raises(AssertionError):
            BY_NAME[check](partial(in_one_process, timeout=0.5))
