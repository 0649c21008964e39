"""Messages: whole, in order, never more than the queues hold."""

from __future__ import annotations

import sys
import time
from collections import deque
from types import FrameType
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver.emulated._connection import Connection
from tests.processes import SOON_S
from tests.pull.support import FORMS, Stage, ready, until


@pytest.mark.parametrize("client_form", FORMS)
@pytest.mark.parametrize("server_form", FORMS)
def test_messages_arrive_whole_and_in_order_both_ways(stage: Stage, server_form: str, client_form: str) -> None:
    server, client = stage.pair(server_form, client_form)
    sent = [bytes([number % 251]) * length for number, length in enumerate((0, 1, 15, 16, 17, 2000, 4079, 4080))]
    for message in sent:
        assert client.send(message)
        assert server.send(message[::-1])
    assert [server.receive() for _ in sent] == sent
    assert [client.receive() for _ in sent] == [message[::-1] for message in sent]
    assert server.port.receive() is None
    assert client.port.receive() is None


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_whatever_holds_bytes_can_be_sent(stage: Stage, form: str, kind: type) -> None:
    client = stage.client(form)
    server, end = stage.meet(stage.server("driver"), client)
    assert end.send(kind(b"payload"))
    assert server.receive() == b"payload"
    for wrong in ("text", 7, None):
        with pytest.raises(comch.InvalidValue):
            end.send(wrong)  # type: ignore[arg-type]


