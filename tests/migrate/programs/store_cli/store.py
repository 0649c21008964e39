#!/usr/bin/env python3
"""A key-value store on the DPU, and the commands that use it from the host.

Exit status: 0 done, 1 not found, 2 usage, 69 nobody listens, 70 a failure of the channel, 75 try later."""
import argparse
import json
import os
import sys
import time

from doca_comm_channel import *

SIZE = 1000
EXIT = {
    DOCA_SUCCESS: os.EX_OK,
    DOCA_ERROR_CONNECTION_ABORTED: os.EX_UNAVAILABLE,
    DOCA_ERROR_NOT_FOUND: 1,
    DOCA_ERROR_AGAIN: os.EX_TEMPFAIL,
    DOCA_ERROR_TIME_OUT: os.EX_TEMPFAIL,
}


def exit_status(rc):
    return EXIT.get(rc, os.EX_SOFTWARE)


def receive(ep, timeout):
    """rc, object and peer; TIME_OUT if nothing comes."""
    end = time.monotonic() + timeout
    while True:
        rc, msg, msg_len, peer = doca_comm_channel_ep_recvfrom(ep, SIZE, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_SUCCESS:
            return rc, json.loads(msg[:msg_len]), peer
        elif rc != DOCA_ERROR_AGAIN:
            return rc, None, peer
        elif time.monotonic() > end:
            return DOCA_ERROR_TIME_OUT, None, None
        time.sleep(1e-4)


def send(ep, what, peer):
    msg = json.dumps(what).encode()
    while (rc := doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)) == DOCA_ERROR_AGAIN:
        time.sleep(1e-4)
    return rc


def create(dev, rep=None):
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc, None
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc == DOCA_SUCCESS and rep:
        rc = doca_comm_channel_ep_set_device_rep(ep, rep)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_max_msg_size(ep, SIZE)
    if rc != DOCA_SUCCESS:
        doca_comm_channel_ep_destroy(ep)
        return rc, None
    return rc, ep


def request(args, **what):
    """Connect, ask, disconnect: the code and the answer."""
    dev = open_device(args.device)
    rc, ep = create(dev)
    if rc != DOCA_SUCCESS:
        return rc, None
    answer = peer = None
    try:
        rc, peer = doca_comm_channel_ep_connect(ep, args.name)
        if rc != DOCA_SUCCESS:
            return rc, None
        end = time.monotonic() + args.timeout
        rc = doca_comm_channel_peer_addr_update_info(peer)
        while rc == DOCA_ERROR_CONNECTION_INPROGRESS and time.monotonic() < end:
            time.sleep(1e-4)
            rc = doca_comm_channel_peer_addr_update_info(peer)
        if rc != DOCA_SUCCESS:
            return rc, None
        rc = send(ep, what, peer)
        if rc == DOCA_SUCCESS:
            rc, answer, _ = receive(ep, args.timeout)
        return rc, answer
    finally:
        if peer is not None:
            doca_comm_channel_ep_disconnect(ep, peer)
        doca_comm_channel_ep_destroy(ep)
        doca_dev_close(dev)


def do_put(args):
    rc, answer = request(args, op="put", key=args.key, value=args.value)
    if rc == DOCA_SUCCESS and args.verbose:
        print("was", answer["was"])
    return exit_status(rc)


def do_get(args):
    rc, answer = request(args, op="get", key=args.key)
    if rc != DOCA_SUCCESS:
        print("get:", doca_error_get_name(rc))
        return exit_status(rc)
    if answer["value"] is None:
        return exit_status(DOCA_ERROR_NOT_FOUND)
    print(answer["value"])
    return 0


def do_list(args):
    rc, answer = request(args, op="list")
    for key in answer["keys"] if answer else ():
        print(" ", key)
    return exit_status(rc)


def do_limits(args):
    rc, infos, _ = doca_devinfo_create_list()
    if rc != DOCA_SUCCESS:
        return exit_status(rc)
    try:
        for info in infos:
            rc, address = doca_devinfo_get_pci_addr_str(info)
            if rc == DOCA_SUCCESS and address.endswith(args.device):
                for query in (doca_comm_channel_get_max_message_size, doca_comm_channel_get_max_send_queue_size):
                    rc, number = query(info)
                    print(query.__name__[len("doca_comm_channel_get_"):], number if rc == DOCA_SUCCESS else "-")
                return 0
        return exit_status(DOCA_ERROR_NOT_FOUND)
    finally:
        doca_devinfo_destroy_list(infos)


def do_shutdown(args):
    return exit_status(request(args, op="shutdown")[0])


def do_serve(args):
    dev = open_device(args.device)
    rep = dev.open_representor(args.representor)
    rc, ep = create(dev, rep)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_listen(ep, args.name)
    if rc != DOCA_SUCCESS:
        print("serve:", doca_error_get_name(rc))
        return exit_status(rc)
    print("listening", flush=True)
    table, count, op = {}, 0, None
    while op != "shutdown":
        rc, what, peer = receive(ep, timeout=60)
        if rc != DOCA_SUCCESS:
            break
        count += 1
        op, answer = what["op"], {}
        if op == "put":
            answer["was"] = table.get(what["key"])
            table[what["key"]] = what["value"]
        elif op == "get":
            answer["value"] = table.get(what["key"])
        elif op == "list":
            answer["keys"] = sorted(table)
        rc = send(ep, answer, peer)
        if rc == DOCA_ERROR_CONNECTION_RESET:
            rc = doca_comm_channel_ep_disconnect(ep, peer)
    print(count, "requests,", len(table), "keys")
    doca_comm_channel_ep_destroy(ep)
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    return exit_status(rc)


def parser():
    top = argparse.ArgumentParser(prog="store", description=__doc__)
    top.add_argument("--name", default="store")
    top.add_argument("--timeout", type=float, default=60.0)
    top.add_argument("--device", default="b1:00.0")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for name, function, arguments in (
        ("put", do_put, ("key", "value")),
        ("get", do_get, ("key",)),
        ("list", do_list, ()),
        ("limits", do_limits, ()),
        ("shutdown", do_shutdown, ()),
    ):
        command = commands.add_parser(name)
        for argument in arguments:
            command.add_argument(argument)
        command.add_argument("-v", "--verbose", action="store_true")
        command.set_defaults(function=function)
    serve = commands.add_parser("serve")
    serve.add_argument("--representor", default="b1:00.0")
    serve.set_defaults(function=do_serve, device="03:00.0")
    return top


def main(argv=None):
    args = parser().parse_args(argv)
    return args.function(args)


if __name__ == "__main__":
    sys.exit(main())
