#!/usr/bin/env python3
"""Two threads share one endpoint through cffi, the service on the DPU: one sends, one receives."""
import argparse
import sys

from channel import common, create_endpoint, ended, lib, listen, open_device, open_representor, show_statistics
from two_threads_common import SERVICE_NAME, Shared, open_signalfd


def talk(args, stop_fd):
    dev = open_device(args.pci_addr)
    rep = open_representor(dev, args.rep_pci)
    ep = create_endpoint(dev, 10)
    listen(ep, rep, SERVICE_NAME)
    shared, bye = Shared(ep, stop_fd), []
    shared.talk(b"from the DPU, number %d", args.count)
    if shared.receive(bye):
        show_statistics(shared.peer)   # the client waits for our goodbye: counts are final
        shared.send(b"bye", bye)
        print("\n".join(bye))
    lib.doca_comm_channel_ep_destroy(ep)
    common.doca_dev_rep_close(rep)
    common.doca_dev_close(dev)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-n", "--count", type=int, default=200, help="messages each way")
    sys.exit(ended(talk, parser.parse_args(), open_signalfd()))
