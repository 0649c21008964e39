"""Callbacks from C: they run inside progress, what they raise is raised at its end, and messages die with them."""

from __future__ import annotations

import gc
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from weakref import ref

import pytest

import comch_next as comch
from comch_next import ErrorCode, State
from tests.native.conftest import Log


class Loop:
    """A client of the stub library, which is connected to itself: `told` is what its callbacks were told."""

    def __init__(self) -> None:
        self.told: list[Any] = []
        self.raises: dict[str, BaseException] = {}
        self.device = comch.devices()[0].open()
        self.engine = comch.ProgressEngine()
        self.client = comch.Client(self.device, "svc", engine=self.engine)
        self.client.task_send_set_conf(self._completed("done"), self._completed("failed"), 8)
        self.client.event_msg_recv_register(lambda _, data: self._tell("message", data))
        self.client.set_state_changed_cb(lambda _, old, new: self._tell("state", old, new))

    def run(self) -> None:
        self.client.start()
        self.engine.progress()
        assert self.client.state is State.RUNNING
        self.told.clear()

    def send(self, data: bytes) -> None:
        self.client.task_send_alloc_init(self.client.connection, data).submit()

    def close(self) -> None:
        self.raises.clear()
        self.client.close()
        self.engine.destroy()
        self.device.close()

    def _completed(self, kind: str) -> Callable[[comch.SendTask], None]:
        def completed(task: comch.SendTask) -> None:
            status = task.status
            task.free()
            self._tell(kind, status.name)

        return completed

    def _tell(self, kind: str, *values: Any) -> None:
        self.told.append((kind, *values))
        if kind in self.raises:
            raise self.raises[kind]


class Kept:
    """What a callback has made of its message."""

    def __init__(self, rows: object) -> None:
        self.rows = rows


@pytest.fixture
def loop(stub: Log) -> Iterator[Loop]:
    made = Loop()
    yield made
    made.close()


def test_messages_states_and_completions(loop: Loop) -> None:
    loop.client.start()
    assert loop.told == [("state", State.IDLE, State.STARTING)]
    loop.engine.progress()
    assert loop.told.pop() == ("state", State.STARTING, State.RUNNING)
    loop.told.clear()
    loop.send(b"hello")
    assert loop.told == []
    assert loop.engine.progress()
    assert loop.told == [("message", b"hello"), ("done", "SUCCESS")]
    assert not loop.engine.progress()


@pytest.mark.parametrize("first", ["message", "done"])
def test_what_a_callback_raises_is_raised_at_the_end_of_progress(
    loop: Loop, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(args.exc_value))
    loop.run()
    loop.raises = {kind: LookupError(kind) for kind in (first, "done")}
    loop.send(b"x")
    with pytest.raises(LookupError, match=first) as raised:
        loop.engine.progress()
    assert raised.value is loop.raises[first]
    assert raised.traceback[-1].path == Path(__file__), "it is not known as the program's"
    assert reported == [error for kind, error in loop.raises.items() if kind != first]
    assert [kind for kind, *_ in loop.told] == ["message", "done"]
    assert not loop.engine.progress()


def test_an_interrupt_in_a_callback_waits_for_the_end_too(loop: Loop) -> None:
    loop.run()
    loop.raises = {"message": KeyboardInterrupt()}
    loop.send(b"x")
    with pytest.raises(KeyboardInterrupt):
        loop.engine.progress()
    assert loop.told[-1] == ("done", "SUCCESS")


def test_what_a_callback_raises_is_handed_over(loop: Loop) -> None:
    """In place of raising it at the end of progress, but for an interrupt."""
    taken: list[Exception] = []
    loop.engine._hand_errors_to(taken.append)
    loop.run()
    loop.raises = {"message": LookupError("message")}
    loop.send(b"x")
    assert loop.engine.progress()
    assert taken == [loop.raises["message"]]
    loop.raises = {"message": KeyboardInterrupt()}
    loop.send(b"x")
    with pytest.raises(KeyboardInterrupt):
        loop.engine.progress()
    assert len(taken) == 1


def test_what_a_callback_of_a_start_raises_is_raised_by_the_start(loop: Loop) -> None:
    loop.raises = {"state": LookupError("state")}
    with pytest.raises(LookupError):
        loop.client.start()
    assert loop.client.state is State.STARTING


def test_a_task_that_fails_has_the_library_s_status(loop: Loop) -> None:
    loop.run()
    loop.send(b"x")
    loop.client.stop()
    loop.engine.progress()
    assert loop.told[-1] == ("failed", "SHUTDOWN")


