"""The DPU's end: a machine per client, as a table."""
import sys
import time
from enum import IntEnum

from doca_comm_channel import *


class Phase(IntEnum):
    NEW = 0
    READY = 1
    GONE = 2


def on_hello(client, version):
    client.phase = Phase.READY
    return None


def on_add(client, first, second):
    client.results.append(int(first) + int(second))
    return b"%d" % client.results[-1]


def on_dump(client):
    return repr(client.results).encode()


def on_quit(client):
    client.phase = Phase.GONE
    return b"BYE"


TABLE = {
    (Phase.NEW, "HELLO"): on_hello,
    (Phase.READY, "ADD"): on_add,
    (Phase.READY, "DUMP"): on_dump,
    (Phase.READY, "QUIT"): on_quit,
}


class Client:
    def __init__(self, addr):
        self.addr = addr
        self.phase = Phase.NEW
        self.results = []


def prepare(dev, rep):
    """Endpoint, or the name of what went wrong."""
    rc, ep = doca_comm_channel_ep_create()
    if rc == DOCA_SUCCESS:
        steps = [
            (doca_comm_channel_ep_set_device, dev),
            (doca_comm_channel_ep_set_device_rep, rep),
            (doca_comm_channel_ep_set_max_msg_size, 128),
            (doca_comm_channel_ep_listen, "link_states"),
        ]
        for function, argument in steps:
            rc = function(ep, argument)
            if rc != DOCA_SUCCESS:
                doca_comm_channel_ep_destroy(ep)
                return None, doca_error_get_name(rc)
    return ep, doca_error_get_name(rc)


def main():
    dev = open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep, verdict = prepare(dev, rep)
    print("listening" if ep else "not listening", verdict)
    print(prepare(dev, rep))
    clients = {}
    end = time.monotonic() + 60
    while time.monotonic() < end:
        rc, line, size, addr = doca_comm_channel_ep_recvfrom(ep, 128, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_ERROR_AGAIN:
            time.sleep(1e-4)
            continue
        if rc != DOCA_SUCCESS:
            print(doca_error_get_descr(rc))
            return rc
        client = clients.setdefault(addr, Client(addr))
        verb, *words = line[:size].decode().split()
        action = TABLE.get((client.phase, verb))
        print(client.phase.name, verb, "->", action.__name__ if action else "ignored")
        answer = action(client, *words) if action else None
        if answer is not None:
            while doca_comm_channel_ep_sendto(ep, answer, len(answer), DOCA_CC_MSG_FLAG_NONE, addr) == DOCA_ERROR_AGAIN:
                pass
        if client.phase == Phase.GONE:
            break
    rc = doca_comm_channel_ep_destroy(ep)
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    return rc


sys.exit(main())
