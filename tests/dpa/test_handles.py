"""Handles that kernels keep for too long, or take from elsewhere; and kernels of a DPA that has failed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

import comch_next as comch
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from comch_next.dpa.dev import (
    doca_dpa_dev_comch_consumer_ack,
    doca_dpa_dev_comch_consumer_get_completion,
    doca_dpa_dev_comch_producer_dma_copy,
    doca_dpa_dev_comch_producer_is_consumer_empty,
    doca_dpa_dev_comch_producer_post_send_imm_only,
    doca_dpa_dev_get_completion,
    doca_dpa_dev_thread_reschedule,
)
from comch_next.driver.emulated._dpa.handles import find
from tests.dpa.world import PATIENCE_S, Kernel, Queues, queues, until
from tests.inside import inside
from tests.interrupts.strike import each_place

pytestmark = pytest.mark.usefixtures("printed")

SIZE = 1 << 20


def copy(arg: SimpleNamespace) -> None:
    doca_dpa_dev_comch_producer_dma_copy(
        arg.producer, arg.cpu, arg.dst, arg.to, arg.src, arg.origin, arg.length, b"12345", 5, arg.completion
    )


def lane_with_maps(kernel: Kernel, **changes: Any) -> tuple[Queues, comch.Mmap, comch.Mmap]:
    """A lane whose kernel is told of two maps, and does not run yet."""
    lane = Queues(kernel)
    made = [comch.Mmap(lane.device, SIZE, comch.AccessFlag.LOCAL_READ_WRITE) for _ in range(2)]
    for mmap in made:
        mmap.start()
    source, target = made
    source.view[:] = b"s" * SIZE
    arg = lane.arg
    arg.src, arg.dst = (mmap.dev_get_dpa_handle(lane.device) for mmap in made)
    arg.origin, arg.to, arg.length, arg.completion = source.addr, target.addr, SIZE, 0
    vars(arg).update(changes)
    return lane, source, target


def fails_with(lane: Queues, error: type[comch.DocaError], text: str) -> None:
    lane.thread.run()
    lane.until(lambda: lane.dpa.error)
    assert isinstance(lane.dpa.error, error), lane.dpa.error
    assert text in str(lane.dpa.error)
    assert lane.came == []


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("end", [comch.Mmap.stop, comch.Mmap.destroy])
def test_a_map_that_has_ended_is_refused(which: int, end: Callable[[comch.Mmap], None]) -> None:
    """A copy from or to memory that is unmapped would end the process."""
    lane, *maps = lane_with_maps(copy)
    end(maps[which])
    fails_with(lane, comch.InvalidValue, "memory map of this DPA that is started")
    lane.close()


def test_a_map_of_another_device_is_refused() -> None:
    lane, _, _ = lane_with_maps(copy)
    host = comch.open_device("b1:00.0")
    other = comch.Mmap(host, SIZE, comch.AccessFlag.LOCAL_READ_WRITE)
    other.start()
    lane.arg.dst, lane.arg.to = other.dev_get_dpa_handle(host), other.addr
    fails_with(lane, comch.InvalidValue, "memory map of this DPA that is started")
    lane.close()


@pytest.mark.parametrize("name", ["origin", "to", "length", "cpu"])
@pytest.mark.parametrize("value", ["5", 1.5, None, -1, []])
def test_what_is_no_number_is_refused(name: str, value: object) -> None:
    lane, _, target = lane_with_maps(copy, **{name: value})
    fails_with(lane, comch.InvalidValue, "doca_dpa_dev_comch_producer_dma_copy")
    assert target.view[0] == 0
    lane.close()


def test_a_copy_whose_message_is_refused_copies_nothing() -> None:
    lane, _, target = lane_with_maps(copy)
    lane.consumer.close()
    lane.consumer = lane.back.consumer_create(engine=lane.engine)
    lane.consumer.imm_data_len = 4
    lane.consumer.task_post_recv_set_conf(comch.PostRecvTask.free, comch.PostRecvTask.free, 1)
    lane.consumer.start()
    lane.until(lambda: lane.consumer.state is comch.State.RUNNING)
    lane.post(1)
    lane.arg.cpu = lane.consumer.id
    fails_with(lane, comch.InvalidValue, "5 bytes of immediate data are above the 4")
    assert target.view[0] == 0
    lane.close()


def sends_twice(arg: SimpleNamespace) -> None:
    for imm in (b"1", b"2"):
        doca_dpa_dev_comch_producer_post_send_imm_only(arg.producer, arg.cpu, imm, 1, 1)


def test_a_send_without_room_for_its_completion_is_not_sent() -> None:
    lane = Queues(sends_twice)
    lane.dpa_producer.close()
    lane.sent.stop()
    lane.sent.destroy()
    lane.sent = DpaCompletion(lane.dpa, 1)
    lane.dpa_producer = lane.back.producer_create()
    lane.dpa_producer.set_datapath_on_dpa(lane.dpa)
    lane.dpa_producer.dpa_completion_attach(lane.sent)
    lane.dpa_producer.set_dev_max_num_send(4)
    with pytest.raises(comch.BadConfig, match="is not started"):
        lane.dpa_producer.start()
    lane.sent.start()
    lane.dpa_producer.start()
    lane.arg.producer = lane.dpa_producer.get_dpa_handle()
    lane.thread.run()
    until(None, lambda: lane.dpa.error)
    assert "all 1 elements" in str(lane.dpa.error)
    lane.until(lambda: lane.consumer.state is comch.State.IDLE)
    assert b"2" not in lane.came
    lane.close()


USES: dict[str, Callable[[int], object]] = {
    "consumer": lambda number: doca_dpa_dev_comch_consumer_ack(number, 1),
    "completion": doca_dpa_dev_comch_consumer_get_completion,
    "sent": doca_dpa_dev_get_completion,
    "producer": lambda number: doca_dpa_dev_comch_producer_is_consumer_empty(number, 1),
}


def of_the_other(arg: SimpleNamespace) -> None:
    USES[arg.which](getattr(arg.other, arg.which))


@pytest.mark.parametrize("which", USES)
def test_the_handles_of_another_dpa_are_refused(which: str) -> None:
    with queues(lambda arg: doca_dpa_dev_thread_reschedule()) as other:
        lane = Queues(of_the_other)
        lane.arg.which, lane.arg.other = which, other.arg
        fails_with(lane, comch.InvalidValue, "of this DPA that is started")
        lane.close()
        assert other.dpa.error is None


@pytest.mark.parametrize("name", ["dpa_consumer", "dpa_producer"])
def test_a_context_that_has_stopped_is_refused(name: str) -> None:
    lane = Queues(of_the_other)
    lane.arg.which, lane.arg.other = name.removeprefix("dpa_"), lane.arg
    getattr(lane, name).stop()
    fails_with(lane, comch.InvalidValue, "of this DPA that is started")
    lane.close()


def test_other_kernels_of_a_failed_dpa_end_at_their_next_call() -> None:
    polls = threading.Event()

    def poll(handle: int) -> None:
        while not doca_dpa_dev_get_completion(handle)[0]:
            polls.set()

    def wrong(_: None) -> None:
        polls.wait(PATIENCE_S)
        raise ZeroDivisionError

    dpa = Dpa(comch.open_device("03:00.0"))
    dpa.start()
    completion = DpaCompletion(dpa, 1)
    completion.start()
    threads = [DpaThread(dpa) for _ in range(2)]
    threads[0].set_func_arg(poll, completion.get_dpa_handle())
    threads[1].set_func_arg(wrong)
    for thread in threads:
        thread.start()
        thread.run()
    until(None, lambda: dpa.error)
    for thread in threads:
        thread.stop(PATIENCE_S)
        thread.destroy()
    assert isinstance(dpa.error, ZeroDivisionError)
    completion.stop()
    completion.destroy()
    dpa.stop()
    dpa.destroy()


def test_a_kernel_that_catches_its_refusal_sends_no_more() -> None:
    def stubborn(arg: SimpleNamespace) -> None:
        for _ in range(3):
            try:
                doca_dpa_dev_comch_consumer_ack(arg.consumer, 1000)
            except comch.InvalidValue:
                arg.notes.append("refused")
        arg.notes.append("goes on")

    lane = Queues(stubborn)
    lane.thread.run()
    lane.until(lambda: lane.dpa.error)
    lane.close()
    assert lane.arg.notes == ["refused"]


@pytest.mark.parametrize("timeout", [float("nan"), -1, "5", [], Decimal("nan"), -(10**5000)], ids=type)
def test_an_invalid_timeout_leaves_the_kernel_as_it_is(timeout: Any) -> None:
    with queues(lambda arg: doca_dpa_dev_thread_reschedule()) as lane:
        with pytest.raises(comch.InvalidValue, match="timeout"):
            lane.thread.stop(timeout)
        with pytest.raises(comch.BadState):  # it has not been stopped
            lane.thread.start()


@pytest.mark.parametrize("timeout", [None, float("inf"), 1e300, Fraction(2, 1)])
def test_a_stop_may_wait_for_ever(timeout: Any) -> None:
    lane = Queues(lambda arg: doca_dpa_dev_thread_reschedule())
    lane.thread.run()
    lane.thread.stop(timeout)
    lane.thread.start()
    lane.close()


def test_an_interrupt_before_a_handle_is_given() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with Dpa(comch.open_device("03:00.0")) as dpa:
        for strike in each_place(4):
            completion = DpaCompletion(dpa, 4)
            completion.start()
            strike.hit(completion.get_dpa_handle)
            found = find(completion.get_dpa_handle(), type(inside(completion)), "", inside(dpa))
            assert found is inside(completion), strike.place
            completion.stop()
            completion.destroy()
    signal.signal(signal.SIGINT, before)
