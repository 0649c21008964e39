# case: a socket's recvfrom
import socket

sock = socket.socket()
data, addr = sock.recvfrom(4080)


# case: message and peer
import doca_comm_channel as cc

dev = cc.open_device("03:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
ep.listen("svc")
msg, peer = ep.recvfrom(4080)
result = ep.recvfrom(4080)
ep.sendto(result[0], result[1])

# output
import comch_next as comch

dev = comch.open_device("03:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.configure(device_rep=dev.open_representor("b1:00.0"))
ep.listen("svc")
msg, peer = ep.receive(4080, timeout=0)
result = ep.receive(4080, timeout=0)
ep.send_to(result[0], result[1], timeout=0)


# case: flat, every result
from doca_comm_channel import *


def receive(ep, size):
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, size, DOCA_CC_MSG_FLAG_NONE)  # may be AGAIN
    if rc == DOCA_ERROR_INVALID_VALUE:
        print("needs", length)
    return rc, msg, peer


def main():
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
    rc, rep = doca_dev_rep_open(reps[0])
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc = doca_comm_channel_ep_set_device_rep(ep, rep)
    rc = doca_comm_channel_ep_listen(ep, "svc")
    if rc != DOCA_SUCCESS:
        return rc
    if doca_comm_channel_ep_recvfrom(ep, 64, 0)[0] == DOCA_ERROR_AGAIN:
        doca_comm_channel_ep_rcvfrom(ep, 64, 0)
    rc, msg, peer = receive(ep, 4080)
    return rc

# output
import comch_next as comch


def receive(ep, size):
    rc, msg, length, peer = comch.Server.try_receive(ep, size)  # may be AGAIN
    if rc == comch.ErrorCode.INVALID_VALUE:
        print("needs", length)
    return rc, msg, peer


def main():
    rc, devs, n = comch.outcome_list(comch.devices)
    rc, dev = comch.outcome(devs[0].open)
    rc, reps, n = comch.outcome_list(comch.Device.representors, dev, comch.RepFilter.NET)
    rc, rep = comch.outcome(reps[0].open)
    rc, ep = comch.outcome(comch.Server, one_sided=True)
    rc = comch.outcome(comch.Server.configure, ep, device=dev)[0]
    rc = comch.outcome(comch.Server.configure, ep, device_rep=rep)[0]
    rc = comch.outcome(comch.Server.listen, ep, "svc")[0]
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    if comch.Server.try_receive(ep, 64)[0] == comch.ErrorCode.AGAIN:
        comch.Server.try_receive(ep, 64)
    rc, msg, peer = receive(ep, 4080)
    return rc


# case: flat, the results as one tuple
from doca_comm_channel import *


def main():
    rc, devs, n = doca_devinfo_create_list()
    rc, dev = doca_dev_open(devs[0])
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "svc")
    while (got := doca_comm_channel_ep_recvfrom(ep, 4080, 0))[0] == DOCA_ERROR_AGAIN:
        pass
    return got[1]

# output
import comch_next as comch


def main():
    rc, devs, n = comch.outcome_list(comch.devices)
    rc, dev = comch.outcome(devs[0].open)
    rc, ep = comch.outcome(comch.Client, one_sided=True)
    rc = comch.outcome(comch.Client.configure, ep, device=dev)[0]
    rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
    while (got := comch.Client.try_receive(ep, 4080))[0] == comch.ErrorCode.AGAIN:
        pass
    return got[1]


# case: in a coroutine
import asyncio

import doca_comm_channel as cc


async def pump(ep):
    while True:
        try:
            return ep.recvfrom(4080)
        except cc.Again:
            await asyncio.sleep(0)


async def main():
    dev = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(dev.open_representor("b1:00.0"))
    ep.listen("svc")
    msg, peer = await pump(ep)
    ep.sendto(msg, peer)

# output
import asyncio

import comch_next as comch


async def pump(ep):
    while True:
        try:
            return ep.receive(4080, timeout=0)
        except comch.Again:
            await asyncio.sleep(0)


