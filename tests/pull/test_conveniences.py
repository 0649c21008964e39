"""listen, connect, receive, send and flush stand on either form of the port."""

from __future__ import annotations

import threading

import pytest

import comch_next as comch
from comch_next import State
from tests.processes import SOON_S
from tests.pull.support import Stage, helpers_rest, ready, until
from tests.sleeps import counted_sleeps


@pytest.fixture
def ends(stage: Stage, form: str) -> tuple[comch.Server, comch.Client]:
    """A server that listens and a client that may connect, both of the form."""
    server, client = stage.server(form).context, stage.client(form).context
    assert isinstance(server, comch.Server)
    assert isinstance(client, comch.Client)
    server.listen()
    return server, client


def connect(server: comch.Server, client: comch.Client) -> comch.Connection:
    """Up, with a server that receives meanwhile."""
    connection = client.connect(timeout=0)

    def up() -> bool:
        with pytest.raises(comch.Again):
            server.receive(timeout=0)
        return comch.outcome(connection.update_info)[0] == comch.ErrorCode.SUCCESS

    until(up)
    return connection


def test_a_request_and_its_reply(ends: tuple[comch.Server, comch.Client]) -> None:
    server, client = ends
    connection = connect(server, client)
    connection.send(b"question", timeout=SOON_S)
    message = server.receive(timeout=SOON_S)
    assert message.data == b"question"
    assert message.connection.server is server
    message.reply(b"answer", timeout=SOON_S)
    assert client.receive(timeout=SOON_S) == (b"answer", connection)
    assert connection.client is client


def test_messages_that_are_equal_have_one_hash(ends: tuple[comch.Server, comch.Client]) -> None:
    """However they were received."""
    server, client = ends
    connection = connect(server, client)
    for _ in range(2):
        connection.send(b"question", timeout=SOON_S)
    waited, found = server.receive(timeout=SOON_S), server.receive(timeout=0)
    assert hash(waited) == hash(found) == hash((b"question", found.connection))


def test_a_reply_to_a_client_that_was_disconnected(ends: tuple[comch.Server, comch.Client]) -> None:
    """The loop goes on, as with a client that has gone; on a server that has ended there is no loop any more."""
    server, client = ends
    connect(server, client).send(b"question", timeout=SOON_S)
    message = server.receive(timeout=SOON_S)
    server.disconnect(message.connection)
    assert message.reply(b"answer", timeout=SOON_S) is False
    server.stop()
    with pytest.raises(comch.NotConnected):
        message.reply(b"answer", timeout=SOON_S)


def test_connect_waits_for_a_server_in_another_thread(ends: tuple[comch.Server, comch.Client]) -> None:
    server, client = ends
    got: list[comch.Message] = []
    thread = threading.Thread(target=lambda: got.append(server.receive(timeout=SOON_S)))
    thread.start()
    connection = client.connect(timeout=SOON_S)
    assert client.state is State.RUNNING
    connection.send(b"x", timeout=SOON_S)
    thread.join()
    assert got[0].data == b"x"


def test_time_outs(ends: tuple[comch.Server, comch.Client]) -> None:
    server, client = ends
    connection = connect(server, client)
    with pytest.raises(comch.Again):
        client.receive(timeout=0)
    with counted_sleeps() as slept, pytest.raises(comch.TimeOut):
        client.receive(timeout=0.05)
    assert slept.seconds == pytest.approx(0.05)

    def send() -> bool:
        return comch.outcome(connection.send, bytes(4000), timeout=0)[0] == comch.ErrorCode.SUCCESS

    while send() or (until(helpers_rest) and send()):
        pass
    with pytest.raises(comch.Again):
        connection.send(b"x", timeout=0)
    with pytest.raises(comch.TimeOut):
        connection.send(b"x", timeout=0.05)
    with pytest.raises(comch.TimeOut):
        connection.flush(timeout=0.05)


def test_a_send_that_timed_out_keeps_no_other_awake(stage: Stage) -> None:
    server = stage.server("driver", send_queue_size=1)
    ends = [stage.meet(server, stage.client("driver", recv_queue_size=1)) for _ in range(2)]
    for end, _ in ends:
        while comch.outcome(end.connection.send, b".", timeout=0.02)[0] == comch.ErrorCode.SUCCESS:
            pass
    assert ends[0][1].receive()  # there is room for what timed out
    with counted_sleeps() as slept, pytest.raises(comch.TimeOut):
        ends[1][0].connection.send(b".", timeout=0.4)
    assert slept.seconds == pytest.approx(0.4)


