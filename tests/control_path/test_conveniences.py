"""The conveniences: with blocks, send, receive, reply, flush, iteration, and their time-outs."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Any

import pytest

import comch_next as comch
from comch_next import (
    Again,
    BadState,
    Client,
    InvalidValue,
    PullPort,
    Server,
    State,
    TimeOut,
)
from tests.control_path.pair import client, leave, server
from tests.control_path.pulled import connected, listening
from tests.processes import SOON_S
from tests.sleeps import counted_sleeps


def test_send_receive_reply() -> None:
    with listening() as there, connected(there) as here:
        here.connection.send(b"hello", timeout=SOON_S)
        message = there.receive(timeout=SOON_S)
        assert message.data == b"hello"
        message.reply(b"back", timeout=SOON_S)
        assert here.receive(timeout=SOON_S) == (b"back", here.connection)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_anything_that_holds_bytes(kind: type) -> None:
    with listening() as there, connected(there) as here:
        here.connection.send(kind(b"hello"))
        assert there.receive(timeout=SOON_S).data == b"hello"


@pytest.mark.parametrize("wrong", [None, "text", 3, [1]])
def test_anything_else_is_refused(wrong: object) -> None:
    with listening() as there, connected(there) as here:
        with pytest.raises(InvalidValue, match="bytes-like"):
            here.connection.send(wrong)  # type: ignore[arg-type]
        assert here.connection.in_flight == 0
        with pytest.raises(Again):
            there.receive(timeout=0)


def test_nothing_there() -> None:
    with listening() as there, connected(there) as here:
        for side in (there, here):
            with pytest.raises(Again):
                side.receive(timeout=0)
            with counted_sleeps() as slept, pytest.raises(TimeOut, match="nothing came"):
                side.receive(timeout=0.05)
            assert slept.seconds == pytest.approx(0.05)


def test_a_server_without_clients_waits_too() -> None:
    with listening() as there:
        with pytest.raises(Again):
            there.receive(timeout=0)
        with pytest.raises(TimeOut):
            there.receive(timeout=0.02)


def test_a_message_too_long_for_the_caller_stays() -> None:
    with listening() as there, connected(there) as here:
        here.connection.send(b"x" * 50)
        for _ in range(2):
            with pytest.raises(InvalidValue, match="50 bytes waits, room is for 49") as caught:
                there.receive(49, timeout=SOON_S)
            assert caught.value.length == 50
        assert there.receive(50, timeout=SOON_S).data == b"x" * 50
        for wrong in (-1, "x", 1.5):
            with pytest.raises(InvalidValue):
                there.receive(wrong, timeout=0)  # type: ignore[arg-type]


def test_longest_and_too_long() -> None:
    with listening() as there, connected(there) as here:
        here.connection.send(b"x" * 4080)
        assert len(there.receive(timeout=SOON_S).data) == 4080
        with pytest.raises(InvalidValue, match="4081 bytes is above this connection's 4080") as caught:
            here.connection.send(b"x" * 4081)
        assert caught.value.length == 4081
        here.connection.send(b"")
        assert there.receive(timeout=SOON_S).data == b""


def test_full_says_again_and_time_out_and_has_no_effect() -> None:
    with listening(recv_queue_size=2) as there, connected(there, send_queue_size=3) as here:
        for number in range(5):
            here.connection.send(b"%d" % number, timeout=0)
        assert here.connection.in_flight == 3
        with pytest.raises(Again):
            here.connection.send(b"x", timeout=0)
        with pytest.raises(TimeOut, match="no room"):
            here.connection.send(b"x", timeout=0.03)
        with pytest.raises(TimeOut, match="3 messages still in flight"):
            here.connection.flush(timeout=0.03)
        assert [there.receive(timeout=SOON_S).data for _ in range(5)] == [b"%d" % number for number in range(5)]
        here.connection.flush(timeout=SOON_S)
        assert here.connection.in_flight == 0
        with pytest.raises(Again):
            there.receive(timeout=0)


def test_a_sender_wakes_when_there_is_room() -> None:
    with listening(recv_queue_size=1) as there, connected(there, send_queue_size=1) as here:

        def send_all() -> None:
            for number in range(300):
                here.connection.send(b"%d" % number, timeout=SOON_S)

        thread = threading.Thread(target=send_all)
        thread.start()
        got = [there.receive(timeout=SOON_S).data for _ in range(300)]
        thread.join()
        assert got == [b"%d" % number for number in range(300)]


def test_before_it_is_up_a_send_says_again_and_wakes_when_it_is() -> None:
    with listening() as there, comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        connection = here.connect(timeout=0)
        with pytest.raises(Again):
            connection.send(b"x", timeout=0)
        with pytest.raises(TimeOut):
            connection.send(b"x", timeout=0.05)
        with counted_sleeps() as slept, pytest.raises(TimeOut):
            connection.send(b"x", timeout=0.3)
        assert slept.seconds == pytest.approx(0.3)
        thread = threading.Thread(target=connection.send, args=(b"late",), kwargs={"timeout": SOON_S})
        thread.start()
        assert there.receive(timeout=SOON_S).data == b"late"
        thread.join()
        here.close()


def test_conveniences_need_a_port() -> None:
    there, here = server(), client()
    for side in (there, here):
        with pytest.raises(BadState, match="tasks and callbacks"):
            side.context.receive(timeout=0)
    there.context.start()
    here.context.start()
    for call in (here.connection.send, lambda _: here.connection.flush(), lambda _: here.connection.in_flight):
        with pytest.raises(BadState, match="tasks and callbacks"):
            call(b"x")
    leave(here, there)


def test_one_port_per_context_and_only_while_idle() -> None:
    with comch.open_device("b1:00.0") as device:
        here = Client(device, "svc")
        port = PullPort(here)
        with pytest.raises(BadState, match="a port already"):
            PullPort(here)
        port.close()
        PullPort(here)
        for wrong in (None, 3, device):
            with pytest.raises(InvalidValue):
                PullPort(wrong)  # type: ignore[arg-type]
        here.close()


@pytest.mark.parametrize("option", ["max_msg_size", "recv_queue_size", "send_queue_size"])
@pytest.mark.parametrize("value", [0, -1, 1 << 20, "x"])
def test_bad_sizes_leave_nothing_behind(option: str, value: object) -> None:
    with comch.open_device("b1:00.0") as device:
        with pytest.raises(InvalidValue):
            Client(device, "svc", **{option: value}).__enter__()  # type: ignore[arg-type]
    # the device could be closed: no context holds it


def test_an_engine_of_ones_own_survives_its_context() -> None:
    with comch.ProgressEngine() as engine, comch.open_device("03:00.0") as device:
        with Server(device, "b1:00.0", "svc", engine=engine) as there:
            assert there.engine is engine
        assert engine.progress() in (True, False)


def test_a_mixed_pair() -> None:
    """One side with tasks and callbacks, the other with send and receive."""
    with listening() as there:
        here = client()
        here.context.start()
        while here.state is not State.RUNNING:
            comch.outcome(there.receive, timeout=0)
            here.engine.progress()
        here.send(b"task")
        message = there.receive(timeout=SOON_S)
        message.reply(b"call")
        while not (here.messages and here.done):
            here.engine.progress()
        assert (message.data, here.messages) == (b"task", [b"call"])
        leave(here)


def test_a_destroyed_context_can_do_nothing_more() -> None:
    with comch.open_device("b1:00.0") as device:
        gone = Client(device, "svc")
        gone.destroy()
        for use in (gone.start, gone.stop):
            with pytest.raises(InvalidValue, match="has been destroyed"):
                use()
        with pytest.raises(InvalidValue, match="has been destroyed"):
            gone.max_msg_size = 64
        assert gone.state is State.IDLE


def test_what_a_destroyed_context_was_can_still_be_read() -> None:
    with listening() as there, connected(there) as gone:
        gone.user_data, connection = "mine", gone.connection
        sizes, device = (gone.max_msg_size, gone.recv_queue_size), gone.device
        gone.close()
        assert (gone.max_msg_size, gone.recv_queue_size) == sizes
        assert (gone.state, gone.num_inflight_tasks, gone.device) == (State.IDLE, 0, device)
        assert gone.user_data == "mine"
        gone.user_data = "other"
        assert gone.user_data == "other"
        with pytest.raises(BadState):
            _ = gone.connection
        with pytest.raises(BadState):
            gone.task_send_alloc_init(connection, b"late")


@pytest.mark.parametrize("timeout", ["1", "", -1, float("nan"), [1]])
def test_what_is_no_time_is_refused(timeout: object) -> None:
    """A refusal has no effect, and comes also where nothing would have to wait."""
    bad: Any = timeout
    with listening() as there, connected(there) as here, closing(Client(here.device, "svc")) as other:
        connection = here.connection
        connection.send(b"waits")
        calls: list[Callable[[], object]] = [
            lambda: here.receive(timeout=bad),
            lambda: here.connection.flush(bad),
            lambda: here.engine.wait(bad),
            lambda: here.disconnect(timeout=bad),
            lambda: here.close(bad),
            lambda: other.connect(timeout=bad),
            lambda: connection.send(b"no", bad),
            lambda: connection.send(b"no", timeout=bad),
            lambda: here.send_to(b"no", connection, bad),
            lambda: there.receive(timeout=bad),
        ]
        for call in calls:
            with pytest.raises(InvalidValue, match="takes a timeout of 0 or more seconds, or None, not"):
                call()
        assert there.try_receive(timeout=bad) == (comch.ErrorCode.INVALID_VALUE, None, None, None)
        assert there.receive(timeout=SOON_S).data == b"waits"
        here.connection.send(b"still up")
        assert there.receive(timeout=SOON_S).data == b"still up"


def test_a_context_cannot_be_copied() -> None:
    """Two objects for one context of the library would end each other's."""
    with listening() as there:
        for copied in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError):
                copied(there)


