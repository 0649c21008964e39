"""The order of C: create the context, connect it to an engine, set, register, start, progress."""

from __future__ import annotations

from typing import Any

import pytest

from tests.descriptors import collected_fds, open_fds
from tests.orders.support import (
    NAME,
    SOON_S,
    World,
    accepts,
    comch,
    connect,
    ignore,
    introduce,
    is_up,
    register,
    until,
)

State = comch.State


def stop(context: Any, engine: Any) -> None:
    context.stop()
    until(lambda: context.state is State.IDLE, engine)
    context.destroy()


def exchange(server: Any, client: Any, engine: Any, inbox: list[bytes]) -> None:
    """Start both on one engine, send one message, stop both."""
    server.start()
    client.start()
    until(lambda: client.state is State.RUNNING, engine)
    client.task_send_alloc_init(client.connection, b"hello").submit()
    until(lambda: inbox, engine)
    assert inbox == [b"hello"]
    stop(client, engine)
    stop(server, engine)
    engine.destroy()


@pytest.mark.parametrize("engine_comes", ["first", "middle", "last"])
def test_the_engine_may_come_at_any_time_before_start(world: World, engine_comes: str) -> None:
    engine = comch.ProgressEngine()
    inbox: list[bytes] = []
    server, client = comch.Server(world.dpu, world.rep, NAME), comch.Client(world.host, NAME)
    for context in (server, client):
        if engine_comes == "first":
            engine.connect_ctx(context)
        context.max_msg_size = 4080
        if engine_comes == "middle":
            engine.connect_ctx(context)
        register(context, lambda connection, data: inbox.append(data))
        context.recv_queue_size = 8
        context.set_state_changed_cb(ignore)
        if engine_comes == "last":
            engine.connect_ctx(context)
        assert context.engine is engine
    exchange(server, client, engine, inbox)


def test_an_engine_that_is_made_after_everything_else(world: World) -> None:
    inbox: list[bytes] = []
    server, client = comch.Server(), comch.Client()
    server.configure(device=world.dpu, device_rep=world.rep, name=NAME)
    client.configure(device=world.host, name=NAME)
    for context in (server, client):
        register(context, lambda connection, data: inbox.append(data))
    engine = comch.ProgressEngine()
    engine.connect_ctx(server)
    engine.connect_ctx(client)
    exchange(server, client, engine, inbox)


def test_the_engine_may_come_before_device_and_name(world: World) -> None:
    engine = comch.ProgressEngine()
    inbox: list[bytes] = []
    server, client = comch.Server(), comch.Client()
    engine.connect_ctx(server)
    engine.connect_ctx(client)
    server.configure(device=world.dpu, device_rep=world.rep, name=NAME)
    client.configure(device=world.host, name=NAME)
    for context in (server, client):
        register(context, lambda connection, data: inbox.append(data))
    exchange(server, client, engine, inbox)


def test_the_engine_is_a_setting_like_the_others(world: World) -> None:
    engine = comch.ProgressEngine()
    inbox: list[bytes] = []
    server = comch.Server(engine=engine)
    server.configure(device=world.dpu, device_rep=world.rep, name=NAME)
    client = comch.Client(world.host, NAME, engine=engine)
    for context in (server, client):
        register(context, lambda connection, data: inbox.append(data))
    exchange(server, client, engine, inbox)


def test_no_own_engine_is_made_when_one_is_given(world: World) -> None:
    """It would show as descriptors: both ways of giving one engine to a context open as many."""

    def opened(in_c_order: bool) -> int:
        before = collected_fds()
        engine = comch.ProgressEngine()
        if in_c_order:
            client = comch.Client(world.host, NAME)
            engine.connect_ctx(client)
        else:
            client = comch.Client(world.host, NAME, engine=engine)
        register(client)
        client.max_msg_size = 100
        assert client.engine is engine
        more = open_fds() - before
        client.destroy()
        engine.destroy()
        return more

    assert opened(in_c_order=True) == opened(in_c_order=False)


def test_registering_makes_no_engine(world: World) -> None:
    client = world.keep(comch.Client(world.host, NAME))
    register(client)
    client.set_state_changed_cb(ignore)
    engine = comch.ProgressEngine()
    engine.connect_ctx(client)
    assert client.engine is engine
    client.destroy()
    engine.destroy()


