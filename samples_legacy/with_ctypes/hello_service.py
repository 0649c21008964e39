#!/usr/bin/env python3
"""Hello through ctypes, the service on the DPU: wait for a greeting, answer it with a text."""
import argparse
import sys

from channel import Channel, Device, ended


def serve(args):
    dev = Device(args.pci_addr)
    rep = Device(args.rep_pci, dev)
    channel = Channel(dev, 10)
    channel.listen(rep, "hello")
    channel.receive()                  # the service learns its peer from the first message
    channel.send(args.text.encode())
    bye = channel.receive()            # until here the client is there for sure, and counts are final
    channel.show_statistics()
    channel.send(bye)
    channel.close()
    rep.close()
    dev.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    sys.exit(ended(serve, parser.parse_args()))
