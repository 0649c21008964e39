#!/usr/bin/env python3
"""chanctl: poke at comm channels from the command line.

    chanctl serve NAME        answer pings, echo and counters until told to quit
    chanctl ping NAME -c 3    count round trips
    chanctl limits            what a device can do
"""
from __future__ import print_function

import argparse
import struct
import sys
import time

import doca_comm_channel as dcc

PING = struct.Struct("<cI")
EX_OK, EX_USAGE, EX_NOHOST, EX_IOERR = 0, 64, 68, 74


class Failure(Exception):
    def __init__(self, what, rc, status=EX_IOERR):
        super(Failure, self).__init__("%s: %s (%s)" % (what, dcc.doca_error_get_name(rc), dcc.doca_error_get_descr(rc)))
        self.status = status


def must(what, result, status=EX_IOERR):
    """Outputs of a call, or Failure; a call with one output gives it bare."""
    rc, outputs = (result, ()) if isinstance(result, int) else (result[0], result[1:])
    if rc != dcc.DOCA_SUCCESS:
        raise Failure(what, rc, status)
    return outputs[0] if len(outputs) == 1 else outputs


def open_by_address(address):
    infos, count = must("devices", dcc.doca_devinfo_create_list())
    try:
        for info in infos:
            if must("address", dcc.doca_devinfo_is_equal_pci_addr(info, address)):
                return must("open", dcc.doca_dev_open(info))
    finally:
        dcc.doca_devinfo_destroy_list(infos)
    raise Failure(address, dcc.DOCA_ERROR_NOT_FOUND, EX_NOHOST)


def open_endpoint(args):
    ep = must("create", dcc.doca_comm_channel_ep_create())
    must("device", dcc.doca_comm_channel_ep_set_device(ep, args.dev))
    if args.size is not None:
        must("size", dcc.doca_comm_channel_ep_set_max_msg_size(ep, args.size))
    if args.queue:
        must("queue", dcc.doca_comm_channel_ep_set_send_queue_size(ep, args.queue))
        must("queue", dcc.doca_comm_channel_ep_set_recv_queue_size(ep, args.queue))
    return ep


def retry(what, call, *args, **options):
    busy = options.pop("busy", dcc.DOCA_ERROR_AGAIN)
    end = time.time() + 60
    result = call(*args)
    while (result if isinstance(result, int) else result[0]) == busy:
        if time.time() > end:
            raise Failure(what, dcc.DOCA_ERROR_TIME_OUT)
        time.sleep(0)
        result = call(*args)
    return must(what, result)


def cmd_serve(args):
    ep = open_endpoint(args)
    infos, n = must("representors", dcc.doca_devinfo_rep_create_list(args.dev, dcc.DOCA_DEV_REP_FILTER_ALL))
    rep = None
    for info in infos[:n]:
        if must("address", dcc.doca_devinfo_rep_get_pci_addr_str(info)).endswith(args.rep):
            rep = must("open representor", dcc.doca_dev_rep_open(info))
    must("representor", dcc.doca_comm_channel_ep_set_device_rep(ep, rep))
    must("listen", dcc.doca_comm_channel_ep_listen(ep, args.name))
    print("listening as %s, up to %d bytes" % (args.name, must("size", dcc.doca_comm_channel_ep_get_max_msg_size(ep))))
    counts = dict.fromkeys("pceq", 0)
    while not counts["q"]:
        data, length, peer = retry("receive", dcc.doca_comm_channel_ep_recvfrom, ep, 4080, dcc.DOCA_CC_MSG_FLAG_NONE)
        letter = data[:1].decode()
        if letter not in counts:
            letter, data = "e", b"e?"
        counts[letter] += 1
        if letter == "c":
            data = repr(sorted(counts.items())).encode()
        retry("answer", dcc.doca_comm_channel_ep_sendto, ep, data, len(data), dcc.DOCA_CC_MSG_FLAG_NONE, peer)
    print("served", " ".join("%s=%d" % item for item in sorted(counts.items())))
    must("destroy", dcc.doca_comm_channel_ep_destroy(ep))
    must("close", dcc.doca_dev_rep_close(rep))
    return EX_OK


def connect(args):
    ep = open_endpoint(args)
    peer = must("connect to " + args.name, dcc.doca_comm_channel_ep_connect(ep, args.name), EX_NOHOST)
    retry("handshake", dcc.doca_comm_channel_peer_addr_update_info, peer, busy=dcc.DOCA_ERROR_CONNECTION_INPROGRESS)
    return ep, peer


def exchange(ep, peer, data):
    retry("send", dcc.doca_comm_channel_ep_sendto, ep, data, len(data), dcc.DOCA_CC_MSG_FLAG_NONE, peer)
    answer, length, sender = retry("receive", dcc.doca_comm_channel_ep_recvfrom, ep, 4080, dcc.DOCA_CC_MSG_FLAG_NONE)
    return answer[:length]


def cmd_ping(args):
    ep, peer = connect(args)
    lost = 0
    for number in range(args.count):
        started = time.perf_counter()
        answer = exchange(ep, peer, PING.pack(b"p", number) + b"." * args.padding)
        seconds = time.perf_counter() - started
        lost += PING.unpack_from(answer)[1] != number
        if args.verbose:
            print("%d bytes: seq=%d %s" % (len(answer), number, "in time" if seconds < 60 else "late"))
    print("%d sent, %d lost" % (args.count, lost))
    if args.counters:
        print(exchange(ep, peer, b"c").decode())
    if args.quit:
        exchange(ep, peer, b"q")
    must("destroy", dcc.doca_comm_channel_ep_destroy(ep))
    return EX_OK if not lost else EX_IOERR


def cmd_limits(args):
    info = dcc.doca_dev_as_devinfo(args.dev)
    rows = [("message size", dcc.doca_comm_channel_get_max_message_size),
            ("send queue", dcc.doca_comm_channel_get_max_send_queue_size),
            ("receive queue", dcc.doca_comm_channel_get_max_recv_queue_size)]
    for title, query in rows:
        print("%-14s %6d" % (title, must(title, query(info))))
    print("%-14s %6d" % ("name", must("name", dcc.doca_comm_channel_get_max_service_name_len())))
    return EX_OK


def make_parser():
    parser = argparse.ArgumentParser(prog="chanctl", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-d", "--device", default="b1:00.0")
    parser.add_argument("-s", "--size", type=int)
    parser.add_argument("-Q", "--queue", type=int, default=0)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    serve = commands.add_parser("serve")
    serve.add_argument("name")
    serve.add_argument("-r", "--rep", default="b1:00.0")
    serve.set_defaults(func=cmd_serve)
    ping = commands.add_parser("ping")
    ping.add_argument("name")
    ping.add_argument("-c", "--count", type=int, default=3)
    ping.add_argument("-p", "--padding", type=int, default=0)
    ping.add_argument("-v", "--verbose", action="store_true")
    ping.add_argument("--counters", action="store_true")
    ping.add_argument("--quit", action="store_true")
    ping.set_defaults(func=cmd_ping)
    commands.add_parser("limits").set_defaults(func=cmd_limits)
    return parser


def main(argv=None):
    parser = make_parser()
    args = parser.parse_args(argv)
    if not hasattr(args, "func"):
        parser.print_usage()
        return EX_USAGE
    args.dev = None
    try:
        args.dev = open_by_address(args.device)
        return args.func(args)
    except Failure as failure:
        print("chanctl:", failure)
        return failure.status
    finally:
        if args.dev is not None:
            dcc.doca_dev_close(args.dev)


if __name__ == "__main__":
    sys.exit(main())
