"""An interrupt at every place of a submit: the program has the task, or it is on its way and wakes who sleeps."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver import load
from tests.control_path.pair import Side, client, leave, pair, server, sleep, until
from tests.fast_path.lane import Lane
from tests.interrupts.strike import each_place
from tests.native.faces import choose
from tests.processes import SOON_S
from tests.pull.support import ready

LONG = 70_000  # bytes: others run while so many are copied

pytestmark = pytest.mark.usefixtures("runtime_dir")


@pytest.fixture(autouse=True)
def handled() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(params=["the rings", "the C libraries"])
def over(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    if request.param == "the C libraries":
        choose(monkeypatch)


def strike_everywhere(
    make: Callable[[bytes], Any], submit: str, check: Callable[[bytes, Any], None], few: int, *args: int
) -> None:
    """Make a task, submit it with an interrupt at the next place, and check it, until there is no such place."""
    for at, strike in enumerate(each_place(few), 1):
        data = b"%d" % at
        task = make(data)
        strike.hit(lambda: getattr(task, submit)(*args))  # noqa: B023
        check(data, task)


@pytest.mark.parametrize("submit", ["submit", "try_submit"])
def test_a_message(submit: str) -> None:
    there, here = pair()

    def make(data: bytes) -> comch.SendTask:
        sleep(here.engine)
        return here.task(data)

    def check(data: bytes, task: comch.SendTask) -> None:
        while there.engine.progress():
            pass
        if data in there.messages:
            assert ready(here.engine.notification_handle, SOON_S)
            here.engine.clear_notification()
            until(lambda: here.done, here.engine)
            assert here.done.pop() is task
        else:
            task.free()

    strike_everywhere(make, submit, check, 25)
    assert not here.done
    assert not here.failed
    leave(here, there)


OVER_C: dict[str, tuple[int, ...]] = {"submit": (), "try_submit": (), "submit_ex": (comch.SubmitFlag.FLUSH,)}


@pytest.mark.parametrize("submit", OVER_C)
def test_a_message_over_the_c_libraries(submit: str, monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    """They are in Python, too: what interrupts them may not have them answer that they have not done what they did."""
    choose(monkeypatch)
    there, here = pair()

    def make(data: bytes) -> comch.SendTask:
        sleep(here.engine)
        return here.task(data)

    def check(data: bytes, task: comch.SendTask) -> None:
        while there.engine.progress():
            pass
        if data in there.messages:
            until(lambda: here.done, here.engine)
            assert here.done.pop() is task
        else:
            task.free()

    getattr(here.task(b"first"), submit)(*OVER_C[submit])  # which finds what later calls know
    until(lambda: here.done, here.engine)
    here.done.clear()
    strike_everywhere(make, submit, check, 10, *OVER_C[submit])
    assert not here.done
    leave(here, there)


def test_a_message_that_fails() -> None:
    there, here = pair()
    connection = there.connection
    there.context.disconnect(connection)
    fail_everywhere(there, connection)
    leave(here, there)


def fail_everywhere(side: Side, connection: comch.Connection) -> None:
    def check(data: bytes, task: comch.SendTask) -> None:
        if comch.outcome(task.free)[0] is comch.ErrorCode.SUCCESS:
            while side.engine.progress():
                pass
        else:
            until(lambda: side.failed, side.engine)
            assert side.failed.pop() is task
        assert not side.failed

    strike_everywhere(lambda data: side.task(data, connection), "submit", check, 10)


@pytest.mark.usefixtures("over")
@pytest.mark.parametrize("length", [0, LONG])
def test_a_buffer(length: int) -> None:
    lane = Lane(memory=1 << 20).run()
    outbox, inbox = lane.outbox, lane.inbox
    mmap = comch.Mmap(lane.here.context.device, LONG, comch.AccessFlag.LOCAL_READ_WRITE)
    mmap.start()

    def make(data: bytes) -> comch.ProducerSendTask:
        inbox.post(room=LONG)
        lane.settle()
        sleep(outbox.producer.engine)
        buf = outbox.inventory.buf_get_by_data(mmap, mmap.addr, length) if length else None
        return outbox.producer.task_send_alloc_init(buf, data, inbox.consumer.id)

    def check(data: bytes, task: comch.ProducerSendTask) -> None:
        until(lambda: not inbox.consumer.engine.progress())
        if any(imm == data for _, imm in inbox.received):
            assert ready(outbox.producer.engine.notification_handle, SOON_S)
            before = outbox.sent
            lane.until(lambda: outbox.sent > before)
        else:
            if task.buf is not None:
                task.buf.dec_refcount()
            task.free()
            outbox.producer.task_send_alloc_init(None, data, inbox.consumer.id).submit()  # to what has been posted
            lane.until(lambda: inbox.received and inbox.received[-1][1] == data)

    strike_everywhere(make, "submit", check, 20)
    mmap.destroy()
    lane.close()


@pytest.mark.usefixtures("over")
def test_a_receive_that_fails() -> None:
    """Its consumer is stopping."""
    lane = Lane()
    inbox, number = lane.inbox, 64
    inbox.consumer.task_post_recv_set_conf(inbox._done, inbox._failed, number)
    lane.run()
    tasks = [inbox.consumer.task_post_recv_alloc_init(None) for _ in range(number)]
    inbox.consumer.stop()
    lane.settle()

    def make(_: bytes) -> comch.PostRecvTask:
        sleep(inbox.consumer.engine)
        return tasks.pop()

    def check(_: bytes, task: comch.PostRecvTask) -> None:
        if not inbox.consumer.num_inflight_tasks:
            task.free()
        else:
            assert ready(inbox.consumer.engine.notification_handle, SOON_S)
            until(lambda: inbox.failed, inbox.consumer.engine)
            assert inbox.failed.pop() == "NOT_CONNECTED"
        assert not inbox.failed

    strike_everywhere(make, "submit", check, 5)
    for task in tasks:
        task.free()
    lane.close()


def test_changes_of_state_over_the_c_libraries(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> None:
    """An interrupt at every place of a progress that brings one: the libraries tell it all the same."""
    choose(monkeypatch)
    there = server()
    there.context.start()
    for strike in each_place(10):
        here, states = client(), list[comch.State]()
        here.context.set_state_changed_cb(lambda _, __, new: states.append(new))  # noqa: B023
        here.context.start()
        until(lambda: there.engine.progress())
        strike.hit(here.engine.progress)
        until(lambda: here.state is comch.State.RUNNING, here.engine, there.engine)  # noqa: B023
        here.engine.progress()
        assert states == [comch.State.STARTING, comch.State.RUNNING], strike.place
        leave(here)
        until(lambda: not there.engine.progress())
    leave(there)


@pytest.mark.parametrize("setting", ["imm_data", "consumer_id", "buf"])
def test_what_a_c_library_has_been_given_is_kept(
    setting: str, monkeypatch: pytest.MonkeyPatch, fresh_driver: None
) -> None:
    """It keeps pointers to what the program's task has to hold."""
    choose(monkeypatch)
    lane = Lane().run()
    outbox = lane.outbox
    bufs = [outbox.buf(data) for data in (b"one", b"other")]
    choices: dict[str, Any] = {"imm_data": (b"one", b"other"), "consumer_id": (1, 2), "buf": bufs}
    one, other = choices[setting]
    task = outbox.producer.task_send_alloc_init(None, b"first", lane.inbox.consumer.id)
    setattr(task, setting, one)  # which finds what later calls know
    library: Any = load().producers.library  # type: ignore[attr-defined]
    name, given = f"doca_comch_producer_task_send_set_{setting}", list[object]()
    give = library[name]

    def noted(*args: object) -> None:
        give(*args)
        given.append(args)

    library[name] = noted
    for strike in each_place(10):
        before = getattr(task, setting)
        value = one if before == other else other
        given.clear()
        strike.hit(lambda: setattr(task, setting, value))  # noqa: B023
        assert getattr(task, setting) == (value if given else before), strike.place
    task.free()
    for buf in bufs:
        buf.dec_refcount()
    lane.close()
