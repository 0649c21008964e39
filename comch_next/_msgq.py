"""What leads to the DPA (guide: Comch, MsgQ): the calls are here, and no driver has them yet."""

from __future__ import annotations

from typing import Any

from comch_next._names import Hinted
from comch_next.device import Device
from comch_next.driver import load

__all__ = ["ConsumerCompletion", "MsgQ"]


class MsgQ(Hinted):
    """A queue between a CPU and the card's accelerator (C: struct doca_comch_msgq)."""

    def __init__(self, device: Device) -> None:
        """C: doca_comch_msgq_create. Raises NotSupported on a driver that has no accelerator."""
        self._msgqs = device._driver.msgqs
        self._handle = self._msgqs.create(device._handle)

    def set_dpa_consumer(self, dpa: Any) -> None:
        """From the CPU to that accelerator."""
        self._msgqs.set_dpa_consumer(self._handle, dpa)

    def set_dpa_producer(self, dpa: Any) -> None:
        """From that accelerator to the CPU."""
        self._msgqs.set_dpa_producer(self._handle, dpa)

    def set_max_num_consumers(self, number: int) -> None:
        """How many consumers it may have."""
        self._msgqs.set_max_num_consumers(self._handle, number)

    def set_max_num_producers(self, number: int) -> None:
        """How many producers it may have."""
        self._msgqs.set_max_num_producers(self._handle, number)

    def start(self) -> None:
        """Freeze the configuration."""
        self._msgqs.start(self._handle)

    def stop(self) -> None:
        """Once its consumers and producers have gone."""
        self._msgqs.stop(self._handle)

    def destroy(self) -> None:
        """Give it back."""
        self._msgqs.destroy(self._handle)

    def consumer_create(self) -> Any:
        """A consumer of the queue."""
        return self._msgqs.consumer_create(self._handle)

    def producer_create(self) -> Any:
        """A producer of the queue."""
        return self._msgqs.producer_create(self._handle)


class ConsumerCompletion(Hinted):
    """Where a consumer on that accelerator finds its completions (C: struct doca_comch_consumer_completion)."""

    def __init__(self, driver: str | None = None) -> None:
        """C: doca_comch_consumer_completion_create. Raises NotSupported on a driver that has no accelerator."""
        self._completions = load(driver).consumer_completions
        self._handle = self._completions.create()

    def set_dpa_thread(self, dpa_thread: Any) -> None:
        """The accelerator's thread that it wakes."""
        self._completions.set_dpa_thread(self._handle, dpa_thread)

    @property
    def max_num_consumers(self) -> int:
        """How many consumers may share it."""
        return self._completions.get_max_num_consumers(self._handle)

    @max_num_consumers.setter
    def max_num_consumers(self, number: int) -> None:
        self._completions.set_max_num_consumers(self._handle, number)

    @property
    def max_num_recv(self) -> int:
        """How many receives all of them may have posted."""
        return self._completions.get_max_num_recv(self._handle)

    @max_num_recv.setter
    def max_num_recv(self, number: int) -> None:
        self._completions.set_max_num_recv(self._handle, number)

    @property
    def imm_data_len(self) -> int:
        """Bytes of immediate data that it can hold."""
        return self._completions.get_imm_data_len(self._handle)

    @imm_data_len.setter
    def imm_data_len(self, imm_data_len: int) -> None:
        self._completions.set_imm_data_len(self._handle, imm_data_len)

    def start(self) -> None:
        """Freeze the configuration."""
        self._completions.start(self._handle)

    def stop(self) -> None:
        """Let it be configured again."""
        self._completions.stop(self._handle)

    def get_dpa_handle(self) -> Any:
        """What the accelerator's program knows it by."""
        return self._completions.get_dpa_handle(self._handle)

    def destroy(self) -> None:
        """Give it back."""
        self._completions.destroy(self._handle)
