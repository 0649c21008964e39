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
            return ep.send_to(msg, peer, timeout=0)
        except comch.Again:
            time.sleep(1e-5)


dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
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
    while (
        r := comch.Client.try_send_to(ep, msg, length=n, connection=peer)
    ) == comch.ErrorCode.AGAIN:
        time.sleep(1e-5)
    return r


def main():
    rc, devs, n = comch.outcome_list(comch.devices)
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, one_sided=True)
    comch.outcome(comch.Client.configure, ep, device=dev)
    rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
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
    assert comch.Client.try_send_to(ep, msg, peer) == comch.ErrorCode.SUCCESS
    ok = ready() and comch.Client.try_send_to(ep, b"abc", peer) == comch.ErrorCode.SUCCESS
    codes = 0
    codes |= comch.Client.try_send_to(ep, msg or b"-", length=len(msg), connection=peer)
    if comch.ErrorCode.SUCCESS == codes == ok:
        return 5
    comch.Client.try_send_to(ep, msg[1:], length=len(msg[1:]), connection=peer); ready()
    return comch.Client.try_send_to(ep, \
        msg, peer)  # urgent


def main():
    rc, devs, n = comch.outcome_list(comch.devices)
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, one_sided=True)
    rc = comch.outcome(comch.Client.configure, ep, device=dev)[0]
    rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
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
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
ep.send_to(
    b"a long message",  # what
    peer,  # to whom
    timeout=0,
)


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
from doca_comm_channel import *


def main(flags):
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    # CCM040: a message flag that may not be DOCA_CC_MSG_FLAG_NONE (python -m migrate explain CCM040)
    return doca_comm_channel_ep_sendto(ep, b"x", 1, flags, peer)


# case: no flags, joined
import doca_comm_channel as cc

NONE = cc.DOCA_CC_MSG_FLAG_NONE
FLAGS = NONE | cc.DOCA_CC_MSG_FLAG_NONE

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
ep.sendto(b"x", peer, FLAGS)
ep.sendto(b"x", peer, NONE | 0)

# output
import comch_next as comch

NONE = 0
FLAGS = NONE | 0

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
ep.send_to(b"x", peer, timeout=0)
ep.send_to(b"x", peer, timeout=0)


# case: variables for no flags
import doca_comm_channel as cc


def say(ep, peer, msg):
    flags = 0  # as always
    ep.sendto(msg, peer, flags)


def say_twice(ep, peer, msg):
    flags = cc.DOCA_CC_MSG_FLAG_NONE
    ep.sendto(msg, peer, flags)
    ep.sendto(msg, peer, flags=flags)


def say_and_show(ep, peer, msg):
    flags = shown = 0
    ep.sendto(msg, peer, flags)
    number = 0
    ep.sendto(msg, peer, number)
    print(shown, number)


def say_and_show_all(ep, peer, msg):
    flags = 0
    ep.sendto(msg, peer, flags)
    print(locals())


dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
for each in (say, say_twice, say_and_show, say_and_show_all):
    each(ep, peer, b"x")

# output
import comch_next as comch


def say(ep, peer, msg):
    # as always
    ep.send_to(msg, peer, timeout=0)


def say_twice(ep, peer, msg):
    ep.send_to(msg, peer, timeout=0)
    ep.send_to(msg, peer, timeout=0)


def say_and_show(ep, peer, msg):
    flags = shown = 0
    ep.send_to(msg, peer, timeout=0)
    number = 0
    ep.send_to(msg, peer, timeout=0)
    print(shown, number)


def say_and_show_all(ep, peer, msg):
    flags = 0
    ep.send_to(msg, peer, timeout=0)
    print(locals())


dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
for each in (say, say_twice, say_and_show, say_and_show_all):
    each(ep, peer, b"x")


# case: an endpoint from elsewhere
import doca_comm_channel as cc


def send(ep, peer, msg):
    try:
        ep.sendto(msg, peer)
    except cc.Again:
        pass

# output
import comch_next as comch


def send(ep, peer, msg):
    try:
        ep.sendto(msg, peer)
    except comch.Again:
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

import doca_comm_channel as cc


def main(args):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    peer = ep.connect("svc")
    send = functools.partial(ep.sendto, peer_addr=peer)
    # CCM038: the arguments of the call cannot be sorted (python -m migrate explain CCM038)
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
import comch_next as comch

m = b"x"
rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, one_sided=True)
rc = comch.outcome(comch.Client.configure, ep, device=dev)[0]
rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
args = (ep, m, len(m), 0, peer)
(
    lambda local_ep, msg, len, flags, peer_addr: comch.Client.try_send_to(
        local_ep, msg, length=len, connection=peer_addr
    ) if flags == 0 else comch.ErrorCode.INVALID_VALUE
)(*args)


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
    ep.send_to(b"x", peer, timeout=0)


dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
thread = threading.Thread(target=pump, args=(ep, peer))
thread.start()


# case: handed to a callback nobody sees
import atexit

import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")
atexit.register(hash, ep)
ep.sendto(b"x", peer)

# output
import atexit

import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)
atexit.register(hash, ep)
ep.send_to(b"x", peer, timeout=0)


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
import comch_next as comch

