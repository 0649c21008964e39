#!/usr/bin/env python3
"""Secure channel of the first API, both sides in one program, flat spelling: `-r` makes it the service on the DPU.

Two threads share the endpoint under a lock. Each waits in an epoll set of its own, which holds its event channel and
one signalfd; SIGINT and SIGTERM, blocked in every thread, end both. The service's sender sleeps until the receiver
has learned the peer from the first message.
"""

# mypy: disable-error-code="name-defined"
# The names of the star import exist only under the launcher.
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
from doca_comm_channel import *

SERVICE_NAME = "secure_channel"
MAX_MSG_SIZE = 4080
CC_MAX_QUEUE_SIZE = 10
SEND_WAIT_S = 0.01
STOP_SIGNALS = {signal.SIGINT, signal.SIGTERM}


def make_signalfd(signals: set[signal.Signals]) -> int:
    """signalfd(2), which Python's library lacks: a sigset_t is 128 bytes, signal N being bit N - 1."""
    mask = sum(1 << (number - 1) for number in signals)
    sigset = mask.to_bytes(128, sys.byteorder)
    libc = ctypes.CDLL(None, use_errno=True)
    fd: int = libc.signalfd(-1, sigset, os.O_CLOEXEC)
    if fd < 0:
        raise OSError(ctypes.get_errno(), "signalfd")
    return fd


