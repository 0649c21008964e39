"""Message queues to the DPA and from it (guide: Comch, MsgQ)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from comch_next._alone import alone
from comch_next._handles import handle_of
from comch_next._names import Hinted
from comch_next.arguments import instance
from comch_next.device import Device
from comch_next.driver import load
from comch_next.driver.protocol import new_lock, uninterrupted
from comch_next.engine import ProgressEngine

if TYPE_CHECKING:
    from comch_next.consumer import Consumer
    from comch_next.producer import Producer

__all__ = ["ConsumerCompletion", "MsgQ"]


class MsgQ(Hinted):
    """A message queue between this process and the DPA, in one direction (C: struct doca_comch_msgq).

    Messages are immediate data of at most 32 bytes. One of its sides is on the DPA: its contexts are configured here
    and used by kernels, see comch_next.dpa. Two queues carry both directions.
    """

    def __init__(self, device: Device) -> None:
        """C: doca_comch_msgq_create. Raises NotSupported for a device that has no DPA."""
        self._driver = instance(device, Device, "device")._driver
        self._msgqs = self._driver.msgqs
        self._handle = self._msgqs.create(device._handle)
        self._engine: ProgressEngine | None = None
        self._ended = False
        self._lock = new_lock()  # that engine's

    def __repr__(self) -> str:
        return "<MsgQ>"

    @property
    def engine(self) -> ProgressEngine:
        """The engine of those of its contexts that have none of the program's; made at the first use."""
        return self._default_engine()

    @alone
    def _default_engine(self) -> ProgressEngine:
        if self._engine is None:
            self._engine = ProgressEngine(self._driver.name, _lock=self._lock)
        return self._engine

    # Configuration, before start

    def set_dpa_consumer(self, dpa: Any) -> None:
        """Carry messages from this process to that DPA.

        Raises BadState once the queue has a direction, InvalidValue for a DPA of another device.
        """
        self._msgqs.set_dpa_consumer(self._handle, handle_of(dpa))

    def set_dpa_producer(self, dpa: Any) -> None:
        """Carry messages from that DPA to this process. Raises as set_dpa_consumer."""
        self._msgqs.set_dpa_producer(self._handle, handle_of(dpa))

    def set_max_num_consumers(self, number: int) -> None:
        """The largest number of consumers of the queue."""
        self._msgqs.set_max_num_consumers(self._handle, number)

    def set_max_num_producers(self, number: int) -> None:
        """The largest number of producers of the queue."""
        self._msgqs.set_max_num_producers(self._handle, number)

    # Life

    def start(self) -> None:
        """Freeze the configuration. Raises BadConfig without a direction, BadState for a DPA that is not started."""
        self._msgqs.start(self._handle)

    def stop(self) -> None:
        """Stop the queue, so that it can be configured again. Raises InUse while it has consumers or producers."""
        self._msgqs.stop(self._handle)

    @uninterrupted
    def destroy(self) -> None:
        """Destroy the queue, and then its engine. Raises BadState unless it is stopped.

        Raises InUse while other contexts are connected to the engine; once they are destroyed, call it again.
        """
        if not (self._ended and self._engine is not None and self._engine._open):
            self._msgqs.destroy(self._handle)
            self._ended = True
        if self._engine is not None:
            self._engine.destroy()

    def consumer_create(self, *, engine: ProgressEngine | None = None) -> Consumer:
        """Make a consumer: the DPA's after set_dpa_consumer, else of this process; it posts receives without buffers.

        Raises BadState unless the queue is started, NoMemory when it has as many as it may.
        """
        from comch_next.consumer import Consumer

        return Consumer._of_queue(self, self._msgqs.consumer_create(self._handle), engine)

    def producer_create(self, *, engine: ProgressEngine | None = None) -> Producer:
        """Make a producer: the DPA's after set_dpa_producer, else of this process. Raises as consumer_create."""
        from comch_next.producer import Producer

        return Producer._of_queue(self, self._msgqs.producer_create(self._handle), engine)


class ConsumerCompletion(Hinted):
    """A completion context: kernels find there what DPA consumers received (C: struct
    doca_comch_consumer_completion).

    Its limits are settable before start; numbers are rounded up to a power of two.
    """

    def __init__(self, driver: str | None = None) -> None:
        """C: doca_comch_consumer_completion_create."""
        self._completions = load(driver).consumer_completions
        self._handle = self._completions.create()

    def set_dpa_thread(self, dpa_thread: Any) -> None:
        """The thread whose kernel a message activates, once the kernel has asked for it or never run."""
        self._completions.set_dpa_thread(self._handle, handle_of(dpa_thread))

    @property
    def max_num_consumers(self) -> int:
        """The largest number of consumers that share it."""
        return self._completions.get_max_num_consumers(self._handle)

    @max_num_consumers.setter
    def max_num_consumers(self, number: int) -> None:
        self._completions.set_max_num_consumers(self._handle, number)

    @property
    def max_num_recv(self) -> int:
        """The largest number of receives that all of them have posted."""
        return self._completions.get_max_num_recv(self._handle)

    @max_num_recv.setter
    def max_num_recv(self, number: int) -> None:
        self._completions.set_max_num_recv(self._handle, number)

    @property
    def imm_data_len(self) -> int:
        """Bytes of immediate data that it can hold, at most 32; at least as many as each of its consumers'."""
        return self._completions.get_imm_data_len(self._handle)

    @imm_data_len.setter
    def imm_data_len(self, imm_data_len: int) -> None:
        self._completions.set_imm_data_len(self._handle, imm_data_len)

    def start(self) -> None:
        """Freeze the configuration. Raises BadConfig without a thread."""
        self._completions.start(self._handle)

    def stop(self) -> None:
        """Stop it, so that it can be configured again. Raises InUse while consumers are connected to it."""
        self._completions.stop(self._handle)

    def get_dpa_handle(self) -> int:
        """Return the handle by which kernels use it. Raises BadState before the start."""
        return self._completions.get_dpa_handle(self._handle)

    def destroy(self) -> None:
        """Destroy it. Raises InUse unless it is stopped."""
        self._completions.destroy(self._handle)
