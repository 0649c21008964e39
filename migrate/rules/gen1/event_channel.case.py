# case: objects: the descriptors are the context's own
import select

import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
send_fd, recv_fd = ep.get_event_channel()
with select.epoll() as poller:
    poller.register(recv_fd, select.EPOLLIN)
    while True:
        try:
            msg, peer = ep.recvfrom(4080)
            break
        except cc.Again:
            ep.event_handle_arm_recv()
            poller.poll()
fd = ep.get_event_channel()[0]
ep.event_handle_arm_send()

# output
import select

import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
with select.epoll() as poller:
    poller.register(recv_fd, select.EPOLLIN)
    while True:
        try:
            msg, peer = ep.receive(4080, timeout=0)
            break
        except comch.Again:
            ep.arm_recv()
            poller.poll()
fd = (ep.send_fd, ep.recv_fd)[0]
ep.arm_send()


# case: flat: without descriptors there is a code
from doca_comm_channel import *


def wait_and_send(ep, peer, msg, poller):
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    if rc != DOCA_SUCCESS:
        return rc
    poller.register(send_fd)
    while (rc := doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)) == DOCA_ERROR_AGAIN:
        doca_comm_channel_ep_event_handle_arm_send(ep)
        poller.poll()
    rc = doca_comm_channel_ep_event_handle_arm_rcv(ep)
    return rc


def main(poller):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    return wait_and_send(ep, peer, b"x", poller)

# output
import comch_next as comch


def wait_and_send(ep, peer, msg, poller):
    rc, send_fd, recv_fd = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None else (
        comch.ErrorCode.INVALID_VALUE, None, None
    )
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    poller.register(send_fd)
    while (rc := comch.Client.try_send_to(ep, msg, peer)) == comch.ErrorCode.AGAIN:
        comch.outcome(comch.Client.arm_send, ep)
        poller.poll()
    rc = comch.outcome(comch.Client.arm_recv, ep)[0]
    return rc


def main(poller):
    rc, devs, n = comch.outcome_list(comch.devices)
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, one_sided=True)
    comch.outcome(comch.Client.configure, ep, device=dev)
    rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
    return wait_and_send(ep, peer, b"x", poller)


# case: the descriptors of a flat call that are not taken apart
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, ep = doca_comm_channel_ep_create()
doca_comm_channel_ep_set_device(ep, dev)
rc, peer = doca_comm_channel_ep_connect(ep, "svc")
answer = doca_comm_channel_ep_get_event_channel(ep)

# output
import comch_next as comch

rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, one_sided=True)
comch.outcome(comch.Client.configure, ep, device=dev)
rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
answer = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None else (
    comch.ErrorCode.INVALID_VALUE, None, None
)


# case: an endpoint without a name, in a comprehension
import doca_comm_channel as cc


def keep(ep):
    return ep


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
fds = [keep(ep).get_event_channel()[i] for i in range(2)]

# output
import comch_next as comch


def keep(ep):
    return ep


dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
fds = [
    (
        lambda local_ep: (local_ep.send_fd, local_ep.recv_fd)
    )(keep(ep))[i] for i in range(2)
]


# case: objects: an endpoint without a name gets one
import doca_comm_channel as cc


def keep(ep):
    return ep


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
send_fd, recv_fd = keep(ep).get_event_channel()
print(keep(ep).get_event_channel()[1])

# output
import comch_next as comch


def keep(ep):
    return ep


dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
send_fd, recv_fd = (
    lambda local_ep: (local_ep.send_fd, local_ep.recv_fd)
)(keep(ep))
print((lambda local_ep: (local_ep.send_fd, local_ep.recv_fd))(keep(ep))[1])


# case: flat: an endpoint without a name gets one, and nobody takes the descriptors
from doca_comm_channel import *


def keep(ep):
    return ep


rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, ep = doca_comm_channel_ep_create()
doca_comm_channel_ep_set_device(ep, dev)
doca_comm_channel_ep_connect(ep, "svc")
rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(keep(ep))
doca_comm_channel_ep_get_event_channel(ep)

# output
import comch_next as comch


def keep(ep):
    return ep


rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, one_sided=True)
comch.outcome(comch.Client.configure, ep, device=dev)
comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
rc, send_fd, recv_fd = (
    lambda local_ep: comch.outcomes(
        2, lambda: (local_ep.send_fd, local_ep.recv_fd)
    ) if local_ep is not None else (comch.ErrorCode.INVALID_VALUE, None, None)
)(keep(ep))
comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None else (
    comch.ErrorCode.INVALID_VALUE, None, None
)
