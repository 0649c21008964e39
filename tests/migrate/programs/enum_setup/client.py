"""Flat calls over a table of setters; what the codes mean to this program is an Enum of its own."""
import enum
import sys
import time
from collections import namedtuple

import doca_comm_channel as doca


class Outcome(enum.Enum):
    DONE = doca.DOCA_SUCCESS
    BUSY = doca.DOCA_ERROR_AGAIN
    WAIT = doca.DOCA_ERROR_CONNECTION_INPROGRESS
    LOST = doca.DOCA_ERROR_CONNECTION_RESET
    NONE = doca.DOCA_ERROR_CONNECTION_ABORTED
    WRONG = doca.DOCA_ERROR_INVALID_VALUE


Setter = namedtuple("Setter", "label call value")
Link = namedtuple("Link", ["ep", "peer"])

SETTERS = (
    Setter("size", doca.doca_comm_channel_ep_set_max_msg_size, 1500),
    Setter("send", doca.doca_comm_channel_ep_set_send_queue_size, 1),
    Setter("huge", doca.doca_comm_channel_ep_set_recv_queue_size, 10**6),
)


def outcome(rc):
    return Outcome(rc)


def join(dev):
    rc, ep = doca.doca_comm_channel_ep_create()
    assert outcome(rc) is Outcome.DONE
    for setter in (Setter("device", doca.doca_comm_channel_ep_set_device, dev), *SETTERS):
        print(setter.label, outcome(setter.call(ep, setter.value)).name)
    rc, peer = doca.doca_comm_channel_ep_connect(ep, "enum_setup")
    deadline = time.monotonic() + 60
    if outcome(rc) is Outcome.DONE:
        while outcome(rc := doca.doca_comm_channel_peer_addr_update_info(peer)) is Outcome.WAIT:
            if time.monotonic() > deadline:
                break
            time.sleep(1e-4)
    print("join", outcome(rc).name)
    return Link(ep, peer) if rc == doca.DOCA_SUCCESS else None


def talk(link, text):
    rc = doca.doca_comm_channel_ep_sendto(link.ep, text, len(text), doca.DOCA_CC_MSG_FLAG_NONE, link.peer)
    if outcome(rc) is not Outcome.DONE:
        return outcome(rc), None
    for _ in range(500000):
        rc, answer, size, _ = doca.doca_comm_channel_ep_recvfrom(link.ep, 1500, doca.DOCA_CC_MSG_FLAG_NONE)
        if outcome(rc) is not Outcome.BUSY:
            break
        time.sleep(1e-4)
    return outcome(rc), answer


dev = doca.open_device("b1:00.2")
link = join(dev)
if link is None:
    sys.exit(1)
for text in (b"hello", b"a virtual function", b"y" * 1501, b"the end."):
    result, answer = talk(link, text)
    print(result.name, answer)
print(doca.doca_comm_channel_ep_disconnect(*reversed(link[::-1])))
print(doca.doca_comm_channel_ep_destroy(link.ep))
doca.doca_dev_close(dev)
