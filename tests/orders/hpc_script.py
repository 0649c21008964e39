#!/usr/bin/env python3
"""Exchange blocks between host and DPU, as a script of a cluster job does: `-l` listens, otherwise it connects."""

from __future__ import annotations

import argparse
import sys
import zlib
from typing import Any

import comch_next

comch: Any = comch_next

TIMEOUT_S = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-l", "--listen", action="store_true")
    parser.add_argument("-d", "--device")
    parser.add_argument("-r", "--rep", default="b1:00.0")
    parser.add_argument("-n", "--blocks", type=int, default=20)
    parser.add_argument("-s", "--size", type=int, default=2048)
    parser.add_argument("name")
    args = parser.parse_args()

    channel = comch.Channel()
    channel.max_msg_size = args.size + 8
    channel.device = comch.open_device(args.device or ("03:00.0" if args.listen else "b1:00.0"))
    if args.listen:
        channel.device_rep = channel.device.open_representor(args.rep)
        channel.listen(args.name)
        print("listening", flush=True)
        peer = None
    else:
        peer = channel.connect(args.name, timeout=TIMEOUT_S)
        channel.send_to(args.blocks.to_bytes(8, "big"), peer)
    checksum = 0
    if peer is None:
        count, peer = channel.receive(timeout=TIMEOUT_S)
        for _ in range(int.from_bytes(count, "big")):
            block, sender = channel.receive(timeout=TIMEOUT_S)
            assert sender is peer
            checksum = zlib.crc32(block, checksum)
        channel.send_to(checksum.to_bytes(8, "big"), peer)
        peer.flush(timeout=TIMEOUT_S)
        print("checksum", checksum, flush=True)
        channel.receive(timeout=TIMEOUT_S)
    else:
        for number in range(args.blocks):
            block = number.to_bytes(8, "big") * (args.size // 8)
            checksum = zlib.crc32(block, checksum)
            channel.send_to(block, peer)
        answer, _ = channel.receive(timeout=TIMEOUT_S)
        print("checksum", int.from_bytes(answer, "big"), flush=True)
        assert int.from_bytes(answer, "big") == checksum
        channel.send_to(b"bye", peer)
        peer.flush(timeout=TIMEOUT_S)
    channel.close()
    print("idle", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
