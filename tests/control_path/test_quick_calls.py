"""The quick calls of tasks and of progress: no Python code of the library runs, and nothing else differs."""

from __future__ import annotations

import functools
import gc
import weakref
from typing import Any
from unittest import mock

import pytest

import comch_next as comch
from comch_next import BadState, Client, ErrorCode, InvalidValue, NoMemory, ProgressEngine, SendTask
from tests.control_path.pair import HOST, Side, client, connect, leave, pair, server, until
from tests.control_path.pulled import listening
from tests.frames import TURNS, fewest
from tests.inside import inside
from tests.processes import SOON_S


def progress_soon(side: Side) -> None:
    """Progress as in a tight loop: for one that has been away it were time to poll the sockets."""
    inside(side.engine).poller.polled()
    side.engine.progress()


def test_a_progress_that_finds_nothing_runs_no_python_code() -> None:
    there, here = pair()
    assert fewest(lambda: progress_soon(here)) == []
    leave(here, there)


def test_a_task_from_allocation_to_its_end_runs_no_python_code() -> None:
    there, here = pair()
    connection, context = here.connection, here.context
    freed = []

    def done(task: SendTask) -> None:
        task.free()
        freed.append(task.status)

    inside(context).on_done = done

    def whole_life() -> None:
        context.task_send_alloc_init(connection, b"x").submit()
        progress_soon(here)

    assert fewest(whole_life) == []
    until(lambda: len(freed) == TURNS, here.engine)
    assert set(freed) == {ErrorCode.SUCCESS}
    until(lambda: len(there.messages) == TURNS, there.engine)
    leave(here, there)


def test_a_message_reaches_its_callback_without_python_code() -> None:
    there, here = pair()
    connection, context = here.connection, here.context
    received = []
    inside(there.context).on_message = lambda _, data: received.append(data)

    def message() -> None:
        context.task_send_alloc_init(connection, b"x").submit()
        progress_soon(there)

    assert fewest(message) == []
    until(lambda: len(received) == TURNS, there.engine)
    leave(here, there)


def test_a_task_that_is_dropped_gives_its_place_back() -> None:
    there, here = server(), client(tasks=1)
    connect(there, here)
    held = here.task(b"held")
    with pytest.raises(NoMemory):
        here.task(b"one too many")
    del held
    here.task(b"again")
    here.context.stop()  # nothing is out
    until(lambda: here.state is comch.State.IDLE, here.engine)
    leave(here, there)


def test_a_task_freed_inside_its_callback_is_not_given_back_twice() -> None:
    there, here = server(), client(tasks=1)
    connect(there, here)
    for _ in range(5):
        here.send(b"x")
        until(lambda: here.done, here.engine)
        with pytest.raises(BadState, match="freed before"):
            here.done.pop().free()
        assert inside(here.context).tasks_out == 0
    leave(here, there)


def test_tasks_in_flight_go_with_their_dropped_connection() -> None:
    """What nobody can reach any more is collected, tasks in flight and all."""
    there, here = server(recv_queue_size=1), client()
    connect(there, here)
    for _ in range(8):
        here.task(b"waits").submit()
    gone = weakref.ref(inside(here.connection))
    del here
    gc.collect()
    assert gone() is None
    until(lambda: there.down, there.engine)
    there.context.close()


def test_a_callback_may_end_all_that_progress_is_about() -> None:
    there, here = pair()
    done: list[SendTask] = []

    def stop(task: SendTask) -> None:
        done.append(task)
        task.free()
        here.context.stop()
        gc.collect()

    inside(here.context).on_done = stop
    for number in range(20):
        here.task(bytes([number])).submit()
    until(lambda: here.state is comch.State.IDLE, here.engine, there.engine)
    assert len(done) + len(here.failed) == 20
    assert here.context.num_inflight_tasks == 0
    leave(here, there)


def test_the_first_exception_of_a_callback_is_raised_and_the_other_tasks_wait() -> None:
    there, here = pair()
    done: list[SendTask] = []

    def fail(task: SendTask) -> None:
        done.append(task)
        task.free()
        raise ValueError(len(done))

    inside(here.context).on_done = fail
    for _ in range(3):
        here.task(b"x").submit()
    for number in range(1, 4):
        with pytest.raises(ValueError, match=str(number)):
            until(bool, here.engine)
        assert len(done) == number
    leave(here, there)


def test_what_a_callback_submits_waits_for_the_next_progress() -> None:
    there, here = pair()
    runs = []

    def again(task: SendTask) -> None:
        runs.append(task)
        task.submit()

    inside(here.context).on_done = again
    here.task(b"x").submit()
    before = len(runs)
    here.engine.progress()
    assert len(runs) - before <= 1
    inside(here.context).on_done = SendTask.free
    leave(here, there)


class Counting(Client):
    """A program's own way to have tasks."""

    made = 0

    def task_send_alloc_init(self, connection: comch.Connection, msg: bytes) -> SendTask:
        self.made += 1
        return super().task_send_alloc_init(connection, msg)