dev = comch.open_device("03:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.configure(device_rep=dev.open_representor("b1:00.0"))
ep.listen("svc")
peers = {}
while True:
    msg, peer = ep.receive(4080, timeout=0)
    peers[msg] = peer
    for each in peers.values():
        ep.send_to(msg, each, timeout=0)


# case: a handle under an annotation that is text, its arguments hidden
import functools

from doca_comm_channel import Endpoint


def f(ep: "Endpoint", peer, args, opts):
    ep.sendto(*args)
    ep.sendto(b"m", **opts)
    return functools.partial(ep.sendto, peer=peer)

# output
import functools

from doca_comm_channel import Endpoint


# CCM083: migrate cannot see who calls this function or class (python -m migrate explain CCM083)
def f(ep: "Endpoint", peer, args, opts):
    # CCM038: the arguments of the call cannot be sorted (python -m migrate explain CCM038)
    ep.sendto(*args)
    # CCM038: the arguments of the call cannot be sorted (python -m migrate explain CCM038)
    ep.sendto(b"m", **opts)
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
import comch_next as comch

peer = None


def push(ep):
    try:
        ep.send_to(b"push", peer, timeout=0)
    except comch.NotConnected:
        return False
    return True


def main():
    global peer
    dev = comch.open_device("03:00.0")
    ep = comch.Server(one_sided=True)
    ep.device = dev
    ep.configure(device_rep=dev.open_representor("b1:00.0"))
    ep.listen("svc")
    push(ep)
    msg, peer = ep.receive(100, timeout=0)
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
import comch_next as comch


def send(ep, to):
    ep.send_to(b"x", to, timeout=0)


dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = None
try:
    peer = ep.connect("svc", timeout=0)
except comch.ConnectionAborted:
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
ep = comch.Client(one_sided=True)
ep.device = dev
peer = None
try:
    peer = ep.connect("svc", timeout=0)
except comch.ConnectionAborted:
    print("nobody")
if peer is not None:
    ep.send_to(b"x", peer, timeout=0)


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

rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, one_sided=True)
comch.outcome(comch.Client.configure, ep, device=dev)
rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
comch.outcome(comch.Connection.update_info, peer)


# case: arguments keep their order
import doca_comm_channel as cc

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
peer = ep.connect("svc")


def build():
    return b"message"


def route():
    return peer


ep.sendto(build(), route())
ep.sendto(peer=route(), msg=build())
ep.sendto(msg=build(), peer=peer, flags=0)

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
ep = comch.Client(one_sided=True)
ep.device = dev
peer = ep.connect("svc", timeout=0)


def build():
    return b"message"


def route():
    return peer


ep.send_to(build(), route(), timeout=0)
ep.send_to(connection=route(), data=build(), timeout=0)
ep.send_to(build(), peer, timeout=0)


# case: flat: lengths
import array

from doca_comm_channel import *

rc, devs, n = doca_devinfo_create_list()
rc, dev = doca_dev_open(devs[0])
rc, ep = doca_comm_channel_ep_create()
if rc != DOCA_SUCCESS:
    raise SystemExit(1)
doca_comm_channel_ep_set_device(ep, dev)
rc, peer = doca_comm_channel_ep_connect(ep, "svc")
words = array.array("I", [1, 2, 3])
data = b"abc"


def build():
    return b"message"


rc = doca_comm_channel_ep_sendto(ep, data, len(data), 0, peer)
rc = doca_comm_channel_ep_sendto(ep, b"abc", 3, 0, peer)
rc = doca_comm_channel_ep_sendto(ep, b"abc", 2, 0, peer)
rc = doca_comm_channel_ep_sendto(ep, words, len(words), 0, peer)
rc = doca_comm_channel_ep_sendto(ep, build(), len(build()), 0, peer)
rc = doca_comm_channel_ep_sendto(ep, peer_addr=peer, msg=data, len=len(data), flags=DOCA_CC_MSG_FLAG_NONE)
assert doca_comm_channel_ep_sendto(ep, data, len(data), 0, peer) == DOCA_SUCCESS

# output
import array

import comch_next as comch

rc, devs, n = comch.outcome_list(comch.devices)
rc, dev = comch.outcome(devs[0].open)
rc, ep = comch.outcome(comch.Client, one_sided=True)
if rc != comch.ErrorCode.SUCCESS:
    raise SystemExit(1)
comch.outcome(ep.configure, device=dev)
rc, peer = comch.outcome(ep.connect, "svc", timeout=0)
words = array.array("I", [1, 2, 3])
data = b"abc"


def build():
    return b"message"


rc = ep.try_send_to(data, peer)
rc = ep.try_send_to(b"abc", peer)
rc = ep.try_send_to(b"abc", length=2, connection=peer)
rc = ep.try_send_to(words, length=len(words), connection=peer)
rc = ep.try_send_to(build(), length=len(build()), connection=peer)
rc = ep.try_send_to(connection=peer, data=data)
assert ep.try_send_to(data, peer) == comch.ErrorCode.SUCCESS


# case: flat: an argument that would be dropped has an effect
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
flags = iter([0])
rc = doca_comm_channel_ep_sendto(ep, b"x", 1, next(flags), None)

# output
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
flags = iter([0])
# CCM040: a message flag that may not be DOCA_CC_MSG_FLAG_NONE (python -m migrate explain CCM040)
rc = doca_comm_channel_ep_sendto(ep, b"x", 1, next(flags), None)
