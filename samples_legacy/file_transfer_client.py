#!/usr/bin/env python3
"""Send a file over the comm channel, from the host to the DPU: a leading count, segments, a status."""
import argparse
import hashlib
import signal
import struct
import sys
import time
import zlib

from doca_comm_channel import *

SERVICE_NAME = "file_transfer"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 8
HEADER = struct.Struct("!IQ")      # number of segments; Adler-32 and CRC-32 of the whole file
STATUS = struct.Struct("!I")       # the service's result code

stop = False


def on_signal(signum, frame):
    global stop
    stop = True


def show(what, msg):
    print("peer 1 %s %d bytes %s" % (what, len(msg), hashlib.sha256(msg).hexdigest()[:16]), flush=True)


def failed(what, rc):
    print("%s: %s" % (what, doca_error_get_descr(rc)), file=sys.stderr)
    print("result", doca_error_get_name(rc))
    return 1


def open_device(pci_addr):
    rc, devinfos, count = doca_devinfo_create_list()
    if rc != DOCA_SUCCESS:
        return rc, None
    rc, dev = DOCA_ERROR_NOT_FOUND, None
    for i in range(count):
        equal_rc, equal = doca_devinfo_is_equal_pci_addr(devinfos[i], pci_addr)
        if equal_rc == DOCA_SUCCESS and equal:
            rc, dev = doca_dev_open(devinfos[i])
            break
    doca_devinfo_destroy_list(devinfos)
    return rc, dev


def wait_connected(peer, turns):
    for _ in range(turns):
        rc = doca_comm_channel_peer_addr_update_info(peer)
        if rc != DOCA_ERROR_CONNECTION_INPROGRESS or stop:
            return rc
        time.sleep(1e-5)
    return DOCA_ERROR_TIME_OUT


def send(ep, peer, msg, turns):
    for _ in range(turns):
        rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != DOCA_ERROR_AGAIN or stop:
            break
        time.sleep(1e-5)
    else:
        rc = DOCA_ERROR_TIME_OUT
    if rc == DOCA_SUCCESS:
        show("sent", msg)
    return rc


def receive(ep, turns):
    for _ in range(turns):
        length = MAX_MSG_SIZE      # in and out: to be set again before every try
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, length, DOCA_CC_MSG_FLAG_NONE)
        if rc != DOCA_ERROR_AGAIN or stop:
            break
        time.sleep(1e-5)
    else:
        rc = DOCA_ERROR_TIME_OUT
    if rc == DOCA_SUCCESS:
        show("received", msg)
    return rc, msg, peer


def wait_delivered(peer, turns):
    for _ in range(turns):
        rc = doca_comm_channel_peer_addr_update_info(peer)
        if rc != DOCA_SUCCESS or stop:
            return rc
        rc, in_flight = doca_comm_channel_peer_addr_get_send_in_flight_messages(peer)
        if rc != DOCA_SUCCESS or in_flight == 0:
            return rc
        time.sleep(1e-5)
    return DOCA_ERROR_TIME_OUT


def show_statistics(peer):
    rc = doca_comm_channel_peer_addr_update_info(peer)
    if rc != DOCA_SUCCESS:
        return rc
    rc, sent = doca_comm_channel_peer_addr_get_send_messages(peer)
    rc, sent_bytes = doca_comm_channel_peer_addr_get_send_bytes(peer)
    rc, received = doca_comm_channel_peer_addr_get_recv_messages(peer)
    rc, received_bytes = doca_comm_channel_peer_addr_get_recv_bytes(peer)
    print("peer 1 statistics: sent %d messages %d bytes, received %d messages %d bytes"
          % (sent, sent_bytes, received, received_bytes))
    return rc


def transfer(ep, peer, data, turns):
    rc = wait_connected(peer, turns)
    if rc != DOCA_SUCCESS:
        return rc
    segments = [data[i:i + MAX_MSG_SIZE] for i in range(0, len(data), MAX_MSG_SIZE)]
    header = HEADER.pack(len(segments), zlib.adler32(data) << 32 | zlib.crc32(data))
    for msg in [header] + segments:
        rc = send(ep, peer, msg, turns)
        if rc != DOCA_SUCCESS:
            return rc
    rc = wait_delivered(peer, turns)
    if rc != DOCA_SUCCESS:
        return rc
    rc, msg, sender = receive(ep, turns)
    if rc != DOCA_SUCCESS:
        return rc
    status, = STATUS.unpack(msg)

    rc = show_statistics(peer)     # the service waits for our goodbye, so counts are final
    if rc != DOCA_SUCCESS:
        return rc
    rc = send(ep, peer, b"bye", turns)
    if rc != DOCA_SUCCESS:
        return rc
    rc, msg, sender = receive(ep, turns)
    return status if rc == DOCA_SUCCESS else rc


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-f", "--file", required=True, help="file to be sent")
    parser.add_argument("-t", "--timeout", type=float, default=5, help="seconds to wait for one message")
    return parser.parse_args()


def main():
    args = parse_arguments()
    turns = int(args.timeout * 1e6 / 10)
    signal.signal(signal.SIGINT, on_signal)
    try:
        with open(args.file, "rb") as source:
            data = source.read()
    except OSError as error:
        sys.exit("cannot read %s: %s" % (args.file, error.strerror))

    rc, dev = open_device(args.pci_addr)
    if rc != DOCA_SUCCESS:
        return failed("open device " + args.pci_addr, rc)
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return failed("create endpoint", rc)
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc != DOCA_SUCCESS:
        return failed("set device", rc)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
    if rc != DOCA_SUCCESS:
        return failed("set message size", rc)
    rc = doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE)
    if rc != DOCA_SUCCESS:
        return failed("set send queue size", rc)
    rc = doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE)
    if rc != DOCA_SUCCESS:
        return failed("set receive queue size", rc)
    rc, peer = doca_comm_channel_ep_connect(ep, SERVICE_NAME)
    if rc != DOCA_SUCCESS:
        return failed("connect", rc)

    result = transfer(ep, peer, data, turns)
    doca_comm_channel_ep_disconnect(ep, peer)
    doca_comm_channel_ep_destroy(ep)
    doca_dev_close(dev)
    if result != DOCA_SUCCESS:
        return failed("transfer", result)
    print("result", doca_error_get_name(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
