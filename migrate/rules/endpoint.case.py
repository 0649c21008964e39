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
# the DPU's own
ep = comch.Server(dev, rep, "svc", max_msg_size=4080)
ep.listen()


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
    ep = comch.Client(dev, args.service, send_queue_size=16)
    peer = ep.connect(timeout=0)
    peer.update_info()


# case: closed in a finally that runs also when nothing was made
import doca_comm_channel as cc


def serve(dev, pci_addr, name):
    dev = cc.open_device(pci_addr)
    ep = cc.Endpoint()
    try:
        ep.set_device(dev)
        ep.set_device_rep(dev.open_representor("b1:00.0"))
        ep.listen(name)
        print(ep.recvfrom(4080)[0])
    finally:
        ep.destroy()
        dev.close()

# output
import comch_next as comch


def serve(dev, pci_addr, name):
    dev = comch.open_device(pci_addr)
    ep = None
    try:
        ep = comch.Server(dev, dev.open_representor("b1:00.0"), name)
        ep.listen()
        print(ep.receive(4080, timeout=0)[0])
    finally:
        if ep is not None:
            ep.close()
        dev.close()


# case: connecting again and again
import time

import doca_comm_channel as cc

NAME = "svc"
dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
while True:
    try:
        peer = ep.connect(NAME)
        break
    except cc.ConnectionAborted:
        time.sleep(0.1)
peer.update_info()

# output
import time

import comch_next as comch

NAME = "svc"
dev = comch.open_device("b1:00.0")
ep = comch.Client(dev, NAME)
while True:
    try:
        peer = ep.connect(timeout=0)
        break
    except comch.ConnectionAborted:
        time.sleep(0.1)
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
    ep = comch.Server(dev, rep, NAME, recv_queue_size=64)
    return ep


def main():
    dev = comch.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = create_endpoint(dev, rep)
    ep.listen()
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
    rc, devs = comch.outcome(comch.devices)
    n = len(devs or ())
    rc, dev = comch.outcome(devs[0].open)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    rc, ep = comch.outcome(comch.Client, dev, "svc", max_msg_size=SIZE)
    if rc == comch.ErrorCode.SUCCESS:
        rc, peer = comch.outcome(ep.connect, timeout=0)
    if rc != comch.ErrorCode.SUCCESS:
        print("connect:", comch.describe(rc))
        if ep is not None:
            comch.outcome(ep.close)
        return rc
    comch.outcome(ep.disconnect)
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


rc, devs = comch.outcome(comch.devices)
n = len(devs or ())
check(rc, "list")
rc, dev = comch.outcome(devs[0].open)
check(rc, "open")
rc, reps = comch.outcome(dev.representors, comch.RepFilter.ALL)
n = len(reps or ())
check(rc, "representors")
rc, rep = comch.outcome(reps[0].open)
check(rc, "open representor")
rc, ep = comch.outcome(comch.Server, dev, rep, "svc")
if rc == comch.ErrorCode.SUCCESS:
    rc = comch.outcome(ep.listen)[0]
check(rc, "listen")


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def run(dev, serve):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("03:00.0")
    # CCM036: server or client is not decided here (python -m migrate explain CCM036)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    if serve:
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        ep.set_device_rep(dev.open_representor("b1:00.0"))
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        ep.listen("svc")
    else:
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


class Link:
    def __init__(self, pci_addr):
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.dev = cc.open_device(pci_addr)
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep = cc.Endpoint()
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep.set_device(self.dev)

    def open(self, name):
        # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
        self.peer = self.ep.connect(name)

    def send(self, msg):
        try:
            # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
            self.ep.sendto(msg, self.peer)
        # CCM003: stays with the old code around it (python -m migrate explain CCM003)
        except cc.Again:
            return False
        return True


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *


def main(dev, args):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc, devs, n = doca_devinfo_create_list()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc, dev = doca_dev_open(devs[0])
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc, ep = doca_comm_channel_ep_create()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc = doca_comm_channel_ep_set_device(ep, dev)
    # CCM044: a set-up call that may fail has a check of its own (python -m migrate explain CCM044)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, args.size)
    # CCM003: stays with the old code around it (python -m migrate explain CCM003)
    if rc != DOCA_SUCCESS:
        return "size"
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def main(big):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("b1:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    if big:
        # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
        ep.set_max_msg_size(65535)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    return ep.connect("svc").update_info()


# case: the blocking API of 1.x
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create(attr)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


# CCM039: a class extends an old class (python -m migrate explain CCM039)
class LoggedEp(cc.Endpoint):
    def sendto(self, msg, peer):
        print("sending", len(msg))
        # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
        super().sendto(msg, peer)


# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM039: a class extends an old class (python -m migrate explain CCM039)
ep = LoggedEp()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
peer = ep.connect("svc")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.sendto(b"x", peer)


# case: two on a line
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint(); ep.set_device(dev); peer = ep.connect("svc")

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM042: the call shares its line with other statements (python -m migrate explain CCM042)
ep = cc.Endpoint(); ep.set_device(dev); peer = ep.connect("svc")


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

# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


class Box:
    # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
    ep: Optional[cc.Endpoint] = None


# CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
def send(ep: Optional[cc.Endpoint], peer: cc.PeerAddr, msg) -> Optional[cc.Endpoint]:
    # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("03:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rep = dev.open_representor("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device_rep(rep)
try:
    # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
    ep.event_handle_arm_recv()
# CCM003: stays with the old code around it (python -m migrate explain CCM003)
except cc.BadState:
    print("too early")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.listen("svc")


# case: given up before it listens
import doca_comm_channel as cc


def main(dry):
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    if dry:
        ep.destroy()
        return
    ep.listen("svc")

# output
import comch_next as comch


def main(dry):
    dev = comch.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = None
    if dry:
        if ep is not None:
            ep.close()
        return
    ep = comch.Server(dev, rep, "svc")
    ep.listen()


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *


def main():
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc, devs, n = doca_devinfo_create_list()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc, dev = doca_dev_open(devs[0])
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc, ep = doca_comm_channel_ep_create()
    # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
    if ep is None:
        return 1
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    doca_comm_channel_ep_set_device(ep, dev)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
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
        self.ep = comch.Client(self.dev, name)
        self.peer = self.ep.connect(timeout=0)

    def send(self, msg):
        send_fd, recv_fd = self.ep.send_fd, self.ep.recv_fd
        self.peer.send(msg, timeout=0)

    def close(self):
        if self.peer is not None:
            self.ep.disconnect()
        self.ep.close()


class Watch:
    def __init__(self, dev):
        self.dev = comch.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.ep = comch.Server(self.dev, self.rep, "svc")
        self.ep.listen()

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
        rc, devs = comch.outcome(comch.devices)
        n = len(devs or ())
        rc, self.dev = comch.outcome(devs[0].open)
        rc, self.ep = comch.outcome(comch.Client, self.dev, "svc")
        if rc == comch.ErrorCode.SUCCESS:
            rc, self.peer = comch.outcome(self.ep.connect, timeout=0)
        if rc != comch.ErrorCode.SUCCESS:
            raise SystemExit(comch.describe(rc))

    def send(self, msg):
        return comch.outcome(self.peer.send, msg, timeout=0)[0]

    def receive(self):
        try:
            rc, self.send_fd, self.recv_fd = comch.ErrorCode.SUCCESS, self.ep.send_fd, self.ep.recv_fd
        except comch.DocaError as error:
            rc, self.send_fd, self.recv_fd = error.code, None, None
        try:
            msg, self.last = self.ep.receive(64, timeout=0)
            rc, length = comch.ErrorCode.SUCCESS, len(msg)
        except comch.DocaError as error:
            rc, msg, length, self.last = error.code, None, error.length, error.connection
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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.dev = cc.open_device(pci_addr)
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.ep = cc.Endpoint()
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep.set_device(self.dev)
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.peer = self.ep.connect(name)


# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
print(Channel("b1:00.0", "svc").ep.get_max_msg_size())


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.dev = cc.open_device(pci_addr)
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.ep = cc.Endpoint()
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep.set_device(self.dev)
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.peer = self.ep.connect(name)


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.dev = cc.open_device(pci_addr)
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.ep = cc.Endpoint()
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep.set_device(self.dev)
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.peer = self.ep.connect(name)

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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.dev = cc.open_device(pci_addr)
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep = cc.Endpoint()
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep.set_device(self.dev)
        # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
        self.tell()
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.peer = self.ep.connect(name)

    def tell(self):
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        print(self.ep.get_max_msg_size())


# case: kept on an object that is looked into by name
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        self.dev = cc.open_device(pci_addr)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = self.ep.connect(name)


def look(channel, what):
    return getattr(channel, what)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


class Channel:
    def __init__(self, pci_addr, name):
        self.peer = None
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.dev = cc.open_device(pci_addr)
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.ep = cc.Endpoint()
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        self.ep.set_device(self.dev)
        # CCM031: a handle is kept on an object (python -m migrate explain CCM031)
        self.peer = self.ep.connect(name)


def look(channel, what):
    return getattr(channel, what)


# case: the name changes with the target of the loop
import doca_comm_channel as cc


def serve():
    dev = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    for k in range(3):
        try:
            ep.listen("slot-%d" % k)
            break
        except cc.ConnectionAborted:
            print("taken", k)
    return ep

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def serve():
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("03:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    for k in range(3):
        try:
            # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
            ep.listen("slot-%d" % k)
            break
        # CCM003: stays with the old code around it (python -m migrate explain CCM003)
        except cc.ConnectionAborted:
            print("taken", k)
    return ep


# case: a name out of a comprehension
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
tried = any(ep.connect(f"svc-{k}") is not None for k in (1,))

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
tried = any(ep.connect(f"svc-{k}") is not None for k in (1,))


# case: a name that is worked out at every turn
import doca_comm_channel as cc


def call(names):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    while True:
        try:
            return ep.connect(names.pop())
        except cc.ConnectionAborted:
            print("not there")

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def call(names):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("b1:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    while True:
        try:
            # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
            return ep.connect(names.pop())
        # CCM003: stays with the old code around it (python -m migrate explain CCM003)
        except cc.ConnectionAborted:
            print("not there")


# case: the first of names that change
import doca_comm_channel as cc


def call(names):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    while names:
        try:
            return ep.connect(names[0])
        except cc.ConnectionAborted:
            names.pop(0)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def call(names):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("b1:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    while names:
        try:
            # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
            return ep.connect(names[0])
        # CCM003: stays with the old code around it (python -m migrate explain CCM003)
        except cc.ConnectionAborted:
            names.pop(0)


# case: the name of a with inside of a loop
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
for path in ("a", "b"):
    with open(path) as name:
        peer = ep.connect(name)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
for path in ("a", "b"):
    with open(path) as name:
        # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
        peer = ep.connect(name)


# case: a name that another function changes
import doca_comm_channel as cc

name = "svc-0"


def step():
    global name
    name += "0"


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
for _ in range(3):
    try:
        peer = ep.connect(name)
        break
    except cc.ConnectionAborted:
        step()

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

name = "svc-0"


def step():
    global name
    name += "0"


# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
for _ in range(3):
    try:
        # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
        peer = ep.connect(name)
        break
    # CCM003: stays with the old code around it (python -m migrate explain CCM003)
    except cc.ConnectionAborted:
        step()


# case: one name at every turn
import sys

import doca_comm_channel as cc


def call(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    for turn in range(3):
        try:
            return ep.connect(sys.argv[1] + name)
        except cc.ConnectionAborted:
            print("turn", turn)

# output
import sys

import comch_next as comch


def call(name):
    dev = comch.open_device("b1:00.0")
    ep = comch.Client(dev, sys.argv[1] + name)
    for turn in range(3):
        try:
            return ep.connect(timeout=0)
        except comch.ConnectionAborted:
            print("turn", turn)


# case: the program goes on after its handler, and cleans up
import doca_comm_channel as cc

name = "x" * 200
dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
try:
    peer = ep.connect(name)
    ep.disconnect(peer)
except cc.DocaError as e:
    print("failed", e.name)
ep.destroy()
dev.close()

# output
import comch_next as comch

name = "x" * 200
dev = comch.open_device("b1:00.0")
ep = None
try:
    ep = comch.Client(dev, name)
    peer = ep.connect(timeout=0)
    ep.disconnect()
except comch.DocaError as e:
    print("failed", e.name)
if ep is not None:
    ep.close()
dev.close()


# case: flat, the program goes on after its check, and cleans up
from doca_comm_channel import *


def main(dev, name):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, name)
    if rc == DOCA_SUCCESS:
        doca_comm_channel_ep_disconnect(ep, peer)
    else:
        print(doca_error_get_name(rc))
    rc = doca_comm_channel_ep_destroy(ep)
    doca_dev_close(dev)
    return rc

# output
import comch_next as comch


def main(dev, name):
    rc, devs = comch.outcome(comch.devices)
    n = len(devs or ())
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, dev, name)
    if rc == comch.ErrorCode.SUCCESS:
        rc, peer = comch.outcome(ep.connect, timeout=0)
    else:
        peer = None
    if rc == comch.ErrorCode.SUCCESS:
        comch.outcome(ep.disconnect)
    else:
        print(comch.code_name(rc))
    rc = (comch.outcome(ep.close)[0] if ep is not None else comch.ErrorCode.SUCCESS)
    comch.outcome(dev.close)
    return rc


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

rc, devs = comch.outcome(comch.devices)
n = len(devs or ())
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, dev, "svc")
if rc == comch.ErrorCode.SUCCESS:
    rc, peer = comch.outcome(ep.connect, timeout=0)
else:
    peer = None
if rc != comch.ErrorCode.SUCCESS:
    print("failed")
rc, size = comch.outcome(getattr, ep, "max_msg_size")
if ep is not None:
    comch.outcome(ep.close)


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def main(name):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("b1:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    try:
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        peer = ep.connect(name)
    # CCM003: stays with the old code around it (python -m migrate explain CCM003)
    except cc.DocaError as e:
        print("failed", e.name)
    # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
    print(ep.get_max_msg_size())


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
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def main(name):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("b1:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    try:
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        peer = ep.connect(name)
    # CCM003: stays with the old code around it (python -m migrate explain CCM003)
    except cc.DocaError as e:
        # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
        print("failed", e.name, ep.get_max_msg_size())


# case: given back after its handler went on
import doca_comm_channel as cc


def make(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    try:
        peer = ep.connect(name)
    except cc.DocaError:
        print("failed")
    return ep


ep = make("svc")
ep.destroy()

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def make(name):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("b1:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    try:
        # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
        peer = ep.connect(name)
    # CCM003: stays with the old code around it (python -m migrate explain CCM003)
    except cc.DocaError:
        print("failed")
    # CCM037: the set-up of the endpoint is not one straight piece (python -m migrate explain CCM037)
    return ep


ep = make("svc")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.destroy()


# case: its handler leaves
import sys

import doca_comm_channel as cc


def main(name):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    try:
        peer = ep.connect(name)
    except cc.NotPermitted:
        return 2
    except cc.DocaError as e:
        ep.destroy()
        sys.exit(e.name)
    print(ep.get_max_msg_size())
    ep.destroy()

# output
import sys

import comch_next as comch


def main(name):
    dev = comch.open_device("b1:00.0")
    ep = None
    try:
        ep = comch.Client(dev, name)
        peer = ep.connect(timeout=0)
    except comch.NotPermitted:
        return 2
    except comch.DocaError as e:
        if ep is not None:
            ep.close()
        sys.exit(e.name)
    print(ep.max_msg_size)
    ep.close()


# case: cleaned up by another function
import doca_comm_channel as cc

ep = None


def connect(name):
    global ep
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.connect(name)


def close():
    ep.destroy()


try:
    connect("svc")
finally:
    close()

# output
import comch_next as comch

ep = None


def connect(name):
    global ep
    dev = comch.open_device("b1:00.0")
    ep = None
    ep = comch.Client(dev, name)
    ep.connect(timeout=0)


def close():
    if ep is not None:
        ep.close()


try:
    connect("svc")
finally:
    close()


# case: a failure that is suppressed
import contextlib

import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
with contextlib.suppress(cc.DocaError):
    peer = ep.connect("x" * 200)
ep.destroy()

# output
import contextlib

import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = None
with contextlib.suppress(comch.DocaError):
    ep = comch.Client(dev, "x" * 200)
    peer = ep.connect(timeout=0)
if ep is not None:
    ep.close()


# case: broken off in a loop
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
for name in ("a", "b" * 200):
    ep = cc.Endpoint()
    ep.set_device(dev)
    try:
        peer = ep.connect(name)
    except cc.DocaError:
        break
ep.destroy()

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
for name in ("a", "b" * 200):
    ep = None
    try:
        ep = comch.Client(dev, name)
        peer = ep.connect(timeout=0)
    except comch.DocaError:
        break
if ep is not None:
    ep.close()
