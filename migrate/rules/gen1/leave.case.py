# case: a destructor of something else
def stop(window):
    window.disconnect()
    window.destroy()


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
import doca_comm_channel as cc


def serve(dev, pci_addr, name):
    dev = cc.open_device(pci_addr)
    ep = cc.Endpoint()
    try:
        # CCM034: migrate cannot see where this handle comes from (python -m migrate explain CCM034)
        ep.set_device(dev)
        # CCM034: migrate cannot see where this handle comes from (python -m migrate explain CCM034)
        ep.set_device_rep(dev.open_representor("b1:00.0"))
        ep.listen(name)
        print(ep.recvfrom(4080)[0])
    finally:
        ep.destroy()
        # CCM034: migrate cannot see where this handle comes from (python -m migrate explain CCM034)
        dev.close()


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
    ep = comch.Server(one_sided=True)
    ep.device = dev
    ep.device_rep = rep
    if dry:
        ep.close()
        return
    ep.listen("svc")


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
ep = comch.Client(one_sided=True)
ep.device = dev
try:
    peer = ep.connect(name, timeout=0)
    ep.disconnect(peer)
except comch.DocaError as e:
    print("failed", e.name)
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
from doca_comm_channel import *


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
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
import comch_next as comch


def make(name):
    dev = comch.open_device("b1:00.0")
    ep = comch.Client(one_sided=True)
    ep.device = dev
    try:
        peer = ep.connect(name, timeout=0)
    except comch.DocaError:
        print("failed")
    return ep


ep = make("svc")
ep.close()


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
    ep = comch.Client(one_sided=True)
    ep.device = dev
    try:
        peer = ep.connect(name, timeout=0)
    except comch.NotPermitted:
        return 2
    except comch.DocaError as e:
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
    ep = comch.Client(one_sided=True)
    ep.device = dev
    ep.connect(name, timeout=0)


def close():
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
ep = comch.Client(one_sided=True)
ep.device = dev
with contextlib.suppress(comch.DocaError):
    peer = ep.connect("x" * 200, timeout=0)
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
    ep = comch.Client(one_sided=True)
    ep.device = dev
    try:
        peer = ep.connect(name, timeout=0)
    except comch.DocaError:
        break
ep.close()


# case: by role
import doca_comm_channel as cc


def serve(dev, rep):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.listen("svc")
    msg, peer = ep.recvfrom(64)
    ep.disconnect(peer)
    ep.destroy()


def call(dev):
    ep = cc.Endpoint()
    ep.set_device(dev)
    peer = ep.connect("svc")
    ep.disconnect(peer)
    ep.destroy()


dpu = cc.open_device("03:00.0")
serve(dpu, dpu.open_representor("b1:00.0"))
call(cc.open_device("b1:00.0"))

# output
import comch_next as comch


def serve(dev, rep):
    ep = comch.Server(one_sided=True)
    ep.device = dev
    ep.device_rep = rep
    ep.listen("svc")
    msg, peer = ep.receive(64, timeout=0)
    ep.disconnect(peer)
    ep.close()


def call(dev):
    ep = comch.Client(one_sided=True)
    ep.device = dev
    peer = ep.connect("svc", timeout=0)
    ep.disconnect(peer)
    ep.close()


dpu = comch.open_device("03:00.0")
serve(dpu, dpu.open_representor("b1:00.0"))
call(comch.open_device("b1:00.0"))


# case: one function for both roles
import doca_comm_channel as cc


def leave(ep, peer):
    ep.disconnect(peer)
    ep.destroy()


def serve(dev, rep):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.listen("svc")
    msg, peer = ep.recvfrom(64)
    leave(ep, peer)


def call(dev):
    ep = cc.Endpoint()
    ep.set_device(dev)
    peer = ep.connect("svc")
    leave(ep, peer)


dpu = cc.open_device("03:00.0")
serve(dpu, dpu.open_representor("b1:00.0"))
call(cc.open_device("b1:00.0"))

# output
import comch_next as comch


def leave(ep, peer):
    ep.disconnect(peer)
    ep.close()


def serve(dev, rep):
    ep = comch.Server(one_sided=True)
    ep.device = dev
    ep.device_rep = rep
    ep.listen("svc")
    msg, peer = ep.receive(64, timeout=0)
    leave(ep, peer)


def call(dev):
    ep = comch.Client(one_sided=True)
    ep.device = dev
    peer = ep.connect("svc", timeout=0)
    leave(ep, peer)


dpu = comch.open_device("03:00.0")
serve(dpu, dpu.open_representor("b1:00.0"))
call(comch.open_device("b1:00.0"))


# case: flat, in a finally
from doca_comm_channel import *


def main(dev):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    peer = None
    try:
        rc = doca_comm_channel_ep_set_device(ep, dev)
        rc, peer = doca_comm_channel_ep_connect(ep, "svc")
        if rc != DOCA_SUCCESS:
            return rc
        return doca_comm_channel_ep_sendto(ep, b"x", 1, 0, peer)
    finally:
        if peer is not None:
            doca_comm_channel_ep_disconnect(ep, peer)
        doca_comm_channel_ep_destroy(ep)

# output
from doca_comm_channel import *


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def main(dev):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    peer = None
    try:
        rc = doca_comm_channel_ep_set_device(ep, dev)
        rc, peer = doca_comm_channel_ep_connect(ep, "svc")
        if rc != DOCA_SUCCESS:
            return rc
        return doca_comm_channel_ep_sendto(ep, b"x", 1, 0, peer)
    finally:
        if peer is not None:
            doca_comm_channel_ep_disconnect(ep, peer)
        doca_comm_channel_ep_destroy(ep)
