#!/usr/bin/env python3
"""Receive a file through ctypes, on the DPU: a leading count, segments, a status."""
import argparse
import struct
import sys
import zlib

from channel import DOCA_ERROR_IO_FAILED, DOCA_ERROR_TOO_BIG, DOCA_SUCCESS, MAX_MSG_SIZE, Channel, Device, check, ended

MAX_FILE_SIZE = 128 * 1024 * 1024
HEADER = struct.Struct("!IQ")          # number of segments; Adler-32 and CRC-32 of the whole file
STATUS = struct.Struct("!I")           # our result code


def receive_file(channel, path, header):
    count, checksum = HEADER.unpack(header)
    if count * MAX_MSG_SIZE > MAX_FILE_SIZE:
        return DOCA_ERROR_TOO_BIG
    data = b"".join(channel.receive() for _ in range(count))
    if zlib.adler32(data) << 32 | zlib.crc32(data) != checksum:
        return DOCA_ERROR_IO_FAILED
    with open(path, "wb") as target:
        target.write(data)
    return DOCA_SUCCESS


def serve(args):
    dev = Device(args.pci_addr)
    rep = Device(args.rep_pci, dev)
    channel = Channel(dev, 8)
    channel.listen(rep, "file_transfer")
    status = receive_file(channel, args.file, channel.receive())
    channel.send(STATUS.pack(status))
    bye = channel.receive()
    channel.show_statistics()          # the client waits for our goodbye, so counts are final
    channel.send(bye)
    channel.close()
    rep.close()
    dev.close()
    check(status)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-f", "--file", required=True, help="file to be written")
    sys.exit(ended(serve, parser.parse_args()))