async def main():
    dev = comch.open_device("03:00.0")
    ep = comch.Server(one_sided=True)
    ep.device = dev
    ep.configure(device_rep=dev.open_representor("b1:00.0"))
    ep.listen("svc")
    msg, peer = await pump(ep)
    ep.send_to(msg, peer, timeout=0)


# case: yielded by a generator
import doca_comm_channel as cc


def messages(ep):
    while True:
        yield ep.recvfrom(4080)


dev = cc.open_device("03:00.0")
ep = cc.Endpoint()
ep.set_device(dev)
ep.set_device_rep(dev.open_representor("b1:00.0"))
ep.listen("svc")
for msg, peer in messages(ep):
    ep.sendto(msg, peer)

# output
import comch_next as comch


def messages(ep):
    while True:
        yield ep.receive(4080, timeout=0)


dev = comch.open_device("03:00.0")
ep = comch.Server(one_sided=True)
ep.device = dev
ep.configure(device_rep=dev.open_representor("b1:00.0"))
ep.listen("svc")
for msg, peer in messages(ep):
    ep.send_to(msg, peer, timeout=0)


# case: flat: results in every shape
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
if rc != DOCA_SUCCESS:
    raise SystemExit(rc)
result = doca_comm_channel_ep_recvfrom(ep, 64, 0)
rc, *rest = doca_comm_channel_ep_recvfrom(ep, len=64, flags=0)
while doca_comm_channel_ep_recvfrom(ep, 64, DOCA_CC_MSG_FLAG_NONE)[0] == DOCA_ERROR_AGAIN:
    pass
(rc, msg), last = doca_comm_channel_ep_recvfrom(ep, 64, 0)[:2], None

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Channel, one_sided=True)
if rc != comch.ErrorCode.SUCCESS:
    raise SystemExit(rc)
result = ep.try_receive(64)
rc, *rest = ep.try_receive(64)
while ep.try_receive(64)[0] == comch.ErrorCode.AGAIN:
    pass
(rc, msg), last = ep.try_receive(64)[:2], None


# case: arguments in tuples and dicts that the program makes itself
import doca_comm_channel as cc

rc, ep = cc.doca_comm_channel_ep_create()
rc, peer = cc.doca_comm_channel_ep_connect(*(ep, "svc"))
code, *_ = cc.doca_comm_channel_ep_recvfrom(**{"local_ep": ep, "len": 64, "flags": 0})

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = (
    lambda local_ep, name: comch.outcome(
        comch.Client.connect, local_ep, name, timeout=0
    )
)(*(ep, "svc"))
code, *_ = (
    lambda local_ep, len, flags: comch.Channel.try_receive(local_ep, len) if flags == 0 else (
        comch.ErrorCode.INVALID_VALUE, None, None, None
    )
)(**{"local_ep": ep, "len": 64, "flags": 0})


# case: arguments with effects that the modern call does not have
import doca_comm_channel as cc

rc, ep = cc.doca_comm_channel_ep_create()
rc, peer = cc.doca_comm_channel_ep_connect(ep, "svc")
code, *_ = cc.doca_comm_channel_ep_recvfrom(ep, len(sizes), flags=0)
code, *_ = cc.doca_comm_channel_ep_recvfrom(flags=0, len=sizes.pop(), local_ep=ep)

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "svc", timeout=0)
code, *_ = comch.Client.try_receive(ep, len(sizes))
code, *_ = (
    lambda local_ep, len, flags: comch.Client.try_receive(local_ep, len) if flags == 0 else (
        comch.ErrorCode.INVALID_VALUE, None, None, None
    )
)(flags=0, len=sizes.pop(), local_ep=ep)


# case: flags that are none on every path
import sys

from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
if sys.argv[1:]:
    flags = DOCA_CC_MSG_FLAG_NONE
else:
    flags = 0
print(doca_comm_channel_ep_recvfrom(ep, 10, flags)[0])

# output
import sys

import comch_next as comch

rc, ep = comch.outcome(comch.Channel, one_sided=True)
if sys.argv[1:]:
    flags = 0
else:
    flags = 0
print(comch.Channel.try_receive(ep, 10)[0])
