"""The provocations of consumers and producers."""

from __future__ import annotations

import comch_next as comch
from comch_next import Consumer, Producer
from tests.control_path.pair import ignore
from tests.error_rows.world import Answer, Case, Key, World, with_topology


def _connecting(world: World) -> comch.Connection:
    world.idle_server.context.start()
    world.idle_client.context.start()
    connection: comch.Connection = world.idle_client.connection
    return connection


def _too_many_consumers(world: World) -> None:
    made: list[Consumer] = []
    try:
        while True:
            made.append(Consumer(world.there.connection, world.memory))
    finally:
        for consumer in made:
            consumer.destroy()


def _configure_running_consumer(world: World) -> None:
    world.run(world.inbox).task_post_recv_set_conf(ignore, ignore, 1)


def _configure_running_producer(world: World) -> None:
    world.run(world.outbox).task_send_set_conf(ignore, ignore, 1)


def _all_receives(world: World) -> None:
    consumer = world.run(world.inbox)
    tasks = []
    try:
        while True:
            tasks.append(consumer.task_post_recv_alloc_init())
    finally:
        for task in tasks:
            task.free()


def _all_sends(world: World) -> None:
    producer = world.run(world.outbox)
    tasks = []
    try:
        while True:
            tasks.append(producer.task_send_alloc_init(None, b"x", 1))
    finally:
        for task in tasks:
            task.free()


CASES: dict[Key, Case | Answer] = {
    # Consumers
    ("doca_comch_consumer_create", "INVALID_VALUE"): lambda w: Consumer(w.there.connection, None),  # type: ignore[arg-type]
    ("doca_comch_consumer_create", "NO_MEMORY"): _too_many_consumers,
    ("doca_comch_consumer_create", "BAD_STATE"): lambda w: Consumer(_connecting(w), w.mmap(w.host)),
    ("doca_comch_consumer_set_imm_data_len", "INVALID_VALUE"): (
        lambda w: setattr(w.inbox.consumer, "imm_data_len", w.dpu.devinfo.consumer_cap_get_max_imm_data_len() + 1)
    ),
    ("doca_comch_consumer_set_imm_data_len", "BAD_STATE"): lambda w: setattr(w.run(w.inbox), "imm_data_len", 1),
    ("doca_comch_consumer_task_post_recv_set_conf", "INVALID_VALUE"): (
        lambda w: w.inbox.consumer.task_post_recv_set_conf(ignore, ignore, 0)
    ),
    ("doca_comch_consumer_task_post_recv_set_conf", "BAD_STATE"): _configure_running_consumer,
    ("doca_comch_consumer_task_post_recv_alloc_init", "INVALID_VALUE"): (
        lambda w: w.run(w.inbox).task_post_recv_alloc_init(w.buf())  # of another map
    ),
    ("doca_comch_consumer_task_post_recv_alloc_init", "NO_MEMORY"): _all_receives,
    # Producers
    ("doca_comch_producer_create", "INVALID_VALUE"): lambda w: Producer(None),  # type: ignore[arg-type]
    ("doca_comch_producer_create", "BAD_STATE"): lambda w: Producer(_connecting(w)),
    ("doca_comch_producer_task_send_set_conf", "INVALID_VALUE"): (
        lambda w: w.outbox.producer.task_send_set_conf(ignore, ignore, 0)
    ),
    ("doca_comch_producer_task_send_set_conf", "BAD_STATE"): _configure_running_producer,
    ("doca_comch_producer_task_send_alloc_init", "INVALID_VALUE"): (
        lambda w: w.run(w.outbox).task_send_alloc_init(None, None, 1)
    ),
    ("doca_comch_producer_task_send_alloc_init", "NO_MEMORY"): _all_sends,
}

# Calls that are given NULL: those of a consumer or producer, and those of a device.
_ON_NULL = {
    "consumer": (
        *("get_id", "get_imm_data_len", "cap_is_supported", "cap_get_max_num_tasks", "cap_get_max_buf_size"),
        *("cap_get_max_buf_list_len", "cap_get_max_consumers", "cap_get_max_imm_data_len"),
    ),
    "producer": (
        *("get_id", "cap_is_supported", "cap_get_max_num_tasks", "cap_get_max_buf_size"),
        *("cap_get_max_buf_list_len", "cap_get_max_producers"),
    ),
}


def _on_null(kind: str, call: str) -> Case:
    return lambda world: getattr(getattr(world.lib, f"{kind}s"), call)(None)


def _incapable(call: str) -> Case:
    return with_topology("capable = false", lambda: getattr(comch.devices()[0], call)())


for _kind, _calls in _ON_NULL.items():
    CASES[f"doca_comch_{_kind}_destroy", "INVALID_VALUE"] = lambda w: w.lib.contexts.destroy(None)
    for _call in _calls:
        CASES[f"doca_comch_{_kind}_{_call}", "INVALID_VALUE"] = _on_null(_kind, _call)
    for _call in ("cap_get_max_buf_size", "cap_get_max_buf_list_len"):
        CASES[f"doca_comch_{_kind}_{_call}", "NOT_SUPPORTED"] = _incapable(f"{_kind}_{_call}")
    CASES[f"doca_comch_{_kind}_cap_is_supported", "NOT_SUPPORTED"] = Answer(
        _incapable(f"{_kind}_cap_is_supported"), False
    )
