"""Connections: how they come, and how they end."""

from __future__ import annotations

from typing import Any

import pytest

import comch_next as comch
from comch_next import ErrorCode, State
from tests.inside import inside
from tests.processes import SOON_S, StartPython
from tests.pull.support import PEER, Stage, ready, until


def test_accept_hands_out_each_connection_once(stage: Stage, form: str) -> None:
    server = stage.server(form)
    server.context.start()
    assert server.accept() is None
    clients = [stage.client("driver") for _ in range(3)]
    for client in clients:
        client.context.start()
    accepted = [until(server.accept) for _ in clients]
    assert len(set(accepted)) == 3
    assert all(connection.server is server.context for connection in accepted)
    assert server.accept() is None
    assert server.pending == 0
    mine = {client: client.context.connection for client in clients}  # type: ignore[attr-defined]
    until(lambda: all(client.status(mine[client]) == ErrorCode.SUCCESS for client in clients))


@pytest.mark.parametrize("one_sided", [False, True])
def test_a_client_that_goes_just_before_it_is_accepted(stage: Stage, one_sided: bool) -> None:
    """What has been made of its socket is forgotten: the next client's has the same number."""
    server = stage.server("driver", one_sided=one_sided)  # the other form accepts by itself
    server.context.start()
    assert {server.send_fd, server.recv_fd}
    first = stage.client("driver", one_sided=one_sided)
    first.context.start()
    until(lambda: server.pending)
    first.context.close()
    comch.outcome(server.accept)
    _, second = stage.meet(server, stage.client("driver", one_sided=one_sided))
    assert second.send(b"x")
    assert until(server.receive)[0] == b"x"


def test_nobody_listens(stage: Stage, form: str) -> None:
    client = stage.client(form)
    client.context.start()
    connection = client.context.connection  # type: ignore[attr-defined]
    assert until(lambda: client.status(connection) == ErrorCode.CONNECTION_ABORTED)
    with pytest.raises(comch.ConnectionAborted):
        connection.update_info()
    with pytest.raises(comch.ConnectionAborted):
        client.send(connection, b"x")
    assert until(lambda: client.context.engine.progress() or client.context.state is State.IDLE)
    assert client.receive() is None


def test_a_one_sided_port_reports_a_connection_that_never_came_up(stage: Stage, form: str) -> None:
    client = stage.client(form, one_sided=True)
    context: Any = client.context

    def refused() -> comch.Connection:
        context.start()
        connection: comch.Connection = context.connection
        assert until(lambda: client.status(connection) == ErrorCode.CONNECTION_ABORTED)
        assert until(lambda: context.engine.progress() or context.state is State.IDLE)
        return connection

    first = refused()
    with pytest.raises(comch.ConnectionReset) as caught:
        client.receive()
    assert caught.value.connection is first
    assert client.receive() is None
    context.disconnect()
    refused()
    context.disconnect()
    second = refused()
    with pytest.raises(comch.ConnectionReset) as caught:  # of the last attempt only
        client.receive()
    assert caught.value.connection is second
    assert client.receive() is None


