"""An exception of the program wins: the end of a block gives back what it can and lets it through."""

# ruff: noqa: PT012 - blocks that raise are what is tested

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any

import pytest

from tests.orders.support import NAME, SOON_S, World, comch, connect, fill, ignore, introduce, until
from tests.sleeps import takes_at_most


class Mishap(Exception):
    """What a program raises."""


def notes(error: BaseException) -> list[str]:
    """PEP 678, from Python 3.11 on; before that the attribute is looked for all the same."""
    return list(getattr(error, "__notes__", []))


def test_out_of_a_server(world: World) -> None:
    with pytest.raises(Mishap, match="body") as caught, takes_at_most(1):
        with comch.Server(world.dpu, world.rep, NAME) as server:
            client = world.client()
            introduce(connect(client, server), server)
            raise Mishap("body")
    assert caught.value.__context__ is None
    world.server()  # the name is free again


def test_out_of_a_client(world: World) -> None:
    server, client = world.server(), world.client()
    connection = connect(client, server)
    with pytest.raises(Mishap, match="body"), takes_at_most(1):
        with entered(client):
            connection.send(b"x")
            raise Mishap("body")
    assert server.receive(timeout=SOON_S).data == b"x"


def test_out_of_a_client_with_messages_in_flight(world: World) -> None:
    server = world.server(recv_queue_size=2, send_queue_size=2)
    client = world.client(name=NAME, recv_queue_size=2, send_queue_size=2)
    connection = connect(client, server)
    with pytest.raises(Mishap), takes_at_most(1):
        with entered(client):
            fill(connection)
            raise Mishap("body")


class entered:  # noqa: N801 - stands for the context itself
    """A block around a context that is connected already."""

    def __init__(self, context: Any) -> None:
        self.context = context

    def __enter__(self) -> Any:
        return self.context

    def __exit__(self, *exc: Any) -> Any:
        return self.context.__exit__(*exc)


def leave_with_a_consumer(world: World, body: BaseException | None) -> None:
    """Leave the block of a client while a consumer lives on its connection: it cannot be stopped."""
    server, client = world.keep(comch.Server(world.dpu, world.rep, NAME)), world.client()
    client.name = NAME
    for context in (server, client):
        context.event_consumer_register(ignore, ignore)
    server.listen()
    connection = connect(client, server)
    mmap = comch.Mmap(world.host, 4096, comch.AccessFlag.PCI_READ_WRITE)
    mmap.start()
    consumer = world.keep(comch.Consumer(connection, mmap))
    consumer.task_post_recv_set_conf(ignore, ignore, 2)
    consumer.start()
    try:
        with entered(client):
            if body is not None:
                raise body
    finally:
        consumer.close()
        mmap.destroy()


def test_what_cannot_be_given_back_is_a_note(world: World) -> None:
    error = Mishap("body")
    with pytest.raises(Mishap, match="body") as caught, takes_at_most(2):
        leave_with_a_consumer(world, error)
    assert caught.value is error
    if sys.version_info >= (3, 11):
        assert notes(error)  # design silent on its words


def test_without_an_exception_the_failure_is_raised(world: World) -> None:
    with pytest.raises(comch.InUse), takes_at_most(8):
        leave_with_a_consumer(world, None)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_exceptions_that_are_no_errors(world: World, error: type[BaseException]) -> None:
    with pytest.raises(error), takes_at_most(1):
        with comch.Server(world.dpu, world.rep, NAME):
            raise error()
    world.server()


def test_a_doca_error_of_the_body_comes_through(world: World) -> None:
    with pytest.raises(comch.NotFound, match="of the body"), takes_at_most(1):
        with comch.Server(world.dpu, world.rep, NAME):
            raise comch.NotFound("of the body")


def test_the_body_has_closed_already(world: World) -> None:
    with pytest.raises(Mishap), takes_at_most(1):
        with comch.Server(world.dpu, world.rep, NAME) as server:
            server.close()
            raise Mishap("body")


def test_nested_blocks(world: World) -> None:
    with pytest.raises(Mishap) as caught, takes_at_most(2):
        with comch.Server(world.dpu, world.rep, NAME) as server:
            with entered(world.client()) as client:
                introduce(connect(client, server), server)
                raise Mishap("body")
    assert caught.value.__cause__ is None


