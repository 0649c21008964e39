"""Has a kernel on the DPA copy memory between two maps, block by block, and tell the CPU of each block.

On the emulated driver the kernel is the Python function below, on a thread of this process.
"""

import argparse
import os
import struct
import sys
from typing import NamedTuple

import comch_next as comch
from comch_next import AccessFlag
from comch_next.dpa.dev import (
    doca_dpa_dev_comch_producer_dma_copy,
    doca_dpa_dev_comch_producer_is_consumer_empty,
    doca_dpa_dev_thread_finish,
)
from msgq_common import Argument, Lane

NUMBER = struct.Struct("<I")


class Plan(NamedTuple):
    """What to copy: handles and addresses of both maps, bytes of a block, and how many there are."""

    source: int
    source_addr: int
    target: int
    target_addr: int
    block: int
    blocks: int


def kernel(argument: Argument) -> None:
    """Copy every block, each with its number, and finish."""
    plan: Plan = argument.plan
    for number in range(plan.blocks):
        while doca_dpa_dev_comch_producer_is_consumer_empty(argument.producer, argument.cpu_consumer_id):
            pass
        at = number * plan.block
        doca_dpa_dev_comch_producer_dma_copy(
            argument.producer,
            argument.cpu_consumer_id,
            plan.target,
            plan.target_addr + at,
            plan.source,
            plan.source_addr + at,
            plan.block,
            NUMBER.pack(number),
            NUMBER.size,
            0,
        )
    doca_dpa_dev_thread_finish()


def run(device: comch.Device, block: int, count: int) -> None:
    size = block * count
    with (
        comch.Mmap(device, size, AccessFlag.LOCAL_READ_WRITE) as source,
        comch.Mmap(device, size, AccessFlag.LOCAL_READ_WRITE) as target,
        Lane(device, kernel) as lane,
    ):
        source.view[:] = os.urandom(size)
        handles = [mmap.dev_get_dpa_handle(device) for mmap in (source, target)]
        lane.argument.plan = Plan(handles[0], source.addr, handles[1], target.addr, block, count)
        lane.thread.run()
        while len(lane.received) < count:
            lane.progress()
        if lane.received != [NUMBER.pack(number) for number in range(count)] or source.view != target.view:
            raise comch.Unexpected("the copy is not what was copied")
        print(f"{count} blocks of {block} bytes copied")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-n", "--count", type=int, default=64, help="blocks")
    parser.add_argument("-s", "--size", type=int, default=1 << 16, help="bytes of a block")
    args = parser.parse_args()
    if min(args.count, args.size) < 1:
        parser.error("the count and the size must be at least 1")
    try:
        with comch.open_device(args.pci_addr) as device:
            run(device, args.size, args.count)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
