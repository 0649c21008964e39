# case: kept: a stop flag ends the loop, too
import time
import doca_comm_channel as cc

def send(ep, peer, stop):
    while not stop:
        try:
            ep.sendto(b"x", peer)
            break
        except cc.Again:
            time.sleep(1e-5)

ep = cc.Endpoint()
peer = ep.connect("a")
send(ep, peer, [])

# output
import time
import comch_next as comch

def send(ep, peer, stop):
    while not stop:
        try:
            ep.send_to(b"x", peer, timeout=0)
            break
        except comch.Again:
            time.sleep(1e-5)

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send(ep, peer, [])


# case: kept: the turns are counted
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
turns = 0
while True:
    try:
        ep.sendto(b"x", peer)
        break
    except cc.Again:
        turns += 1

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
turns = 0
while True:
    try:
        ep.send_to(b"x", peer, timeout=0)
        break
    except comch.Again:
        turns += 1


# case: kept: another exception ends the loop, too
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        ep.sendto(b"x", peer)
        break
    except cc.Again:
        pass
    except cc.ConnectionReset:
        break

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        ep.send_to(b"x", peer, timeout=0)
        break
    except comch.Again:
        pass
    except comch.ConnectionReset:
        break


# case: kept: it is another error that is tried again
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        ep.sendto(b"x", peer)
        break
    except cc.DocaError:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        ep.send_to(b"x", peer, timeout=0)
        break
    except comch.DocaError:
        pass


# case: kept: each turn makes another message
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
waiting = [b"x", b"y"]
while True:
    try:
        ep.sendto(waiting.pop(), peer)
        break
    except cc.Again:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
waiting = [b"x", b"y"]
while True:
    try:
        ep.send_to(waiting.pop(), peer, timeout=0)
        break
    except comch.Again:
        pass


# case: kept: the message is a property that the program computes
import doca_comm_channel as cc

class Counter:
    count = 0

    @property
    def text(self):
        self.count += 1
        return b"%d" % self.count

counter = Counter()
ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        ep.sendto(counter.text, peer)
        break
    except cc.Again:
        pass

# output
import comch_next as comch

class Counter:
    count = 0

    @property
    def text(self):
        self.count += 1
        return b"%d" % self.count

counter = Counter()
ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        ep.send_to(counter.text, peer, timeout=0)
        break
    except comch.Again:
        pass


# case: kept: another thread may run meanwhile
import threading
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
threading.Timer(1, print).start()
while True:
    try:
        ep.sendto(b"x", peer)
        break
    except cc.Again:
        pass

# output
import threading
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
threading.Timer(1, print).start()
while True:
    try:
        ep.send_to(b"x", peer, timeout=0)
        break
    except comch.Again:
        pass


# case: kept: the program has the endpoint's descriptors, and waiting takes their events
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
while True:
    try:
        ep.sendto(b"x", peer)
        break
    except cc.Again:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
while True:
    try:
        ep.send_to(b"x", peer, timeout=0)
        break
    except comch.Again:
        pass


# case: kept: the code of a turn is part of the next
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
while True:
    rc = doca_comm_channel_ep_sendto(ep, b"abcdef", rc, DOCA_CC_MSG_FLAG_NONE, peer)
    if rc != DOCA_ERROR_AGAIN:
        break

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
while True:
    rc = comch.Client.try_send_to(ep, b"abcdef", length=rc, connection=peer)
    if rc != comch.ErrorCode.AGAIN:
        break


# case: kept: nothing here calls the method, so that its callers may be threads
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)

    def send(self, text):
        while True:
            try:
                self.ep.sendto(text.encode(), self.peer)
                return
            except cc.Again:
                pass

# output
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)

    def send(self, text):
        while True:
            try:
                self.ep.send_to(text.encode(), self.peer, timeout=0)
                return
            except comch.Again:
                pass


