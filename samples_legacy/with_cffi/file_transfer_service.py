#!/usr/bin/env python3
"""Receive a file through cffi, on the DPU: a leading count, segments, a status."""
import argparse
import struct
import sys
import zlib

from channel import (MAX_MSG_SIZE, check, common, create_endpoint, ended, lib, listen, open_device, open_representor,
                     receive, send, show_statistics)

MAX_FILE_SIZE = 128 * 1024 * 1024
HEADER = struct.Struct("!IQ")          # number of segments; Adler-32 and CRC-32 of the whole file
STATUS = struct.Struct("!I")           # our result code


def receive_file(ep, path, header):
    count, checksum = HEADER.unpack(header)
    if count * MAX_MSG_SIZE > MAX_FILE_SIZE:
        return lib.DOCA_ERROR_TOO_BIG
    data = b"".join(receive(ep)[0] for _ in range(count))
    if zlib.adler32(data) << 32 | zlib.crc32(data) != checksum:
        return lib.DOCA_ERROR_IO_FAILED
    with open(path, "wb") as target:
        target.write(data)
    return lib.DOCA_SUCCESS


def serve(args):
    dev = open_device(args.pci_addr)
    rep = open_representor(dev, args.rep_pci)
    ep = create_endpoint(dev, 8)
    listen(ep, rep, "file_transfer")
    header, peer = receive(ep)
    status = receive_file(ep, args.file, header)
    send(ep, peer, STATUS.pack(status))
    bye, peer = receive(ep)
    show_statistics(peer)              # the client waits for our goodbye, so counts are final
    send(ep, peer, bye)
    lib.doca_comm_channel_ep_disconnect(ep, peer)
    lib.doca_comm_channel_ep_destroy(ep)
    common.doca_dev_rep_close(rep)
    common.doca_dev_close(dev)
    check(status)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-f", "--file", required=True, help="file to be written")
    sys.exit(ended(serve, parser.parse_args()))
