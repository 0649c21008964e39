"""Objects of generation 2 and of comch_next convert, of each kind, and are the same ones again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from tests.cc.world import TASKS, World, cc, ignore, okay
from tests.fast_path.lane import Lane


def _tasks(world: World) -> Iterator[tuple[Any, Any]]:
    """A task of each kind, with its buffer if it has one."""
    connection, producer, consumer = world.connection, world.running(world.producer), world.running(world.consumer)
    yield okay(cc.doca_cc_client_task_send_alloc_init(world.client, connection, b"text", 4)), None
    for alloc, *given in (
        (cc.doca_cc_producer_task_send_alloc_init, producer, world.buf(data=b"data"), 1),
        (cc.doca_cc_consumer_task_post_recv_alloc_init, consumer, world.buf(1024)),
    ):
        yield okay(alloc(*given)), given[1]


def test_what_generation_2_made_comes_back(world: World) -> None:
    connection = world.connection
    made = [world.pe, world.server, world.client, connection, world.connections[0], world.producer, world.consumer]
    made += [world.mmap, world.inventory]
    for old in made:
        modern = cc.unwrap(old)
        assert type(modern).__module__.startswith("comch_next")
        assert cc.wrap(modern) is old
    for task, buf in _tasks(world):
        assert cc.wrap(cc.unwrap(task)) is task
        assert buf is None or cc.unwrap(cc.wrap(cc.unwrap(buf))) is cc.unwrap(buf)
        cc.doca_task_free(task.as_task())
        if buf is not None:
            okay(cc.doca_buf_dec_refcount(buf))


@pytest.fixture
def lane() -> Iterator[Lane]:
    made = Lane().run()
    yield made
    made.close()


def test_what_comch_next_made_is_used_by_the_old_names(lane: Lane) -> None:
    inbox, outbox = lane.inbox, lane.outbox
    task, buf = outbox.producer.task_send_alloc_init(outbox.buf(b"data"), b"", 1), outbox.buf(b"more")
    for modern, kind, reads in (
        (lane.there.context, cc.Server, lambda it: it.as_ctx().get_state() == cc.DOCA_CTX_STATE_RUNNING),
        (lane.here.connection, cc.Connection, lambda it: cc.unwrap(it.get_client_ctx()) is lane.here.context),
        (inbox.consumer, cc.Consumer, lambda it: it.get_id() == inbox.consumer.id),
        (outbox.producer, cc.Producer, lambda it: it.as_ctx().get_state() == cc.DOCA_CTX_STATE_RUNNING),
        (inbox.mmap, cc.Mmap, lambda it: it.get_memrange()[1] == len(inbox.mmap)),
        (inbox.inventory, cc.BufInventory, lambda it: it.get_num_elements() == 64),
        (buf, cc.Buf, lambda it: it.get_data_len() == 4),
        (task, cc.ProducerTaskSend, lambda it: it.get_consumer_id() == 1),
    ):
        old = cc.wrap(modern)
        assert isinstance(old, kind)
        assert cc.unwrap(old) is modern
        assert cc.wrap(modern) is old
        assert reads(old)
    cc.wrap(task).get_buf().dec_refcount()
    cc.wrap(task).as_task().free()
    cc.wrap(buf).dec_refcount()
    assert outbox.inventory.num_free_elements == 64


def test_the_user_data_of_comch_next_is_the_programs(world: World) -> None:
    connection = world.connection
    connection.modern.user_data = "of the program"
    assert okay(cc.doca_cc_client_get_connection(world.client)) is connection
    assert cc.wrap(connection.modern) is connection
    assert connection.modern.user_data == "of the program"


def test_tasks_of_new_code_complete_in_callbacks_of_old_code(world: World) -> None:
    completed: list[Any] = []
    world.connection  # noqa: B018  # both sides are RUNNING

    def sent(task: Any, task_user_data: Any, ctx_user_data: Any) -> None:
        completed.append((type(task), task_user_data))
        task.as_task().free()

    world.client.as_ctx().stop()
    world.until(lambda: world.state(world.client) == cc.DOCA_CTX_STATE_IDLE)
    world.client.task_send_set_conf(sent, sent, 4)
    world.client.as_ctx().start()
    world.until(lambda: world.state(world.client) == cc.DOCA_CTX_STATE_RUNNING)
    connection = cc.unwrap(world.client.get_connection())
    for user_data in (None, 7):
        task = cc.unwrap(world.client).task_send_alloc_init(connection, b"new")
        task.user_data = user_data
        task.submit()
    world.until(lambda: len(completed) == 2 and len(world.messages) == 2)
    assert completed == [(cc.TaskSend, None)] * 2


def test_a_task_of_old_code_whose_user_data_new_code_has_set(world: World) -> None:
    completed: list[Any] = []

    def sent(task: Any, task_user_data: Any, ctx_user_data: Any) -> None:
        completed.append((task, task_user_data))
        task.as_task().free()

    world.sent = sent  # type: ignore[method-assign]
    connection, tasks = world.connection, []
    for number in range(3):
        tasks.append(okay(cc.doca_cc_client_task_send_alloc_init(world.client, connection, b"x", 1)))
        tasks[-1].as_task().set_user_data(number)
    modern = cc.unwrap(tasks[0]), cc.unwrap(tasks[1].as_task()), cc.unwrap(tasks[2])
    for of_new_code, its in zip(("text", tasks[0], None), modern, strict=True):
        its.user_data = of_new_code
        its.submit()
    world.until(lambda: len(completed) == 3)
    assert completed == [(task, number) for number, task in enumerate(tasks)]
    assert [its.user_data for its in modern] == ["text", tasks[0], None]


def test_a_task_that_new_code_has_wrapped_while_it_had_other_user_data(world: World) -> None:
    """Two old tasks stand for one then, until new code puts back what it found."""
    task = okay(cc.doca_cc_client_task_send_alloc_init(world.client, world.connection, b"x", 1))
    modern = task._task._modern  # what a callback of new code gets
    modern.user_data = "of new code"
    second = cc.wrap(modern)
    modern.user_data = task
    assert cc.unwrap(task) is cc.unwrap(second) is modern
    assert cc.wrap(modern) in (task, second)
    task.as_task().free()


def test_a_task_of_each_kind_is_found_without_its_user_data(world: World) -> None:
    for task, _ in _tasks(world):
        modern = cc.unwrap(task)
        modern.user_data = "of new code"
        assert cc.wrap(modern) is task
        cc.doca_task_free(task.as_task())


# What new code has set


def test_the_device_and_the_representor_that_new_code_has_set(world: World) -> None:
    server, rep = cc.Server(world.dpu, world.rep, "svc"), world.rep
    assert server.get_device() is world.dpu
    assert server.get_device_repr() is rep
    with comch.open_device("03:00.0") as device, device.open_representor("b1:00.1") as other:
        cc.unwrap(server).configure(device=device, device_rep=other)
        assert cc.unwrap(server.get_device()) is device
        assert cc.unwrap(server.get_device_repr()) is other
        assert okay(cc.doca_cc_server_get_device_repr(server)).as_devinfo().get_pci_addr_str().endswith("b1:00.1")
        server.destroy()


def test_the_representor_of_an_address_is_the_open_one(world: World) -> None:
    modern = comch.Server(cc.unwrap(world.dpu), "b1:00.0", "svc")
    server = cc.wrap(modern)
    server.set_max_msg_size(128)  # with which the library makes another, on another representor
    assert cc.unwrap(server.get_device_repr()) is modern.device_rep
    server.destroy()


@pytest.mark.parametrize("row", [1, 2])
def test_the_buffer_that_new_code_has_set(world: World, row: int) -> None:
    tasks = list(_tasks(world))
    task, buf = tasks[row]
    get_buf = type(task).get_buf
    assert get_buf(task) is buf
    other = world.buf(2048)
    cc.unwrap(task).buf = cc.unwrap(other)
    assert get_buf(task) == other
    assert get_buf(task) is get_buf(task)
    assert get_buf(task).get_head() == other.get_head()
    cc.unwrap(task).buf = None
    assert get_buf(task) is None
    assert cc.doca_buf_get_len(get_buf(task)) == (cc.DOCA_ERROR_INVALID_VALUE, None)
    task.set_buf(buf)
    assert get_buf(task) is buf
    for made, _ in tasks:
        cc.doca_task_free(made.as_task())


def test_a_task_that_new_code_has_made_without_a_buffer(lane: Lane) -> None:
    modern = lane.inbox.consumer.task_post_recv_alloc_init(None)
    task = cc.wrap(modern)
    assert cc.doca_cc_consumer_task_post_recv_get_buf(task) is None
    modern.free()


# Engines


def _server(world: World) -> Any:
    server = cc.Server(world.dpu, world.rep, "svc")
    server.task_send_set_conf(ignore, ignore, TASKS)
    server.event_msg_recv_register(ignore)
    server.event_connection_register(ignore, ignore)
    return server


def _consumer(world: World) -> Any:
    consumer = cc.Consumer(world.connection, world.mmap)
    consumer.task_post_recv_set_conf(ignore, ignore, TASKS)
    return consumer


def _producer(world: World) -> Any:
    producer = cc.Producer(world.connection)
    producer.task_send_set_conf(ignore, ignore, TASKS)
    return producer


def _connect(engine: Any, context: Any) -> None:
    engine.connect_ctx(context)


def _assign(engine: Any, context: Any) -> None:
    context.engine = engine


@pytest.mark.parametrize(
    ("make", "give"), [(_server, _connect), (_server, _assign), (_consumer, _connect), (_producer, _connect)]
)
def test_old_code_runs_a_context_on_the_engine_of_new_code(
    world: World, make: Callable[[World], Any], give: Callable[[Any, Any], None]
) -> None:
    made = make(world)
    ctx = made.as_ctx()
    for call in (ctx.start, ctx.stop):
        with pytest.raises(cc.NotConnected):
            call()
    give(cc.unwrap(world.pe), cc.unwrap(made))
    with pytest.raises(cc.NotPermitted):
        world.pe.connect_ctx(ctx)
    assert cc.doca_ctx_start(ctx) in (cc.DOCA_SUCCESS, cc.DOCA_ERROR_IN_PROGRESS)
    world.until(lambda: world.state(made) == cc.DOCA_CTX_STATE_RUNNING)
    assert cc.doca_ctx_stop(ctx) in (cc.DOCA_SUCCESS, cc.DOCA_ERROR_IN_PROGRESS)
    world.until(lambda: world.state(made) == cc.DOCA_CTX_STATE_IDLE)
    made.destroy()
