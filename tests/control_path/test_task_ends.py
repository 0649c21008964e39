"""What becomes of send tasks when their connection, context or program's interest ends."""

from __future__ import annotations

import gc

import pytest

import comch_next as comch
from comch_next import BadState, ErrorCode, SendTask, State
from tests.control_path.pair import client, connect, ignore, leave, pair, server, until
from tests.processes import SOON_S


@pytest.mark.parametrize("how", ["own stop", "peer stop", "server disconnects"])
def test_what_is_in_flight_fails_once_and_what_is_in_the_queue_arrives(how: str) -> None:
    there, here = server(recv_queue_size=2), client(tasks=8)
    connect(there, here)
    for number in range(5):
        here.send(b"%d" % number)
    if how == "own stop":
        here.context.stop()
    elif how == "peer stop":
        there.context.stop()
    else:
        there.context.disconnect(there.connection)
    until(lambda: here.state is State.IDLE, here.engine)
    assert (len(here.done), len(here.failed)) == (2, 3)
    expected = ErrorCode.NOT_CONNECTED if how == "own stop" else ErrorCode.SHUTDOWN
    assert {task.status for task in here.failed} == {expected}
    until(lambda: there.down, there.engine)
    assert there.messages == ([b"0", b"1"] if how == "own stop" else [])
    leave(there, here)


def test_submit_and_allocate_while_stopping_fail_at_the_next_progress() -> None:
    there, here = pair()
    held, connection = here.task(), here.connection
    here.context.stop()
    late = here.task(b"late", connection)
    late.submit()
    assert not here.failed
    here.engine.progress()
    assert here.failed == [late]
    assert late.status == ErrorCode.NOT_CONNECTED
    held.free()
    leave(here, there)


def test_submit_on_a_servers_disconnected_connection_fails() -> None:
    there, here = pair()
    task = there.task()
    there.context.disconnect(there.connection)
    task.submit()
    until(lambda: there.failed, there.engine)
    assert there.failed[0].status == ErrorCode.NOT_CONNECTED
    leave(there, here)


def test_a_task_of_a_destroyed_context_is_harmless() -> None:
    there, here = pair()
    task = here.task()
    task.free()
    leave(here, there)
    for call in (task.submit, task.try_submit, task.free):
        with pytest.raises(BadState):
            call()
    assert task.status == ErrorCode.SUCCESS


def test_a_dropped_task_gives_its_place_back() -> None:
    there, here = pair(tasks=1)
    for _ in range(3):
        here.task(b"never submitted")
    here.task(b"the one task").free()
    leave(here, there)


def test_a_task_whose_callback_raised_is_back_with_the_exception() -> None:
    """No frame of a traceback holds the exception, so nothing waits for the collector."""

    def raises(task: SendTask) -> None:
        raise KeyError(task.status)

    there, here = server(), client(tasks=1)
    here.context.task_send_set_conf(raises, raises, 1)
    connect(there, here)
    gc.disable()
    try:
        for _ in range(3):
            here.send()
            with pytest.raises(KeyError):
                until(lambda: False, here.engine)
    finally:
        gc.enable()
    leave(here, there)


@pytest.mark.parametrize("form", ["", "threaded"])
def test_close_takes_back_what_the_program_holds(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    there, here = pair()
    held = here.task(b"never submitted")
    here.context.close(timeout=SOON_S)
    assert here.done == here.failed == []
    for call in (held.submit, held.try_submit, held.free):
        with pytest.raises(BadState):
            call()
    there.context.close()


def test_a_stop_still_waits_for_held_tasks() -> None:
    there, here = pair()
    held = here.task(b"never submitted")
    here.context.stop()
    until(lambda: not there.context.num_inflight_tasks, here.engine, there.engine)
    for _ in range(20):
        here.engine.progress()
    assert here.context.state is State.STOPPING
    held.free()
    leave(here, there)


def test_tasks_of_a_client_that_has_gone_fail_while_their_server_stops() -> None:
    """Also one that is made afterwards."""
    there, here = pair()
    gone, early = there.connection, there.task(b"early")
    leave(here)
    until(lambda: there.down, there.engine)
    assert there.context.stop() is State.STOPPING
    late = there.task(b"late", gone)
    for task in (early, late):
        task.submit()
    until(lambda: there.state is State.IDLE, there.engine)
    assert there.failed == [early, late]
    assert ErrorCode.SUCCESS not in [task.status for task in there.failed]
    leave(there)


@pytest.mark.parametrize("max_events", [None, 1])
def test_a_send_has_completed_before_its_connection_is_reported_lost(max_events: int | None) -> None:
    """Although the receiver has left before the sender looks again."""
    there, here = server(engine=comch.ProgressEngine(max_events=max_events)), client()
    order: list[str] = []

    def done(task: comch.SendTask) -> None:
        order.append("done")
        task.free()

    there.context.task_send_set_conf(done, ignore, 4)
    there.context.event_connection_status_changed_register(
        lambda connection, ok: there.up.append((connection, ok)), lambda *_: order.append("down")
    )
    connect(there, here)
    there.send(b"answer")
    there.send(b"another")
    until(lambda: len(here.messages) == 2, here.engine)
    leave(here)
    until(lambda: "down" in order, there.engine)
    assert order == ["done", "done", "down"]
    leave(there)


def test_a_program_that_sleeps_is_woken_when_the_last_held_task_has_been_freed() -> None:
    """The stop waits for nothing else: its connection has ended before."""
    there, here = pair()
    task = there.task(connection=there.connection)
    leave(here)
    until(lambda: there.down and not there.engine.progress(), there.engine)
    assert there.context.stop() is State.STOPPING
    task.free()
    assert there.engine.wait(SOON_S)
    there.engine.progress()
    assert there.state is State.IDLE
    leave(there)
