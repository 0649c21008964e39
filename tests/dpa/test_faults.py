"""What a kernel must not do is the fatal error of its DPA, which the host sees; nothing is lost in silence."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import comch_next as comch
from comch_next.dpa import Dpa, DpaThread, dev
from comch_next.dpa.dev import (
    doca_dpa_dev_comch_consumer_ack,
    doca_dpa_dev_comch_consumer_completion_ack,
    doca_dpa_dev_comch_consumer_get_completion,
    doca_dpa_dev_comch_consumer_get_completion_imm,
    doca_dpa_dev_comch_producer_is_consumer_empty,
    doca_dpa_dev_comch_producer_post_send_imm_only,
    doca_dpa_dev_get_completion_type,
    doca_dpa_dev_thread_finish,
)
from tests.control_path.pair import Side, client, connect, server
from tests.dpa.world import DEPTH, Queues, echo, queues, sleep, until
from tests.inside import inside

pytestmark = pytest.mark.usefixtures("printed")


def too_long(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, bytes(33), 33, 0)


def longer_than_given(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, b"short", 6, 0)


def negative_length(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, b"short", -1, 0)


def no_number(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_consumer_ack(float(arg.consumer), 1)  # type: ignore[arg-type]


def too_many(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_consumer_ack(arg.consumer, DEPTH)
    doca_dpa_dev_comch_consumer_ack(arg.consumer, 1)


def nobody_waits(arg: SimpleNamespace) -> None:
    for _ in range(9):
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, b"9", 1, 0)


def nobody_there(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, 77, b"9", 1, 0)


def another_kind(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_consumer_ack(arg.producer, 1)


def no_handle(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_consumer_get_completion(1 << 40)


def nothing_read(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_consumer_completion_ack(arg.completion, 1)


def stale_element(arg: SimpleNamespace) -> None:
    if not arg.posted:
        arg.posted = True
        doca_dpa_dev_comch_consumer_ack(arg.consumer, 1)
        sleep(arg)
    _, element = doca_dpa_dev_comch_consumer_get_completion(arg.completion)
    doca_dpa_dev_comch_consumer_completion_ack(arg.completion, 1)
    doca_dpa_dev_comch_consumer_get_completion_imm(element)


def type_of_a_message(arg: SimpleNamespace) -> None:
    if not arg.posted:
        arg.posted = True
        doca_dpa_dev_comch_consumer_ack(arg.consumer, 1)
        sleep(arg)
    _, element = doca_dpa_dev_comch_consumer_get_completion(arg.completion)
    doca_dpa_dev_get_completion_type(element)


def too_many_completions(arg: SimpleNamespace) -> None:
    for _ in range(65):
        while doca_dpa_dev_comch_producer_is_consumer_empty(arg.producer, arg.cpu):
            time.sleep(0.0001)
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, b"1", 1, 1)


REFUSED: dict[Callable[[SimpleNamespace], None], str] = {
    too_long: "33 bytes of immediate data are above the 32",
    longer_than_given: "6 bytes of immediate data are more than the 5",
    negative_length: "takes a number from 0 on, not -1",
    no_number: "takes the handle of a DPA consumer, not ",
    too_many: "1 receive is above the 0 of 4",
    nobody_waits: "has posted no receive",
    nobody_there: "there is no consumer 77",
    another_kind: "takes the handle of a DPA consumer",
    no_handle: "takes the handle of a consumer completion context",
    nothing_read: "1 element, where 0 were read",
    stale_element: "has been acknowledged",
    type_of_a_message: "takes the handle of a DPA completion context",
    too_many_completions: "all 64 elements",
}


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda kernel: kernel.__name__)
def test_a_refused_device_call_is_fatal(
    kernel: Callable[[SimpleNamespace], None], printed: list[BaseException | None]
) -> None:
    with queues(kernel) as lane:
        if kernel in (stale_element, type_of_a_message):
            lane.send(b"read me")
        # Progress posts again what has been received.
        until(None if kernel is nobody_waits else lane.engine, lambda: lane.dpa.error)
        assert isinstance(lane.dpa.error, comch.InvalidValue)
        told = str(lane.dpa.error)
        assert REFUSED[kernel] in told
        assert "doca_dpa_dev_" in told
        assert kernel.__name__ in told
        lane.until(lambda: printed)
        assert printed == [lane.dpa.error]


def test_what_a_kernel_raises_stops_what_stands_on_its_queues(printed: list[BaseException | None]) -> None:
    def wrong(arg: SimpleNamespace) -> None:
        raise ZeroDivisionError("no such luck")

    with queues(wrong) as lane:
        lane.until(lambda: lane.consumer.state is comch.State.IDLE and lane.producer.state is comch.State.IDLE)
        assert isinstance(lane.dpa.error, ZeroDivisionError)
        assert lane.failed == [comch.ErrorCode.CONNECTION_RESET] * 8  # the receives that were posted
        with pytest.raises(comch.BadState, match="has failed"):
            comch.MsgQ.start(queue_of(lane))


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit])
def test_what_ends_other_programs_is_printed_too(
    error: type[BaseException], printed: list[BaseException | None]
) -> None:
    def leaving(arg: SimpleNamespace) -> None:
        raise error(3)

    with queues(leaving) as lane:
        lane.until(lambda: printed)
        assert isinstance(lane.dpa.error, error)
        assert lane.dpa.error in (printed[0], printed[0].__cause__ if printed[0] else None)


def queue_of(lane: Queues) -> comch.MsgQ:
    """Another queue to the same DPA."""
    made = comch.MsgQ(lane.device)
    made.set_dpa_consumer(lane.dpa)
    return made


def test_a_failed_dpa_works_again_after_a_start() -> None:
    def wrong(arg: SimpleNamespace) -> None:
        raise ZeroDivisionError

    lane = Queues(wrong)
    lane.thread.run()
    lane.until(lambda: lane.dpa.error)
    lane.close()
    with queues(echo) as after:
        after.send(b"again")
        after.until(lambda: after.came)
        assert after.came == [b"AGAIN"]


def test_a_kernel_that_never_ends_is_named() -> None:
    ends = threading.Event()

    def endless(arg: SimpleNamespace) -> None:
        arg.posted = True
        ends.wait()

    lane = Queues(endless)
    lane.thread.run()
    lane.until(lambda: lane.arg.posted)
    with pytest.raises(comch.TimeOut, match="endless"):
        lane.thread.stop(0.05)
    ends.set()
    lane.close()


def is_alive(lane: Queues) -> bool:
    thread: threading.Thread = inside(lane.thread)._thread
    return thread.is_alive()


def test_a_finished_kernel_is_not_activated_again() -> None:
    def once(arg: SimpleNamespace) -> None:
        arg.notes.append("ran")
        doca_dpa_dev_comch_consumer_ack(arg.consumer, DEPTH)
        doca_dpa_dev_thread_finish()

    with queues(once) as lane:
        lane.send(b"too late")
        lane.until(lambda: not is_alive(lane))
        assert lane.arg.notes == ["ran"]


@pytest.mark.parametrize("name", [name for name in dev.__all__ if name.startswith("doca_dpa_dev_")])
def test_device_calls_are_for_kernels(name: str) -> None:
    call = getattr(dev, name)
    with pytest.raises(comch.BadState, match=f"{name} was attempted outside of a kernel"):
        call(*arguments(call))


def arguments(call: Callable[..., object]) -> list[object]:
    """Something for each parameter."""
    return [b"" if name == "imm" else 0 for name in call.__code__.co_varnames[: call.__code__.co_argcount]]


HOST_CALLS: dict[str, Callable[[Queues], object]] = {
    "progress": lambda lane: lane.engine.progress(),
    "start": lambda lane: lane.producer.start(),
    "queue": lambda lane: lane.to.stop(),
    "thread": lambda lane: lane.thread.stop(),
    "completion": lambda lane: lane.sent.get_dpa_handle(),
    "dpa": lambda lane: lane.dpa.stop(),
    "device": lambda lane: comch.open_device("03:00.0"),
    "map": lambda lane: comch.Mmap(lane.device, 64, comch.AccessFlag.LOCAL_READ_WRITE),
    "inventory": lambda lane: comch.BufInventory(1),
    "engine": lambda lane: comch.ProgressEngine(),
    "wait": lambda lane: lane.engine.wait(0),
    "context": lambda lane: comch.Client(lane.device, "svc"),
    "instance": lambda lane: Dpa(lane.device),
    "message queue": lambda lane: comch.MsgQ(lane.device),
    "consumer completion": lambda lane: comch.ConsumerCompletion(),
    "task": lambda lane: lane.producer.task_send_alloc_init(None, b"x", 1),
    "free": lambda lane: lane.arg.task.free(),
    "consumer of a task": lambda lane: setattr(lane.arg.task, "consumer_id", 1),
    "immediate data": lambda lane: setattr(lane.arg.task, "imm_data", b"y"),
    "flags": lambda lane: lane.arg.task.submit_ex(0),
    "submit": lambda lane: lane.arg.task.submit(),
    "arm": lambda lane: lane.engine.request_notification(),
    "disarm": lambda lane: lane.engine.clear_notification(),
    "state": lambda lane: lane.producer.state,
    "id": lambda lane: lane.consumer.id,
    "handle": lambda lane: lane.dpa_consumer.get_dpa_handle(),
}


@pytest.mark.parametrize("name", HOST_CALLS)
def test_host_calls_are_refused_in_kernels(name: str) -> None:
    lane: Queues

    def kernel(arg: SimpleNamespace) -> None:
        HOST_CALLS[name](lane)

    lane = Queues(kernel)
    lane.arg.task = lane.producer.task_send_alloc_init(None, b"x", lane.dpa_consumer.id)
    lane.thread.run()
    lane.until(lambda: lane.dpa.error)
    lane.arg.task.free()
    assert isinstance(lane.dpa.error, comch.BadState)
    assert "in a kernel; it is legal on the host" in str(lane.dpa.error)
    lane.close()


CALLS_OF_A_CLIENT: dict[str, Callable[[Side, comch.SendTask], object]] = {
    "allocate": lambda side, task: side.context.task_send_alloc_init(side.context.connection, b"x"),
    "submit": lambda side, task: task.submit(),
    "flags": lambda side, task: task.submit_ex(0),
    "free": lambda side, task: task.free(),
    "arm": lambda side, task: side.engine.request_notification(),
    "disarm": lambda side, task: side.engine.clear_notification(),
}


@pytest.mark.parametrize("name", CALLS_OF_A_CLIENT)
def test_calls_of_a_client_are_refused_in_kernels(name: str) -> None:
    with Dpa(comch.open_device("03:00.0")) as dpa:
        hosts, clients = server(), client()
        connect(hosts, clients)
        task = clients.context.task_send_alloc_init(clients.context.connection, b"x")
        thread = DpaThread(dpa)
        thread.set_func_arg(lambda _: CALLS_OF_A_CLIENT[name](clients, task))
        thread.start()
        thread.run()
        until(None, lambda: dpa.error)
        assert isinstance(dpa.error, comch.BadState)
        assert "in a kernel; it is legal on the host" in str(dpa.error)
        task.free()
        thread.stop()
        thread.destroy()
        clients.context.close()
        hosts.context.close()