def test_a_client_whose_connection_has_ended_says_so() -> None:
    with listening() as there, connected(there) as here:
        here.disconnect()
        with pytest.raises(BadState, match=r"has ended \(this side has left\); connect or start again"):
            here.connection.send(b"x")


@pytest.mark.parametrize("pull", ["driver", "threaded"])
@pytest.mark.parametrize("make", [Client, comch.Channel])
@pytest.mark.parametrize("one_sided", [False, True])
def test_a_client_that_waits_for_its_server(
    make: type, one_sided: bool, pull: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused until there is one; after that it is as any other."""
    monkeypatch.setenv("COMCH_PULL", pull)
    refused, here = threading.Event(), comch.Client._begin

    def begin(context: Client, name: str | None) -> comch.Connection:
        try:
            return here(context, name)
        finally:
            refused.set()

    def serve() -> None:
        assert refused.wait(SOON_S)
        with listening() as there:
            message = there.receive(timeout=SOON_S)
            message.reply(message.data.upper())
            message.connection.flush(SOON_S)

    monkeypatch.setattr(comch.Client, "_begin", begin)
    serving = threading.Thread(target=serve)
    serving.start()
    with comch.open_device("b1:00.0") as device, closing(make(device=device, one_sided=one_sided)) as context:
        context.connect("svc", timeout=SOON_S, wait_for_server=True).send(b"hello")
        assert context.receive(timeout=SOON_S).data == b"HELLO"
    serving.join()


def test_a_client_that_waits_in_vain() -> None:
    with comch.open_device("b1:00.0") as device, closing(Client(device, "svc")) as context:
        with pytest.raises(TimeOut, match=r"was not accepted within 0\.1 s: .*nobody listens"):
            context.connect(timeout=0.1, wait_for_server=True)
        assert context.state is State.IDLE


def test_the_last_refusal_is_known_where_the_next_attempt_has_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = comch.Client._begin
    with ExitStack() as servers, comch.open_device("b1:00.0") as device, closing(Client(device, "svc")) as context:

        def and_serve(context: Client, name: str | None) -> comch.Connection:
            """Let a server begin to listen, which accepts nobody, behind the first attempt."""
            monkeypatch.setattr(comch.Client, "_begin", begin)
            try:
                return begin(context, name)
            finally:
                servers.enter_context(listening())

        monkeypatch.setattr(comch.Client, "_begin", and_serve)
        with pytest.raises(TimeOut, match=r"was not accepted within 0\.2 s: .*nobody listens"):
            context.connect(timeout=0.2, wait_for_server=True)


@pytest.mark.usefixtures("runtime_dir")
def test_a_connection_of_a_context_that_is_one_sided_no_more() -> None:
    with comch.open_device("03:00.0") as dpu, dpu.open_representor("b1:00.0") as rep:
        with comch.Server(dpu, rep, "svc"), comch.open_device("b1:00.0") as device:
            client = comch.Client(device, "svc", one_sided=True)
            connection = client.connect(timeout=0)
            client.disconnect(connection)
            client.one_sided = False
            for send in (connection.send, lambda data: client.send_to(data, connection)):
                with pytest.raises(comch.NotConnected, match="this side has left the connection"):
                    send(b"x")
            client.close()
