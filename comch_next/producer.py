"""The producer context: writes to buffers that the other side's consumers posted (guide: Comch, Producer)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next._fast import FastContext, driver_of
from comch_next._handles import handle_of
from comch_next.connection import Connection
from comch_next.driver import protocol
from comch_next.driver.protocol import Driver
from comch_next.engine import ProgressEngine
from comch_next.memory import Buf
from comch_next.task import ProducerSendTask

__all__ = ["Producer"]


class Producer(FastContext):
    """A queue of sends on a connection (C: struct doca_comch_producer). It runs as soon as it is started.

    `start` raises BadConfig without the producer's task configuration, and without the consumer event of its server
    or client (`event_consumer_register`), as for a Consumer. A producer that was stopped is IDLE when all of its tasks
    have been freed, before their completion or after.
    """

    _handle: protocol.Producer

    def __init__(self, connection: Connection, *, engine: ProgressEngine | None = None) -> None:
        """Create a producer on a connection (C: doca_comch_producer_create).

        Raises BadState unless the connection is up, NoMemory if it has its maximum of producers.
        """
        driver = driver_of(connection, "producer_create")
        self._producers = driver.producers
        self._tasks = driver.producer_send_tasks
        super().__init__(connection, driver, self._producers.create(connection._handle), engine)

    def _bind(self, driver: Driver) -> None:
        super()._bind(driver)
        self._producers = driver.producers
        self._tasks = driver.producer_send_tasks

    @property
    def id(self) -> int:
        """The number by which consumers of the other side know the producer: above 0, unique on the connection."""
        return self._producers.get_id(self._handle)

    def task_send_set_conf(
        self,
        done: Callable[[ProducerSendTask], object],
        failed: Callable[[ProducerSendTask], object],
        num_tasks: int,
    ) -> None:
        """Set the callbacks `(task)` for sends that succeeded and failed, and the number of tasks. Mandatory."""
        self._producers.task_send_set_conf(self._handle, done, failed, num_tasks)

    def task_send_alloc_init(self, buf: Buf | None, imm_data: Any, consumer_id: int) -> ProducerSendTask:
        """Allocate a task that sends the buffer's data segment, immediate data, of which it keeps a copy, or both.

        consumer_id: from the consumer event. Raises NoMemory when all tasks are in use, InvalidValue for a buffer in
        a list, for more immediate data than the device can carry, and for neither buffer nor data.
        """
        return ProducerSendTask(self, buf, imm_data, consumer_id)

    # Of a message queue from the DPA: on others these raise BadState

    def set_dev_max_num_send(self, number: int) -> None:
        """Set how many sends a kernel may have submitted, rounded up to a power of two. Mandatory before start."""
        self._producers.set_dev_max_num_send(self._handle, number)

    def dpa_completion_attach(self, completion: Any) -> None:
        """Attach the completion context in which kernels find completed sends. Mandatory.

        Its elements carry the `user_data` that the producer has now. Legal after set_datapath_on_dpa and before start.
        """
        self._producers.dpa_completion_attach(self._handle, handle_of(completion), self.user_data)

    def get_dpa_handle(self) -> int:
        """Return the handle by which kernels use it. Raises BadState unless RUNNING."""
        return self._producers.get_dpa_handle(self._handle)
