#!/usr/bin/env python3
"""Hello through ctypes, the client on the host: greet the service, show what it answers."""
import argparse
import sys

from channel import Channel, Device, ended


def greet(args):
    dev = Device(args.pci_addr)
    channel = Channel(dev, 10)
    channel.connect("hello")
    channel.send(args.text.encode())
    channel.receive()
    channel.show_statistics()          # the service waits for our goodbye, so counts are final
    channel.send(b"bye")
    channel.receive()
    channel.close()
    dev.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-t", "--text", default="Hello from the host", help="text to be sent to the service")
    sys.exit(ended(greet, parser.parse_args()))
