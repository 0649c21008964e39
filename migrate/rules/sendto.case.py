# case: a socket, and nobody's parameter
import socket


def send(sock, addr):
    sock.sendto(b"x", addr)


# case: a socket beside the old API
import socket

import doca_comm_channel as cc


def send(sock, addr):
    sock.sendto(b"x", addr)


dev = cc.open_device("b1:00.0")

# output
import socket

import comch_next as comch


def send(sock, addr):
    sock.sendto(b"x", addr)


dev = comch.open_device("b1:00.0")


# case: a retry loop around an exception
import time

import doca_comm_channel as cc


def send(ep, peer, msg):
    while True:
        try:
            return ep.sendto(msg, peer)
        except cc.Again:
            time.sleep(1e-5)


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
send(ep, peer, b"hello")

# output
import time

import comch_next as comch


def send(ep, peer, msg):
    while True:
        try:
            return peer.send(msg, timeout=0)
        except comch.Again:
            time.sleep(1e-5)


dev = comch.open_device("b1:00.0")
ep = comch.Client(dev, "svc")
peer = ep.connect(timeout=0)
send(ep, peer, b"hello")


# case: flat, in a condition with an assignment
import time

from doca_comm_channel import *


def send(ep, peer, msg, n):
    while (r := doca_comm_channel_ep_sendto(ep, msg, n, 0, peer)) == DOCA_ERROR_AGAIN:
        time.sleep(1e-5)
    return r


def main():
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    if rc != DOCA_SUCCESS:
        return rc
    return send(ep, peer, b"hello", 5)

# output
import time

import comch_next as comch


def send(ep, peer, msg, n):
    while (r := comch.outcome(peer.send, msg[:n], timeout=0)[0]) == comch.ErrorCode.AGAIN:
        time.sleep(1e-5)
    return r


def main():
    rc, devs = comch.outcome(comch.devices)
    n = len(devs or ())
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, dev, "svc")
    if rc == comch.ErrorCode.SUCCESS:
        rc, peer = comch.outcome(ep.connect, timeout=0)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    return send(ep, peer, b"hello", 5)


# case: flat, many places for a code
from doca_comm_channel import *


def use(ep, peer, msg, ready):
    assert doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer) == DOCA_SUCCESS
    ok = ready() and doca_comm_channel_ep_sendto(ep, b"abc", 3, 0, peer) == DOCA_SUCCESS
    codes = 0
    codes |= doca_comm_channel_ep_sendto(ep, msg or b"-", len(msg), 0, peer)
    if DOCA_SUCCESS == codes == ok:
        return 5
    doca_comm_channel_ep_sendto(ep, msg[1:], len(msg[1:]), 0, peer); ready()
    return doca_comm_channel_ep_sendto(ep, \
        msg, len(msg), 0, peer)  # urgent


def main():
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    if rc in (DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_INPROGRESS):
        return rc
    return use(ep, peer, b"hello", bool)

# output
import comch_next as comch


def use(ep, peer, msg, ready):
    assert comch.outcome(peer.send, msg, timeout=0)[0] == comch.ErrorCode.SUCCESS
    ok = ready() and comch.outcome(peer.send, b"abc", timeout=0)[0] == comch.ErrorCode.SUCCESS
    codes = 0
    codes |= comch.outcome(peer.send, (msg or b"-")[:len(msg)], timeout=0)[0]
    if comch.ErrorCode.SUCCESS == codes == ok:
        return 5
    comch.outcome(peer.send, msg[1:], timeout=0); ready()
    return comch.outcome(peer.send, msg, timeout=0)[0]  # urgent


def main():
    rc, devs = comch.outcome(comch.devices)
    n = len(devs or ())
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, dev, "svc")
    if rc == comch.ErrorCode.SUCCESS:
        rc, peer = comch.outcome(ep.connect, timeout=0)
    else:
        peer = None
    if rc in (comch.ErrorCode.AGAIN, comch.ErrorCode.CONNECTION_INPROGRESS):
        return rc
    return use(ep, peer, b"hello", bool)


