#!/usr/bin/env python3
"""Two threads share one server on the DPU: one sends, one receives, each in an epoll set of its own."""

import argparse
import hashlib
import os
import select
import signal
import sys
from queue import SimpleQueue
from threading import Lock, Thread

import comch_next as comch
from comch_next import Counter

SERVICE_NAME = "two_threads"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 10


class Talk:
    """One context, shared by two threads; what each of them saw is printed when both are done."""

    def __init__(self, context: comch.Client | comch.Server, stop_fd: int) -> None:
        self.context = context
        self.lock = Lock()
        self.send_fd, self.recv_fd = context.send_fd, context.recv_fd
        self.stop_fd = stop_fd
        self.log: dict[str, list[str]] = {"sent": [], "received": []}

    def note(self, what: str, data: bytes) -> None:
        self.log[what].append(f"peer 1 {what} {len(data)} bytes {hashlib.sha256(data).hexdigest()[:16]}")

    def wait(self, fd: int, timeout: float | None = None) -> bool:
        """False when a signal has come."""
        with select.epoll() as poller:
            poller.register(fd, select.EPOLLIN)
            poller.register(self.stop_fd, select.EPOLLIN)
            return all(ready != self.stop_fd for ready, _ in poller.poll(timeout))

    def send(self, connection: comch.Connection, data: bytes) -> bool:
        while True:
            with self.lock:
                try:
                    connection.send(data, timeout=0)
                    self.note("sent", data)
                    return True
                except comch.Again:
                    self.context.arm_send()
            if not self.wait(self.send_fd):
                return False

    def receive(self) -> comch.Connection | None:
        while True:
            with self.lock:
                try:
                    data, connection = self.context.receive(timeout=0)
                    self.note("received", data)
                    return connection
                except comch.Again:
                    self.context.arm_recv()
            if not self.wait(self.recv_fd):
                return None

    def show(self) -> None:
        print("\n".join(self.log["sent"] + self.log["received"]))
        self.log = {"sent": [], "received": []}


def show_statistics(connection: comch.Connection) -> None:
    connection.update_info()
    count = connection.get_counter
    print(
        f"peer 1 statistics: sent {count(Counter.SENT_MESSAGES)} messages {count(Counter.SENT_BYTES)} bytes,"
        f" received {count(Counter.RECV_MESSAGES)} messages {count(Counter.RECV_BYTES)} bytes"
    )


Peers = SimpleQueue[comch.Connection | None]


def send_all(talk: Talk, first: Peers, count: int) -> None:
    connection = first.get()  # the receiver learns of it
    if connection is None:
        return
    for number in range(count):
        if not talk.send(connection, b"from the DPU, number %d" % number):
            return


def run(server: comch.Server, stop_fd: int, count: int) -> None:
    talk, first = Talk(server, stop_fd), Peers()
    sender = Thread(target=send_all, args=(talk, first, count), daemon=True)
    sender.start()
    for _ in range(count):
        peer = talk.receive()
        first.put(peer)
        if peer is None:
            break
    sender.join()
    talk.show()
    connection = talk.receive()
    if connection is None:
        return
    talk.show()
    show_statistics(connection)  # the client still waits for our goodbye, so the counts are final
    talk.send(connection, b"bye")
    talk.show()
    if talk.wait(talk.send_fd, 0):  # a signal ends the waiting for this, too
        connection.flush()  # closing the server would take back what still waits to be sent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-n", "--count", type=int, default=200, help="messages each way")
    args = parser.parse_args()
    if args.count < 1:
        parser.error(f"--count is {args.count}: it must be at least 1")
    stop_fd, wakeup_fd = os.pipe()
    os.set_blocking(wakeup_fd, False)
    signal.set_wakeup_fd(wakeup_fd)
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        with (
            comch.open_device(args.pci_addr) as device,
            comch.Server(device, args.rep_pci, SERVICE_NAME, max_msg_size=MAX_MSG_SIZE,
                         recv_queue_size=QUEUE_SIZE, send_queue_size=QUEUE_SIZE) as server,
        ):  # fmt: skip
            print("listening on", SERVICE_NAME, flush=True)
            run(server, stop_fd, args.count)
    except comch.DocaError as error:
        print(error, file=sys.stderr)
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
