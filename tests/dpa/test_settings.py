"""What must be given before a start, in which order things begin and end, and how many there may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from tests.dpa.world import DEPTH, Queues, echo, queues
from tests.inside import inside


@pytest.fixture
def dpa() -> Iterator[Dpa]:
    made = Dpa(comch.open_device("03:00.0"))
    made.start()
    yield made
    made.stop()
    made.destroy()


@pytest.fixture
def thread(dpa: Dpa) -> Iterator[DpaThread]:
    made = DpaThread(dpa)
    yield made
    made.destroy()


def queue(dpa: Dpa, side: str) -> comch.MsgQ:
    made = comch.MsgQ(comch.open_device("03:00.0"))
    getattr(made, f"set_dpa_{side}")(dpa)
    made.start()
    return made


def end(msgq: comch.MsgQ) -> None:
    msgq.stop()
    msgq.destroy()


# Each instance, queue and thread


def test_a_queue_needs_its_direction(dpa: Dpa) -> None:
    msgq = comch.MsgQ(comch.open_device("03:00.0"))
    with pytest.raises(comch.BadConfig, match="the direction is missing"):
        msgq.start()
    msgq.set_dpa_consumer(dpa)
    for again in (msgq.set_dpa_consumer, msgq.set_dpa_producer):
        with pytest.raises(comch.BadState, match="one direction"):
            again(dpa)
    msgq.destroy()


def test_a_queue_is_of_its_dpas_device(dpa: Dpa) -> None:
    host = comch.open_device("b1:00.0")
    with pytest.raises(comch.InvalidValue, match="queue's device"):
        comch.MsgQ(host).set_dpa_consumer(dpa)


def test_a_queue_needs_a_started_dpa() -> None:
    device = comch.open_device("03:00.0")
    idle, msgq = Dpa(device), comch.MsgQ(device)
    msgq.set_dpa_consumer(idle)
    with pytest.raises(comch.BadState, match="is not started"):
        msgq.start()
    with pytest.raises(comch.InUse, match="exist"):
        idle.destroy()
    msgq.destroy()
    idle.destroy()
    with pytest.raises(comch.InvalidValue, match="has been destroyed"):
        idle.start()


@pytest.mark.parametrize("wrong", [None, 3, "03:00.0"])
def test_what_is_no_device_and_no_dpa(wrong: Any) -> None:
    of_devices: list[Callable[[Any], object]] = [comch.MsgQ, Dpa]
    for make in of_devices:
        with pytest.raises(comch.InvalidValue, match="legal is a Device"):
            make(wrong)
    of_dpas: list[Callable[[Any], object]] = [DpaThread, lambda dpa: DpaCompletion(dpa, 4)]
    for of_dpa in of_dpas:
        with pytest.raises(comch.InvalidValue, match="legal is a Dpa"):
            of_dpa(wrong)


def test_a_queues_engine_that_others_use_is_destroyed_after_them() -> None:
    device, host = comch.open_device("03:00.0"), comch.open_device("b1:00.0")
    msgq = comch.MsgQ(device)
    client = comch.Client(host, "svc", engine=msgq.engine)
    with pytest.raises(comch.InUse, match="client 'svc'"):
        msgq.destroy()
    client.close()
    msgq.destroy()
    with pytest.raises(comch.InvalidValue, match="progress engine has been destroyed"):
        msgq.engine.progress()
    with pytest.raises(comch.InvalidValue, match="message queue has been destroyed"):
        msgq.destroy()


@pytest.mark.parametrize("side", ["consumer", "producer"])
def test_a_queue_makes_as_many_as_it_may_while_it_is_started(dpa: Dpa, side: str) -> None:
    msgq = comch.MsgQ(comch.open_device("03:00.0"))
    msgq.set_dpa_consumer(dpa)
    getattr(msgq, f"set_max_num_{side}s")(1)
    with pytest.raises(comch.BadState, match="start it first"):
        getattr(msgq, f"{side}_create")()
    msgq.start()
    with pytest.raises(comch.BadState, match="stop it first"):
        getattr(msgq, f"set_max_num_{side}s")(2)
    first = getattr(msgq, f"{side}_create")()
    with pytest.raises(comch.NoMemory, match="all 1 that it may have"):
        getattr(msgq, f"{side}_create")()
    with pytest.raises(comch.InUse, match="1 consumer or producer"):
        msgq.stop()
    first.destroy()
    end(msgq)


def test_what_is_made_on_a_queue_has_neither_connection_nor_map(dpa: Dpa) -> None:
    msgq = queue(dpa, "consumer")
    consumer, producer = msgq.consumer_create(), msgq.producer_create()
    assert (consumer.connection, consumer.mmap, producer.connection) == (None, None, None)
    producer.close()
    consumer.close()
    end(msgq)


def test_a_thread_needs_a_kernel_and_runs_once_started(thread: DpaThread) -> None:
    with pytest.raises(comch.BadConfig, match="the function is missing"):
        thread.start()
    with pytest.raises(comch.InvalidValue, match="callback"):
        thread.set_func_arg(7)  # type: ignore[arg-type]
    thread.set_func_arg(lambda arg: None)
    with pytest.raises(comch.BadState, match="legal while STARTED"):
        thread.run()
    thread.start()
    thread.run()
    for late in (thread.start, lambda: thread.set_local_storage(1), lambda: thread.set_func_arg(print)):
        with pytest.raises(comch.BadState, match="which is started"):
            late()
    with pytest.raises(comch.InUse, match="stop it first"):
        thread.destroy()
    thread.stop()
    with pytest.raises(comch.BadState, match="is not started"):
        thread.stop()


def test_an_instance_stops_last(dpa: Dpa, thread: DpaThread) -> None:
    thread.set_func_arg(lambda arg: None)
    thread.start()
    with pytest.raises(comch.InUse, match="DPA thread"):
        dpa.stop()
    thread.stop()


# Contexts


def test_a_dpa_consumer_names_what_it_lacks(dpa: Dpa, thread: DpaThread) -> None:
    msgq, comp = queue(dpa, "consumer"), comch.ConsumerCompletion()
    consumer = msgq.consumer_create()
    with pytest.raises(comch.BadConfig, match=r"set_datapath_on_dpa.*set_completion.*set_dev_max_num_recv"):
        consumer.start()
    with pytest.raises(comch.BadState, match="before set_datapath_on_dpa"):
        consumer.set_completion(comp)
    consumer.set_datapath_on_dpa(dpa)
    consumer.set_completion(comp)
    consumer.set_dev_max_num_recv(3)
    with pytest.raises(comch.BadConfig, match="is not started"):
        consumer.start()
    comp.set_dpa_thread(thread)
    comp.start()
    with pytest.raises(comch.BadState, match="RUNNING"):
        consumer.get_dpa_handle()
    assert consumer.start() is comch.State.RUNNING
    assert consumer.get_dpa_handle() > 0
    with pytest.raises(comch.BadState, match="legal while IDLE"):
        consumer.set_dev_max_num_recv(4)
    with pytest.raises(comch.InUse, match="1 consumer"):
        comp.stop()
    consumer.close()
    comp.stop()
    comp.destroy()
    end(msgq)


@pytest.mark.parametrize("thread_first", [True, False])
def test_a_dpa_consumer_is_read_by_kernels_of_its_own_dpa(dpa: Dpa, thread_first: bool) -> None:
    msgq, comp = queue(dpa, "consumer"), comch.ConsumerCompletion()
    consumer = msgq.consumer_create()
    consumer.set_datapath_on_dpa(dpa)
    consumer.set_dev_max_num_recv(DEPTH)
    with Dpa(comch.open_device("03:00.0")) as other:
        stranger = DpaThread(other)
        if thread_first:
            comp.set_dpa_thread(stranger)
            with pytest.raises(comch.InvalidValue, match="same DPA"):
                consumer.set_completion(comp)
        else:
            consumer.set_completion(comp)
            comp.set_dpa_thread(stranger)
            comp.start()
            with pytest.raises(comch.BadConfig, match="of another DPA"):
                consumer.start()
        consumer.close()
        if not thread_first:
            comp.stop()
        comp.destroy()
        stranger.destroy()
    end(msgq)


def test_a_dpa_producer_names_what_it_lacks(dpa: Dpa) -> None:
    msgq, comp = queue(dpa, "producer"), DpaCompletion(dpa, 4)
    comp.start()
    producer = msgq.producer_create()
    with pytest.raises(comch.BadConfig, match=r"set_datapath_on_dpa.*dpa_completion_attach.*set_dev_max_num_send"):
        producer.start()
    producer.set_datapath_on_dpa(dpa)
    producer.dpa_completion_attach(comp)
    producer.set_dev_max_num_send(4)
    assert producer.start() is comch.State.RUNNING
    with pytest.raises(comch.InUse, match="1 producer is attached; destroy it first"):
        comp.stop()
    producer.close()
    comp.stop()
    comp.destroy()
    end(msgq)


CONSUMER_LIMITS: list[tuple[Callable[[comch.ConsumerCompletion], object], str]] = [
    (lambda comp: setattr(comp, "max_num_recv", DEPTH // 2), "max_num_recv"),
    (lambda comp: setattr(comp, "imm_data_len", 16), "imm_data_len"),
]


@pytest.mark.parametrize(("limit", "named"), CONSUMER_LIMITS, ids=[named for _, named in CONSUMER_LIMITS])
def test_a_completion_context_holds_what_its_consumers_receive(
    dpa: Dpa, thread: DpaThread, limit: Callable[[comch.ConsumerCompletion], object], named: str
) -> None:
    msgq, comp = queue(dpa, "consumer"), comch.ConsumerCompletion()
    limit(comp)
    comp.set_dpa_thread(thread)
    comp.start()
    consumer = msgq.consumer_create()
    consumer.set_datapath_on_dpa(dpa)
    consumer.set_completion(comp)
    consumer.set_dev_max_num_recv(DEPTH)
    with pytest.raises(comch.BadConfig, match=named):
        consumer.start()
    assert consumer.state is comch.State.IDLE
    consumer.close()
    comp.stop()
    comp.destroy()
    end(msgq)


def test_numbers_of_a_completion_context_are_rounded_up(thread: DpaThread) -> None:
    comp = comch.ConsumerCompletion()
    comp.max_num_consumers, comp.max_num_recv = 3, 100
    assert (comp.max_num_consumers, comp.max_num_recv, comp.imm_data_len) == (4, 128, 32)
    for wrong in (-1, 33):
        with pytest.raises(comch.InvalidValue, match="0 to 32"):
            comp.imm_data_len = wrong
    with pytest.raises(comch.BadConfig, match="the DPA thread is missing"):
        comp.start()
    comp.set_dpa_thread(thread)
    comp.start()
    with pytest.raises(comch.BadState, match="legal before"):
        comp.max_num_recv = 1
    comp.stop()
    comp.destroy()


def test_what_has_been_destroyed_cannot_be_set(dpa: Dpa) -> None:
    other, thread = Dpa(comch.open_device("03:00.0")), DpaThread(dpa)
    received, sent = comch.ConsumerCompletion(), DpaCompletion(dpa, 4)
    other.start()
    address = other._dpas.mem_alloc(inside(other), 8)
    for gone in (other, thread, received, sent):
        gone.destroy()
    to, back, unset = queue(dpa, "consumer"), queue(dpa, "producer"), comch.MsgQ(comch.open_device("03:00.0"))
    consumer, producer, living = to.consumer_create(), back.producer_create(), DpaCompletion(dpa, 4)
    for context in (consumer, producer):
        context.set_datapath_on_dpa(dpa)
    mmaps = comch.open_device("03:00.0")._driver.mmaps
    calls: list[Callable[[], object]] = [
        lambda: comch.ConsumerCompletion().set_dpa_thread(thread),
        lambda: living.set_thread(thread),
        lambda: consumer.set_completion(received),
        lambda: producer.dpa_completion_attach(sent),
        lambda: consumer.set_datapath_on_dpa(other),
        lambda: unset.set_dpa_consumer(other),
        lambda: unset.set_dpa_producer(other),
        lambda: mmaps.set_dpa_memrange(mmaps.create(), inside(other), address, 8),
    ]
    for call in calls:
        with pytest.raises(comch.InvalidValue, match="has been destroyed"):
            call()
    for each in (consumer, producer, living, unset):
        each.destroy()
    end(to)
    end(back)


CALLS_OF_THE_DPA: dict[str, Callable[[Queues], Any]] = {
    "set_dev_max_num_recv": lambda lane: lane.consumer.set_dev_max_num_recv(1),
    "set_completion": lambda lane: lane.consumer.set_completion(lane.completion),
    "consumer_get_dpa_handle": lambda lane: lane.consumer.get_dpa_handle(),
    "set_dev_max_num_send": lambda lane: lane.producer.set_dev_max_num_send(1),
    "dpa_completion_attach": lambda lane: lane.producer.dpa_completion_attach(lane.sent),
    "producer_get_dpa_handle": lambda lane: lane.producer.get_dpa_handle(),
}


@pytest.mark.parametrize("name", CALLS_OF_THE_DPA)
def test_contexts_of_the_cpu_refuse_calls_of_the_dpas(name: str) -> None:
    with queues(echo) as lane:
        with pytest.raises(comch.BadState, match="is of the host"):
            CALLS_OF_THE_DPA[name](lane)
        with pytest.raises(comch.NotSupported, match="is of the host"):
            lane.consumer.set_datapath_on_dpa(lane.dpa)


def test_contexts_of_the_dpa_have_no_tasks() -> None:
    with queues(echo) as lane:
        with pytest.raises(comch.NoMemory):
            lane.dpa_producer.task_send_alloc_init(None, b"x", lane.consumer.id)


@pytest.mark.usefixtures("printed")
def test_sends_to_a_consumer_of_the_cpu_that_has_gone_are_the_kernels_mistake() -> None:
    with queues(echo) as lane:
        lane.consumer.close()
        lane.send(b"for whom?")
        lane.until(lambda: lane.dpa.error)
        assert "there is no consumer" in str(lane.dpa.error)
