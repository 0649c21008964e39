"""The consumer context: posts buffers that the other side's producers write to (guide: Comch, Consumer)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next._fast import FastContext, driver_of
from comch_next._handles import handle_of
from comch_next._msgq import ConsumerCompletion
from comch_next.connection import Connection
from comch_next.driver import protocol
from comch_next.driver.protocol import Driver
from comch_next.engine import ProgressEngine
from comch_next.memory import Buf, Mmap
from comch_next.task import PostRecvTask

__all__ = ["Consumer"]


class Consumer(FastContext):
    """A queue of receives on a connection (C: struct doca_comch_consumer).

    `start` leaves it STARTING until progress of the connection's engine has announced it to the peer, and progress of
    its own engine has run. It raises BadConfig without the consumer's task configuration, and without the consumer
    event of its server or client (`event_consumer_register`). That event is mandatory on both ends of a fast path,
    also where a pull port receives the messages.

    `stop` fails the posted tasks. As in the guide, the consumer is IDLE when every task has completed and is freed.
    A task that was freed while posted is reported to no callback; NVIDIA's header forbids such a free, but its secure
    channel does it.
    """

    mmap: Mmap | None = None  # None on a message queue, whose messages have no buffers
    _handle: protocol.Consumer

    def __init__(self, connection: Connection, mmap: Mmap, *, engine: ProgressEngine | None = None) -> None:
        """Create a consumer on a connection (C: doca_comch_consumer_create).

        mmap: a started map with permission PCI_READ_WRITE, in which every posted buffer lies. Raises BadState unless
        the connection is up, NotPermitted without that permission, InvalidValue for a map that is not started, NoMemory
        if the connection has its maximum of consumers.
        """
        driver = driver_of(connection, "consumer_create")
        self.mmap = mmap
        self._consumers = driver.consumers
        self._tasks = driver.post_recv_tasks
        handle = self._consumers.create(connection._handle, handle_of(mmap))
        super().__init__(connection, driver, handle, engine)

    def _bind(self, driver: Driver) -> None:
        super()._bind(driver)
        self._consumers = driver.consumers
        self._tasks = driver.post_recv_tasks

    @property
    def id(self) -> int:
        """The number by which producers of the other side address the consumer: above 0, unique on the connection."""
        return self._consumers.get_id(self._handle)

    @property
    def imm_data_len(self) -> int:
        """Bytes of immediate data that a producer may send along; settable while IDLE."""
        return self._consumers.get_imm_data_len(self._handle)

    @imm_data_len.setter
    def imm_data_len(self, imm_data_len: int) -> None:
        self._consumers.set_imm_data_len(self._handle, imm_data_len)

    def task_post_recv_set_conf(
        self, done: Callable[[PostRecvTask], object], failed: Callable[[PostRecvTask], object], num_tasks: int
    ) -> None:
        """Set the callbacks `(task)` for receives that succeeded and failed, and the number of tasks. Mandatory."""
        self._consumers.task_post_recv_set_conf(self._handle, done, failed, num_tasks)

    def task_post_recv_alloc_init(self, buf: Buf | None = None) -> PostRecvTask:
        """Allocate a task that posts the free part of the buffer, or, without a buffer, receives immediate data only.

        Raises NoMemory when all tasks are in use, InvalidValue for a buffer outside of the map or in a list.
        """
        return PostRecvTask(self, buf)

    # Of a message queue to the DPA: on others these raise BadState

    def set_dev_max_num_recv(self, number: int) -> None:
        """Set how many receives a kernel may have posted, rounded up to a power of two. Mandatory before start."""
        self._consumers.set_dev_max_num_recv(self._handle, number)

    def set_completion(self, completion: ConsumerCompletion, user_data: Any = None) -> None:
        """Set the completion context for kernels. Mandatory, after set_datapath_on_dpa and before start."""
        self._consumers.set_completion(self._handle, handle_of(completion), user_data)

    def get_dpa_handle(self) -> int:
        """Return the handle by which kernels use it. Raises BadState unless RUNNING."""
        return self._consumers.get_dpa_handle(self._handle)