def test_a_callback_that_raises_inside_a_block(world: World) -> None:
    """It comes out of progress, and from there through the block."""

    def raises(*_: object) -> None:
        raise Mishap("callback")

    engine = comch.ProgressEngine()
    server = comch.Server(world.dpu, world.rep, NAME)
    engine.connect_ctx(server)
    server.task_send_set_conf(ignore, ignore, 4)
    server.event_msg_recv_register(ignore)
    server.event_connection_status_changed_register(raises, ignore)
    with pytest.raises(Mishap, match="callback"), takes_at_most(5):
        with entered(server):
            server.start()
            client = world.client()
            client.connect(NAME, timeout=0)
            while True:
                engine.progress()
    engine.destroy()


class Wordless(Exception):
    """What a program's callback raises, and what says nothing of itself."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize("notes", [None, ("of the program",)])
def test_what_cannot_be_noted_is_not(world: World, notes: object) -> None:
    """Neither exceptions without words nor notes that are no list come before the program's own exception."""

    def raises(_: object, __: object, new: object) -> None:
        if new is comch.State.IDLE:
            raise Wordless

    error = Mishap("body")
    if notes is not None:
        vars(error)["__notes__"] = notes
    server = comch.Server(world.dpu, world.rep, NAME)
    server.set_state_changed_cb(raises)
    with pytest.raises(Mishap) as caught, server:
        raise error
    assert caught.value is error
    assert getattr(error, "__notes__", None) == (notes or ["while it was in flight, closing raised Wordless"])
    world.server()  # the name is free again


def test_out_of_the_asyncio_blocks(world: World) -> None:
    from comch_next import aio

    async def run() -> None:
        async with aio.serve(world.dpu, world.rep, NAME) as server:
            receiving = asyncio.ensure_future(server.receive())
            async with aio.connect(world.host, NAME) as client:
                await client.send(b"x")
                await receiving
                raise Mishap("body")

    with pytest.raises(Mishap, match="body"), takes_at_most(3):
        asyncio.run(run())
    world.server()


def test_an_engine_that_is_in_use(world: World) -> None:
    with pytest.raises(Mishap):
        with comch.ProgressEngine() as engine:
            client = comch.Client(world.host, NAME, engine=engine)
            raise Mishap("body")
    client.destroy()
    engine.destroy()


class Holder:
    """A server with a client, and a task that the program takes and does not submit."""

    def __init__(self, world: World) -> None:
        self.came: list[Any] = []
        self.server = world.keep(comch.Server(world.dpu, world.rep, NAME))
        self.server.task_send_set_conf(ignore, ignore, 4)
        self.server.event_msg_recv_register(ignore)
        self.server.event_connection_status_changed_register(lambda peer, _: self.came.append(peer), ignore)
        self.client = world.client()

    def take(self) -> None:
        self.client.connect(NAME, timeout=0)
        until(lambda: self.came, self.server.engine, self.client.engine)
        self.task = self.server.task_send_alloc_init(self.came[0], b"x")


def test_a_held_task_is_taken_back_however_late_it_is(world: World) -> None:
    """A busy machine, or a callback, may hold the program up for longer than the end of a block waits."""
    holder = Holder(world)
    holder.server.set_state_changed_cb(lambda _, __, state: time.sleep(0.2) if state is comch.State.STOPPING else None)
    with pytest.raises(Mishap) as caught, holder.server:
        holder.take()
        raise Mishap("body")
    assert notes(caught.value) == []
    assert holder.server.state is comch.State.IDLE
    world.server()  # the name is free again


def test_the_end_of_a_block_waits_a_moment_only(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """For what never comes."""
    holder = Holder(world)
    with pytest.raises(Mishap) as caught, takes_at_most(2), monkeypatch.context() as patches:
        patches.setattr(type(holder.server._contexts), "take_back_tasks", ignore)
        with holder.server:
            holder.take()
            raise Mishap("body")
    assert holder.server.state is comch.State.STOPPING
    if sys.version_info >= (3, 11):
        assert any("STOPPING after 0.1 s" in note for note in notes(caught.value))
