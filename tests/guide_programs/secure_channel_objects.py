#!/usr/bin/env python3
"""Secure channel of the first API, both sides in one program, as objects: `-r` makes it the service on the DPU.

Two threads share the endpoint under a lock. Each waits in an epoll set of its own, which holds its event channel and
one signalfd; SIGINT and SIGTERM, blocked in every thread, end both. The service's sender sleeps until the receiver
has learned the peer from the first message.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import signal
import sys
import threading
from typing import Any

import doca_comm_channel as cc

SERVICE_NAME = "secure_channel"
MAX_MSG_SIZE = 4080
CC_MAX_QUEUE_SIZE = 10
SEND_WAIT_S = 0.01
STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM}


def make_signalfd(signals: set[signal.Signals]) -> int:
    """signalfd(2), which Python's library lacks: a sigset_t is 128 bytes, signal N being bit N - 1."""
    mask = sum(1 << (number - 1) for number in signals)
    libc = ctypes.CDLL(None, use_errno=True)
    fd: int = libc.signalfd(-1, mask.to_bytes(128, sys.byteorder), os.O_CLOEXEC)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "signalfd")
    return fd


def log(line: str) -> None:
    """One write for the line and its end, for the threads print at the same time."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class SecureChannel:
    """One side: an endpoint that is made here, set up in `prepare` and connected in `run`."""

    def __init__(self, size: int, number: int) -> None:
        self.ep = cc.Endpoint()
        self.size = size
        self.number = number
        self.peer: Any = None
        self.rep: Any = None
        self.lock = threading.Lock()
        self.signal_fd = make_signalfd(STOP_SIGNALS)
        self.send_epoll = select.epoll()
        self.recv_epoll = select.epoll()
        self.sent = self.received = self.failed = 0
        self.sender = threading.Thread(target=self.sendto_channel)
        self.receiver = threading.Thread(target=self.recvfrom_channel)

    def prepare(self, pci_addr: str, rep_pci: str | None) -> None:
        self.dev = cc.open_device(pci_addr)
        self.ep.set_device(self.dev)
        self.ep.set_max_msg_size(MAX_MSG_SIZE)
        self.ep.set_send_queue_size(CC_MAX_QUEUE_SIZE)
        self.ep.set_recv_queue_size(CC_MAX_QUEUE_SIZE)
        if rep_pci:
            self.rep = self.dev.open_representor(rep_pci)
            self.ep.set_device_rep(self.rep)

    def run(self) -> None:
        if self.rep is not None:
            self.ep.listen(SERVICE_NAME)
            print("Listening on", SERVICE_NAME, flush=True)
        else:
            self.peer = self.ep.connect(SERVICE_NAME)
            print("Connecting to", SERVICE_NAME, flush=True)
        send_fd, recv_fd = self.ep.get_event_channel()
        for epoll, fd in ((self.send_epoll, send_fd), (self.recv_epoll, recv_fd)):
            epoll.register(fd, select.EPOLLIN)
            epoll.register(self.signal_fd, select.EPOLLIN)
        self.sender.start()
        self.receiver.start()
        self.sender.join()
        self.receiver.join()
        print(f"Sent {self.sent}, received {self.received}, failed {self.failed}", flush=True)

    def is_stopped(self, ready: list[tuple[int, int]]) -> bool:
        return any(fd == self.signal_fd for fd, _ in ready)

    def send_one(self, msg: bytes) -> bool:
        """False when a signal has come."""
        while True:
            try:
                with self.lock:
                    try:
                        self.ep.sendto(msg, self.peer)
                    except cc.Again:
                        self.ep.event_handle_arm_send()
                        raise
                self.sent += 1
                return True
            except cc.Again:
                if self.is_stopped(self.send_epoll.poll(SEND_WAIT_S)):
                    return False
            except cc.DocaError as error:
                self.failed += 1
                print("Message was not sent:", error.name, file=sys.stderr, flush=True)
                return True

    def sendto_channel(self) -> None:
        if self.rep is not None:
            signal.sigwait({signal.SIGUSR1})
            if self.peer is None:
                return
        for index in range(self.number):
            if not self.send_one(index.to_bytes(4, "big").ljust(self.size, b"s")):
                return
        log(f"Sender: {self.sent} messages accepted")

    def wake_sender(self) -> None:
        assert self.sender.ident is not None
        signal.pthread_kill(self.sender.ident, signal.SIGUSR1)

    def recvfrom_channel(self) -> None:
        self.receive_until_stopped()
        if self.peer is None:
            self.wake_sender()  # there is nobody to send to

    def receive_until_stopped(self) -> None:
        while True:
            try:
                with self.lock:
                    try:
                        msg, peer = self.ep.recvfrom(MAX_MSG_SIZE)
                    except cc.Again:
                        self.ep.event_handle_arm_recv()
                        raise
            except cc.Again:
                if self.is_stopped(self.recv_epoll.poll()):
                    return
                continue
            except cc.DocaError as error:
                print("Message was not received:", error.name, file=sys.stderr, flush=True)
                return
            self.on_message(msg, peer)

    def on_message(self, msg: bytes, peer: Any) -> None:
        if len(msg) != self.size or int.from_bytes(msg[:4], "big") != self.received:
            print("Message is not the expected one", file=sys.stderr, flush=True)
        if self.peer is None:
            self.peer = peer
            self.wake_sender()
        self.received += 1
        if self.received == self.number:
            log(f"Receiver: {self.received} messages")

    def close(self) -> None:
        if self.peer is not None:
            self.ep.disconnect(self.peer)
            print("Disconnected: DOCA_SUCCESS", flush=True)
        self.send_epoll.close()
        self.recv_epoll.close()
        os.close(self.signal_fd)
        self.ep.destroy()
        if self.rep is not None:
            self.rep.close()
        self.dev.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", required=True)
    parser.add_argument("-r", "--rep-pci")
    parser.add_argument("-s", "--size", type=int, default=4080)
    parser.add_argument("-n", "--number", type=int, default=100)
    args = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, *STOP_SIGNALS})
    channel = SecureChannel(args.size, args.number)
    try:
        channel.prepare(args.pci_addr, args.rep_pci)
        channel.run()
        channel.close()
    except cc.DocaError as error:
        print("Result", error.name, flush=True)
        return 1
    print("Result DOCA_SUCCESS", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