def test_a_library_that_tells_no_active_context_s_message_size(loop: Loop) -> None:
    """The header lists that refusal: what was so before the start is known."""
    client: Any = loop.client._handle
    library = client.life.library

    def get(_: object, size: Any) -> int:
        size[0] = 4080
        return ErrorCode.SUCCESS if client.life.state() is State.IDLE else ErrorCode.BAD_STATE

    library["doca_comch_client_get_max_msg_size"] = get
    loop.run()
    assert loop.client.max_msg_size == 4080
    assert loop.client.stop() is State.STOPPING


def test_a_connection_ends_with_its_context(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the library does not call back for a stop that is over at once."""
    loop.run()
    connection = loop.client.connection
    connection.update_info()
    monkeypatch.setenv("STUB_SAYS_NOTHING", "1")
    assert loop.client.stop() is State.IDLE
    assert loop.told == []
    with pytest.raises(comch.ConnectionAborted):
        connection.update_info()
    with pytest.raises(comch.BadState, match="while IDLE"):
        loop.client.task_send_alloc_init(connection, b"x")


def test_progress_is_refused_inside_a_callback(loop: Loop) -> None:
    loop.run()
    refused: list[type] = []

    def nested(_: object) -> None:
        try:
            loop.engine.progress()
        except comch.BadState as error:
            refused.append(type(error))

    loop.client.stop()
    loop.engine.progress()
    loop.client.task_send_set_conf(nested, nested, 8)
    loop.run()
    loop.send(b"x")
    loop.engine.progress()
    assert refused == [comch.BadState]
    loop.client._contexts.take_back_tasks(loop.client._handle)


def test_one_progress_runs_as_many_callbacks_as_it_may(loop: Loop) -> None:
    loop.run()
    for number in range(3):
        loop.send(b"%d" % number)
    loop.engine.max_events = 2
    loop.engine.progress()
    assert [kind for kind, *_ in loop.told].count("message") == 2
    loop.engine.max_events = None
    loop.engine.progress()
    assert [kind for kind, *_ in loop.told].count("message") == 3


def test_a_view_dies_with_its_callback(stub: Log) -> None:
    seen: list[memoryview] = []
    loop = Loop()

    def look(_: object, view: memoryview) -> None:
        seen.append(view)
        loop.told.append(bytes(view))

    loop.client.event_msg_recv_register(look, view=True)
    loop.run()
    loop.send(b"look")
    loop.engine.progress()
    assert loop.told[0] == b"look"
    with pytest.raises(ValueError, match="released"):
        bytes(seen[0])
    loop.close()


@pytest.mark.parametrize("known", [True, False], ids=["known", "first"])
def test_a_callback_that_keeps_its_view_raises_what_is_its_own(loop: Loop, known: bool) -> None:
    """Not that the view cannot be released; and nothing of it stays. The first message of a connection is as others."""
    calls: list[Callable[[], object]] = []

    def keep(_: object, view: memoryview) -> None:
        rows = struct.iter_unpack("<B", view)
        kept = Kept(rows)
        calls.append(ref(kept))
        raise LookupError

    loop.client.event_msg_recv_register(keep, view=True)
    loop.run()
    handle: Any = loop.client._handle
    for _ in range(2):
        loop.send(b"look")
        if not known:
            handle.connections.clear()
        with pytest.raises(LookupError):
            loop.engine.progress()
    gc.collect()
    assert [call() for call in calls] == [None, None]


@pytest.mark.parametrize("view", [False, True])
def test_what_callbacks_return_is_ignored(loop: Loop, view: bool) -> None:
    def told(*values: Any) -> int:
        loop.told.append(values)
        return len(loop.told)

    loop.client.set_state_changed_cb(told)
    loop.client.event_msg_recv_register(lambda _, data: told(bytes(data)), view=view)
    loop.client.task_send_set_conf(lambda task: told(task.status), told, 8)
    loop.run()
    loop.send(b"hello")
    assert loop.engine.progress()
    assert loop.told == [(b"hello",), (ErrorCode.SUCCESS,)]


def test_what_a_free_callback_raises_is_raised_by_the_destruction(stub: Log) -> None:
    told: list[tuple[Any, ...]] = []

    def free(*args: Any) -> None:
        told.append(args)
        raise LookupError

    mmap = comch.Mmap()
    mmap.set_free_cb(free, "opaque")
    with pytest.raises(LookupError):
        mmap.destroy()
    assert told == [(0x1000, 4096, "opaque")]
    mmap.destroy()
    assert stub().count("doca_mmap_destroy") == 1
