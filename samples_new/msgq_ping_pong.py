"""Sends numbers to a kernel on the DPA, which answers each with its square, through a message queue each way.

On the emulated driver the kernel is the Python function below, on a thread of this process.
"""

import argparse
import struct
import sys
import time

import comch_next as comch
from comch_next.dpa.dev import (
    doca_dpa_dev_comch_consumer_ack,
    doca_dpa_dev_comch_consumer_completion_ack,
    doca_dpa_dev_comch_consumer_completion_request_notification,
    doca_dpa_dev_comch_consumer_get_completion,
    doca_dpa_dev_comch_consumer_get_completion_imm,
    doca_dpa_dev_comch_producer_is_consumer_empty,
    doca_dpa_dev_comch_producer_post_send_imm_only,
    doca_dpa_dev_thread_reschedule,
)
from msgq_common import DEPTH, Argument, Lane

NUMBER = struct.Struct("<Q")


def kernel(argument: Argument) -> None:
    """Answer what has come, and sleep until more does."""
    if not argument.posted:
        argument.posted = True
        doca_dpa_dev_comch_consumer_ack(argument.consumer, DEPTH)
    while True:
        found, element = doca_dpa_dev_comch_consumer_get_completion(argument.completion)
        if not found:
            break
        message, _ = doca_dpa_dev_comch_consumer_get_completion_imm(element)
        (number,) = NUMBER.unpack(message)
        doca_dpa_dev_comch_consumer_completion_ack(argument.completion, 1)
        doca_dpa_dev_comch_consumer_ack(argument.consumer, 1)
        while doca_dpa_dev_comch_producer_is_consumer_empty(argument.producer, argument.cpu_consumer_id):
            pass
        answer = NUMBER.pack(number * number)
        doca_dpa_dev_comch_producer_post_send_imm_only(
            argument.producer, argument.cpu_consumer_id, answer, len(answer), 0
        )
    doca_dpa_dev_comch_consumer_completion_request_notification(argument.completion)
    doca_dpa_dev_thread_reschedule()


def run(device: comch.Device, rounds: int) -> None:
    with Lane(device, kernel) as lane:
        lane.thread.run()
        began = time.perf_counter()
        for number in range(rounds):
            lane.send(NUMBER.pack(number))
            while len(lane.received) <= number:
                lane.progress()
            if lane.received[-1] != NUMBER.pack(number * number):
                raise comch.Unexpected(f"the kernel answered {lane.received[-1]!r} to {number}")
        print(f"{rounds} round trips, {(time.perf_counter() - began) / rounds * 1e6:.0f} us each")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-n", "--count", type=int, default=1000, help="round trips")
    args = parser.parse_args()
    if args.count < 1:
        parser.error("the count must be at least 1")
    try:
        with comch.open_device(args.pci_addr) as device:
            run(device, args.count)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
