"""Send tasks: the pool, one completion each, and what becomes of them when the connection ends."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next import BadState, Client, ErrorCode, InvalidValue, NoMemory, SendTask, State, SubmitFlag
from tests.control_path.pair import Side, client, connect, ignore, leave, pair, server, until


def both(there: Side, here: Side, condition: object) -> None:
    until(condition, there.engine, here.engine)  # type: ignore[arg-type]


def test_a_message_arrives_and_its_task_completes_once() -> None:
    there, here = pair()
    task = here.task(b"hello")
    task.user_data = "mine"
    assert (task.context, here.context.num_inflight_tasks) == (here.context, 0)
    task.submit()
    assert here.context.num_inflight_tasks == here.engine.num_inflight_tasks == 1
    both(there, here, lambda: here.done and there.messages)
    assert here.done == [task]
    assert (task.status, task.user_data) == (ErrorCode.SUCCESS, "mine")
    assert there.messages == [b"hello"]
    assert here.context.num_inflight_tasks == here.engine.num_inflight_tasks == 0
    for _ in range(20):
        here.engine.progress()
    assert here.done == [task]
    leave(here, there)


def test_both_directions_and_all_sizes() -> None:
    there, here = pair()
    sent = [bytes([size % 256]) * size for size in (0, 1, 15, 16, 17, 100, 4079, 4080)]
    for data in sent:
        here.send(data)
        there.send(data)
    both(there, here, lambda: len(there.messages) == len(here.messages) == len(sent))
    assert there.messages == here.messages == sent
    leave(here, there)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_the_message_is_copied_at_allocation(kind: type) -> None:
    there, here = pair()
    backing = bytearray(b"before")
    task = here.task(kind(backing))
    backing[:] = b"behind"
    task.submit()
    both(there, here, lambda: there.messages)
    assert there.messages == [b"before"]
    leave(here, there)


@pytest.mark.parametrize("wrong", [None, "text", 3, ["x"], object()])
def test_what_is_no_message_is_refused(wrong: object) -> None:
    there, here = pair()
    with pytest.raises(InvalidValue, match="bytes-like"):
        here.task(wrong)  # type: ignore[arg-type]
    held = [here.task() for _ in range(64)]  # nothing was taken from the pool
    for task in held:
        task.free()
    leave(here, there)


def test_too_long_is_refused_with_its_length() -> None:
    there, here = pair()
    with pytest.raises(InvalidValue, match="4081 bytes is above this connection's 4080") as caught:
        here.task(b"x" * 4081)
    assert caught.value.length == 4081
    leave(here, there)


def test_the_pool_is_as_deep_as_configured() -> None:
    there, here = server(), client(tasks=3)
    connect(there, here)
    tasks = [here.task() for _ in range(3)]
    with pytest.raises(NoMemory, match="all 3 tasks"):
        here.task()
    tasks.pop().free()
    tasks.append(here.task())
    for task in tasks:
        task.submit()
    with pytest.raises(NoMemory):
        here.task()
    both(there, here, lambda: len(here.done) == 3)
    here.task().free()
    leave(here, there)


def test_a_task_has_one_owner() -> None:
    there, here = server(), client()
    kept: list[SendTask] = []
    here.context.task_send_set_conf(kept.append, ignore, 2)
    connect(there, here)
    task = here.task()
    task.submit()
    for call in (task.submit, task.try_submit, lambda: task.submit_ex(0)):
        with pytest.raises(BadState, match="submitted already"):
            call()
    with pytest.raises(BadState, match="wait for its completion"):
        task.free()
    both(there, here, lambda: kept)
    task.free()
    with pytest.raises(BadState, match="freed before"):
        task.free()
    for call in (task.submit, task.try_submit, lambda: task.submit_ex(0)):
        with pytest.raises(BadState, match="freed"):
            call()
    held = [here.task(), here.task()]
    with pytest.raises(NoMemory):  # the double free gave nothing to the pool
        here.task()
    for task in held:
        task.free()
    leave(here, there)


def test_submit_flags() -> None:
    there, here = pair()
    for flags in (0, SubmitFlag.FLUSH, SubmitFlag.OPTIMIZE_REPORTS, SubmitFlag.FLUSH | SubmitFlag.OPTIMIZE_REPORTS):
        here.task(b"%d" % flags).submit_ex(flags)
    here.context.flush_tasks()
    both(there, here, lambda: len(there.messages) == 4)
    task = here.task()
    with pytest.raises(InvalidValue, match="SubmitFlag"):
        task.submit_ex(1 << 9)
    task.free()
    leave(here, there)


def test_resubmit_inside_the_callback() -> None:
    there, here = server(recv_queue_size=2), client()
    left = [200]

    def again(task: SendTask) -> None:
        left[0] -= 1
        if left[0]:
            task.submit()
        else:
            task.free()

    here.context.task_send_set_conf(again, again, 1)
    connect(there, here)
    here.task(b"again").submit()
    both(there, here, lambda: len(there.messages) == 200)
    assert there.messages == [b"again"] * 200
    leave(here, there)


def test_resubmitting_for_ever_costs_the_same_each_time() -> None:
    there, here = pair()
    there.context._handle.on_done = lambda task: task.submit()
    there.send(b"x", there.connection)
    until(lambda: len(here.messages) >= 1000, there.engine, here.engine)
    assert len(there.context._handle.sending) == 1
    there.context._handle.on_done = lambda task: task.free()
    leave(here, there)


def test_resubmit_after_failure_does_not_hold_progress_for_ever() -> None:
    """Submitted on a dead connection, it fails at the next progress, not again and again in this one."""
    there, here = server(recv_queue_size=1), client()
    failures = [0]

    def again(task: SendTask) -> None:
        failures[0] += 1
        if failures[0] < 1000:
            task.submit()

    here.context.task_send_set_conf(again, again, 1)
    connect(there, here)
    task = here.task()
    here.context.stop()
    task.submit()
    here.engine.progress()
    assert failures[0] == 1
    until(lambda: failures[0] == 1000, here.engine)
    task.free()
    leave(here, there)


def test_free_and_allocate_inside_the_callback() -> None:
    there, here = server(), client()
    sent: list[int] = []

    def more(task: SendTask) -> None:
        task.free()
        if len(sent) < 50:
            sent.append(1)
            here.send(b"%d" % len(sent))

    here.context.task_send_set_conf(more, more, 1)
    connect(there, here)
    here.send(b"0")
    both(there, here, lambda: len(there.messages) == 51)
    leave(here, there)


def test_what_does_not_fit_into_the_queue_is_in_flight() -> None:
    there, here = server(recv_queue_size=2), client(tasks=8)
    connect(there, here)
    for number in range(5):
        here.send(b"%d" % number)
    here.engine.progress()
    assert len(here.done) == 2
    assert here.context.num_inflight_tasks == 3
    both(there, here, lambda: len(here.done) == 5)
    assert there.messages == [b"%d" % number for number in range(5)]
    leave(here, there)


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


def test_connections_of_others_and_other_things_are_refused() -> None:
    there, here = pair()
    other_there, other_here = server("other"), client("other")
    connect(other_there, other_here)
    for wrong in (other_here.connection, there.connection, None, 3, "x"):
        with pytest.raises(InvalidValue):
            here.context.task_send_alloc_init(wrong, b"x")
    for wrong in (other_there.connection, here.connection, None):
        with pytest.raises(InvalidValue):
            there.context.task_send_alloc_init(wrong, b"x")
    leave(here, there, other_here, other_there)


@pytest.mark.parametrize("number", [0, -1, 8193, 1 << 70, "4", None, True, 2.0])
def test_numbers_out_of_range_are_refused(number: int) -> None:
    here = client()
    with pytest.raises(InvalidValue, match="whole number from 1 to 8192"):
        here.context.task_send_set_conf(ignore, ignore, number)
    with pytest.raises(InvalidValue, match="whole number from 1 to 8192"):
        here.context.recv_queue_size = number
    leave(here)


@pytest.mark.parametrize("which", [0, 1])
def test_callbacks_must_be_callable(which: int) -> None:
    here = client()
    for wrong in (None, 3, "name"):
        calls = [ignore, ignore]
        calls[which] = wrong  # type: ignore[call-overload]
        with pytest.raises(InvalidValue, match="takes a callback"):
            here.context.task_send_set_conf(*calls, 4)
        with pytest.raises(InvalidValue, match="takes a callback"):
            here.context.event_msg_recv_register(wrong)
        with pytest.raises(InvalidValue, match="takes a callback"):
            here.context.set_state_changed_cb(wrong)
    leave(here)


def test_start_needs_its_mandatory_configuration() -> None:
    bare = Client(comch.open_device("b1:00.0"), "svc")
    with pytest.raises(comch.BadConfig, match="send task configuration and the receive callback"):
        bare.start()
    bare.task_send_set_conf(ignore, ignore, 1)
    with pytest.raises(comch.BadConfig, match="lacks the receive callback"):
        bare.start()
    bare.close()
    there = comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
    there.task_send_set_conf(ignore, ignore, 1)
    there.event_msg_recv_register(ignore)
    with pytest.raises(comch.BadConfig, match="connection callbacks"):
        there.start()
    there.close()


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


@pytest.mark.parametrize("form", ["", "threaded"])
def test_close_takes_back_what_the_program_holds(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    there, here = pair()
    held = here.task(b"never submitted")
    done: list[SendTask] = []
    here.context.close(timeout=20)
    assert not done
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
def test_a_send_has_completed_before_its_answer_comes(max_events: int | None) -> None:
    """Whenever the program looks: the only task of a client is free when it is answered."""
    there, here = server(), client(tasks=1, engine=comch.ProgressEngine(max_events=max_events))
    order: list[str] = []

    def done(task: SendTask) -> None:
        order.append("done")
        task.free()

    def answered(*_: object) -> None:
        order.append("answer")
        here.task().free()

    here.context.task_send_set_conf(done, ignore, 1)
    here.context.event_msg_recv_register(answered)
    connect(there, here)
    for number in range(1, 4):
        here.send()
        until(lambda number=number: len(there.messages) == number, there.engine)  # type: ignore[misc]
        there.send(b"answer")
        until(lambda number=number: len(order) == 2 * number, here.engine, there.engine)  # type: ignore[misc]
    assert order == ["done", "answer"] * 3
    leave(here, there)


@pytest.mark.parametrize("max_events", [None, 1])
def test_a_send_has_completed_before_its_connection_is_reported_lost(max_events: int | None) -> None:
    """Although the receiver has left before the sender looks again."""
    there, here = server(engine=comch.ProgressEngine(max_events=max_events)), client()
    order: list[str] = []

    def done(task: SendTask) -> None:
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
