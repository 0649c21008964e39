"""Send tasks: the pool, and one completion each."""

from __future__ import annotations

import pytest

import comch_next as comch
from comch_next import BadState, ErrorCode, InvalidValue, NoMemory, SendTask, State, SubmitFlag
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


def test_a_send_of_the_same_progress_has_completed_before_its_answer() -> None:
    """A client sends when it is told that it is up, and is answered before that callback has returned."""
    there, here = server(), client()
    order: list[str] = []

    def changed(context: comch.Client, old: State, new: State) -> None:
        if new is State.RUNNING:
            here.send()
            until(lambda: there.messages, there.engine)
            there.send(b"answer")

    def done(task: SendTask) -> None:
        order.append("done")
        task.free()

    here.context.set_state_changed_cb(changed)
    here.context.task_send_set_conf(done, ignore, 1)
    here.context.event_msg_recv_register(lambda *_: order.append("answer"))
    there.context.start()
    here.context.start()
    until(lambda: len(order) == 2, there.engine, here.engine)
    assert order == ["done", "answer"]
    leave(here, there)
