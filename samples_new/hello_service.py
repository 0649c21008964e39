#!/usr/bin/env python3
"""Hello over Comch, the server on the DPU: wait for a greeting, answer it with a text."""

import argparse
import hashlib
import logging
import sys

import comch_next as comch
from comch_next import Counter

SERVICE_NAME = "hello"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 10
LOG_LEVELS = {20: logging.CRITICAL, 30: logging.ERROR, 40: logging.WARNING, 50: logging.INFO,
              60: logging.DEBUG}  # fmt: skip


def show(connection: comch.Connection, what: str, data: bytes) -> None:
    digest = hashlib.sha256(data).hexdigest()[:16]
    print(f"peer {connection.user_data} {what} {len(data)} bytes {digest}", flush=True)


def show_statistics(connection: comch.Connection) -> None:
    connection.update_info()
    count = connection.get_counter
    print(
        f"peer {connection.user_data} statistics:"
        f" sent {count(Counter.SENT_MESSAGES)} messages {count(Counter.SENT_BYTES)} bytes,"
        f" received {count(Counter.RECV_MESSAGES)} messages {count(Counter.RECV_BYTES)} bytes"
    )


def answer_one(server: comch.Server, text: str) -> None:
    greeting, client = server.receive()
    client.user_data = 1
    show(client, "received", greeting)
    logging.info("greeting: %s", greeting.decode())
    client.send(text.encode())
    show(client, "sent", text.encode())

    bye = server.receive()
    show(client, "received", bye.data)
    show_statistics(client)  # the client still waits for our goodbye, so the counts are final
    bye.reply(bye.data)
    show(client, "sent", bye.data)
    client.flush()  # closing the server would take back what still waits to be sent


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", "--version", action="version", version="hello_service 3.0")
    parser.add_argument("-l", "--log-level", type=int, choices=sorted(LOG_LEVELS), default=40,
                        help="CRITICAL=20, ERROR=30, WARNING=40, INFO=50, DEBUG=60")  # fmt: skip
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    return parser.parse_args()


def main() -> int:
    args = parse_arguments()
    logging.basicConfig(level=LOG_LEVELS[args.log_level], format="%(levelname)s %(message)s")
    try:
        with (
            comch.open_device(args.pci_addr) as device,
            device.open_representor(args.rep_pci) as rep,
            comch.Server(device, rep, SERVICE_NAME, max_msg_size=MAX_MSG_SIZE,
                         recv_queue_size=QUEUE_SIZE, send_queue_size=QUEUE_SIZE) as server,
        ):  # fmt: skip
            print("listening on", SERVICE_NAME, flush=True)
            answer_one(server, args.text)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    except KeyboardInterrupt:
        sys.exit("interrupted")
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
