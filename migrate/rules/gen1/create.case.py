# case: an endpoint of another library
import zeep

ep = zeep.Endpoint()
ep.set_device("b1:00.0")
peer = ep.connect("svc")


# case: a server, straight on
import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)  # the DPU's own
ep.set_device_rep(rep)
ep.set_max_msg_size(4080)
ep.listen("svc")

# output
import comch_next as comch

dev = comch.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev  # the DPU's own
ep.device_rep = rep
ep.max_msg_size = 4080
ep.listen("svc")


# case: a client in a function, names imported one by one
from doca_comm_channel import Endpoint, open_device


def main(args):
    dev = open_device(args.pci_addr)
    ep = Endpoint()
    ep.set_device(dev)
    ep.set_send_queue_size(16)
    peer = ep.connect(args.service)
    peer.update_info()

# output
import comch_next as comch


def main(args):
    dev = comch.open_device(args.pci_addr)
    ep = comch.Client(one_sided=True)
    ep.device = dev
    ep.send_queue_size = 16
    peer = ep.connect(args.service, timeout=0)
    peer.update_info()


# case: made by a helper, started by its caller
import doca_comm_channel as cc

NAME = "svc"


def create_endpoint(dev, rep):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.set_recv_queue_size(64)
    return ep


def main():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = create_endpoint(dev, rep)
    ep.listen(NAME)
    ep.destroy()

# output
import comch_next as comch

NAME = "svc"


def create_endpoint(dev, rep):
    ep = comch.Server(one_sided=True)
    ep.device = dev
    ep.device_rep = rep
    ep.recv_queue_size = 64
    return ep


def main():
    dev = comch.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = create_endpoint(dev, rep)
    ep.listen(NAME)
    ep.close()


# case: flat, a check after every call
import sys

from doca_comm_channel import *

SIZE = 4080


def main():
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    if rc != DOCA_SUCCESS:
        return rc
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc != DOCA_SUCCESS:
        print("device:", doca_error_get_descr(rc))
        return rc
    rc = doca_comm_channel_ep_set_max_msg_size(ep, SIZE)
    if DOCA_SUCCESS != rc:
        print("size:", doca_error_get_descr(rc))
        return rc
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    if rc != DOCA_SUCCESS:
        print("connect:", doca_error_get_descr(rc))
        doca_comm_channel_ep_destroy(ep)
        return rc
    doca_comm_channel_ep_disconnect(ep, peer)
    return doca_comm_channel_ep_destroy(ep)


sys.exit(main())

# output
import sys

import comch_next as comch

SIZE = 4080


def main():
    rc, devs, n = comch.outcome_list(comch.devices)
    rc, dev = comch.outcome(devs[0].open)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    rc, ep = comch.outcome(comch.Client, one_sided=True)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    rc = comch.outcome(ep.configure, device=dev)[0]
    if rc != comch.ErrorCode.SUCCESS:
        print("device:", comch.describe(rc))
        return rc
    rc = comch.outcome(ep.configure, max_msg_size=SIZE)[0]
    if comch.ErrorCode.SUCCESS != rc:
        print("size:", comch.describe(rc))
        return rc
    rc, peer = comch.outcome(ep.connect, "svc", timeout=0)
    if rc != comch.ErrorCode.SUCCESS:
        print("connect:", comch.describe(rc))
        comch.outcome(ep.close)
        return rc
    comch.outcome(ep.disconnect, peer)
    return comch.outcome(ep.close)[0]


sys.exit(main())


# case: flat, a function that checks
import sys

import doca_comm_channel as cc


def check(rc, what):
    """Leave when a call failed."""
    if rc != cc.DOCA_SUCCESS:
        sys.exit("%s: %s" % (what, cc.doca_get_error_string(rc)))


rc, devs, n = cc.doca_devinfo_list_create()
check(rc, "list")
rc, dev = cc.doca_dev_open(devs[0])
check(rc, "open")
rc, reps, n = cc.doca_devinfo_rep_list_create(dev, cc.DOCA_DEV_REP_FILTER_ALL)
check(rc, "representors")
rc, rep = cc.doca_dev_rep_open(reps[0])
check(rc, "open representor")
rc, ep = cc.doca_comm_channel_ep_create()
check(rc, "create")
check(cc.doca_comm_channel_ep_set_device(ep, dev), "device")
check(cc.doca_comm_channel_ep_set_device_rep(ep, rep), "representor")
check(cc.doca_comm_channel_ep_listen(ep, "svc"), "listen")

# output
import sys

import comch_next as comch


def check(rc, what):
    """Leave when a call failed."""
    if rc != comch.ErrorCode.SUCCESS:
        sys.exit("%s: %s" % (what, comch.describe(rc)))


