#!/usr/bin/env python3
"""An old service, each statement in the modern spelling where it stood; `one_sided` keeps the old endings."""

from __future__ import annotations

import select
import sys
import time
from typing import Any

import comch_next

comch: Any = comch_next

SERVICE_NAME = "translated"


def main() -> int:
    dev = comch.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = comch.Server(one_sided=True)
    ep.device = dev
    ep.device_rep = rep
    ep.max_msg_size = 4080
    ep.send_queue_size = 16
    ep.recv_queue_size = 16
    ep.listen(SERVICE_NAME)
    print("listening on", SERVICE_NAME, flush=True)

    service_fd = ep.service_fd
    while True:
        try:
            msg, peer = ep.receive(4080, timeout=0)
            break
        except comch.Again:
            time.sleep(1e-5)
    peer.user_data = 1
    print("peer", peer.user_data, "received", msg.decode(), flush=True)
    while True:
        try:
            ep.send_to(b"welcome", peer, timeout=0)
            break
        except comch.Again:
            time.sleep(1e-5)
    peer.update_info()
    print("sent", peer.get_counter(comch.Counter.SENT_MESSAGES), flush=True)

    with select.epoll() as poller:
        poller.register(service_fd, select.EPOLLIN)
        ep.update_info()
        while ep.connections:
            poller.poll()
            ep.update_info()
    print("peers", len(ep.connections), "pending", ep.pending, flush=True)
    try:
        ep.receive(4080, timeout=0)
    except comch.Again:
        print("nothing to receive", flush=True)
    peer.update_info()
    ep.disconnect(peer)
    ep.close()
    rep.close()
    dev.close()
    print("result DOCA_SUCCESS", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
