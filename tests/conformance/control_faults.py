"""Faults of the control path: contexts and their limits, connections, messages and their tasks, engines."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from typing import Any

from comch_next._codes import State
from comch_next.driver.emulated import _guard, _send_task, _server
from comch_next.driver.emulated._client import Client
from comch_next.driver.emulated._connection import Connection
from comch_next.driver.emulated._context import Context
from comch_next.driver.emulated._control import ControlContext, ControlContexts, check_name
from comch_next.driver.emulated._device import Devices
from comch_next.driver.emulated._engine import Engine, Engines
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.channel import Channel
from comch_next.driver.emulated._fabric.meeting import Listener
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.emulated._send_task import SendTasks, TaskPool
from comch_next.driver.emulated._server import Server, Servers
from comch_next.driver.emulated._state import Trigger
from comch_next.driver.emulated._task import PROGRAM, SUCCESS, Task, Tasks
from tests.conformance.faults import Fault, finish_twice, never, nothing, swapped

__all__ = ["FAULTS", "SILENCES"]

add_tasks, register = ControlContexts.task_send_set_conf, ControlContexts.event_msg_recv_register
alloc, submit, free = TaskPool.task_send_alloc_init, SendTasks.submit, Tasks.free
stop, move_to_stop, became_idle = ControlContext.stop, Context.move_to_stop, ControlContext.became_idle
request, take_lock = Engine.request_notification, Listener._take_lock


# States


def stop_slowly(context: ControlContext) -> Any:
    """STOPPING even with nothing outstanding."""
    context.tasks_out += 1
    state = stop(context)
    context.tasks_out -= 1
    return state


def stop_at_once(context: ControlContext, *, clean: bool) -> State:
    """IDLE even with something outstanding."""
    return move_to_stop(context, clean=True)


def stop_in_silence(context: Context, *, clean: bool) -> State:
    """The program, which stops it, is not told of that."""
    changed, context.state_changed = context.state_changed, None
    state = move_to_stop(context, clean=clean)
    context.state_changed = changed
    return state


def drained_with_tasks(context: ControlContext) -> bool:
    drained = context.state is State.STOPPING and not context.lost
    if drained:
        context.tasks_out = 0
    return drained


def forget_the_callback(context: ControlContext) -> None:
    """What was registered is gone after a stop."""
    became_idle(context)
    context.on_message = nothing


# Connections, and what they are made by


def count_characters(name: Any, dev: Any) -> str:
    """Of a name, where bytes count."""
    check_name("x" * len(name), dev)
    return str(name)


def take_over(listener: Listener, folder: int) -> int:
    """A lock that is there is taken for one that a dead server has left."""
    with suppress(FileNotFoundError):
        os.unlink(f"{listener._stem}.lock", dir_fd=folder)
    return take_lock(listener, folder)


def each_its_own(client: handshake.Terms, server: handshake.Terms) -> tuple[int, int]:
    """No side heeds what the other one has set."""
    return client.msg_size, server.msg_size


def poll_the_newest(engine: Engine) -> bool:
    return any(context.poll_sockets() for context in engine.contexts[-1:])


# Tasks


def alloc_beyond_the_pool(pool: TaskPool, ctx: Any, *args: Any) -> Any:
    ctx.num_tasks += 1
    return alloc(pool, ctx, *args)


def alloc_without_a_copy(pool: TaskPool, ctx: Any, peer: Any, message: Any, *args: Any) -> Any:
    """What is sent is what the program's memory has when progress sends it: the ring gets it then."""
    task, early = alloc(pool, ctx, peer, message, *args), bytes(message)

    def send() -> None:
        ring = ffi.buffer(peer.sender._base, peer.sender.capacity)
        place = bytes(ring).index(early)
        ring[place : place + len(early)] = bytes(message)

    ctx.engine.call_soon_threadsafe(send)
    return task


def free_again(tasks: Tasks, task: Any) -> None:
    task.owner = PROGRAM
    free(tasks, task)


def submit_and_progress(_: SendTasks, task: Any) -> None:
    """Calls back for what has completed by then."""
    submit(task)
    task.ctx.engine.progress()


def submit_once(_: SendTasks, task: Any) -> None:
    """The message has gone when the callback submits its task again."""
    if task.ctx.engine.busy:
        task.fail(SUCCESS)
    else:
        submit(task)


def succeed_unsent(_: Tasks, task: Any, *__: object) -> None:
    task.fail(SUCCESS)


def swap_completions(contexts: ControlContexts, ctx: Any, done: Any, failed: Any, number: int) -> None:
    add_tasks(contexts, ctx, swapped(done), failed, number)


# Messages


def drop_empty(contexts: ControlContexts, ctx: Any, on_message: Any, view: bool) -> None:
    register(contexts, ctx, lambda connection, data: data and on_message(connection, data), view)


def swap_messages(contexts: ControlContexts, ctx: Any, on_message: Any, view: bool) -> None:
    register(contexts, ctx, swapped(on_message), view)


