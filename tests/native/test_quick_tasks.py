"""The quick allocation of send tasks: one object for a task and its handle, and the same answers as without it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from comch_next import BadState, ErrorCode, InvalidValue, SendTask
from tests.frames import fewest
from tests.native.conftest import Log
from tests.native.test_callbacks import Loop


@pytest.fixture
def running(stub: Log) -> Iterator[Loop]:
    made = Loop()
    made.run()
    yield made
    made.close()


def alloc(loop: Loop, message: Any = b"hello") -> SendTask:
    return loop.client.task_send_alloc_init(loop.client.connection, message)


def test_a_task_is_its_own_handle(running: Loop) -> None:
    connection, allocate = running.client.connection, running.client.task_send_alloc_init
    assert fewest(lambda: allocate(connection, b"x").free()) == []
    task = alloc(running)
    assert isinstance(task, SendTask)
    assert task._handle is task
    assert (task.context, task.user_data, task.status) == (running.client, None, ErrorCode.SUCCESS)
    task.user_data = "mine"
    task.submit()
    while running.engine.progress():
        pass
    assert ("done", "SUCCESS") in running.told
    assert task.user_data == "mine"


def test_a_message_runs_no_python_but_the_program_s(running: Loop) -> None:
    connection, allocate = running.client.connection, running.client.task_send_alloc_init

    def send_and_progress() -> None:
        allocate(connection, b"x").submit()
        running.engine.progress()

    assert fewest(send_and_progress) == []
    assert ("message", b"x") in running.told
    assert ("done", "SUCCESS") in running.told
    assert fewest(running.engine.progress) == []


def test_a_task_that_the_program_does_not_hold_is_refused(running: Loop) -> None:
    task = alloc(running)
    task.submit()
    for call in (task.submit, task.try_submit, task.free):
        with pytest.raises(BadState, match="submitted"):
            call()
    while ("done", "SUCCESS") not in running.told:  # where it is freed
        running.engine.progress()
    for call in (task.submit, task.free):
        with pytest.raises(BadState, match="freed"):
            call()


@pytest.mark.parametrize("message", [b"hello", bytearray(b"hello")])
def test_a_task_whose_connection_has_ended_is_not_submitted(running: Loop, message: Any) -> None:
    task = alloc(running, message)
    connection: Any = running.client.connection._handle
    connection.gone()
    for call in (task.submit, task.try_submit):
        with pytest.raises(InvalidValue, match="has ended"):
            call()
    assert not running.engine.progress()
    task.free()


def test_a_task_that_is_dropped_goes_back_to_the_library(running: Loop, stub: Log) -> None:
    stub()
    kept = alloc(running)
    alloc(running)
    assert "doca_task_free" not in stub()
    alloc(running).free()
    assert stub().count("doca_task_free") == 2
    kept.free()


@pytest.mark.parametrize("message", [bytearray(b"hello"), memoryview(b"hello")])
def test_messages_of_other_types_are_sent_as_bytes(running: Loop, message: Any) -> None:
    alloc(running, message).submit()
    while not any(kind == "message" for kind, *_ in running.told):
        running.engine.progress()
    assert ("message", b"hello") in running.told


@pytest.mark.parametrize("wrong", [None, object(), "text"])
def test_what_is_no_connection_or_no_message_is_refused(running: Loop, wrong: Any) -> None:
    with pytest.raises(InvalidValue):
        running.client.task_send_alloc_init(wrong, b"x")
    with pytest.raises(InvalidValue):
        alloc(running, wrong)
