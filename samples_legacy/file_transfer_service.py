#!/usr/bin/env python3
"""Receive a file over the comm channel, on the DPU: a leading count, segments, a status."""
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
MAX_FILE_SIZE = 128 * 1024 * 1024

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


def open_representor(dev, pci_addr):
    rc, devinfos, count = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
    if rc != DOCA_SUCCESS:
        return rc, None
    rc, rep = DOCA_ERROR_NOT_FOUND, None
    for i in range(count):
        equal_rc, equal = doca_devinfo_rep_is_equal_pci_addr(devinfos[i], pci_addr)
        if equal_rc == DOCA_SUCCESS and equal:
            rc, rep = doca_dev_rep_open(devinfos[i])
            break
    doca_devinfo_rep_destroy_list(devinfos)
    return rc, rep


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


def receive_file(ep, path, header, turns):
    count, checksum = HEADER.unpack(header)
    if count * MAX_MSG_SIZE > MAX_FILE_SIZE:
        return DOCA_ERROR_TOO_BIG
    data = bytearray()
    for _ in range(count):
        rc, msg, peer = receive(ep, turns)
        if rc != DOCA_SUCCESS:
            return rc
        data += msg
    if zlib.adler32(data) << 32 | zlib.crc32(data) != checksum:
        return DOCA_ERROR_IO_FAILED
    with open(path, "wb") as target:
        target.write(data)
    return DOCA_SUCCESS


def serve(ep, path, turns):
    rc, header, peer = receive(ep, turns)
    if rc != DOCA_SUCCESS:
        return rc
    status = receive_file(ep, path, header, turns)
    rc = send(ep, peer, STATUS.pack(status), turns)
    if rc != DOCA_SUCCESS:
        return rc
    rc, bye, peer = receive(ep, turns)
    if rc != DOCA_SUCCESS:
        return rc
    rc = show_statistics(peer)     # the client waits for our goodbye, so counts are final
    if rc != DOCA_SUCCESS:
        return rc
    rc = send(ep, peer, bye, turns)
    if rc != DOCA_SUCCESS:
        return rc
    doca_comm_channel_ep_disconnect(ep, peer)
    return status


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-f", "--file", required=True, help="file to be written")
    parser.add_argument("-t", "--timeout", type=float, default=30, help="seconds to wait for one message")
    return parser.parse_args()


def main():
    args = parse_arguments()
    turns = int(args.timeout * 1e6 / 10)
    signal.signal(signal.SIGINT, on_signal)

    rc, dev = open_device(args.pci_addr)
    if rc != DOCA_SUCCESS:
        return failed("open device " + args.pci_addr, rc)
    rc, rep = open_representor(dev, args.rep_pci)
    if rc != DOCA_SUCCESS:
        return failed("open representor " + args.rep_pci, rc)
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return failed("create endpoint", rc)
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc != DOCA_SUCCESS:
        return failed("set device", rc)
    rc = doca_comm_channel_ep_set_device_rep(ep, rep)
    if rc != DOCA_SUCCESS:
        return failed("set representor", rc)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
    if rc != DOCA_SUCCESS:
        return failed("set message size", rc)
    rc = doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE)
    if rc != DOCA_SUCCESS:
        return failed("set send queue size", rc)
    rc = doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE)
    if rc != DOCA_SUCCESS:
        return failed("set receive queue size", rc)
    rc = doca_comm_channel_ep_listen(ep, SERVICE_NAME)
    if rc != DOCA_SUCCESS:
        return failed("listen", rc)
    print("listening on", SERVICE_NAME, flush=True)

    result = serve(ep, args.file, turns)
    doca_comm_channel_ep_destroy(ep)
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    if result != DOCA_SUCCESS:
        return failed("transfer", result)
    print("result", doca_error_get_name(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
