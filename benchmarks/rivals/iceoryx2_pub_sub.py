"""iceoryx2: a publisher and a subscriber each way, in shared memory."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import iceoryx2 as iox2

from benchmarks.rivals._end import MAX_SIZE, QUEUE_SIZE, End


class PubSub(End):
    """Bytes are copied into a loaned sample and out of a received one, as every other rival copies them."""

    def __init__(self, folder: Path, to: str, by: str) -> None:
        iox2.set_log_level(iox2.LogLevel.Error)
        config = iox2.config.default()
        config.global_cfg.root_path = iox2.Path.new(str(folder))
        self.node = iox2.NodeBuilder.new().config(config).create(iox2.ServiceType.Ipc)
        self.subscriber = self._service(folder, by).subscriber_builder().create()
        building = self._service(folder, to).publisher_builder().initial_max_slice_len(MAX_SIZE)
        self.publisher = building.backpressure_strategy(iox2.BackpressureStrategy.RetryUntilDelivered).create()

    def _service(self, folder: Path, name: str) -> iox2.PortFactoryPublishSubscribe:
        """Where nothing is dropped; its shared memory is named for the service alone, so each run has its own."""
        building = self.node.service_builder(iox2.ServiceName.new(f"{folder.name}/{name}"))
        building = building.publish_subscribe(iox2.Slice[ctypes.c_uint8])
        return building.enable_safe_overflow(False).subscriber_max_buffer_size(QUEUE_SIZE).open_or_create()

    def send(self, data: bytes) -> None:
        sample = self.publisher.loan_slice_uninit(len(data))
        ctypes.memmove(sample.payload_ptr, data, len(data))
        sample.assume_init().send()

    def receive(self) -> bytes:
        receive = self.subscriber.receive
        while (sample := receive()) is None:
            pass
        return ctypes.string_at(sample.payload_ptr, sample.header.number_of_elements)

    def close(self) -> None:
        for port in (self.publisher, self.subscriber):
            port.delete()


def serve(folder: Path, ready: Callable[[], None]) -> End:
    end = PubSub(folder, to="back", by="there")
    ready()
    return end


def connect(folder: Path) -> End:
    return PubSub(folder, to="there", by="back")
