"""Queues between a CPU and the DPA, the card's data path accelerator (guide: Comch, MsgQ).

What is DOCA DPA's own, such as a doca_dpa or a doca_dpa_thread, is given by its address: another library makes it.
"""

from functools import partial
from typing import Any

from comch_next.driver.native._calls import Noun, call, destroy_call, stop_and_destroy
from comch_next.driver.native._consumer import Consumer
from comch_next.driver.native._device import Dev
from comch_next.driver.native._handle import Handle, Life, live
from comch_next.driver.native._library import check, ffi
from comch_next.driver.native._producer import Producer
from comch_next.driver.protocol import uninterrupted

__all__ = ["MsgQ", "MsgQs"]


class MsgQ(Handle, tag="doca_comch_msgq"):
    """A handle."""

    life: Life

    def __init__(self, pointer: Any, dev: Dev, life: Life) -> None:
        self.dev = dev
        self.live_as(pointer, life)


class MsgQs(Noun):
    """The noun MsgQs of the driver protocol."""

    @uninterrupted
    def create(self, dev: object) -> MsgQ:
        name, cell = "doca_comch_msgq_create", ffi.new("struct doca_comch_msgq **")
        device = live(dev, Dev, name)
        with device.lock:
            check(self.library[name](live(device, Dev, name).pointer, cell), name)
            release = partial(stop_and_destroy, self.library, "doca_comch_msgq", cell[0])
            return MsgQ(cell[0], device, Life(release, [device.life]))

    destroy = destroy_call("doca_comch_msgq_destroy")
    set_dpa_consumer = call("doca_comch_msgq_set_dpa_consumer")
    set_max_num_consumers = call("doca_comch_msgq_set_max_num_consumers")
    set_dpa_producer = call("doca_comch_msgq_set_dpa_producer")
    set_max_num_producers = call("doca_comch_msgq_set_max_num_producers")
    start = call("doca_comch_msgq_start")
    stop = call("doca_comch_msgq_stop")

    @uninterrupted
    def consumer_create(self, msgq: object) -> Consumer:
        name, cell = "doca_comch_msgq_consumer_create", ffi.new("struct doca_comch_consumer **")
        found = live(msgq, MsgQ, name)
        with found.lock:
            check(self.library[name](live(found, MsgQ, name).pointer, cell), name)
            return Consumer(self.library, cell[0], found.dev, [found.life])

    @uninterrupted
    def producer_create(self, msgq: object) -> Producer:
        name, cell = "doca_comch_msgq_producer_create", ffi.new("struct doca_comch_producer **")
        found = live(msgq, MsgQ, name)
        with found.lock:
            check(self.library[name](live(found, MsgQ, name).pointer, cell), name)
            return Producer(self.library, cell[0], found.dev, [found.life])