def test_flush_waits_for_the_receiver(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=20)
    server, end = stage.meet(stage.server("driver", recv_queue_size=5), client)
    for number in range(25):
        end.connection.send(b"%d" % number, timeout=SOON_S)
    assert end.connection.in_flight == 20
    thread = threading.Thread(target=lambda: [server.receive() for _ in range(25)])
    thread.start()
    end.connection.flush(timeout=SOON_S)
    thread.join()
    assert end.connection.in_flight == 0


def test_send_waits_for_room(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=1)
    server, end = stage.meet(stage.server("driver", recv_queue_size=1), client)
    got: list[bytes] = []
    thread = threading.Thread(target=lambda: got.extend(server.receive() for _ in range(200)))
    thread.start()
    for number in range(200):
        end.connection.send(b"%d" % number, timeout=SOON_S)
    thread.join()
    assert got == [b"%d" % number for number in range(200)]


def test_send_sleeps_until_the_connection_is_up(stage: Stage, form: str) -> None:
    server, client = stage.server("driver"), stage.client(form)
    server.context.start()
    connection = client.context.connect(timeout=0)  # type: ignore[attr-defined]
    with counted_sleeps() as slept, pytest.raises(comch.TimeOut):
        connection.send(b"x", timeout=0.2)
    assert slept.seconds == pytest.approx(0.2)


def test_iteration_ends_when_the_server_leaves(ends: tuple[comch.Server, comch.Client]) -> None:
    server, client = ends
    connection = connect(server, client)
    connection.send(b"hello", timeout=SOON_S)
    message = server.receive(timeout=SOON_S)
    for number in range(3):
        message.reply(b"%d" % number, timeout=SOON_S)
    message.connection.flush(timeout=SOON_S)
    server.close()
    assert [each.data for each in client] == [b"0", b"1", b"2"]
    for _ in range(2):
        with pytest.raises(comch.Shutdown):
            client.receive(timeout=SOON_S)


def test_nobody_listens(stage: Stage, form: str) -> None:
    client = stage.client(form).context
    assert isinstance(client, comch.Client)
    for timeout in (0, SOON_S):
        with pytest.raises(comch.ConnectionAborted):
            client.connect(timeout=timeout)
        until(lambda: client.engine.progress() or client.state is State.IDLE)


def test_connect_gives_up_in_time(stage: Stage, form: str) -> None:
    server, client = stage.server("driver"), stage.client(form).context
    assert isinstance(client, comch.Client)
    server.context.start()
    with pytest.raises(comch.TimeOut):
        client.connect(timeout=0.05)
    assert client.state is State.IDLE


def test_disconnect_and_connect_again(ends: tuple[comch.Server, comch.Client]) -> None:
    server, client = ends
    for number in range(3):
        connection = connect(server, client)
        connection.send(b"%d" % number, timeout=SOON_S)
        assert server.receive(timeout=SOON_S).data == b"%d" % number
        client.disconnect()
        assert client.state is State.IDLE
        with pytest.raises(comch.NotConnected):
            connection.send(b"x")
    with pytest.raises(comch.BadState):
        client.disconnect()


def test_a_program_may_wait_in_its_own_poll(ends: tuple[comch.Server, comch.Client]) -> None:
    server, client = ends
    connection = connect(server, client)
    client.arm_send()
    assert not ready(client.send_fd), "nothing is in flight that could end"
    until(lambda: not _ready_after_arming(server))
    connection.send(b"x", timeout=SOON_S)
    assert ready(server.recv_fd, SOON_S)
    assert server.receive(timeout=0).data == b"x"


def _ready_after_arming(context: comch.Server) -> bool:
    context.arm_recv()
    return ready(context.recv_fd, 0.01)


@pytest.mark.parametrize("name", ["send_fd", "recv_fd"])
def test_a_context_that_is_not_up_has_no_descriptors(stage: Stage, name: str) -> None:
    client = comch.Client(stage.host, "svc")
    stage.contexts.append(client)
    with pytest.raises(comch.BadState, match="connect"):
        getattr(client, name)
    with pytest.raises(comch.BadState, match="connect"):
        getattr(client, f"arm_{name.removesuffix('_fd')}")()
