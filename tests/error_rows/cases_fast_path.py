"""The provocations of consumers and producers."""

from __future__ import annotations

import comch_next as comch
from comch_next import Consumer, ConsumerCompletion, MsgQ, Producer
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from tests.control_path.pair import ignore
from tests.error_rows.world import Answer, Case, Key, Raises, World, with_topology


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


def _ended_completion() -> ConsumerCompletion:
    completion = ConsumerCompletion()
    completion.destroy()
    return completion


def _configure_started_completion(world: World) -> None:
    with Dpa(world.dpu) as dpa:
        thread, completion = DpaThread(dpa), ConsumerCompletion()
        completion.set_dpa_thread(thread)
        completion.start()
        try:
            completion.imm_data_len = 16
        finally:
            completion.stop()
            completion.destroy()
            thread.destroy()


def _started_on_dpa(world: World) -> None:
    with Dpa(world.dpu) as dpa:
        queue, completion = MsgQ(world.dpu), DpaCompletion(dpa, 1)
        queue.set_dpa_producer(dpa)
        queue.start()
        completion.start()
        producer = queue.producer_create()
        try:
            producer.set_datapath_on_dpa(dpa)
            producer.dpa_completion_attach(completion)
            producer.set_dev_max_num_send(1)
            producer.start()
            producer.set_datapath_on_dpa(dpa)
        finally:
            producer.close()
            completion.stop()
            completion.destroy()
            queue.stop()
            queue.destroy()


def _another_dpa(world: World) -> None:
    with Dpa(world.dpu) as dpa:
        queue = MsgQ(world.dpu)
        queue.set_dpa_producer(dpa)
        queue.start()
        producer = queue.producer_create()
        try:
            producer.set_datapath_on_dpa(None)
        finally:
            producer.close()
            queue.stop()
            queue.destroy()


def _destroyed(context: Consumer | Producer) -> Consumer | Producer:
    context.destroy()
    return context


CASES: dict[Key, Raises | Answer] = {
    # Message queues
    ("doca_ctx_set_datapath_on_dpa", "INVALID_VALUE"): Raises(_another_dpa, "a Dpa, not None"),
    ("doca_ctx_set_datapath_on_dpa", "BAD_STATE"): Raises(_started_on_dpa, "while RUNNING"),
    ("doca_comch_consumer_completion_set_imm_data_len", "INVALID_VALUE"): Raises(
        lambda w: setattr(ConsumerCompletion(), "imm_data_len", 33), "from 0 to 32, not 33"
    ),
    ("doca_comch_consumer_completion_set_imm_data_len", "BAD_STATE"): Raises(
        _configure_started_completion, "that is started"
    ),
    ("doca_comch_consumer_completion_get_imm_data_len", "INVALID_VALUE"): Raises(
        lambda w: _ended_completion().imm_data_len, "has been destroyed"
    ),
    ("doca_comch_consumer_get_dpa_handle", "INVALID_VALUE"): Raises(
        lambda w: _destroyed(w.inbox.consumer).get_dpa_handle(), "has been destroyed"
    ),
    ("doca_comch_consumer_get_dpa_handle", "BAD_STATE"): Raises(
        lambda w: w.inbox.consumer.get_dpa_handle(), "which is of the host"
    ),
    ("doca_comch_producer_get_dpa_handle", "INVALID_VALUE"): Raises(
        lambda w: _destroyed(w.outbox.producer).get_dpa_handle(), "has been destroyed"
    ),
    ("doca_comch_producer_get_dpa_handle", "BAD_STATE"): Raises(
        lambda w: w.outbox.producer.get_dpa_handle(), "which is of the host"
    ),
    # Consumers
    ("doca_comch_consumer_create", "INVALID_VALUE"): Raises(
        lambda w: Consumer(w.there.connection, None),  # type: ignore[arg-type]
        "a Mmap, not None",
    ),
    ("doca_comch_consumer_create", "NO_MEMORY"): Raises(_too_many_consumers, "all 64 that it may have"),
    ("doca_comch_consumer_create", "BAD_STATE"): Raises(
        lambda w: Consumer(_connecting(w), w.mmap(w.host)), "a connection that is not up"
    ),
    ("doca_comch_consumer_set_imm_data_len", "INVALID_VALUE"): Raises(
        lambda w: setattr(w.inbox.consumer, "imm_data_len", w.dpu.devinfo.consumer_cap_get_max_imm_data_len() + 1),
        "from 0 to 32, not 33",
    ),
    ("doca_comch_consumer_set_imm_data_len", "BAD_STATE"): Raises(
        lambda w: setattr(w.run(w.inbox), "imm_data_len", 1), "while RUNNING"
    ),
    ("doca_comch_consumer_task_post_recv_set_conf", "INVALID_VALUE"): Raises(
        lambda w: w.inbox.consumer.task_post_recv_set_conf(ignore, ignore, 0), "from 1 to .*, not 0"
    ),
    ("doca_comch_consumer_task_post_recv_set_conf", "BAD_STATE"): Raises(_configure_running_consumer, "while RUNNING"),
    ("doca_comch_consumer_task_post_recv_alloc_init", "INVALID_VALUE"): Raises(
        lambda w: w.run(w.inbox).task_post_recv_alloc_init(w.buf()),  # of another map
        "inside of the consumer's memory map",
    ),
    ("doca_comch_consumer_task_post_recv_alloc_init", "NO_MEMORY"): Raises(_all_receives, "all 16 tasks .* in use"),
    # Producers
    ("doca_comch_producer_create", "INVALID_VALUE"): Raises(
        lambda w: Producer(None),  # type: ignore[arg-type]
        "a connection, not None",
    ),
    ("doca_comch_producer_create", "BAD_STATE"): Raises(
        lambda w: Producer(_connecting(w)), "a connection that is not up"
    ),
    ("doca_comch_producer_task_send_set_conf", "INVALID_VALUE"): Raises(
        lambda w: w.outbox.producer.task_send_set_conf(ignore, ignore, 0), "from 1 to .*, not 0"
    ),
    ("doca_comch_producer_task_send_set_conf", "BAD_STATE"): Raises(_configure_running_producer, "while RUNNING"),
    ("doca_comch_producer_task_send_alloc_init", "INVALID_VALUE"): Raises(
        lambda w: w.run(w.outbox).task_send_alloc_init(None, None, 1), "a buffer, immediate data, or both"
    ),
    ("doca_comch_producer_task_send_alloc_init", "NO_MEMORY"): Raises(_all_sends, "all 16 tasks .* in use"),
}


def _incapable(call: str) -> Case:
    return with_topology("capable = false", lambda: getattr(comch.devices()[0], call)())


for _kind in ("consumer", "producer"):
    for _call in ("cap_get_max_buf_size", "cap_get_max_buf_list_len"):
        CASES[f"doca_comch_{_kind}_{_call}", "NOT_SUPPORTED"] = Raises(
            _incapable(f"{_kind}_{_call}"), "device 0000:03:00.0 has no fast path"
        )
    CASES[f"doca_comch_{_kind}_cap_is_supported", "NOT_SUPPORTED"] = Answer(
        _incapable(f"{_kind}_cap_is_supported"), False
    )
