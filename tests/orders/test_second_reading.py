"""What a reader who had not written it found in the orders of calls; each of these went wrong."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.orders.support import (
    HOST,
    NAME,
    OTHER_NAME,
    OTHER_REP,
    SOON_S,
    World,
    accepts,
    comch,
    ignore,
    introduce,
    until,
)
from tests.orders.support import connect as connect_to
from tests.pull.support import FORMS, ready

State = comch.State


def pair(world: World, **options: Any) -> tuple[Any, Any, Any]:
    server = world.server(**options)
    client = world.client(**options)
    return server, client, connect_to(client, server)


def test_an_engine_may_be_given_back_between_two_lives(world: World) -> None:
    engine = comch.ProgressEngine()
    server = world.server()
    client = world.client(engine=engine)
    introduce(connect_to(client, server), server)
    fd = client.recv_fd
    client.disconnect()
    client.engine = None
    peer = introduce(connect_to(client, server), server)
    assert client.recv_fd == fd
    assert client.engine is not engine
    client.arm_recv()
    peer.send(b"x")
    assert ready(fd, SOON_S)
    engine.destroy()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("make", "one_sided"), [("Client", False), ("Client", True), ("Channel", False)])
def test_what_a_client_has_replaced_is_in_use_no_more(
    world: World, monkeypatch: pytest.MonkeyPatch, form: str, make: str, one_sided: bool
) -> None:
    """Before it connects again, and whether the library's context is made early or late."""
    monkeypatch.setenv("COMCH_PULL", form)
    engine, server = comch.ProgressEngine(), world.server()
    client = world.keep(getattr(comch, make)(device=world.host, engine=engine, one_sided=one_sided))
    introduce(connect_to(client, server), server)
    descriptors = client.send_fd, client.recv_fd
    client.disconnect(client.connection)
    client.engine = None
    engine.destroy()
    client.device = world.other_host
    world.host.close()
    server.close()
    server = world.keep(comch.Server(world.dpu, OTHER_REP, NAME))
    server.listen()
    peer = introduce(connect_to(client, server), server)
    assert (client.send_fd, client.recv_fd) == descriptors
    client.arm_recv()
    peer.send(b"x")
    assert ready(client.recv_fd, SOON_S)


@pytest.mark.parametrize(("make", "one_sided"), [("Server", False), ("Server", True), ("Channel", False)])
def test_what_a_server_has_replaced_is_in_use_no_more(world: World, make: str, one_sided: bool) -> None:
    server = world.keep(getattr(comch, make)(device=world.dpu, device_rep=world.rep, one_sided=one_sided))
    server.listen(NAME)
    server.stop()
    until(lambda: server.state is State.IDLE, server.engine)
    with world.dpu.open_representor(OTHER_REP) as other:
        server.device_rep = other
        world.rep.close()
        server.listen()
        client = world.client()
        client.device = world.other_host
        introduce(connect_to(client, server), server)
        server.close()


