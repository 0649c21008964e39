# case: a size of something else
print(window.get_recv_queue_size())


# case: a size that may be refused, with a message of its own
from doca_comm_channel import *


def main(dev, args):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, args.size)
    if rc != DOCA_SUCCESS:
        return "size"
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    return rc

# output
from doca_comm_channel import *


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def main(dev, args):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, args.size)
    if rc != DOCA_SUCCESS:
        return "size"
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    return rc


# case: branches between the set-up calls
import doca_comm_channel as cc


def main(big):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    if big:
        ep.set_max_msg_size(65535)
    return ep.connect("svc").update_info()

# output
import comch_next as comch


def main(big):
    dev = comch.open_device("b1:00.0")
    ep = comch.Client(one_sided=True)
    ep.device = dev
    if big:
        ep.max_msg_size = 65535
    return ep.connect("svc", timeout=0).update_info()


# case: read back
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
print(ep.get_max_msg_size(), ep.get_device() is dev)

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
print(ep.max_msg_size, ep.device is dev)


# case: queue sizes, which were rounded
import doca_comm_channel as cc

QUEUE_SIZE = 10
dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_send_queue_size(QUEUE_SIZE)
ep.set_recv_queue_size(2)
peer = ep.connect("svc")
print(ep.get_send_queue_size(), ep.get_recv_queue_size())

# output
import comch_next as comch

QUEUE_SIZE = 10
dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
ep.send_queue_size = QUEUE_SIZE
ep.recv_queue_size = 2
peer = ep.connect("svc", timeout=0)
print(ep.send_queue_size, ep.recv_queue_size)


# case: a queue size that only the library knows
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
print(ep.get_recv_queue_size())

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
print(ep.recv_queue_size)


# case: set in an expression, and with an effect
import doca_comm_channel as cc

sizes = [4080, 64]
ep = cc.Endpoint()
ep.set_device(cc.open_device("b1:00.0"))
ep.set_max_msg_size(sizes.pop())
done = [ep.set_send_queue_size(16), ep.set_recv_queue_size(sizes.pop())]

# output
import comch_next as comch

sizes = [4080, 64]
ep = comch.Channel(one_sided=True)
ep.configure(device=comch.open_device("b1:00.0"))
ep.configure(max_msg_size=sizes.pop())
done = [
    ep.configure(send_queue_size=16), ep.configure(recv_queue_size=sizes.pop())
]


# case: an endpoint, or a size, that a property computes
import doca_comm_channel as cc


class Link:
    depth = 8

    def __init__(self):
        self.opened = cc.Endpoint()

    @property
    def ep(self):
        self.depth = 64
        return self.opened

    @property
    def fresh(self):
        self.opened = cc.Endpoint()
        return self.depth

    def connect(self):
        self.ep.set_recv_queue_size(self.depth)
        self.opened.set_send_queue_size(self.fresh)
        self.opened.set_device(cc.open_device("b1:00.0"))
        return self.opened.connect("svc")


peer = Link().connect()

# output
import comch_next as comch


class Link:
    depth = 8

    def __init__(self):
        self.opened = comch.Client(one_sided=True)

    @property
    def ep(self):
        self.depth = 64
        return self.opened

    @property
    def fresh(self):
        self.opened = comch.Client(one_sided=True)
        return self.depth

    def connect(self):
        self.ep.configure(recv_queue_size=self.depth)
        self.opened.configure(send_queue_size=self.fresh)
        self.opened.configure(device=comch.open_device("b1:00.0"))
        return self.opened.connect("svc", timeout=0)


peer = Link().connect()


# case: flat: set in a loop over calls
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
for call, value in ((doca_comm_channel_ep_set_max_msg_size, 4080), (doca_comm_channel_ep_set_send_queue_size, 16)):
    rc = call(ep, value)
    if rc != DOCA_SUCCESS:
        raise SystemExit(1)

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Channel, one_sided=True)
for call, value in (
    (lambda ep, max_msg_size: comch.outcome(comch.Channel.configure, ep, max_msg_size=max_msg_size)[0], 4080),
    (
        lambda ep, send_queue_size: comch.outcome(comch.Channel.configure, ep, send_queue_size=send_queue_size)[0],
        16,
    ),
):
    rc = call(ep, value)
    if rc != comch.ErrorCode.SUCCESS:
        raise SystemExit(1)
