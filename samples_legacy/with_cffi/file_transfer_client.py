#!/usr/bin/env python3
"""Send a file through cffi, from the host to the DPU: a leading count, segments, a status."""
import argparse
import struct
import sys
import time
import zlib

from channel import (MAX_MSG_SIZE, check, common, connect, count_of, create_endpoint, ended, lib, open_device, receive,
                     send, show_statistics)

HEADER = struct.Struct("!IQ")          # number of segments; Adler-32 and CRC-32 of the whole file
STATUS = struct.Struct("!I")           # the service's result code


def wait_delivered(peer):
    while True:
        check(lib.doca_comm_channel_peer_addr_update_info(peer))
        if count_of(peer, lib.doca_comm_channel_peer_addr_get_send_in_flight_messages) == 0:
            return
        time.sleep(1e-5)


def transfer(args):
    with open(args.file, "rb") as source:
        data = source.read()
    dev = open_device(args.pci_addr)
    ep = create_endpoint(dev, 8)
    peer = connect(ep, "file_transfer")
    segments = [data[i:i + MAX_MSG_SIZE] for i in range(0, len(data), MAX_MSG_SIZE)]
    send(ep, peer, HEADER.pack(len(segments), zlib.adler32(data) << 32 | zlib.crc32(data)))
    for segment in segments:
        send(ep, peer, segment)
    wait_delivered(peer)
    status, = STATUS.unpack(receive(ep)[0])
    show_statistics(peer)              # the service waits for our goodbye, so counts are final
    send(ep, peer, b"bye")
    receive(ep)
    lib.doca_comm_channel_ep_disconnect(ep, peer)
    lib.doca_comm_channel_ep_destroy(ep)
    common.doca_dev_close(dev)
    check(status)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-f", "--file", required=True, help="file to be sent")
    sys.exit(ended(transfer, parser.parse_args()))
