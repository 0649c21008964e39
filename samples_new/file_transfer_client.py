#!/usr/bin/env python3
"""Send a file over Comch, from the host to the DPU: a leading count, segments, a status."""

import argparse
import hashlib
import struct
import sys
import zlib
from pathlib import Path

import comch_next as comch
from comch_next import Counter

SERVICE_NAME = "file_transfer"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 8
HEADER = struct.Struct("!IQ")  # number of segments; Adler-32 and CRC-32 of the whole file
STATUS = struct.Struct("!I")  # the server's result code


def show(what: str, data: bytes) -> None:
    print(f"peer 1 {what} {len(data)} bytes {hashlib.sha256(data).hexdigest()[:16]}", flush=True)


def show_statistics(connection: comch.Connection) -> None:
    connection.update_info()
    count = connection.get_counter
    print(
        f"peer 1 statistics:"
        f" sent {count(Counter.SENT_MESSAGES)} messages {count(Counter.SENT_BYTES)} bytes,"
        f" received {count(Counter.RECV_MESSAGES)} messages {count(Counter.RECV_BYTES)} bytes"
    )


def messages_of(data: bytes) -> list[bytes]:
    """The messages that carry `data`: the header, then segments of the maximum size."""
    segments = [data[i : i + MAX_MSG_SIZE] for i in range(0, len(data), MAX_MSG_SIZE)]
    return [HEADER.pack(len(segments), zlib.adler32(data) << 32 | zlib.crc32(data)), *segments]


def transfer(client: comch.Client, data: bytes, timeout: float) -> comch.ErrorCode:
    """Send the file and give the server's result code."""

    def send(message: bytes) -> None:
        client.connection.send(message, timeout)
        show("sent", message)

    def receive() -> bytes:
        message = client.receive(timeout=timeout).data
        show("received", message)
        return message

    for message in messages_of(data):
        send(message)
    client.connection.flush(timeout)
    (status,) = STATUS.unpack(receive())
    show_statistics(client.connection)  # the server still waits for our goodbye, so the counts are final
    send(b"bye")
    receive()
    return comch.ErrorCode(status)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-f", "--file", type=Path, required=True, help="file to be sent")
    parser.add_argument("-t", "--timeout", type=float, default=5, help="seconds to wait for one message")
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    try:
        data = args.file.read_bytes()
    except OSError as error:
        sys.exit(f"cannot read {args.file}: {error.strerror}")
    try:
        with (
            comch.open_device(args.pci_addr) as device,
            comch.Client(device, SERVICE_NAME, max_msg_size=MAX_MSG_SIZE,
                         recv_queue_size=QUEUE_SIZE, send_queue_size=QUEUE_SIZE) as client,
        ):  # fmt: skip
            result = transfer(client, data, args.timeout)
    except comch.DocaError as error:
        print(f"transfer: {error}", file=sys.stderr)
        result = error.code
    print("result", comch.code_name(result))
    return 0 if result == comch.ErrorCode.SUCCESS else 1


if __name__ == "__main__":
    sys.exit(main())