def log(line: str) -> None:
    """One write for the line and its end, for the threads print at the same time."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Context:
    """What the threads share."""

    def __init__(self, ep: Any, size: int, number: int) -> None:
        self.ep = ep
        self.size = size
        self.number = number
        self.peer: Any = None
        self.lock = threading.Lock()
        self.send_epoll = select.epoll()
        self.recv_epoll = select.epoll()
        self.signal_fd = make_signalfd(STOP_SIGNALS)
        self.sent = 0
        self.received = 0
        self.failed = 0
        self.sender: threading.Thread | None = None
        self.wait_for_peer = False

    def register_channels(self) -> int:
        rc, send_channel, recv_channel = doca_comm_channel_ep_get_event_channel(self.ep)
        if rc != DOCA_SUCCESS:
            return int(rc)
        for epoll, channel in ((self.send_epoll, send_channel), (self.recv_epoll, recv_channel)):
            epoll.register(channel, select.EPOLLIN)
            epoll.register(self.signal_fd, select.EPOLLIN)
        return int(DOCA_SUCCESS)

    def is_stopped(self, ready: list[tuple[int, int]]) -> bool:
        return any(fd == self.signal_fd for fd, _ in ready)

    def close(self) -> None:
        self.send_epoll.close()
        self.recv_epoll.close()
        os.close(self.signal_fd)


def send_one(ctx: Context, msg: bytes) -> bool:
    """False when a signal has come."""
    while True:
        with ctx.lock:
            rc = doca_comm_channel_ep_sendto(ctx.ep, msg, len(msg), cc.DOCA_CC_MSG_FLAG_NONE, ctx.peer)
            if rc == DOCA_ERROR_AGAIN:
                doca_comm_channel_ep_event_handle_arm_send(ctx.ep)
        if rc == DOCA_ERROR_AGAIN:
            if ctx.is_stopped(ctx.send_epoll.poll(SEND_WAIT_S)):
                return False
            continue
        if rc == DOCA_SUCCESS:
            ctx.sent += 1
        else:
            ctx.failed += 1
            print("Message was not sent:", doca_error_get_name(rc), file=sys.stderr, flush=True)
        return True


def sendto_channel(ctx: Context) -> None:
    if ctx.wait_for_peer:
        signal.sigwait({signal.SIGUSR1})
        if ctx.peer is None:
            return
    for index in range(ctx.number):
        if not send_one(ctx, index.to_bytes(4, "big").ljust(ctx.size, b"s")):
            return
    log(f"Sender: {ctx.sent} messages accepted")


def wake_sender(ctx: Context) -> None:
    assert ctx.sender is not None
    assert ctx.sender.ident is not None
    signal.pthread_kill(ctx.sender.ident, signal.SIGUSR1)


def recvfrom_channel(ctx: Context) -> None:
    receive_until_stopped(ctx)
    if ctx.peer is None:
        wake_sender(ctx)  # there is nobody to send to


def receive_until_stopped(ctx: Context) -> None:
    while True:
        length = MAX_MSG_SIZE
        with ctx.lock:
            rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ctx.ep, length, cc.DOCA_CC_MSG_FLAG_NONE)
            if rc == DOCA_ERROR_AGAIN:
                doca_comm_channel_ep_event_handle_arm_recv(ctx.ep)
        if rc == DOCA_ERROR_AGAIN:
            if ctx.is_stopped(ctx.recv_epoll.poll()):
                return
            continue
        if rc != DOCA_SUCCESS:
            print("Message was not received:", doca_error_get_name(rc), file=sys.stderr, flush=True)
            return
        if length != ctx.size or int.from_bytes(msg[:4], "big") != ctx.received:
            print("Message is not the expected one", file=sys.stderr, flush=True)
        if ctx.peer is None:
            ctx.peer = peer
            wake_sender(ctx)
        ctx.received += 1
        if ctx.received == ctx.number:
            log(f"Receiver: {ctx.received} messages")


def open_device(pci_addr: str) -> Any:
    rc, dev_list, nb_devs = doca_devinfo_create_list()
    for i in range(nb_devs):
        rc, is_equal = doca_devinfo_is_equal_pci_addr(dev_list[i], pci_addr)
        if rc == DOCA_SUCCESS and is_equal:
            rc, dev = doca_dev_open(dev_list[i])
            doca_devinfo_destroy_list(dev_list)
            return dev
    doca_devinfo_destroy_list(dev_list)
    return None


def open_representor(dev: Any, pci_addr: str) -> Any:
    rc, rep_list, nb_reps = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
    for i in range(nb_reps):
        rc, is_equal = doca_devinfo_rep_is_equal_pci_addr(rep_list[i], pci_addr)
        if rc == DOCA_SUCCESS and is_equal:
            rc, rep = doca_dev_rep_open(rep_list[i])
            doca_devinfo_rep_destroy_list(rep_list)
            return rep
    doca_devinfo_rep_destroy_list(rep_list)
    return None


def run_threads(ctx: Context) -> int:
    rc = ctx.register_channels()
    if rc != DOCA_SUCCESS:
        return rc
    ctx.sender = threading.Thread(target=sendto_channel, args=(ctx,))
    receiver = threading.Thread(target=recvfrom_channel, args=(ctx,))
    ctx.sender.start()
    receiver.start()
    ctx.sender.join()
    receiver.join()
    print(f"Sent {ctx.sent}, received {ctx.received}, failed {ctx.failed}", flush=True)
    return int(DOCA_SUCCESS)


def set_properties(ep: Any, dev: Any) -> int:
    rc: int = doca_comm_channel_ep_set_device(ep, dev)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_send_queue_size(ep, CC_MAX_QUEUE_SIZE)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_recv_queue_size(ep, CC_MAX_QUEUE_SIZE)
    return int(rc)


def sc_start(args: argparse.Namespace) -> int:
    rep = None
    rc, ep = doca_comm_channel_ep_create()
    dev = open_device(args.pci_addr)
    rc = set_properties(ep, dev)
    if rc != DOCA_SUCCESS:
        return rc
    ctx = Context(ep, args.size, args.number)
    if args.rep_pci:
        rep = open_representor(dev, args.rep_pci)
        rc = doca_comm_channel_ep_set_device_rep(ep, rep)
        if rc == DOCA_SUCCESS:
            rc = doca_comm_channel_ep_listen(ep, SERVICE_NAME)
        if rc == DOCA_SUCCESS:
            print("Listening on", SERVICE_NAME, flush=True)
        ctx.wait_for_peer = True
    else:
        rc, ctx.peer = doca_comm_channel_ep_connect(ep, SERVICE_NAME)
        if rc == DOCA_SUCCESS:
            print("Connecting to", SERVICE_NAME, flush=True)
    if rc == DOCA_SUCCESS:
        rc = run_threads(ctx)
    if ctx.peer is not None:
        result = doca_comm_channel_ep_disconnect(ep, ctx.peer)
        print("Disconnected:", doca_error_get_name(result), flush=True)
    ctx.close()
    doca_comm_channel_ep_destroy(ep)
    if rep is not None:
        doca_dev_rep_close(rep)
    doca_dev_close(dev)
    return int(rc)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", required=True)
    parser.add_argument("-r", "--rep-pci")
    parser.add_argument("-s", "--size", type=int, default=4080)
    parser.add_argument("-n", "--number", type=int, default=100)
    args = parser.parse_args()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, *STOP_SIGNALS})
    rc = sc_start(args)
    print("Result", doca_error_get_name(rc), flush=True)
    return 0 if rc == DOCA_SUCCESS else 1


if __name__ == "__main__":
    sys.exit(main())
