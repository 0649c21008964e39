#!/usr/bin/env python3
"""The guide's CC Client, call for call, in the flat spelling: connect, send a text, wait for the answer."""

# mypy: disable-error-code="name-defined"
# The names of the star import exist only under the launcher.
from __future__ import annotations

import argparse
import select
import signal
import sys
import time
from typing import Any

from doca_comm_channel import *

SERVER_NAME = "cc_sample_server"
MAX_MSG_SIZE = 4080
CC_MAX_QUEUE_SIZE = 10
SLEEP_S = 1e-5
DRAIN_WAIT_S = 10.0

end_sample = False


def signal_handler(signum: int, frame: object) -> None:
    global end_sample
    end_sample = True


def open_doca_device_with_pci(pci_addr: str) -> tuple[int, Any]:
    rc, dev_list, nb_devs = doca_devinfo_create_list()
    if rc != DOCA_SUCCESS:
        return rc, None
    dev = None
    rc = DOCA_ERROR_NOT_FOUND
    for i in range(nb_devs):
        result, is_equal = doca_devinfo_is_equal_pci_addr(dev_list[i], pci_addr)
        if result == DOCA_SUCCESS and is_equal:
            rc, dev = doca_dev_open(dev_list[i])
            if rc == DOCA_SUCCESS:
                break
    doca_devinfo_destroy_list(dev_list)
    return rc, dev


def set_endpoint_properties(ep: Any, dev: Any) -> int:
    rc: int = doca_comm_channel_ep_set_device(ep, dev)
    if rc != DOCA_SUCCESS:
        return rc
    if (rc := doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)) != DOCA_SUCCESS:
        return rc
    if (rc := doca_comm_channel_ep_set_send_queue_size(ep, CC_MAX_QUEUE_SIZE)) != DOCA_SUCCESS:
        return rc
    return int(doca_comm_channel_ep_set_recv_queue_size(ep, CC_MAX_QUEUE_SIZE))


def wait_until_sent(ep: Any, peer: Any) -> int:
    """Sleep on the send channel until nothing is in flight; armed before it is looked, as nothing may be missed."""
    rc, send_channel, _ = doca_comm_channel_ep_get_event_channel(ep)
    if rc != DOCA_SUCCESS:
        return int(rc)
    with select.epoll() as epoll:
        epoll.register(send_channel, select.EPOLLIN)
        while not end_sample:
            doca_comm_channel_ep_event_handle_arm_send(ep)
            rc = doca_comm_channel_peer_addr_update_info(peer)
            if rc != DOCA_SUCCESS:
                return int(rc)
            rc, in_flight = doca_comm_channel_peer_addr_get_send_in_flight_messages(peer)
            if rc != DOCA_SUCCESS or in_flight == 0:
                return int(rc)
            epoll.poll(DRAIN_WAIT_S)
    return int(DOCA_ERROR_UNEXPECTED)


def talk(ep: Any, peer: Any, text: bytes) -> int:
    while (rc := doca_comm_channel_peer_addr_update_info(peer)) == DOCA_ERROR_CONNECTION_INPROGRESS:
        if end_sample:
            return int(DOCA_ERROR_UNEXPECTED)
        time.sleep(SLEEP_S)
    if rc != DOCA_SUCCESS:
        return int(rc)
    print("Connection established", flush=True)

    while (rc := doca_comm_channel_ep_sendto(ep, text, len(text), DOCA_CC_MSG_FLAG_NONE, peer)) == DOCA_ERROR_AGAIN:
        if end_sample:
            return int(DOCA_ERROR_UNEXPECTED)
        time.sleep(SLEEP_S)
    if rc != DOCA_SUCCESS:
        return int(rc)
    print("Message sent", flush=True)

    length = MAX_MSG_SIZE
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, length, DOCA_CC_MSG_FLAG_NONE)
    while rc == DOCA_ERROR_AGAIN:
        if end_sample:
            return int(DOCA_ERROR_UNEXPECTED)
        time.sleep(SLEEP_S)
        length = MAX_MSG_SIZE
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, length, DOCA_CC_MSG_FLAG_NONE)
    if rc != DOCA_SUCCESS:
        return int(rc)
    print("Server response:", msg[:length].decode(), flush=True)
    rc = wait_until_sent(ep, peer)
    if rc == DOCA_SUCCESS:
        print("Nothing in flight", flush=True)
    return int(rc)


def create_comm_channel_client(pci_addr: str, text: bytes) -> int:
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return int(rc)
    rc, dev = open_doca_device_with_pci(pci_addr)
    if rc == DOCA_SUCCESS:
        rc = set_endpoint_properties(ep, dev)
        if rc == DOCA_SUCCESS:
            rc, peer = doca_comm_channel_ep_connect(ep, SERVER_NAME)
            if rc == DOCA_SUCCESS:
                rc = talk(ep, peer, text)
                doca_comm_channel_ep_disconnect(ep, peer)
    destroyed = [doca_comm_channel_ep_destroy(ep)]
    if dev is not None:
        destroyed.append(doca_dev_close(dev))
    return next((int(code) for code in [rc, *destroyed] if code != DOCA_SUCCESS), 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0")
    parser.add_argument("-t", "--text", default="Message from client")
    args = parser.parse_args()
    signal.signal(signal.SIGINT, signal_handler)
    signal.signal(signal.SIGTERM, signal_handler)
    result = create_comm_channel_client(args.pci_addr, args.text.encode())
    if result != DOCA_SUCCESS:
        print("Sample failed:", doca_error_get_name(result), flush=True)
        return 1
    print("Sample finished successfully", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