def test_an_engine_cannot_come_twice(world: World) -> None:
    engine, other = comch.ProgressEngine(), comch.ProgressEngine()
    client = comch.Client(world.host, NAME)
    engine.connect_ctx(client)
    for again in (engine, other):
        with pytest.raises(comch.NotPermitted):
            again.connect_ctx(client)
    assert client.engine is engine
    client.destroy()
    engine.destroy()
    other.destroy()


def test_an_engine_that_comes_after_start_is_refused(world: World) -> None:
    server = world.server()
    late = comch.ProgressEngine()
    with pytest.raises((comch.NotPermitted, comch.BadState)):
        late.connect_ctx(server)
    late.destroy()


def test_a_context_started_without_an_engine_makes_its_own(world: World) -> None:
    inbox: list[bytes] = []
    server = world.keep(comch.Server(world.dpu, world.rep, NAME))
    register(server, lambda connection, data: inbox.append(data))
    server.start()
    connection = world.client().connect(NAME, timeout=0)
    until(lambda: is_up(connection), server.engine)
    connection.send(b"hello", timeout=SOON_S)
    until(lambda: inbox, server.engine)
    assert inbox == [b"hello"]


def test_an_engine_given_late_serves_the_conveniences(world: World) -> None:
    """listen and connect are the same calls when the engine was connected before them."""
    engine = comch.ProgressEngine()
    server = world.keep(comch.Server())
    engine.connect_ctx(server)
    server.configure(device=world.dpu, device_rep=world.rep)
    server.listen(NAME)
    assert server.engine is engine
    introduce(connect(world.client(), server), server)
    server.close()
    engine.destroy()


def test_an_engine_is_in_use_while_its_contexts_live(world: World) -> None:
    engine = comch.ProgressEngine()
    client = comch.Client()
    engine.connect_ctx(client)
    with pytest.raises(comch.InUse):  # design silent: as for a context that the library has made
        engine.destroy()
    client.device = world.host
    client.destroy()
    engine.destroy()


@pytest.mark.parametrize("leaves", ["for another engine", "for good"])
def test_an_own_engine_is_left_to_those_who_use_it(world: World, leaves: str) -> None:
    client = world.keep(comch.Client(world.host, NAME))
    own = client.engine
    server = world.server(engine=own)
    if leaves == "for good":
        client.close()
        client = world.client(name=NAME)
    else:
        with comch.ProgressEngine() as other:
            client.engine = other
            assert client.engine is other
            connect(client, server)
            client.close()
        client = world.client(name=NAME, engine=own)
    introduce(connect(client, server), server)
    client.close()
    server.close()
    own.destroy()


@pytest.mark.parametrize("wrong", [None, 3, object(), "engine"])
def test_what_is_no_context_is_refused(wrong: Any) -> None:
    with comch.ProgressEngine() as engine:
        with pytest.raises((comch.InvalidValue, TypeError, AttributeError)):  # design silent: which of them
            engine.connect_ctx(wrong)


def test_fast_path_contexts_are_connected_as_in_c(world: World) -> None:
    with comch.Server(world.dpu, world.rep, NAME) as server, comch.ProgressEngine() as engine:
        client = world.client(name=NAME)
        client.event_consumer_register(ignore, ignore)  # a fast path needs it
        connection = client.connect(timeout=0)
        until(lambda: accepts(server, connection))
        producer = world.keep(comch.Producer(connection))
        engine.connect_ctx(producer)
        producer.task_send_set_conf(ignore, ignore, 4)
        assert producer.engine is engine
        assert producer.start() is State.RUNNING
        stop(producer, engine)
        mmap = comch.Mmap(world.host, 4096, comch.AccessFlag.PCI_READ_WRITE)
        mmap.start()
        consumer = comch.Consumer(connection, mmap)
        engine.connect_ctx(consumer)
        consumer.task_post_recv_set_conf(ignore, ignore, 4)
        consumer.imm_data_len = 8
        assert consumer.engine is engine
        consumer.destroy()
        mmap.destroy()