def test_a_client_that_left_is_reported_once_after_its_messages(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    _, other = stage.meet(server.port, stage.client("driver"))
    for number in range(3):
        assert client.send(b"%d" % number)
    until(lambda: client.port.in_flight(client.connection) == 0)
    client.context.close()
    assert [server.receive() for _ in range(3)] == [b"0", b"1", b"2"]
    with pytest.raises(comch.Shutdown) as told:
        until(server.port.receive)
    assert told.value.connection is server.connection
    assert server.port.receive() is None
    assert server.port.status(server.connection) == ErrorCode.SHUTDOWN
    with pytest.raises(comch.Shutdown):
        server.send(b"x")
    with pytest.raises(comch.ConnectionAborted):
        server.connection.update_info()
    assert other.send(b"still here")
    assert until(server.port.receive)[0] == b"still here"


def test_a_client_that_died_is_reported_once_after_its_messages(
    stage: Stage, form: str, start_python: StartPython
) -> None:
    server = stage.server(form)
    server.context.start()
    peer = start_python("-c", PEER)
    connection = until(server.accept)
    peer.say("send last words\ndie\n")
    assert until(server.receive)[0] == b"last words"
    with pytest.raises(comch.ConnectionReset) as told:
        until(server.receive)
    assert told.value.connection is connection
    assert server.receive() is None
    assert server.status(connection) == ErrorCode.CONNECTION_RESET
    with pytest.raises(comch.ConnectionReset):
        server.send(connection, b"x")


def test_a_server_that_left_is_reported_once_after_its_messages(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server("driver"), stage.client(form))
    assert server.send(b"bye")
    server.context.close()
    assert client.receive() == b"bye"
    with pytest.raises(comch.Shutdown) as told:
        until(client.port.receive)
    assert told.value.connection is client.connection
    assert client.port.receive() is None
    assert client.port.status(client.connection) == ErrorCode.SHUTDOWN
    with pytest.raises(comch.Shutdown):
        client.send(b"x")


def test_a_server_that_died_is_reported_once(stage: Stage, form: str, start_python: StartPython) -> None:
    code = (
        "import os, signal, comch_next as comch\n"
        'with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as server:\n'
        '    print("up", flush=True)\n'
        "    server.receive(timeout=60).reply(b'last words')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    start_python("-c", code).wait_for("up")
    client = stage.client(form)
    connection = client.context.connect(timeout=SOON_S)  # type: ignore[attr-defined]
    assert client.send(connection, b"die")
    assert until(client.receive)[0] == b"last words"
    with pytest.raises(comch.ConnectionReset) as told:
        until(client.receive)
    assert told.value.connection is connection
    assert client.receive() is None
    assert client.status(connection) == ErrorCode.CONNECTION_RESET


def test_what_is_in_flight_fails_when_the_other_side_ends(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=4)
    server, end = stage.meet(stage.server("driver", recv_queue_size=2), client)
    while end.send(b"."):
        pass
    assert client.in_flight(end.connection) == 4
    server.context.close()
    until(lambda: client.status(end.connection) == ErrorCode.SHUTDOWN)
    assert client.in_flight(end.connection) == 0
    assert client.failed(end.connection) == 4


def test_own_disconnect_of_a_client_and_another_life(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server("driver"), stage.client(form))
    assert server.send(b"never read")
    until(lambda: server.port.in_flight(server.connection) == 0)
    client.context.disconnect()
    assert client.port.status(client.connection) == ErrorCode.NOT_CONNECTED
    assert client.port.receive() is None
    with pytest.raises(comch.NotConnected):
        client.send(b"x")
    with pytest.raises(comch.Shutdown):
        until(server.port.receive)
    server, again = stage.meet(server.port, client.port)
    assert again.connection is not client.connection
    assert again.send(b"second life")
    assert server.receive() == b"second life"
    with pytest.raises(comch.NotConnected):
        client.send(b"x")


def test_own_disconnect_of_one_client_by_its_server(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    kept, other = stage.meet(server.port, stage.client("driver"))
    assert client.send(b"never read")
    assert other.send(b"read")
    until(lambda: other.port.in_flight(other.connection) == 0)
    server.context.disconnect(server.connection)
    assert server.port.status(server.connection) == ErrorCode.NOT_CONNECTED
    assert until(server.port.receive) == (b"read", kept.connection)
    assert server.port.receive() is None
    with pytest.raises(comch.NotConnected):
        server.send(b"x")
    with pytest.raises(comch.Shutdown):
        until(client.port.receive)
    with pytest.raises(comch.InvalidValue):
        server.context.disconnect(server.connection)


def test_a_lost_connection_may_be_dropped_unread(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    assert client.send(b"never read")
    client.context.close()
    until(lambda: server.port.status(server.connection) == ErrorCode.SHUTDOWN)
    server.context.disconnect(server.connection)
    assert server.port.receive() is None


def test_stopping_a_server_ends_every_connection(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    assert client.send(b"never read")
    server.context.stop()
    until(lambda: server.context.engine.progress() or server.context.state is State.IDLE)
    until(lambda: server.context.state is State.IDLE)
    assert server.port.receive() is None
    assert server.port.status(server.connection) == ErrorCode.NOT_CONNECTED
    with pytest.raises(comch.Shutdown):
        until(client.port.receive)
    server, client = stage.meet(server.port, client.port)
    assert client.send(b"again")
    assert server.receive() == b"again"


@pytest.mark.parametrize("one_sided", [False, True])
def test_a_servers_next_life_has_nothing_of_the_one_before(stage: Stage, form: str, one_sided: bool) -> None:
    server, client = stage.meet(stage.server(form, one_sided=one_sided), stage.client("driver"))
    port, waiting = server.port, stage.client("driver")
    assert client.send(b"never read")
    client.context.close()
    until(lambda: port._port.get_status(server.connection._handle) == ErrorCode.SHUTDOWN)
    waiting.context.start()
    until(lambda: port.pending or port.connections)  # one that nobody accepts
    server.context.stop()
    until(lambda: server.context.engine.progress() or server.context.state is State.IDLE)
    server.context.start()
    assert port.receive() is None
    port.arm_recv()
    assert not ready(port.recv_fd)
    assert port.accept() is None


@pytest.mark.parametrize("one_sided", [False, True])
def test_of_connections_that_ended_while_the_queue_was_full_nothing_is_kept(stage: Stage, one_sided: bool) -> None:
    """Whoever waits to send there is woken all the same."""
    server = stage.server("driver", one_sided=one_sided)
    server.context.start()
    for _ in range(3):
        mine, theirs = stage.meet(server, stage.client("driver"))
        until(lambda mine=mine: not mine.send(b"x"))  # type: ignore[misc]
        inside(theirs.connection).lose(ErrorCode.CONNECTION_RESET, "a death")  # without a word
        with pytest.raises(comch.ConnectionReset):
            until(server.receive)
        server.arm_send()
        assert ready(server.send_fd)
    port: Any = server._port
    assert not port.sends.blocked


def test_the_status_after_the_close(stage: Stage, form: str) -> None:
    """It stays known when the context has taken its port and engine with it."""
    server, _ = stage.pair(form, PEER)
    server.context.close()
    assert server.port.status(server.connection) == ErrorCode.NOT_CONNECTED
    assert server.port.in_flight(server.connection) == 0