rc, devs, n = comch.outcome_list(comch.devices)
check(rc, "list")
rc, dev = comch.outcome(devs[0].open)
check(rc, "open")
rc, reps, n = comch.outcome_list(dev.representors, comch.RepFilter.ALL)
check(rc, "representors")
rc, rep = comch.outcome(reps[0].open)
check(rc, "open representor")
rc, ep = comch.outcome(comch.Server, one_sided=True)
check(rc, "create")
check(comch.outcome(ep.configure, device=dev)[0], "device")
check(comch.outcome(ep.configure, device_rep=rep)[0], "representor")
check(comch.outcome(ep.listen, "svc")[0], "listen")


# case: both roles in one function
import doca_comm_channel as cc


def run(dev, serve):
    dev = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    if serve:
        ep.set_device_rep(dev.open_representor("b1:00.0"))
        ep.listen("svc")
    else:
        ep.connect("svc")

# output
import doca_comm_channel as cc


def run(dev, serve):
    dev = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    # CCM034: migrate cannot see where this handle comes from (python -m migrate explain CCM034)
    ep.set_device(dev)
    if serve:
        # CCM034: migrate cannot see where this handle comes from (python -m migrate explain CCM034)
        ep.set_device_rep(dev.open_representor("b1:00.0"))
        ep.listen("svc")
    else:
        ep.connect("svc")


# case: kept on an object, and started by another method
import doca_comm_channel as cc


class Link:
    def __init__(self, pci_addr):
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)

    def open(self, name):
        self.peer = self.ep.connect(name)

    def send(self, msg):
        try:
            self.ep.sendto(msg, self.peer)
        except cc.Again:
            return False
        return True

# output
import comch_next as comch


class Link:
    def __init__(self, pci_addr):
        self.dev = comch.open_device(pci_addr)
        self.ep = comch.Client(one_sided=True)
        self.ep.device = self.dev

    def open(self, name):
        self.peer = self.ep.connect(name, timeout=0)

    def send(self, msg):
        try:
            self.ep.send_to(msg, self.peer, timeout=0)
        except comch.Again:
            return False
        return True


# case: the blocking API of 1.x
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create(attr)

# output
from doca_comm_channel import *

# CCM023: the blocking API of DOCA 1.2 - 1.4 (python -m migrate explain CCM023)
rc, ep = doca_comm_channel_ep_create(attr)


# case: an extended class
import doca_comm_channel as cc


class LoggedEp(cc.Endpoint):
    def sendto(self, msg, peer):
        print("sending", len(msg))
        super().sendto(msg, peer)


dev = cc.open_device("b1:00.0")
ep = LoggedEp()
ep.set_device(dev)
peer = ep.connect("svc")
ep.sendto(b"x", peer)

# output
import doca_comm_channel as cc


# CCM039: a class extends an old class (python -m migrate explain CCM039)
class LoggedEp(cc.Endpoint):
    def sendto(self, msg, peer):
        print("sending", len(msg))
        super().sendto(msg, peer)


dev = cc.open_device("b1:00.0")
ep = LoggedEp()
# CCM039: a class extends an old class (python -m migrate explain CCM039)
ep.set_device(dev)
# CCM039: a class extends an old class (python -m migrate explain CCM039)
peer = ep.connect("svc")
# CCM039: a class extends an old class (python -m migrate explain CCM039)
ep.sendto(b"x", peer)


# case: two on a line
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint(); ep.set_device(dev); peer = ep.connect("svc")

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True); ep.device = dev; peer = ep.connect(
    "svc", timeout=0
)


# case: annotations beside functions that stay old
from typing import Optional

import doca_comm_channel as cc


class Box:
    ep: Optional[cc.Endpoint] = None


def send(ep: Optional[cc.Endpoint], peer: cc.PeerAddr, msg) -> Optional[cc.Endpoint]:
    ep.sendto(msg, peer)
    return ep

# output
from typing import Optional

import doca_comm_channel as cc


class Box:
    ep: Optional[cc.Endpoint] = None


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def send(ep: Optional[cc.Endpoint], peer: cc.PeerAddr, msg) -> Optional[cc.Endpoint]:
    ep.sendto(msg, peer)
    return ep


# case: used before it listens
import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(rep)
try:
    ep.event_handle_arm_recv()
except cc.BadState:
    print("too early")
ep.listen("svc")

# output
import comch_next as comch

dev = comch.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.device_rep = rep
try:
    ep.arm_recv()
except comch.BadState:
    print("too early")
ep.listen("svc")


# case: looked at before it listens
from doca_comm_channel import *


def main():
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    if ep is None:
        return 1
    doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    return rc

# output
import comch_next as comch


