#!/usr/bin/env python3
"""One server and many clients, on the DPU: answer each as it comes, sleep between, stop when all have left."""

import argparse
import hashlib
import sys

import comch_next as comch
from comch_next import Counter

SERVICE_NAME = "many_clients"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 8


def show(connection: comch.Connection, what: str, data: bytes) -> None:
    print(f"peer {connection.user_data} {what} {len(data)} bytes {hashlib.sha256(data).hexdigest()[:16]}")


def show_statistics(connection: comch.Connection) -> None:
    connection.update_info()
    sent, received = map(connection.get_counter, (Counter.SENT_MESSAGES, Counter.RECV_MESSAGES))
    print(f"peer {connection.user_data} statistics: sent {sent} messages, received {received} messages")


def serve(server: comch.Server, clients: int) -> None:
    for message in server:
        data, connection = message
        number, words = data.decode().split(" ", 1)
        connection.user_data = int(number)
        show(connection, "received", data)
        if words == "says bye":
            clients -= 1
            show_statistics(connection)  # the client still waits for our goodbye, so the counts are final
        message.reply(data)
        show(connection, "sent", data)
        if clients == 0:
            connection.flush()  # closing the server would take back what still waits to be sent
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-n", "--count", type=int, default=8, help="number of clients to wait for")
    args = parser.parse_args()
    if args.count < 1:
        parser.error(f"--count is {args.count}: it must be at least 1")
    try:
        with (
            comch.open_device(args.pci_addr) as device,
            comch.Server(device, args.rep_pci, SERVICE_NAME, max_msg_size=MAX_MSG_SIZE,
                         recv_queue_size=QUEUE_SIZE, send_queue_size=QUEUE_SIZE) as server,
        ):  # fmt: skip
            print("listening on", SERVICE_NAME, flush=True)
            serve(server, args.count)
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
