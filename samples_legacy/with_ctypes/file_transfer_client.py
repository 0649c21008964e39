#!/usr/bin/env python3
"""Send a file through ctypes, from the host to the DPU: a leading count, segments, a status."""
import argparse
import struct
import sys
import zlib

from channel import MAX_MSG_SIZE, Channel, Device, check, ended

HEADER = struct.Struct("!IQ")          # number of segments; Adler-32 and CRC-32 of the whole file
STATUS = struct.Struct("!I")           # the service's result code


def transfer(args):
    with open(args.file, "rb") as source:
        data = source.read()
    dev = Device(args.pci_addr)
    channel = Channel(dev, 8)
    channel.connect("file_transfer")
    segments = [data[i:i + MAX_MSG_SIZE] for i in range(0, len(data), MAX_MSG_SIZE)]
    channel.send(HEADER.pack(len(segments), zlib.adler32(data) << 32 | zlib.crc32(data)))
    for segment in segments:
        channel.send(segment)
    channel.wait_delivered()
    status, = STATUS.unpack(channel.receive())
    channel.show_statistics()          # the service waits for our goodbye, so counts are final
    channel.send(b"bye")
    channel.receive()
    channel.close()
    dev.close()
    check(status)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-f", "--file", required=True, help="file to be sent")
    sys.exit(ended(transfer, parser.parse_args()))
