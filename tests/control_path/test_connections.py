"""Connections: how they come up, what both sides are told, and how they end."""

from __future__ import annotations

from typing import Any

import pytest

import comch_next as comch
from comch_next import (
    BadState,
    ConnectionAborted,
    ConnectionInprogress,
    Counter,
    InvalidValue,
    State,
)
from tests.control_path.pair import (
    IDLE,
    RUNNING,
    STARTING,
    STOPPING,
    Side,
    client,
    connect,
    ignore,
    leave,
    pair,
    server,
    until,
)
from tests.pull.support import ready


def settle(*sides: Side) -> None:
    """Progress until nothing moves any more."""
    while True:
        moved = [side.engine.progress() for side in sides]
        if not any(moved):
            return


def test_the_states_that_both_sides_go_through() -> None:
    there, here = server(), client()
    assert there.context.start() is RUNNING
    assert here.context.start() is STARTING
    until(lambda: here.state is RUNNING, there.engine, here.engine)
    assert here.context.stop() is STOPPING
    until(lambda: here.state is IDLE and there.down, there.engine, here.engine)
    assert there.context.stop() is IDLE, "nothing outstanding and no connection"
    assert here.states == [(IDLE, STARTING), (STARTING, RUNNING), (RUNNING, STOPPING), (STOPPING, IDLE)]
    assert there.states == [(IDLE, RUNNING), (RUNNING, IDLE)]
    leave(here, there)


def test_stop_with_clients_ends_through_progress() -> None:
    there, here = pair()
    assert there.context.stop() is STOPPING
    assert there.context.stop() is STOPPING, "a second stop changes nothing"
    until(lambda: there.state is IDLE, there.engine)
    until(lambda: here.state is IDLE, here.engine)
    assert here.states == [(IDLE, STARTING), (STARTING, RUNNING), (RUNNING, STOPPING), (STOPPING, IDLE)], (
        "the client falls when its server leaves"
    )
    assert [ok for _, ok in there.down] == [True]
    leave(here, there)


@pytest.mark.parametrize("stops", [1, 2, 5])
def test_stopping_again_and_again(stops: int) -> None:
    there, here = pair()
    held = here.task()
    for _ in range(stops):
        here.context.stop()
        there.context.stop()
    settle(here, there)
    assert (here.state, there.state) == (STOPPING, IDLE)
    here.context.stop()
    held.free()
    until(lambda: here.state is IDLE, here.engine)
    for side in (here, there):
        with pytest.raises(BadState, match="stop"):
            side.context.stop()
    leave(here, there)


def test_the_last_task_that_is_freed_wakes_a_program_that_stops() -> None:
    """Another thread may free it."""
    there, here = pair()
    held = here.task(), here.task()
    here.context.stop()
    settle(here)
    here.engine.request_notification()
    assert not ready(here.engine.fileno())
    for task in held:
        task.free()
    assert ready(here.engine.fileno())
    here.engine.clear_notification()
    until(lambda: here.state is IDLE, here.engine)
    leave(here, there)


def test_stop_while_a_lost_connection_waits_to_be_reported() -> None:
    there, here = pair()
    here.send(b"unread")
    here.context.stop()
    until(lambda: here.state is IDLE, here.engine)
    while there.connection not in [connection for connection, _ in there.down]:
        there.engine.progress()
        if there.state is RUNNING:
            there.context.stop()
    until(lambda: there.state is IDLE, there.engine)
    assert len(there.down) == 1
    leave(here, there)


def test_the_connection_knows_its_context() -> None:
    there, here = pair()
    at_server, at_client = there.connection, here.connection
    assert (at_server.server, at_server.client) == (there.context, None)
    assert (at_client.server, at_client.client) == (None, here.context)
    assert at_client.user_data is None
    at_client.user_data = ["anything"]
    assert here.context.connection is at_client
    assert here.connection.user_data == ["anything"]
    here.send()
    until(lambda: there.senders, there.engine)
    assert there.senders[0] is at_server
    leave(here, there)


def test_a_servers_callbacks_get_the_same_connection_object() -> None:
    there, here = pair()
    there.connection.user_data = "mine"
    here.context.stop()
    until(lambda: there.down, there.engine)
    assert there.down == [(there.up[0][0], True)]
    assert there.down[0][0].user_data == "mine"
    leave(here, there)


def test_update_info_tells_how_it_stands() -> None:
    there, here = server(), client()
    there.context.start()
    here.context.start()
    connection = here.connection
    with pytest.raises(ConnectionInprogress):
        connection.update_info()
    until(lambda: here.state is RUNNING, there.engine, here.engine)
    connection.update_info()
    there.context.stop()
    until(lambda: here.state is IDLE, here.engine)
    with pytest.raises(ConnectionAborted, match="the other side has left"):
        connection.update_info()
    with pytest.raises(BadState):
        here.context.connection  # noqa: B018
    leave(here, there)


def test_nobody_listens() -> None:
    here = client()
    assert here.context.start() is STARTING
    here.engine.progress()
    assert here.states == [(IDLE, STARTING), (STARTING, IDLE)]
    leave(here)


