#!/usr/bin/env python3
"""Many clients of one server, all in this program on the host: each says who it is, and prints what it is answered."""

import argparse
import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor

import comch_next as comch

SERVICE_NAME = "many_clients"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 8


def shown(number: int, what: str, data: bytes) -> str:
    return f"peer {number} {what} {len(data)} bytes {hashlib.sha256(data).hexdigest()[:16]}"


def run_client(device: comch.Device, number: int) -> list[str]:
    """A whole life of one client: what it saw."""
    log = []
    with comch.Client(device, SERVICE_NAME, max_msg_size=MAX_MSG_SIZE,
                      recv_queue_size=QUEUE_SIZE, send_queue_size=QUEUE_SIZE) as client:  # fmt: skip
        for said in (b"%d is here" % number, b"%d says bye" % number):
            client.connection.send(said)
            log.append(shown(number, "sent", said))
            log.append(shown(number, "received", client.receive().data))
    return log


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-n", "--count", type=int, default=8, help="number of clients")
    args = parser.parse_args()
    if args.count < 1:
        parser.error(f"--count is {args.count}: it must be at least 1")
    try:
        with comch.open_device(args.pci_addr) as device, ThreadPoolExecutor(args.count) as pool:
            for log in pool.map(lambda number: run_client(device, number), range(1, args.count + 1)):
                print("\n".join(log))
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