def main():
    rc, devs, n = comch.outcome_list(comch.devices)
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, one_sided=True)
    if ep is None:
        return 1
    comch.outcome(ep.configure, device=dev)
    rc, peer = comch.outcome(ep.connect, "svc", timeout=0)
    return rc


# case: kept on an object that nobody else looks into
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect(name)

    def send(self, msg):
        send_fd, recv_fd = self.ep.get_event_channel()
        self.ep.sendto(msg, self.peer)

    def close(self):
        if self.peer is not None:
            self.ep.disconnect(self.peer)
        self.ep.destroy()


class Watch:
    def __init__(self, dev):
        self.dev = cc.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_device_rep(self.rep)
        self.ep.listen("svc")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ep.destroy()

    def peers(self):
        self.ep.update_service_state_info()
        return len(self.ep.get_peer_addr_list())


with Watch(3) as watch:
    print(watch.peers())

# output
import comch_next as comch


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = comch.open_device(pci_addr)
        self.ep = comch.Client(one_sided=True)
        self.ep.device = self.dev
        self.peer = self.ep.connect(name, timeout=0)

    def send(self, msg):
        send_fd, recv_fd = (self.ep.send_fd, self.ep.recv_fd)
        self.ep.send_to(msg, self.peer, timeout=0)

    def close(self):
        if self.peer is not None:
            self.ep.disconnect(self.peer)
        self.ep.close()


class Watch:
    def __init__(self, dev):
        self.dev = comch.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = comch.Server(one_sided=True)
        self.ep.device = self.dev
        self.ep.device_rep = self.rep
        self.ep.listen("svc")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ep.close()

    def peers(self):
        self.ep.update_info()
        return len(self.ep.connections)


with Watch(3) as watch:
    print(watch.peers())


# case: flat, kept on an object
from doca_comm_channel import *


class Channel:
    def __init__(self):
        rc, devs, n = doca_devinfo_create_list()
        rc, self.dev = doca_dev_open(devs[0])
        rc, self.ep = doca_comm_channel_ep_create()
        rc = doca_comm_channel_ep_set_device(self.ep, self.dev)
        rc, self.peer = doca_comm_channel_ep_connect(self.ep, "svc")
        if rc != DOCA_SUCCESS:
            raise SystemExit(doca_error_get_descr(rc))

    def send(self, msg):
        return doca_comm_channel_ep_sendto(self.ep, msg, len(msg), 0, self.peer)

    def receive(self):
        rc, self.send_fd, self.recv_fd = doca_comm_channel_ep_get_event_channel(self.ep)
        rc, msg, length, self.last = doca_comm_channel_ep_recvfrom(self.ep, 64, 0)
        return msg

# output
import comch_next as comch


class Channel:
    def __init__(self):
        rc, devs, n = comch.outcome_list(comch.devices)
        rc, self.dev = comch.outcome(devs[0].open)
        rc, self.ep = comch.outcome(comch.Client, one_sided=True)
        rc = comch.outcome(comch.Client.configure, self.ep, device=self.dev)[0]
        rc, self.peer = comch.outcome(comch.Client.connect, self.ep, "svc", timeout=0)
        if rc != comch.ErrorCode.SUCCESS:
            raise SystemExit(comch.describe(rc))

    def send(self, msg):
        return comch.Client.try_send_to(
            self.ep, msg, length=len(msg), connection=self.peer
        )

    def receive(self):
        rc, self.send_fd, self.recv_fd = comch.outcomes(
            2, lambda: (self.ep.send_fd, self.ep.recv_fd)
        ) if self.ep is not None else (comch.ErrorCode.INVALID_VALUE, None, None)
        rc, msg, length, self.last = comch.Client.try_receive(self.ep, 64)
        return msg


# case: kept on an object that others look into
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect(name)


print(Channel("b1:00.0", "svc").ep.get_max_msg_size())

# output
import comch_next as comch


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = comch.open_device(pci_addr)
        self.ep = comch.Client(one_sided=True)
        self.ep.device = self.dev
        self.peer = self.ep.connect(name, timeout=0)


print(Channel("b1:00.0", "svc").ep.max_msg_size)


# case: kept on an object of a class that is extended
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect(name)


class Loud(Channel):
    def send(self, msg):
        print(len(msg))

# output
import comch_next as comch


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = comch.open_device(pci_addr)
        self.ep = comch.Client(one_sided=True)
        self.ep.device = self.dev
        self.peer = self.ep.connect(name, timeout=0)


class Loud(Channel):
    def send(self, msg):
        print(len(msg))


# case: kept on an object that gives itself away
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect(name)

    def start(self, registry):
        registry.append(self)

# output
import comch_next as comch


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = comch.open_device(pci_addr)
        self.ep = comch.Client(one_sided=True)
        self.ep.device = self.dev
        self.peer = self.ep.connect(name, timeout=0)

    def start(self, registry):
        registry.append(self)


