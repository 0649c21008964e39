"""Made in one thread and used in others; many lives of one context; what stands between two lives."""

from __future__ import annotations

import gc
import select
import threading
from functools import partial
from typing import Any

import pytest

from tests.orders.support import (
    HOST,
    NAME,
    OTHER_NAME,
    SOON_S,
    STILL_S,
    World,
    accepts,
    comch,
    connect,
    introduce,
    open_descriptors,
    until,
    wait_readable,
)

NUMBER = 200  # messages each way


def in_thread(call: Any, *arguments: Any) -> Any:
    """Run a call in a thread of its own and return what it returned, or raise what it raised."""
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((call(*arguments), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(SOON_S)
    assert outcome, "the call did not return"
    value, error = outcome[0]
    if error is not None:
        raise error
    return value


def test_each_step_in_a_thread_of_its_own(world: World) -> None:
    server = world.server()
    client = world.keep(in_thread(comch.Client))
    in_thread(setattr, client, "device", world.host)
    in_thread(setattr, client, "max_msg_size", 1000)
    connection = in_thread(lambda: client.connect(NAME, timeout=0))
    until(lambda: accepts(server, connection))
    in_thread(client.send_to, b"x", connection)
    assert in_thread(lambda: server.receive(timeout=SOON_S)).data == b"x"
    in_thread(client.disconnect)


class Endpoint:
    """A context that two threads share under a lock, each asleep on its own descriptor."""

    def __init__(self, context: Any, connection: Any) -> None:
        self.context = context
        self.connection = connection
        self.lock = threading.Lock()
        self.received: list[bytes] = []
        self.errors: list[BaseException] = []

    def send_all(self) -> None:
        for number in range(NUMBER):
            self.retry(self.context.arm_send, self.context.send_fd, lambda number=number: self.send(b"%d" % number))

    def send(self, data: bytes) -> None:
        self.context.send_to(data, self.connection, timeout=0)

    def receive_all(self) -> None:
        while len(self.received) < NUMBER:
            self.retry(self.context.arm_recv, self.context.recv_fd, self.receive)

    def receive(self) -> None:
        self.received.append(self.context.receive(timeout=0).data)

    def retry(self, arm: Any, fd: int, call: Any) -> None:
        while True:
            with self.lock:
                try:
                    return call()  # type: ignore[no-any-return]
                except comch.Again:
                    arm()
            assert wait_readable(fd, SOON_S), "nothing has woken this thread"

    def threads(self) -> list[threading.Thread]:
        return [
            threading.Thread(target=self.guard, args=(work,), daemon=True) for work in (self.send_all, self.receive_all)
        ]

    def guard(self, work: Any) -> None:
        try:
            work()
        except BaseException as error:
            self.errors.append(error)


@pytest.mark.parametrize("one_sided", [False, True])
@pytest.mark.parametrize("made_as", ["Client", "Channel"])
def test_two_threads_share_a_context(world: World, one_sided: bool, made_as: str) -> None:
    sizes: dict[str, Any] = {"recv_queue_size": 8, "send_queue_size": 8, "one_sided": one_sided}
    server = world.server(**sizes)
    client = world.keep(getattr(comch, made_as)(**sizes))
    client.device = world.host
    connection = connect(client, server)
    peer = introduce(connection, server)
    ends = [Endpoint(client, connection), Endpoint(server, peer)]
    threads = [thread for end in ends for thread in end.threads()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON_S)
    assert [end.errors for end in ends] == [[], []]
    for end in ends:
        assert end.received == [b"%d" % number for number in range(NUMBER)]


def test_many_lives_of_one_client(world: World) -> None:
    servers = {name: world.server(name) for name in (NAME, OTHER_NAME)}
    client = world.client()
    fds = None
    opened = 0
    for life in range(30):
        name = (NAME, OTHER_NAME)[life % 2]
        client.recv_queue_size = 4 + life
        connection = client.connect(name, timeout=0)
        until(partial(accepts, servers[name], connection))
        client.send_to(b"%d" % life, connection, timeout=SOON_S)
        assert servers[name].receive(timeout=SOON_S).data == b"%d" % life
        assert fds in (None, (client.send_fd, client.recv_fd))
        fds = client.send_fd, client.recv_fd
        client.disconnect(connection)
        until(partial(accepts_nothing, servers))
        opened = opened if life else len(open_descriptors())
    assert len(open_descriptors()) <= opened + 2, "descriptors leak from life to life"


def accepts_nothing(servers: dict[str, Any]) -> bool:
    for server in servers.values():
        try:
            server.receive(timeout=0)
        except (comch.Again, comch.Shutdown, comch.ConnectionReset):
            continue
        return False
    return True


def test_many_lives_of_one_server(world: World) -> None:
    """Design silent on the call that ends a life of a server: `stop`, and progress until IDLE."""
    server = world.keep(comch.Server(world.dpu, world.rep))
    for name in (NAME, OTHER_NAME, NAME):
        server.listen(name)
        client = world.client()
        introduce(connect(client, server, name), server)
        client.close()
        server.stop()
        until(lambda: server.state is comch.State.IDLE, server.engine)
        with pytest.raises(comch.ConnectionAborted):
            world.client().connect(name)


def test_between_two_lives_the_descriptors_are_silent(world: World) -> None:
    """Design silent: nothing can come, so nothing wakes a thread that still sleeps on them."""
    server, client = world.server(), world.client()
    introduce(connect(client, server), server)
    with select.epoll() as poller:
        for fd in (client.send_fd, client.recv_fd):
            poller.register(fd, select.EPOLLIN)
        client.disconnect()
        for _ in range(3):
            poller.poll(0)
        client.device = world.host
        first = poller.poll(STILL_S)
        assert poller.poll(STILL_S) == first  # at most what was ready before, and no stream of events


def test_a_message_of_a_former_life_is_not_read_in_the_next(world: World) -> None:
    first, second = world.server(), world.server(OTHER_NAME)
    client = world.client()
    peer = introduce(connect(client, first), first)
    peer.send(b"former life", timeout=SOON_S)
    until(lambda: peer.in_flight == 0)
    client.disconnect()
    fresh = introduce(connect(client, second, OTHER_NAME), second)
    fresh.send(b"this life", timeout=SOON_S)
    assert client.receive(timeout=SOON_S).data == b"this life"


def test_a_context_that_is_forgotten_leaves_nothing() -> None:
    """Nothing was called that needs the library's context, so none holds the device."""
    gc.collect()  # what an earlier test has left is none of this one's
    before = open_descriptors()
    device = comch.open_device(HOST)
    for _ in range(20):
        client = comch.Client(device=device, name=NAME)
        client.max_msg_size = 100
        del client
    gc.collect()
    device.close()
    assert open_descriptors() == before


def test_close_wakes_nobody_into_an_error(world: World) -> None:
    """A thread sleeps on a copy of the descriptor while the context is closed: it ends by its own time-out."""
    world.server()
    client = world.client()
    client.connect(NAME, timeout=0)
    poller = select.epoll()
    poller.register(client.recv_fd, select.EPOLLIN)
    outcome: list[Any] = []
    thread = threading.Thread(target=lambda: outcome.append(poller.poll(STILL_S)), daemon=True)
    thread.start()
    client.close()
    thread.join(SOON_S)
    poller.close()
    assert len(outcome) == 1


def test_connect_from_several_clients_at_once(world: World) -> None:
    server = world.server()
    clients = [world.client() for _ in range(8)]
    connections = [client.connect(NAME, timeout=0) for client in clients]
    for connection in connections:
        until(partial(accepts, server, connection))
    for number, (client, connection) in enumerate(zip(clients, connections, strict=True)):
        client.send_to(b"%d" % number, connection)
    assert [server.receive(timeout=SOON_S).data for _ in clients] == [b"%d" % number for number in range(8)]