def test_a_context_may_start_again() -> None:
    there, here = server(), client()
    for round_number in range(3):
        connect(there, here)
        here.send(b"%d" % round_number)
        until(lambda: len(there.messages) > round_number, there.engine, here.engine)  # noqa: B023
        here.context.stop()
        until(lambda: here.state is IDLE, here.engine)
        if round_number == 1:
            there.context.stop()
            until(lambda: there.state is IDLE, there.engine)
    assert there.messages == [b"0", b"1", b"2"]
    leave(here, there)


def test_a_client_that_stops_while_starting() -> None:
    there, here = server(), client()
    there.context.start()
    here.context.start()
    assert here.context.stop() in (IDLE, STOPPING)
    until(lambda: here.state is IDLE, here.engine)
    settle(there)
    assert [ok for _, ok in there.up] in ([], [False]), "at most a handshake that broke"
    assert there.down == []
    connect(there, here)
    leave(here, there)


def test_a_client_that_stops_when_the_server_has_let_it_in() -> None:
    """It has not seen that yet, and still nobody has died."""
    there, here = server(), client()
    there.context.start()
    here.context.start()
    until(lambda: there.up, there.engine)
    assert here.state is State.STARTING
    here.context.stop()
    until(lambda: there.down, there.engine)
    assert there.down == [(there.connection, True)]
    leave(here, there)


def test_server_side_disconnect() -> None:
    there, here = pair()
    other = client()
    connect(there, other)
    first = there.up[0][0]
    there.context.disconnect(first)
    with pytest.raises(InvalidValue, match="not been disconnected"):
        until(lambda: there.context.disconnect(first), there.engine)
    until(lambda: here.state is IDLE, here.engine)
    settle(there)
    assert there.down == [(first, True)]
    assert here.states[-2:] == [(RUNNING, STOPPING), (STOPPING, IDLE)]
    other.send(b"still here")
    until(lambda: there.messages == [b"still here"], there.engine)
    for wrong in (first, None, 3, here.context, other.connection):
        with pytest.raises(InvalidValue):
            there.context.disconnect(wrong)
    leave(other, here, there)


def test_disconnect_twice_before_progress_reports_once() -> None:
    there, here = pair()
    there.context.disconnect(there.connection)
    comch.outcome(there.context.disconnect, there.connection)
    settle(there)
    assert len(there.down) == 1
    leave(here, there)


def test_refusing_inside_the_connect_callback() -> None:
    there, here = server(), client()
    refused: list[Any] = []

    def up(connection: comch.Connection, ok: bool) -> None:
        there.context.disconnect(connection)
        refused.append(connection)

    there.context.event_connection_status_changed_register(up, lambda *args: there.down.append(args))
    there.context.start()
    here.context.start()
    until(lambda: here.state is IDLE and there.down, there.engine, here.engine)
    assert [connection for connection, _ in there.down] == refused
    assert here.states[0] == (IDLE, STARTING)
    leave(here, there)


def test_disconnect_inside_the_message_callback() -> None:
    there, here = server(), client()

    def on_message(connection: comch.Connection, data: bytes) -> None:
        there.messages.append(data)
        there.context.disconnect(connection)

    there.context.event_msg_recv_register(on_message)
    connect(there, here)
    for number in range(3):
        here.send(b"%d" % number)
    until(lambda: there.down, there.engine)
    assert there.messages == [b"0"], "nothing more from who has been dropped"
    leave(here, there)


def test_stop_inside_callbacks() -> None:
    there, here = server(), client()
    there.context.event_connection_status_changed_register(ignore, lambda *_: there.context.stop())
    here.context.event_msg_recv_register(lambda *_: here.context.stop())
    there.context.start()
    here.context.start()
    until(lambda: here.state is RUNNING, there.engine, here.engine)
    here.context.stop()
    until(lambda: here.state is IDLE and there.state is IDLE, there.engine, here.engine)
    leave(here, there)


# Counters


def test_counters_change_at_update_info_only() -> None:
    there, here = pair()
    at_client, at_server = here.connection, there.connection
    for data in (b"12345", b"", b"678"):
        here.send(data)
    until(lambda: len(there.messages) == 3 and len(here.done) == 3, there.engine, here.engine)
    there.send(b"back")
    until(lambda: here.messages, there.engine, here.engine)
    assert [at_client.get_counter(which) for which in Counter] == [0, 0, 0, 0]
    at_client.update_info()
    at_server.update_info()
    assert [at_client.get_counter(which) for which in Counter] == [3, 8, 1, 4]
    assert [at_server.get_counter(which) for which in Counter] == [1, 4, 3, 8]
    here.send(b"more")
    assert at_client.get_counter(Counter.SENT_MESSAGES) == 3
    for wrong in (0, 5, -1, None, "x"):
        with pytest.raises(InvalidValue, match="Counter"):
            at_client.get_counter(wrong)  # type: ignore[arg-type]
    leave(here, there)


def test_counters_of_a_dead_connection_can_still_be_read() -> None:
    there, here = pair()
    connection = here.connection
    here.send(b"12345")
    until(lambda: here.done, here.engine)
    here.context.stop()
    until(lambda: here.state is IDLE, here.engine)
    with pytest.raises(ConnectionAborted):
        connection.update_info()
    assert connection.get_counter(Counter.SENT_BYTES) == 5
    leave(here, there)
    assert connection.get_counter(Counter.SENT_MESSAGES) == 1