def tell_later(contexts: ControlContexts, ctx: Any, on_message: Any, view: bool) -> None:
    """Messages are told behind all else that a progress finds."""
    register(contexts, ctx, lambda *told: ctx.engine.call_soon_threadsafe(partial(on_message, *told)), view)


def tell_the_first(contexts: ControlContexts, ctx: Any, on_message: Any, view: bool) -> None:
    """Every message is from the client that has sent the first one."""
    first: list[Any] = []

    def on_each(connection: Any, data: Any) -> None:
        first.append(connection)
        on_message(first[0], data)

    register(contexts, ctx, on_each, view)


# Sleeping


def arm_without_looking(engine: Engine) -> None:
    """Arms everything, slowly, and does not see what was there before."""
    request(engine)
    time.sleep(0.0002)
    armed = engine.notification
    armed.disarm()
    armed.armed = True


def arm_and_ring(engine: Engine) -> None:
    """Wakes whether there is something or not."""
    request(engine)
    engine.notification.ring()


FAULTS: list[Fault] = [
    (Server, "start_trigger", Trigger.START_LATER, "server_runs_at_once"),
    (Client, "start_trigger", Trigger.START_NOW, "client_passes_through_starting"),
    (Connection, "update_info", nothing, "client_without_server_falls_back"),
    (ControlContext, "missing", lambda _: [], "start_without_mandatory_configuration"),
    (_guard, "in_state", nothing, "calls_refused_by_state"),
    (ControlContext, "stop", stop_slowly, "stop_with_nothing_outstanding"),
    (ControlContext, "move_to_stop", stop_at_once, "stop_of_a_server_with_a_client"),
    (Context, "move_to_stop", stop_in_silence, "changes_of_state_are_told_without_gaps"),
    (ControlContext, "drained", drained_with_tasks, "stop_waits_for_tasks"),
    (Engines, "destroy", nothing, "contexts_outlive_nothing_below"),
    (Devices, "close", nothing, "contexts_outlive_nothing_below"),
    # Limits
    (ControlContexts, "set_recv_queue_size", nothing, "recv_queue_size"),
    (ControlContexts, "task_send_set_conf", nothing, "number_of_send_tasks"),
    (_send_task, "_check_length", nothing, "max_msg_size"),
    (handshake, "negotiate", each_its_own, "message_size_is_taken_from_the_other_side"),
    (_server, "check_name", count_characters, "length_of_names"),
    (Listener, "_take_lock", take_over, "name_that_is_taken"),
    # Tasks and messages
    (TaskPool, "task_send_alloc_init", alloc_beyond_the_pool, "pool_runs_out"),
    (Tasks, "free", free_again, "free_rules"),
    (Task, "finish", finish_twice, "what_waits_fails_at_stop"),
    (SendTasks, "submit", submit_and_progress, "callbacks_run_inside_progress_only"),
    (ControlContexts, "task_send_set_conf", swap_completions, "tasks_complete_once_and_in_order"),
    (ControlContexts, "set_recv_queue_size", nothing, "tasks_stay_in_flight_while_the_queue_is_full"),
    (ControlContext, "inflight", lambda _: 0, "tasks_stay_in_flight_while_the_queue_is_full"),
    (ControlContexts, "event_msg_recv_register", swap_messages, "messages_keep_their_order"),
    (ControlContexts, "event_msg_recv_register", tell_later, "last_words_arrive"),
    (ControlContexts, "event_msg_recv_register", tell_the_first, "several_clients"),
    (Connection, "counter", lambda *_: 0, "counters"),
]

SILENCES: list[Fault] = [
    (Server, "report_loss", nothing, "server_is_told_of_its_client"),
    (Client, "report_loss", nothing, "server_disconnects_its_client"),
    (Servers, "disconnect", nothing, "server_refuses_a_client"),
    (ControlContext, "became_idle", forget_the_callback, "servers_and_clients_restart"),
    (Devices, "cap_get_max_clients", lambda *_: 2, "number_of_clients"),
    (handshake, "negotiate", each_its_own, "message_sizes_that_differ_do_not_connect"),
    (Engine, "poll_sockets", poll_the_newest, "many_contexts_on_one_engine"),
    # Tasks and messages
    (Tasks, "submit_ex", succeed_unsent, "every_way_to_submit"),
    (SendTasks, "submit", submit_once, "resubmission_in_the_callback"),
    (SendTasks, "_refused", succeed_unsent, "submission_while_stopping_fails"),
    (TaskPool, "task_send_alloc_init", alloc_without_a_copy, "message_is_copied"),
    (ControlContexts, "event_msg_recv_register", drop_empty, "messages_of_every_length"),
    # Sleeping
    (Engine, "request_notification", arm_without_looking, "descriptor_wakes_for_a_message"),
    (Engine, "request_notification", arm_without_looking, "no_message_is_slept_through"),
    (ControlContext, "arm", never, "descriptor_wakes_for_a_completion"),
    (ControlContext, "arm", never, "no_completion_is_slept_through"),
    (Channel, "watch", nothing, "descriptor_wakes_for_connections"),
    (Engine, "request_notification", arm_and_ring, "wait_says_whether_there_is_something"),
]