def test_a_program_may_run_as_slowly_as_a_debugger_steps(stage: Stage) -> None:
    """However long a look at the sockets takes, a send makes it once."""
    ends = stage.pair("driver", "driver")
    steps = 0

    def step(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal steps
        steps += 1
        assert steps < 20_000, "the send never ends"
        frame.f_trace_opcodes = True
        time.sleep(30e-6)
        return step

    for sender, receiver in (ends, ends[::-1]):
        sys.settrace(step)
        try:
            assert sender.send(bytearray(b"slow"))  # type: ignore[arg-type]
        finally:
            sys.settrace(None)
        assert receiver.receive() == b"slow"
    assert steps > 100, "nothing was slow"


def test_a_message_comes_with_its_connection(stage: Stage, form: str) -> None:
    server = stage.server(form)
    ends = [stage.meet(server, stage.client("driver")) for _ in range(3)]
    for number, (_, client) in enumerate(ends):
        assert client.send(b"%d" % number)
    for _ in ends:
        data, connection = until(server.receive)
        assert connection is ends[int(data)][0].connection


def test_arrival_order_holds_across_clients(stage: Stage, form: str) -> None:
    server = stage.server(form)
    clients = [stage.meet(server, stage.client("driver"))[1] for _ in range(4)]
    order = [number * 7 % 4 for number in range(40)]
    for place, which in enumerate(order):
        assert clients[which].send(b"%d" % place)
    assert [int(until(server.receive)[0]) for _ in order] == list(range(40))


def test_a_buffer_that_is_too_small_keeps_the_message(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server(form), stage.client("driver"))
    assert client.send(b"seven..")
    assert client.send(b"2.")
    until(lambda: client.port.in_flight(client.connection) == 0)
    for size in (6, 0):
        with pytest.raises(comch.InvalidValue) as told:
            server.port.receive(size)
        assert told.value.length == 7
    assert server.port.receive(7) == (b"seven..", server.connection)
    assert server.port.receive(2) == (b"2.", server.connection)
    assert server.port.receive(0) is None


@pytest.mark.parametrize("size", [-1, "4080", 1.5])
def test_a_size_is_a_number_of_bytes(stage: Stage, form: str, size: object) -> None:
    server, _ = stage.meet(stage.server(form), stage.client("driver"))
    with pytest.raises(comch.InvalidValue):
        server.port.receive(size)  # type: ignore[arg-type]


def test_again_at_exactly_send_queue_size_in_flight(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=5)
    server, end = stage.meet(stage.server("driver", recv_queue_size=3), client)
    accepted = 0
    while end.send(b"%d" % accepted):
        accepted += 1
    assert accepted == 3 + 5
    assert client.in_flight(end.connection) == 5
    assert not end.send(b"one too many")
    assert server.receive() == b"0"
    assert until(lambda: client.in_flight(end.connection) == 4)
    assert end.send(b"8")
    assert not end.send(b"one too many")
    assert [server.receive() for _ in range(8)] == [b"%d" % number for number in range(1, 9)]
    assert server.port.receive() is None
    assert until(lambda: client.in_flight(end.connection) == 0) is True
    assert client.failed(end.connection) == 0


def test_what_was_not_accepted_leaves_no_trace(stage: Stage, form: str) -> None:
    client = stage.client(form, send_queue_size=2)
    _, end = stage.meet(stage.server("driver", recv_queue_size=2), client)
    while end.send(b"."):
        pass
    assert not end.send(b"more")
    end.connection.update_info()
    assert end.connection.get_counter(comch.Counter.SENT_MESSAGES) == 4


def test_a_connection_that_comes_up_while_a_send_is_refused_takes_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another thread's poll completes the handshake between the refusal and the look at what it means."""
    server, client = stage.server("driver"), stage.client("driver")
    server.context.start()
    client.context.start()
    connection = client.context.connection  # type: ignore[attr-defined]
    original = Connection.send

    def send(link: Connection, data: bytes) -> int:
        refusal = original(link, data)
        monkeypatch.undo()
        until(server.accept)
        until(lambda: client.status(connection) is comch.ErrorCode.SUCCESS)
        return refusal

    monkeypatch.setattr(Connection, "send", send)
    assert client.send(connection, b"early")
    assert until(server.receive)[0] == b"early"


def test_above_the_largest_message_is_refused(stage: Stage, form: str) -> None:
    client = stage.client(form, max_msg_size=100)
    server, end = stage.meet(stage.server("driver", max_msg_size=300), client)
    with pytest.raises(comch.InvalidValue) as told:
        end.send(bytes(101))
    assert told.value.length == 101
    assert end.send(bytes(100))
    assert server.send(bytes(300))  # each side has its own limit, and none refuses the other
    assert len(server.receive()) == 100
    assert len(end.receive()) == 300


def test_send_before_the_connection_is_up_says_again(stage: Stage, form: str) -> None:
    server, client = stage.server("driver"), stage.client(form)
    server.context.start()
    client.context.start()
    connection = client.context.connection  # type: ignore[attr-defined]
    assert client.send(connection, b"early") is False
    assert client.status(connection) == comch.ErrorCode.CONNECTION_INPROGRESS
    with pytest.raises(comch.ConnectionInprogress):
        connection.update_info()
    until(server.accept)
    until(lambda: client.send(connection, b"late"))
    assert until(server.receive)[0] == b"late"


def test_both_directions_at_once(stage: Stage, form: str) -> None:
    server, client = stage.meet(stage.server("driver", recv_queue_size=8), stage.client(form, recv_queue_size=8))
    count, sent, got = 2000, {server: 0, client: 0}, {server: 0, client: 0}

    def step() -> bool:
        for end in (server, client):
            if sent[end] < count and end.send(b"%d" % sent[end]):
                sent[end] += 1
            if (found := end.port.receive()) is not None:
                assert found[0] == b"%d" % got[end]
                got[end] += 1
        return min(got.values()) == count

    until(lambda: any(step() for _ in range(100)))


@pytest.mark.parametrize("waits", ["polls", "sleeps"])
@pytest.mark.parametrize("client_form", FORMS)
def test_an_echo_answers_who_has_more_under_way_than_its_queues_hold(
    stage: Stage, form: str, client_form: str, waits: str
) -> None:
    server = stage.server(form, recv_queue_size=4, send_queue_size=4)
    end, client = stage.meet(server, stage.client(client_form, recv_queue_size=4, send_queue_size=4))
    sent, echoed, answers = 0, deque[bytes](), list[bytes]()
    while len(answers) < 500:
        while sent < 500 and sent - len(answers) < 64 and client.send(b"%d" % sent):
            sent += 1
        if not echoed and (came := server.receive()):
            echoed.append(came[0])
        if echoed and end.send(echoed[0]):
            echoed.popleft()
        elif echoed and waits == "sleeps":
            server.arm_send()
            ready(server.send_fd, 0.001)
        if came := client.port.receive():
            answers.append(came[0])
    assert answers == [b"%d" % number for number in range(500)]


@pytest.mark.parametrize("waits", ["sends", "asks", "sleeps"])
@pytest.mark.parametrize("messages", [8, 1200])
def test_a_program_that_waits_for_its_sends_is_not_kept_by_what_comes(
    stage: Stage, form: str, messages: int, waits: str
) -> None:
    server = stage.server(form, recv_queue_size=4, send_queue_size=1)
    end, client = stage.meet(server, stage.client("driver", send_queue_size=4, recv_queue_size=1))
    for _ in range(2):  # the first one lies in the client's queue
        until(lambda: end.send(b"nobody reads this yet"))
    while waits == "sends" and end.send(b"nor this"):
        pass
    sent = 0

    def flood() -> bool:
        """Send more than the server has room for: the driver's form takes as much as it wants to have, in no time."""
        nonlocal sent
        while client.send(b"."):
            sent += 1
        return sent >= messages or form == "driver"

    if waits == "sleeps":
        server.arm_send()
    elif waits == "asks":
        assert server.in_flight(end.connection) == 1
    until(flood)
    while client.port.receive():
        pass
    if waits == "sends":
        assert until(lambda: end.send(b"!"))
    elif waits == "asks":
        assert until(lambda: not server.in_flight(end.connection))
    else:
        assert ready(server.send_fd, SOON_S)
