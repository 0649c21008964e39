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
ep = comch.Client(dev, "svc")
peer = ep.connect(timeout=0)
send_fd, recv_fd = ep.send_fd, ep.recv_fd
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
    try:
        rc, send_fd, recv_fd = comch.ErrorCode.SUCCESS, ep.send_fd, ep.recv_fd
    except comch.DocaError as error:
        rc, send_fd, recv_fd = error.code, None, None
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    poller.register(send_fd)
    while (rc := comch.outcome(peer.send, msg, timeout=0)[0]) == comch.ErrorCode.AGAIN:
        comch.outcome(ep.arm_send)
        poller.poll()
    rc = comch.outcome(ep.arm_recv)[0]
    return rc


def main(poller):
    rc, devs = comch.outcome(comch.devices)
    n = len(devs or ())
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, dev, "svc")
    if rc == comch.ErrorCode.SUCCESS:
        rc, peer = comch.outcome(ep.connect, timeout=0)
    else:
        peer = None
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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, devs, n = doca_devinfo_create_list()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, dev = doca_dev_open(devs[0])
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, ep = doca_comm_channel_ep_create()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
doca_comm_channel_ep_set_device(ep, dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, peer = doca_comm_channel_ep_connect(ep, "svc")
# CCM041: several results are used as one tuple (python -m migrate explain CCM041)
answer = doca_comm_channel_ep_get_event_channel(ep)


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def keep(ep):
    return ep


# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
peer = ep.connect("svc")
# CCM020: the endpoint of this event channel has no name, and cannot get one here (python -m migrate explain CCM020)
fds = [keep(ep).get_event_channel()[i] for i in range(2)]


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
ep = comch.Client(dev, "svc")
peer = ep.connect(timeout=0)
send_fd, recv_fd = (endpoint := keep(ep)).send_fd, endpoint.recv_fd
print(((endpoint := keep(ep)).send_fd, endpoint.recv_fd)[1])


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


rc, devs = comch.outcome(comch.devices)
n = len(devs or ())
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, dev, "svc")
if rc == comch.ErrorCode.SUCCESS:
    comch.outcome(ep.connect, timeout=0)
endpoint = keep(ep)
try:
    rc, send_fd, recv_fd = comch.ErrorCode.SUCCESS, endpoint.send_fd, endpoint.recv_fd
except comch.DocaError as error:
    rc, send_fd, recv_fd = error.code, None, None
comch.outcome(getattr, ep, "recv_fd")
