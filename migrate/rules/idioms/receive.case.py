# case: kept: something else is done while there is no message
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        print("waiting")

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        print("waiting")


# case: kept: it never ends
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        ep.recvfrom(4080)
    except cc.Again:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        ep.receive(4080, timeout=0)
    except comch.Again:
        pass


# case: kept: a signal handler may run meanwhile
import signal
import doca_comm_channel as cc

ep = cc.Endpoint()
signal.signal(signal.SIGTERM, lambda number, frame: ep.destroy())
peer = ep.connect("a")
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        pass

# output
import signal
import comch_next as comch

ep = comch.Client(one_sided=True)
signal.signal(signal.SIGTERM, lambda number, frame: ep.close())
peer = ep.connect("a", timeout=0)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        pass


# case: kept: what is stored may have an effect
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
messages = {}
while True:
    try:
        messages["first"] = ep.recvfrom(4080)
        break
    except cc.Again:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
messages = {}
while True:
    try:
        messages["first"] = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        pass


# case: kept: a flat call gives more than receive does
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
while True:
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 4080, 0)
    if rc != DOCA_ERROR_AGAIN:
        break

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
while True:
    rc, msg, length, peer = comch.Client.try_receive(ep, 4080)
    if rc != comch.ErrorCode.AGAIN:
        break


# case: kept: the call stands on several lines
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        text = ep.recvfrom(
            4080,  # the largest
        )[0]
        break
    except cc.Again:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        text = ep.receive(
            4080,  # the largest
            timeout=0,
        )[0]
        break
    except comch.Again:
        pass


# case: a function that returns the message
import time
import doca_comm_channel as cc

def receive(ep):
    while True:
        try:
            return ep.recvfrom(ep_size)
        except cc.Again:
            time.sleep(1e-5)

ep_size = 4080
ep = cc.Endpoint()
peer = ep.connect("a")
print(receive(ep))

# output
import time
import comch_next as comch

def receive(ep):
    return ep.receive(ep_size)

ep_size = 4080
ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
print(receive(ep))


# case: a message that is taken apart
import doca_comm_channel as cc

def receive(ep):
    while True:
        try:
            data, peer = ep.recvfrom(4080)
        except cc.Again:
            continue
        return peer, data

ep = cc.Endpoint()
peer = ep.connect("a")
print(receive(ep))
for number in range(3):
    while True:
        try:
            text = ep.recvfrom(4080)[0]
            break
        except cc.Again:
            pass
    print(text)

# output
import comch_next as comch

def receive(ep):
    data, peer = ep.receive(4080)
    return peer, data

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
print(receive(ep))
for number in range(3):
    text = ep.receive(4080)[0]
    print(text)