# case: kept: a flat call is not tried again by an exception
from doca_comm_channel import *
from doca_comm_channel import Again

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
while True:
    try:
        rc = doca_comm_channel_ep_sendto(ep, b"x", 1, DOCA_CC_MSG_FLAG_NONE, peer)
        break
    except Again:
        pass

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
while True:
    try:
        rc = comch.Client.try_send_to(ep, b"x", peer)
        break
    except comch.Again:
        pass


# case: kept: a line in the loop is left alone on request
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        ep.sendto(b"x", peer)
        break
    except cc.Again:  # migrate: skip
        pass

# output
import comch_next as comch
import doca_comm_channel as cc

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        ep.send_to(b"x", peer, timeout=0)
        break
    except cc.Again:  # migrate: skip
        pass


# case: kept: whether there is a first turn depends on a code from before
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
while rc == DOCA_ERROR_AGAIN:
    rc = doca_comm_channel_ep_sendto(ep, b"x", 1, DOCA_CC_MSG_FLAG_NONE, peer)

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
while rc == comch.ErrorCode.AGAIN:
    rc = comch.Client.try_send_to(ep, b"x", peer)


# case: the loop of a method
import time
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)

    def send(self, text):
        while True:
            try:
                self.ep.sendto(text.encode(), self.peer)  # may have to wait
                return
            except cc.Again:
                time.sleep(0.001)

Link("a").send("x")

# output
import time
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)

    def send(self, text):
        # may have to wait
        self.ep.send_to(text.encode(), self.peer)

Link("a").send("x")


# case: with else, continue, and a value to return
import doca_comm_channel as cc
from doca_comm_channel import Again as Busy

ep = cc.Endpoint()
peer = ep.connect("a")

def first(number):
    while 1:
        try:
            ep.sendto(b"%d" % number, peer)
        except Busy:
            continue
        return True

def second(number):
    if number:
        while True:
            try:
                ep.sendto(f"{number:04}".encode(), peer)
            except Busy:
                pass
            else:
                return
    print("none")

first(1)
second(2)

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)

def first(number):
    ep.send_to(b"%d" % number, peer)
    return True

def second(number):
    if number:
        ep.send_to(f"{number:04}".encode(), peer)
        return
    print("none")

first(1)
second(2)


# case: loops over codes
import time
from doca_comm_channel import *

def send(ep, peer, msg):
    while True:
        rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != DOCA_ERROR_AGAIN:
            return rc
        time.sleep(1e-5)

def talk():
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc
    rc, peer = doca_comm_channel_ep_connect(ep, "a")
    if rc != DOCA_SUCCESS:
        return rc
    while (rc := doca_comm_channel_ep_sendto(ep, b"abc", 3, 0, peer)) == 5:
        pass
    while doca_comm_channel_ep_sendto(ep, b"abc", 3, 0, peer) == DOCA_ERROR_AGAIN:
        time.sleep(1e-5)
    while True:
        rc = doca_comm_channel_ep_sendto(ep, b"abc", 3, 0, peer)
        if rc == DOCA_ERROR_AGAIN:
            continue
        break
    return send(ep, peer, b"end")

print(talk())

# output
import time
import comch_next as comch

def send(ep, peer, msg):
    rc = comch.outcome(ep.send_to, msg, peer)[0]
    return rc

def talk():
    try:
        ep = comch.Client(one_sided=True)
        peer = ep.connect("a", timeout=0)
    except comch.DocaError as error:
        return error.code
    rc = comch.outcome(ep.send_to, b"abc", peer)[0]
    comch.outcome(ep.send_to, b"abc", peer)
    rc = comch.outcome(ep.send_to, b"abc", peer)[0]
    return send(ep, peer, b"end")

print(talk())


# case: a loop that begins with the code it waits out
import time
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
rc = DOCA_ERROR_AGAIN  # to begin with
while rc == DOCA_ERROR_AGAIN:
    rc = doca_comm_channel_ep_sendto(ep, b"x", 1, DOCA_CC_MSG_FLAG_NONE, peer)
    if rc == DOCA_ERROR_AGAIN:
        time.sleep(0.01)
print(rc)

# output
import time
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
# to begin with
rc = comch.outcome(comch.Client.send_to, ep, b"x", peer)[0]
print(rc)