class Turning(ProgressEngine):
    """A program's own progress."""

    turns = 0

    def progress(self) -> bool:
        self.turns += 1
        return super().progress()


def test_a_programs_own_methods_come_first() -> None:
    there = server()
    engine = Turning()
    own = Counting(comch.open_device(HOST), "svc", engine=engine)
    here = Side(own)
    connect(there, here)
    own.task_send_alloc_init(own.connection, b"own").submit()
    until(lambda: there.messages, there.engine, engine)
    assert (own.made, there.messages) == (1, [b"own"])
    assert engine.turns
    leave(here, there)


@pytest.mark.parametrize("wrong", [None, 3, object()])
def test_what_is_no_connection_is_refused_as_ever(wrong: object) -> None:
    there, here = pair()
    with pytest.raises(InvalidValue, match="task_send_alloc_init takes a connection of <Client"):
        here.context.task_send_alloc_init(wrong, b"x")
    with pytest.raises(TypeError):
        here.context.task_send_alloc_init(here.connection)
    named = here.context.task_send_alloc_init(msg=b"x", connection=here.connection)
    assert (named.status, named.context) == (ErrorCode.SUCCESS, here.context)
    named.free()
    leave(here, there)


@functools.wraps(Client.receive)
def wrapped(self: Client, *args: Any, **kwargs: Any) -> comch.Message:
    """Receive and mark; it has the name and the module of the library's own."""
    return original(self, *args, **kwargs)._replace(data=b"wrapped")


original = Client.receive


def accepted(server: comch.Server) -> comch.Connection:
    """The connection of the next client."""
    assert server.port is not None
    while (found := server.port.accept()) is None:
        pass
    return found


@pytest.mark.parametrize("way", ["a subclass", "the class", "the class, by mock", "the object"])
def test_a_call_that_wraps_the_librarys_own_is_made(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """By all that can be asked of it, it is the library's own function; only its code is the program's."""
    device = comch.open_device("b1:00.0")
    kind: type[Any] = type("Own", (Client,), {"receive": wrapped}) if way == "a subclass" else Client
    client: Any = kind(device, "svc")
    if way == "the class":
        monkeypatch.setattr(Client, "receive", wrapped)
    elif way == "the class, by mock":
        monkeypatch.setattr(Client, "receive", mock.create_autospec(Client.receive, side_effect=wrapped))
    elif way == "the object":
        client.receive = lambda *args, **kwargs: wrapped(client, *args, **kwargs)
    with listening() as server:
        for _ in range(2):  # an own call of the object stays when it connects again
            client.connect(timeout=0)
            connection = accepted(server)
            for _ in range(4):
                connection.send(b"bare")
            assert {client.receive(timeout=SOON_S).data for _ in range(4)} == {b"wrapped"}
            client.disconnect()
        client.close()
    device.close()


def test_an_own_task_call_of_an_object_stays_when_its_settings_change() -> None:
    with comch.open_device("b1:00.0") as device:
        client = Client(device, "svc")
        client.task_send_alloc_init = own = mock.Mock()  # type: ignore[method-assign]
        client.task_send_set_conf(print, print, 4)
        client.event_msg_recv_register(print)
        client.configure(name="other")
        client.start()
        assert client.task_send_alloc_init is own
        client.close()


@pytest.mark.parametrize(
    "receive",
    [None, 5, property(lambda _: 5), functools.partial(print), {}.get, functools.partialmethod(Client.receive, 64)],
    ids=lambda receive: type(receive).__name__,
)
def test_whatever_a_subclass_has_in_a_calls_place_comes_first(receive: object) -> None:
    kind = type("Own", (Client,), {"receive": receive})
    with listening() as server, comch.open_device("b1:00.0") as device:
        client: Any = kind(device, server.name)
        client.connect(timeout=0)
        assert "receive" not in vars(client)
        client.close()


class Tapped(comch.PullPort):
    """A program's own port, which sees every message."""

    def __init__(self, context: Any) -> None:
        self.seen: list[bytes] = []
        super().__init__(context)

    def send(self, connection: comch.Connection, data: Any) -> bool:
        self.seen.append(bytes(data))
        return super().send(connection, data)

    def receive(self, size: int | None = None) -> tuple[bytes, comch.Connection] | None:
        found = super().receive(size)
        if found is not None:
            self.seen.append(found[0])
        return found


def test_calls_that_stand_on_a_programs_own_port_call_it() -> None:
    with listening() as server, comch.open_device("b1:00.0") as device:
        client = Client(device, server.name)
        port = Tapped(client)
        client.connect(timeout=0)
        connection = accepted(server)
        for number in range(4):
            connection.send(b"to %d" % number)
        for number in range(4):
            assert client.receive(timeout=SOON_S).data == b"to %d" % number
            client.connection.send(b"from %d" % number)
        assert port.seen == [text % number for number in range(4) for text in (b"to %d", b"from %d")]
        client.close()
