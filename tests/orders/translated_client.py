#!/usr/bin/env python3
"""An old client, each statement in the modern spelling where it stood; `one_sided` keeps the old endings."""

from __future__ import annotations

import select
import sys
import time
from typing import Any

import comch_next

comch: Any = comch_next

SERVICE_NAME = "translated"


def main() -> int:
    dev = comch.open_device("b1:00.0")
    ep = comch.Client(one_sided=True)
    ep.device = dev
    ep.max_msg_size = 4080
    ep.send_queue_size = 16
    ep.recv_queue_size = 16
    peer = ep.connect(SERVICE_NAME, timeout=0)
    while True:
        try:
            peer.update_info()
            break
        except comch.ConnectionInprogress:
            time.sleep(1e-5)
    send_fd, recv_fd = ep.send_fd, ep.recv_fd
    while True:
        try:
            ep.send_to(b"hello", peer, timeout=0)
            break
        except comch.Again:
            time.sleep(1e-5)
    with select.epoll() as poller:
        poller.register(recv_fd, select.EPOLLIN)
        while True:
            ep.arm_recv()
            try:
                msg, peer = ep.receive(4080, timeout=0)
                break
            except comch.Again:
                poller.poll()
    print("received", msg.decode(), flush=True)

    with select.epoll() as poller:
        poller.register(send_fd, select.EPOLLIN)
        ep.arm_send()
        peer.update_info()
        while peer.in_flight:
            poller.poll()
            ep.arm_send()
            peer.update_info()
    received = peer.get_counter(comch.Counter.RECV_MESSAGES)
    print("sent", peer.get_counter(comch.Counter.SENT_MESSAGES), "received", received, flush=True)
    ep.disconnect(peer)
    try:
        ep.send_to(b"too late", peer, timeout=0)
    except comch.NotConnected:
        print("disconnected", flush=True)
    ep.close()
    dev.close()
    print("result DOCA_SUCCESS", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
