"""The fast path, traced: consumers, producers, and what they post and send."""

from collections.abc import Callable
from itertools import count
from typing import Any

from comch_next.driver._traced._nouns import Noun, Tasks
from comch_next.driver._traced._tracer import ACCEPTED, Facts, Flight, Link, Tracer, now, result
from comch_next.driver.protocol import WeakTable, interruptible, uninterrupted_in_c
from comch_next.errors import DocaError

__all__ = ["Consumers", "MsgQs", "PostRecvTasks", "ProducerSendTasks", "Producers"]


class Consumers(Noun):
    """A message has arrived when a post completes."""

    def create(self, connection: Any, buf_mmap: Any) -> Any:
        consumer = self._noun.create(connection, buf_mmap)
        self._tracer.adopt(consumer, {**self._tracer.names(connection), "consumer": self._noun.get_id(consumer)})
        return consumer

    def task_post_recv_set_conf(self, consumer: Any, done: Any, failed: Any, number: int) -> None:
        tasks = self._tracer.driver.post_recv_tasks
        self._noun.task_post_recv_set_conf(
            consumer, self._filled(consumer, done), self._tracer.completion(tasks, failed), number
        )

    def _filled(self, consumer: Any, done: Any) -> Any:
        tracer = self._tracer
        tasks, bufs = tracer.driver.post_recv_tasks, tracer.driver.bufs

        def filled(flight: Flight) -> object:
            task = flight.task
            buf = tasks.get_buf(task)
            kept = buf is not None and bufs.get_refcount(buf)  # else given back while it was posted
            data = tracer.bytes_of(buf if kept else None)
            data = data if data is None else data[flight.held :]
            producer, number = tasks.get_producer_id(task), next(tracer.scope(consumer).received)
            imm = tracer.immediate(tasks.get_imm_data(task))
            tracer.message("receive", flight.names, data, producer=producer, n=number, **imm)
            return interruptible(done, flight.user_data)

        return uninterrupted_in_c(filled) if callable(done) else done

    def task_post_recv_alloc_init(self, consumer: Any, buf: Any, user_data: object = None) -> Any:
        scope = self._tracer.scope(consumer)
        flight = Flight(scope, scope.names, user_data)
        try:
            flight.task = self._noun.task_post_recv_alloc_init(consumer, buf, flight)
        except DocaError as error:
            self._tracer.record("post", flight.names, **result(error.code))
            raise
        return flight.task


class MsgQs(Noun):
    """Message queues are numbered in the order in which they are made."""

    def __init__(self, noun: Any, tracer: Tracer) -> None:
        super().__init__(noun, tracer)
        self._numbers = count(1)
        self._links: WeakTable[Any, Link] = WeakTable()

    def create(self, dev: Any) -> Any:
        msgq = self._noun.create(dev)
        self._links[msgq] = Link({"msgq": next(self._numbers)}, None)
        return msgq

    def consumer_create(self, msgq: Any) -> Any:
        consumer = self._noun.consumer_create(msgq)
        number = self._tracer.driver.consumers.get_id(consumer)
        self._tracer.adopt(consumer, {**self._links[msgq].names, "consumer": number})
        return consumer

    def producer_create(self, msgq: Any) -> Any:
        producer, link = self._noun.producer_create(msgq), self._links[msgq]
        number = self._tracer.driver.producers.get_id(producer)
        self._tracer.adopt(producer, {**link.names, "producer": number})
        self._tracer.scope(producer).link = link
        return producer


class PostRecvTasks(Tasks):
    """Receives of a consumer."""

    def submitted(self, flight: Flight, submit: Callable[..., None], *flags: int) -> None:
        held, room = self._space(self._noun.get_buf(flight.task))
        try:
            submit(flight.task, *flags)
        except DocaError as error:
            self._tracer.record("post", flight.names, **room, **result(error.code))
            raise
        flight.held = held
        self._tracer.record("post", flight.names, **room, **ACCEPTED)

    def _space(self, buf: Any) -> tuple[int, Facts]:
        """The bytes that a buffer holds, and what is written of its room; it may be None, or have been given back."""
        bufs = self._tracer.driver.bufs
        if buf is None:
            return 0, {"room": 0}
        try:
            held = bufs.get_data_len(buf)
            return held, {"room": bufs.get_head(buf) + bufs.get_len(buf) - bufs.get_data(buf) - held}
        except DocaError:
            return 0, {}


class Producers(Noun):
    """Their tasks are recorded when they are submitted, or refused."""

    def create(self, connection: Any) -> Any:
        producer = self._noun.create(connection)
        self._tracer.adopt(producer, {**self._tracer.names(connection), "producer": self._noun.get_id(producer)})
        self._tracer.scope(producer).link = self._tracer.link(connection)
        return producer

    def task_send_set_conf(self, producer: Any, done: Any, failed: Any, number: int) -> None:
        tracer = self._tracer
        tasks = tracer.driver.producer_send_tasks
        self._noun.task_send_set_conf(
            producer, tracer.completion(tasks, done), tracer.completion(tasks, failed), number
        )

    def task_send_alloc_init(
        self, producer: Any, buf: Any, imm_data: Any, consumer_id: int, user_data: object = None
    ) -> Any:
        at_ns, scope = now(), self._tracer.scope(producer)
        flight = Flight(scope, scope.names, user_data, scope.link)
        try:
            flight.task = self._noun.task_send_alloc_init(producer, buf, imm_data, consumer_id, flight)
        except DocaError as error:
            known = {"consumer": consumer_id} if _can_be_id(consumer_id) else {}
            self._tracer.message("send", flight.names, None, at_ns, **known, **result(error.code))
            raise
        return flight.task


def _can_be_id(number: object) -> bool:
    """Whether that is a number which a line can have: what was refused may be anything."""
    return isinstance(number, int) and number.bit_length() <= 32


class ProducerSendTasks(Tasks):
    """Sends of a producer. They are numbered per consumer, so that its receives have the same numbers."""

    def submitted(self, flight: Flight, submit: Callable[..., None], *flags: int) -> None:
        at_ns, tracer = now(), self._tracer
        buf, consumer = self._noun.get_buf(flight.task), self._noun.get_consumer_id(flight.task)
        found = tracer.bytes_of(buf)
        data = found if found is None else bytes(found)
        known = {"consumer": consumer, **tracer.immediate(self._noun.get_imm_data(flight.task))}
        try:
            submit(flight.task, *flags)
        except DocaError as error:
            tracer.message("send", flight.names, data, at_ns, **known, **result(error.code))
            raise
        assert flight.link is not None
        known["n"] = next(flight.link.sent_to.setdefault(consumer, count(1)))
        flight.facts = {**known, **tracer.message("send", flight.names, data, at_ns, **known, **ACCEPTED)}
