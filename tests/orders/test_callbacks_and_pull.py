"""Callbacks and pulling do not mix in silence: refused, or both served, but no callback is swallowed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.orders.support import (
    NAME,
    SOON_S,
    World,
    accepts,
    comch,
    ignore,
    receives_nothing,
    register,
    until,
)
from tests.sleeps import takes_at_most

State = comch.State
REFUSED = (comch.BadState, comch.BadConfig, comch.NotPermitted)


def is_refused(call: Callable[[], object]) -> bool:
    """Whether the call was refused; the design allows both."""
    try:
        call()
    except REFUSED:
        return True
    return False


def refusal(call: Callable[[], object]) -> str:
    """The words of the refusal, none when the call was served."""
    try:
        call()
    except REFUSED as error:
        return str(error)
    return ""


def registered_server(world: World) -> tuple[Any, list[bytes], list[bool]]:
    server = world.keep(comch.Server(world.dpu, world.rep, NAME))
    inbox: list[bytes] = []
    came: list[bool] = []
    register(server, lambda connection, data: inbox.append(data))
    server.event_connection_status_changed_register(lambda connection, ok: came.append(ok), ignore)
    return server, inbox, came


def registered_client(world: World) -> tuple[Any, list[bytes]]:
    client = world.keep(comch.Client(world.host, NAME))
    inbox: list[bytes] = []
    register(client, lambda connection, data: inbox.append(data))
    return client, inbox


def serves_by_callbacks(world: World, server: Any, inbox: list[bytes], came: list[bool]) -> None:
    client = world.client()
    connection = client.connect(NAME, timeout=0)

    def is_up() -> bool:
        server.engine.progress()
        try:
            connection.update_info()
        except comch.ConnectionInprogress:
            return False
        return True

    until(is_up)
    connection.send(b"for the callback", timeout=SOON_S)
    until(lambda: inbox, server.engine)
    assert (inbox, came) == ([b"for the callback"], [True])


@pytest.mark.parametrize("way", ["with", "listen"])
def test_a_server_with_callbacks(world: World, way: str) -> None:
    server, inbox, came = registered_server(world)
    if is_refused(server.__enter__ if way == "with" else server.listen):
        assert server.state is State.IDLE
        server.start()
    serves_by_callbacks(world, server, inbox, came)


@pytest.mark.parametrize("way", ["with", "connect"])
def test_a_client_with_callbacks(world: World, way: str) -> None:
    server = world.server()
    client, inbox = registered_client(world)
    accepted = threading.Event()

    def accept() -> None:
        while not accepted.is_set():
            receives_nothing(server)

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        if is_refused(client.__enter__ if way == "with" else lambda: client.connect(timeout=SOON_S)):
            assert client.state is State.IDLE
            client.start()
        until(lambda: client.state is State.RUNNING, client.engine)
    finally:
        accepted.set()
        accepting.join(SOON_S)
    client.task_send_alloc_init(client.connection, b"who").submit()
    receive_while_turning(server, client.engine).reply(b"for the callback")
    until(lambda: inbox, client.engine)
    assert inbox == [b"for the callback"]


def receive_while_turning(server: Any, engine: Any) -> Any:
    found: list[Any] = []

    def receives() -> bool:
        try:
            found.append(server.receive(timeout=0))
        except comch.Again:
            return False
        return True

    until(receives, engine)
    return found[0]


def test_a_refusal_names_the_callbacks(world: World) -> None:
    """Design silent on the words: the message has to say what is in the way."""
    for call in (registered_server(world)[0].listen, partial(registered_client(world)[0].connect, timeout=0)):
        words = refusal(call)
        assert not words or "callback" in words or "register" in words


def test_receive_with_callbacks_is_refused_or_leaves_them_their_messages(world: World) -> None:
    server, inbox, _ = registered_server(world)
    server.start()
    with pytest.raises((*REFUSED, comch.Again, comch.TimeOut)), takes_at_most(2):
        server.receive(timeout=0.05)
    client = world.client()
    connection = client.connect(NAME, timeout=0)
    until(lambda: is_up_by(server, connection))
    connection.send(b"for the callback", timeout=SOON_S)
    pulled = []

    def arrived() -> bool:
        server.engine.progress()
        try:
            pulled.append(server.receive(timeout=0).data)
        except (*REFUSED, comch.Again):
            pass
        return bool(inbox or pulled)

    until(arrived)
    assert inbox == [b"for the callback"], "a receive took what a callback was registered for"


def is_up_by(server: Any, connection: Any) -> bool:
    server.engine.progress()
    try:
        connection.update_info()
    except comch.ConnectionInprogress:
        return False
    return True


def test_iteration_with_callbacks_does_not_swallow(world: World) -> None:
    server, inbox, _ = registered_server(world)
    server.start()
    client = world.client()
    connection = client.connect(NAME, timeout=0)
    until(lambda: is_up_by(server, connection))
    connection.send(b"for the callback", timeout=SOON_S)
    assert is_refused(lambda: next(iter(server))) or inbox == [b"for the callback"]
    until(lambda: inbox, server.engine)


def test_registering_after_listen_is_refused(world: World) -> None:
    server = world.server()
    with pytest.raises(comch.BadState):
        server.event_msg_recv_register(ignore)
    client = world.client()
    connection = client.connect(NAME, timeout=0)
    until(lambda: accepts(server, connection))
    with pytest.raises(comch.BadState):
        client.task_send_set_conf(ignore, ignore, 4)


def test_a_server_that_was_pulled_from_may_have_callbacks_in_its_next_life(world: World) -> None:
    """As the refusal says."""
    server, came = world.server(), list[bytes]()
    server.stop()
    until(lambda: server.state is State.IDLE, server.engine)
    with pytest.raises(comch.BadState, match=r"or after port\.close\(\) while IDLE"):
        server.event_msg_recv_register(ignore)
    server.port.close()
    register(server, lambda _, data: came.append(data))
    server.listen()
    client = world.client()
    connection = client.connect(NAME, timeout=0)
    until(lambda: client.state is State.RUNNING, server.engine, client.engine)
    connection.send(b"for the callback")
    until(lambda: came, server.engine)
    assert came == [b"for the callback"]


@pytest.mark.parametrize("register_one", ["message", "tasks"])
def test_half_registered_is_not_silently_completed(world: World, register_one: str) -> None:
    """One mandatory callback of several: the rest may be filled in only if this one still runs."""
    world.server()
    client = world.keep(comch.Client(world.host, NAME))
    if register_one == "message":
        client.event_msg_recv_register(ignore)
    else:
        client.task_send_set_conf(ignore, ignore, 4)
    with pytest.raises(comch.BadConfig):
        client.start()


def test_a_state_callback_alone_does_not_stand_in_the_way(world: World) -> None:
    """Design silent: watching the states takes no message from anybody."""
    states: list[Any] = []
    server = world.server()
    client = world.client()
    client.name = NAME
    client.set_state_changed_cb(lambda context, old, new: states.append(new))
    connection = client.connect(timeout=0)
    until(lambda: accepts(server, connection))
    client.disconnect()
    assert State.RUNNING in states
    assert states[-1] is State.IDLE
