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


# case: kept: the length of a turn is the size of the next
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
length = 4080
while True:
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, length, 0)
    if rc != DOCA_ERROR_AGAIN:
        break

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
length = 4080
while True:
    rc, msg, length, peer = comch.Client.try_receive(ep, length)
    if rc != comch.ErrorCode.AGAIN:
        break


# case: kept: the code is not the first of the results
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
while True:
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 4080, 0)
    if length != DOCA_ERROR_AGAIN:
        break

# output
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
while True:
    rc, msg, length, peer = comch.Client.try_receive(ep, 4080)
    if length != comch.ErrorCode.AGAIN:
        break


# case: kept: a poller with another descriptor
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
poller.register(0, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
poller.register(0, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()


# case: kept: the wait is not armed
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        poller.poll()


# case: kept: armed behind the wait
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        poller.poll()
        ep.event_handle_arm_recv()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        poller.poll()
        ep.arm_recv()


# case: kept: the descriptor for sending
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(send_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(send_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()


# case: kept: edges are waited for
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN | select.EPOLLET)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN | select.EPOLLET)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()


# case: kept: what the poller reports is read
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        print(poller.poll())

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        print(poller.poll())


# case: kept: a poller that is waited in elsewhere
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()
poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()
poller.poll()


# case: kept: the descriptor is of use elsewhere
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()
print(recv_fd)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()
print(recv_fd)


# case: kept: armed for another wait, too
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()
ep.event_handle_arm_recv()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()
ep.arm_recv()


# case: kept: registered on one path only
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
msg = b"x"
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
if msg:
    poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
msg = b"x"
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
if msg:
    poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()


# case: kept: the endpoint is another one
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep = cc.Endpoint()
peer = ep.connect("b")
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep = comch.Client(one_sided=True)
peer = ep.connect("b", timeout=0)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()


# case: kept: a time-out that varies
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
import sys

timeout = len(sys.argv)
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll(timeout)
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll(timeout)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
import sys

timeout = len(sys.argv)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll(timeout)
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll(timeout)


# case: kept: select on more than the event channel
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        select.select([recv_fd, 0], [], [], 1)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        select.select([recv_fd, 0], [], [], 1)


# case: kept: a time that select refuses
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        select.select([recv_fd], [], [], -1)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        select.select([recv_fd], [], [], -1)


# case: kept: the poller has another name
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = other = select.epoll()
other.register(0)
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = other = select.epoll()
other.register(0)
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.receive(4080, timeout=0)
        break
    except comch.Again:
        ep.arm_recv()
        poller.poll()


# case: a flat call
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
rc, msg, length, peer = comch.Client.try_receive(ep, 4080, timeout=None)


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
print(receive(ep)[0])

# output
import time
import comch_next as comch

def receive(ep):
    return ep.receive(ep_size)

ep_size = 4080
ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
print(receive(ep)[0])


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
print(receive(ep)[1])
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
print(receive(ep)[1])
for number in range(3):
    text = ep.receive(4080)[0]
    print(text)


# case: flat loops in a function, one of them primed
import time
from doca_comm_channel import *

def receive(ep):
    rc = DOCA_ERROR_AGAIN
    while rc == DOCA_ERROR_AGAIN:
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 4080, DOCA_CC_MSG_FLAG_NONE)
    while True:
        rc, text, n, sender = doca_comm_channel_ep_recvfrom(ep, 64, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_ERROR_AGAIN:
            time.sleep(1e-5)  # ten microseconds
            continue
        return rc, msg, text

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
print(receive(ep)[1:])

# output
import time
import comch_next as comch

def receive(ep):
    rc, msg, length, peer = comch.Client.try_receive(ep, 4080, timeout=None)
    # ten microseconds
    rc, text, n, sender = comch.Client.try_receive(ep, 64, timeout=None)
    return rc, msg, text

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
print(receive(ep)[1:])


# case: a poller for the event channel alone
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        poller.poll()

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
msg, peer = ep.receive(4080)


# case: a poller in a with block, with a time-out
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
with select.epoll() as poller:
    poller.register(ep.get_event_channel()[1], select.EPOLLIN)
    while True:
        try:
            msg, peer = ep.recvfrom(4080)
            break
        except cc.Again:
            ep.event_handle_arm_recv()
            poller.poll(0.5)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
with select.epoll() as poller:
    poller.register((ep.send_fd, ep.recv_fd)[1], select.EPOLLIN)
    msg, peer = ep.receive(4080)


# case: a poller outside of the loop over messages
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
recv_fd = ep.get_event_channel()[1]
poller = select.poll()
poller.register(recv_fd)
for turn in range(3):
    while True:
        try:
            msg, peer = ep.recvfrom(4080)
            break
        except cc.Again:
            ep.event_handle_arm_recv()
            poller.poll(100)
    print(msg)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
recv_fd = (ep.send_fd, ep.recv_fd)[1]
for turn in range(3):
    msg, peer = ep.receive(4080)
    print(msg)


# case: select on the event channel alone
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
while True:
    try:
        msg, peer = ep.recvfrom(4080)
        break
    except cc.Again:
        ep.event_handle_arm_recv()
        select.select([recv_fd], [], [], 1)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
msg, peer = ep.receive(4080)