# case: comments between the arguments
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
ep.sendto(
    b"a long message",  # what
    peer,  # to whom
)

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(dev, "svc")
peer = ep.connect(timeout=0)
# what
# to whom
peer.send(b"a long message", timeout=0)


# case: a flag nobody knows
from doca_comm_channel import *


def main(flags):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    return doca_comm_channel_ep_sendto(ep, b"x", 1, flags, peer)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import *


def main(flags):
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
    # CCM040: a message flag that is not DOCA_CC_MSG_FLAG_NONE (python -m migrate explain CCM040)
    return doca_comm_channel_ep_sendto(ep, b"x", 1, flags, peer)


# case: an endpoint from elsewhere
import doca_comm_channel as cc


def send(ep, peer, msg):
    try:
        ep.sendto(msg, peer)
    except cc.Again:
        pass

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def send(ep, peer, msg):
    try:
        # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
        ep.sendto(msg, peer)
    # CCM003: stays with the old code around it (python -m migrate explain CCM003)
    except cc.Again:
        pass


# case: partial, star and a bound method
import functools

import doca_comm_channel as cc


def main(args):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    peer = ep.connect("svc")
    send = functools.partial(ep.sendto, peer_addr=peer)
    ep.sendto(*args)
    send(b"x")

# output
import functools

# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def main(args):
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("b1:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    peer = ep.connect("svc")
    # CCM038: an old function is called or used in a way that hides its arguments (python -m migrate explain CCM038)
    send = functools.partial(ep.sendto, peer_addr=peer)
    # CCM038: an old function is called or used in a way that hides its arguments (python -m migrate explain CCM038)
    ep.sendto(*args)
    send(b"x")


# case: arguments in a tuple, flat
import doca_comm_channel as cc

m = b"x"
rc, devs, n = cc.doca_devinfo_create_list()
rc, dev = cc.doca_dev_open(devs[0])
rc, ep = cc.doca_comm_channel_ep_create()
rc = cc.doca_comm_channel_ep_set_device(ep, dev)
rc, peer = cc.doca_comm_channel_ep_connect(ep, "svc")
args = (ep, m, len(m), 0, peer)
cc.doca_comm_channel_ep_sendto(*args)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

m = b"x"
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, devs, n = cc.doca_devinfo_create_list()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, dev = cc.doca_dev_open(devs[0])
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, ep = cc.doca_comm_channel_ep_create()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc = cc.doca_comm_channel_ep_set_device(ep, dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
rc, peer = cc.doca_comm_channel_ep_connect(ep, "svc")
args = (ep, m, len(m), 0, peer)
# CCM038: an old function is called or used in a way that hides its arguments (python -m migrate explain CCM038)
cc.doca_comm_channel_ep_sendto(*args)


# case: handed to a thread, and called by name
import threading

import doca_comm_channel as cc


def pump(ep, peer):
    peer.update_info()
    ep.sendto(b"x", peer)


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
thread = threading.Thread(target=pump, args=(ep, peer))
thread.start()

# output
import threading

import comch_next as comch


def pump(ep, peer):
    peer.update_info()
    peer.send(b"x", timeout=0)


dev = comch.open_device("b1:00.0")
ep = comch.Client(dev, "svc")
peer = ep.connect(timeout=0)
thread = threading.Thread(target=pump, args=(ep, peer))
thread.start()


# case: handed to a callback nobody sees
import atexit

import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
atexit.register(print, ep)
ep.sendto(b"x", peer)

# output
import atexit

# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
peer = ep.connect("svc")
# CCM033: a handle is handed to code that this tool cannot follow (python -m migrate explain CCM033)
atexit.register(print, ep)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.sendto(b"x", peer)


# case: in a list, and in a dict
import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
ep.listen("svc")
peers = {}
while True:
    msg, peer = ep.recvfrom(4080)
    peers[msg] = peer
    for each in peers.values():
        ep.sendto(msg, each)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("03:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device_rep(dev.open_representor("b1:00.0"))
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.listen("svc")
peers = {}
while True:
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    msg, peer = ep.recvfrom(4080)
    # CCM032: a handle is kept in a container (python -m migrate explain CCM032)
    peers[msg] = peer
    for each in peers.values():
        # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
        ep.sendto(msg, each)


# case: a handle under an annotation that is text, its arguments hidden
import functools

from doca_comm_channel import Endpoint


def f(ep: "Endpoint", peer, args, opts):
    ep.sendto(*args)
    ep.sendto(b"m", **opts)
    return functools.partial(ep.sendto, peer=peer)

# output
import functools

# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
from doca_comm_channel import Endpoint


# CCM045: an annotation or type comment names an old class (python -m migrate explain CCM045)
def f(ep: "Endpoint", peer, args, opts):
    # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
    ep.sendto(*args)
    # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
    ep.sendto(b"m", **opts)
    # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
    return functools.partial(ep.sendto, peer=peer)


# case: a handle out of a container that nobody here fills, and sockets
import socket

from doca_comm_channel import open_device


def f(d, s: socket.socket, addr):
    d["ep"].sendto(b"m", d["peer"])
    s.sendto(b"m", addr)
    u = socket.socket()
    u.sendto(b"m", addr)


dev = open_device("b1:00.0")

# output
import socket

import comch_next as comch


def f(d, s: socket.socket, addr):
    # CCM034: a handle comes from where this tool cannot look (python -m migrate explain CCM034)
    d["ep"].sendto(b"m", d["peer"])
    s.sendto(b"m", addr)
    u = socket.socket()
    u.sendto(b"m", addr)


dev = comch.open_device("b1:00.0")


# case: a peer that another thread sets
import doca_comm_channel as cc

peer = None


def push(ep):
    try:
        ep.sendto(b"push", peer)
    except cc.NotConnected:
        return False
    return True


def main():
    global peer
    dev = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    ep.listen("svc")
    push(ep)
    msg, peer = ep.recvfrom(100)
    push(ep)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc

peer = None


def push(ep):
    try:
        # CCM065: the peer may be None here (python -m migrate explain CCM065)
        ep.sendto(b"push", peer)
    # CCM003: stays with the old code around it (python -m migrate explain CCM003)
    except cc.NotConnected:
        return False
    return True


def main():
    global peer
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    dev = cc.open_device("03:00.0")
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep = cc.Endpoint()
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device(dev)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    ep.listen("svc")
    push(ep)
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    msg, peer = ep.recvfrom(100)
    push(ep)


# case: a peer that may be None goes into a function
import doca_comm_channel as cc


def send(ep, to):
    ep.sendto(b"x", to)


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = None
try:
    peer = ep.connect("svc")
except cc.ConnectionAborted:
    print("nobody")
send(ep, peer)

# output
# CCM002: the import stays, because code below still needs it (python -m migrate explain CCM002)
import doca_comm_channel as cc


def send(ep, to):
    # CCM065: the peer may be None here (python -m migrate explain CCM065)
    ep.sendto(b"x", to)


# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
dev = cc.open_device("b1:00.0")
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep = cc.Endpoint()
# CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
ep.set_device(dev)
peer = None
try:
    # CCM030: belongs to a flow that stays old (python -m migrate explain CCM030)
    peer = ep.connect("svc")
# CCM003: stays with the old code around it (python -m migrate explain CCM003)
except cc.ConnectionAborted:
    print("nobody")
send(ep, peer)


# case: a peer that is looked at
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = None
try:
    peer = ep.connect("svc")
except cc.ConnectionAborted:
    print("nobody")
if peer is not None:
    ep.sendto(b"x", peer)

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
peer = None
try:
    ep = comch.Client(dev, "svc")
    peer = ep.connect(timeout=0)
except comch.ConnectionAborted:
    print("nobody")
if peer is not None:
    peer.send(b"x", timeout=0)


# case: flat, a peer that nobody looked at
from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, ep = doca_comm_channel_ep_create()
doca_comm_channel_ep_set_device(ep, dev)
rc, peer = doca_comm_channel_ep_connect(ep, "svc")
doca_comm_channel_peer_addr_update_info(peer)

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
comch.outcome(peer.update_info)