# case: kept on an object whose other method comes too early
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.tell()
        self.peer = self.ep.connect(name)

    def tell(self):
        print(self.ep.get_max_msg_size())

# output
import comch_next as comch


class Channel:
    def __init__(self, pci_addr, name):
        self.dev = comch.open_device(pci_addr)
        self.ep = comch.Client(one_sided=True)
        self.ep.device = self.dev
        self.tell()
        self.peer = self.ep.connect(name, timeout=0)

    def tell(self):
        print(self.ep.max_msg_size)


# case: flat, only told of
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, ep = doca_comm_channel_ep_create()
doca_comm_channel_ep_set_device(ep, dev)
rc, peer = doca_comm_channel_ep_connect(ep, "svc")
if rc != DOCA_SUCCESS:
    print("failed")
rc, size = doca_comm_channel_ep_get_max_msg_size(ep)
doca_comm_channel_ep_destroy(ep)

# output
import comch_next as comch

rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, one_sided=True)
comch.outcome(comch.Client.configure, ep, device=dev)
rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
if rc != comch.ErrorCode.SUCCESS:
    print("failed")
rc, size = comch.outcome(comch.Client.max_msg_size.fget, ep)
comch.outcome(comch.Client.close, ep)


# case: used after its handler went on
import doca_comm_channel as cc


def main(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    try:
        peer = ep.connect(name)
    except cc.DocaError as e:
        print("failed", e.name)
    print(ep.get_max_msg_size())

# output
import comch_next as comch


def main(name):
    dev = comch.open_device("b1:00.0")
    ep = comch.Client(one_sided=True)
    ep.device = dev
    try:
        peer = ep.connect(name, timeout=0)
    except comch.DocaError as e:
        print("failed", e.name)
    print(ep.max_msg_size)


# case: used in a handler
import doca_comm_channel as cc


def main(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    try:
        peer = ep.connect(name)
    except cc.DocaError as e:
        print("failed", e.name, ep.get_max_msg_size())

# output
import comch_next as comch


def main(name):
    dev = comch.open_device("b1:00.0")
    ep = comch.Client(one_sided=True)
    ep.device = dev
    try:
        peer = ep.connect(name, timeout=0)
    except comch.DocaError as e:
        print("failed", e.name, ep.max_msg_size)


# case: the role is decided by an option
import sys

import doca_comm_channel as cc


def connect(dev, name, rep=None):
    ep = cc.Endpoint()
    ep.set_device(dev)
    if rep is None:
        return ep, ep.connect(name)
    ep.set_device_rep(rep)
    ep.listen(name)
    return ep, None


dev = cc.open_device(sys.argv[1])
if len(sys.argv) > 2:
    ep, peer = connect(dev, "svc", dev.open_representor(sys.argv[2]))
else:
    ep, peer = connect(dev, "svc")
ep.destroy()

# output
import sys

import comch_next as comch


def connect(dev, name, rep=None):
    ep = comch.Channel(one_sided=True)
    ep.device = dev
    if rep is None:
        return ep, ep.connect(name, timeout=0)
    ep.device_rep = rep
    ep.listen(name)
    return ep, None


dev = comch.open_device(sys.argv[1])
if len(sys.argv) > 2:
    ep, peer = connect(dev, "svc", dev.open_representor(sys.argv[2]))
else:
    ep, peer = connect(dev, "svc")
ep.close()


# case: handles in dataclasses, dicts and queues
import queue
from dataclasses import dataclass, field

import doca_comm_channel as cc


@dataclass
class Session:
    ep: cc.Endpoint = field(default_factory=cc.Endpoint)
    peers: dict[int, cc.PeerAddr] = field(default_factory=dict)


session = Session()
session.ep.set_device(cc.open_device("03:00.0"))
session.ep.listen("svc")
arrived = queue.Queue()
msg, peer = session.ep.recvfrom(64)
session.peers[1] = peer
arrived.put((msg, peer))
msg, peer = arrived.get()
session.ep.sendto(msg, peer)
session.ep.sendto(msg, session.peers[1])

# output
import queue
from dataclasses import dataclass, field

import comch_next as comch


@dataclass
class Session:
    ep: comch.Channel = field(
        default_factory=lambda: comch.Channel(one_sided=True)
    )
    peers: dict[int, comch.Connection] = field(default_factory=dict)


session = Session()
session.ep.configure(device=comch.open_device("03:00.0"))
session.ep.listen("svc")
arrived = queue.Queue()
msg, peer = session.ep.receive(64, timeout=0)
session.peers[1] = peer
arrived.put((msg, peer))
msg, peer = arrived.get()
session.ep.send_to(msg, peer, timeout=0)
session.ep.send_to(msg, session.peers[1], timeout=0)
