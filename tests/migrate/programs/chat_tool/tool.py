#!/usr/bin/env python3
"""Talk over the channel in turns. With -l this end listens (on the DPU), else it connects (from the host)."""
import argparse
import contextlib
import sys
import time

import doca_comm_channel as cc

LINES = {
    True: ["who is there?", "which function?", "come in"],
    False: ["knock knock", "b1:00.0", "a function of yours"],
}


def parse_arguments(argv):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-l", "--listen", action="store_true", help="be the service")
    parser.add_argument("-n", "--name", default="chat", help="name of the service")
    parser.add_argument("-d", "--device", help="PCI address of the device")
    parser.add_argument("-r", "--representor", default="b1:00.0")
    parser.add_argument("-s", "--size", type=int, default=256)
    parser.add_argument("-t", "--timeout", type=float, default=60.0)
    return parser.parse_args(argv)


class Turns:
    """A clock that runs out."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def __iter__(self):
        while time.monotonic() < self.end:
            yield
            time.sleep(1e-4)
        raise SystemExit("timeout")


def open_endpoint(args, stack):
    device = cc.open_device(args.device or ("03:00.0" if args.listen else "b1:00.0"))
    stack.callback(device.close)
    ep = cc.Endpoint()
    ep.set_device(device)
    ep.set_max_msg_size(args.size)
    if args.listen:
        rep = device.open_representor(args.representor)
        stack.callback(rep.close)
        ep.set_device_rep(rep)
    stack.callback(ep.destroy)
    return ep


def meet(ep, args):
    """The peer, once both are there; a service gets it with the first line."""
    if args.listen:
        ep.listen(args.name)
        print("listening on", args.name)
        return None
    peer = ep.connect(args.name)
    for _ in Turns(args.timeout):
        try:
            peer.update_info()
        except cc.ConnectionInprogress:
            continue
        return peer


def hear(ep, args):
    for _ in Turns(args.timeout):
        with contextlib.suppress(cc.Again):
            line, peer = ep.recvfrom(args.size)
            print("<", line.decode())
            return peer


def say(ep, line, peer, args):
    for _ in Turns(args.timeout):
        try:
            ep.sendto(line.encode(), peer)
        except cc.Again:
            continue
        print(">", line)
        return


def main(argv=None):
    args = parse_arguments(argv)
    with contextlib.ExitStack() as stack:
        try:
            ep = open_endpoint(args, stack)
            peer = meet(ep, args)
            for line in LINES[args.listen]:
                if args.listen:
                    peer = hear(ep, args)
                    say(ep, line, peer, args)
                else:
                    say(ep, line, peer, args)
                    hear(ep, args)
            if not args.listen:
                ep.disconnect(peer)
        except cc.DocaError as error:
            print("failed with", error.name)
            return 1
    print("over")
    return 0


if __name__ == "__main__":
    sys.exit(main())