def test_a_setting_of_a_channel_waits_for_its_role(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver may refuse a context of the role that it has had; what opens it next decides."""

    def refuse(*_: object) -> None:
        raise comch.NotSupported("no server runs on this device")

    server, channel = world.server(), world.keep(comch.Channel(world.dpu, world.rep, OTHER_NAME))
    channel.listen()
    channel.stop()
    until(lambda: channel.state is State.IDLE, channel.engine)
    with monkeypatch.context() as patches:
        patches.setattr(comch.Server, "_create", refuse)
        channel.device = world.host
        introduce(connect_to(channel, server), server)


def test_a_disconnect_that_is_refused_changes_nothing(world: World) -> None:
    server, client = world.server(), world.client()
    client.event_consumer_register(ignore, ignore)  # a fast path needs it
    connection = connect_to(client, server)
    mmap = comch.Mmap(world.host, 4096, comch.AccessFlag.PCI_READ_WRITE)
    mmap.start()
    consumer = world.keep(comch.Consumer(connection, mmap))
    consumer.task_post_recv_set_conf(ignore, ignore, 2)
    consumer.start()
    with pytest.raises(comch.InUse):
        client.disconnect()
    client.send_to(b"still up", connection)
    assert server.receive(timeout=SOON_S).data == b"still up"
    with pytest.raises(comch.Again):
        client.receive(timeout=0)
    consumer.close()
    client.disconnect()
    assert client.state is State.IDLE
    mmap.destroy()


def test_a_channel_may_become_the_other_in_the_natural_order(world: World) -> None:
    server = world.server()
    channel = world.keep(comch.Channel(world.dpu, world.rep, OTHER_NAME))
    channel.listen()
    fd = channel.recv_fd
    channel.stop()
    until(lambda: channel.engine.progress() or channel.state is State.IDLE)
    channel.device = world.host
    connection = channel.connect(NAME, timeout=0)
    until(lambda: accepts(server, connection))
    peer = introduce(connection, server)
    assert channel.recv_fd == fd
    peer.send(b"x")
    assert channel.receive(timeout=SOON_S).data == b"x"
    channel.disconnect()
    channel.configure(device=world.dpu, device_rep=HOST)
    channel.listen(OTHER_NAME)
    assert (channel.state, channel.recv_fd) == (State.RUNNING, fd)


def test_a_channel_with_callbacks_of_both_roles(world: World) -> None:
    server = world.server()
    channel = world.keep(comch.Channel(world.host))
    channel.task_send_set_conf(ignore, ignore, 4)
    inbox: list[bytes] = []
    channel.event_msg_recv_register(lambda _, data: inbox.append(data))
    channel.event_connection_status_changed_register(ignore, ignore)
    channel.connect(NAME, timeout=0)
    with pytest.raises(comch.BadState, match="while STARTING; it is legal while IDLE"):
        channel.event_connection_status_changed_register(ignore, ignore)
    until(lambda: not received(server) and channel.state is State.RUNNING, channel.engine)
    until(lambda: server.update_info() or server.connections)
    server.connections[0].send(b"x")
    until(lambda: inbox, channel.engine)
    assert inbox == [b"x"]


def received(server: Any) -> bool:
    try:
        server.receive(timeout=0)
    except comch.Again:
        return False
    return True


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("wrong", [None, 3, "peer"])
def test_a_server_disconnects_nobody_else(world: World, one_sided: bool, wrong: Any) -> None:
    server = world.server(one_sided=one_sided)
    with pytest.raises(comch.NotConnected if one_sided and wrong is None else comch.InvalidValue):
        server.disconnect(wrong)


def test_one_sided_is_nothing_to_callbacks(world: World) -> None:
    server = world.server()
    client = world.keep(comch.Client(world.host, NAME, one_sided=True))
    client.task_send_set_conf(ignore, ignore, 4)
    client.event_msg_recv_register(ignore)
    for _ in range(2):
        client.start()
        until(lambda: not received(server) and client.state is State.RUNNING, client.engine)
        client.stop()
        until(lambda: client.state is State.IDLE, client.engine)
        client.max_msg_size = 4080


def test_a_one_sided_server_forgets_a_peer_once(world: World) -> None:
    server, client, connection = pair(world, one_sided=True)
    peer = introduce(connection, server)
    server.disconnect(peer)
    with pytest.raises(comch.NotConnected):
        server.disconnect(peer)
    assert client.state in (State.RUNNING, State.IDLE)


def test_on_lost_is_for_its_loop_only(world: World) -> None:
    server, client, connection = pair(world)
    connection.send(b"x")
    lost: list[Any] = []
    loop = server.messages(on_lost=lambda *news: lost.append(news))
    assert next(loop).data == b"x"
    loop.close()
    client.disconnect()
    with pytest.raises(comch.TimeOut):
        server.receive(timeout=0.05)
    assert lost == []


def test_asyncio_on_lost_is_for_its_loop_only(world: World) -> None:
    from comch_next import aio

    lost: list[Any] = []

    async def talk(go_on: asyncio.Event) -> None:
        async with aio.connect(world.host, NAME) as client:
            await client.send(b"x")
            await go_on.wait()

    async def serve() -> None:
        go_on = asyncio.Event()
        async with aio.serve(world.dpu, world.rep, NAME) as server:
            talking = asyncio.ensure_future(talk(go_on))
            loop = server.messages(on_lost=lambda *news: lost.append(news))
            assert (await anext(loop)).data == b"x"
            await loop.aclose()
            go_on.set()
            await talking
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(server.receive(), 0.05)

    asyncio.run(asyncio.wait_for(serve(), SOON_S))
    assert lost == []


def test_a_start_that_fails_is_the_reason(world: World) -> None:
    server = world.keep(comch.Server(world.dpu, world.rep, NAME))
    server.event_msg_recv_register(print)
    other = world.keep(comch.Client(world.host, OTHER_NAME, engine=server.engine))
    with pytest.raises(comch.BadConfig):
        server.__enter__()
    other.close()


def test_what_was_set_before_is_checked_when_the_device_is_known(world: World) -> None:
    client = world.keep(comch.Client())
    client.max_msg_size = 10**9
    with pytest.raises(comch.InvalidValue, match="max_msg_size"):
        client.device = world.host
    assert client.device is None
    client.max_msg_size = 64
    client.device = world.host
    with pytest.raises(comch.InvalidValue, match="task_send_set_conf"):
        client.task_send_set_conf(ignore, ignore, -5)


def test_an_engine_of_its_own_before_the_device(world: World) -> None:
    client = world.keep(comch.Client())
    engine = client.engine
    client.configure(device=world.host, name=NAME)
    assert client.engine is engine


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("how", ["disconnect", "stop"])
def test_a_receive_in_another_thread_hears_of_the_end(
    world: World, form: str, monkeypatch: pytest.MonkeyPatch, one_sided: bool, how: str
) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    _, client, _ = pair(world, one_sided=one_sided)
    answers: list[Any] = []

    def receive() -> None:
        try:
            client.receive()
        except comch.DocaError as error:
            answers.append(type(error))

    thread = threading.Thread(target=receive, daemon=True)
    thread.start()
    getattr(client, how)()
    until(lambda: client.state is State.IDLE, client.engine)
    thread.join(SOON_S)
    assert answers == [comch.NotConnected]


def test_misspelled_settings_of_an_engine_are_refused() -> None:
    with comch.ProgressEngine() as engine:
        with pytest.raises(AttributeError, match="max_events"):
            engine.max_event = 1
