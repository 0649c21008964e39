# case: kept: the service may not have let the client in
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.event_handle_arm_recv()
poller.poll()
data, sender = ep.recvfrom(4080)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.arm_recv()
poller.poll()
data, sender = ep.receive(4080, timeout=0)


# case: kept: the answer to the first message may have been lost
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
try:
    ep.sendto(b"ask", peer)
except cc.Again:
    pass
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.event_handle_arm_recv()
poller.poll()
data, sender = ep.recvfrom(4080)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
try:
    ep.send_to(b"ask", peer, timeout=0)
except comch.Again:
    pass
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.arm_recv()
poller.poll()
data, sender = ep.receive(4080, timeout=0)


# case: kept: the wait has an end
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
ep.sendto(b"ask", peer)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.event_handle_arm_recv()
poller.poll(5)
data, sender = ep.recvfrom(4080)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
ep.send_to(b"ask", peer, timeout=0)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.arm_recv()
poller.poll(5)
data, sender = ep.receive(4080, timeout=0)


# case: kept: a service is woken by clients
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
ep.listen("a")
recv_fd = ep.get_event_channel()[1]
data, peer = ep.recvfrom(4080)
ep.event_handle_arm_recv()
select.select([recv_fd], [], [])
data, sender = ep.recvfrom(4080)

# output
import select
import comch_next as comch

ep = comch.Server(one_sided=True)
ep.listen("a")
recv_fd = (ep.send_fd, ep.recv_fd)[1]
data, peer = ep.receive(4080, timeout=0)
ep.arm_recv()
select.select([recv_fd], [], [])
data, sender = ep.receive(4080, timeout=0)


# case: kept: something is done between the wait and the receive
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
ep.sendto(b"ask", peer)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.event_handle_arm_recv()
poller.poll()
print("woken")
data, sender = ep.recvfrom(4080)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
ep.send_to(b"ask", peer, timeout=0)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.arm_recv()
poller.poll()
print("woken")
data, sender = ep.receive(4080, timeout=0)


# case: kept: it has been left before
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
ep.sendto(b"ask", peer)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.disconnect(peer)
peer = ep.connect("b")
ep.event_handle_arm_recv()
poller.poll()
data, sender = ep.recvfrom(4080)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
ep.send_to(b"ask", peer, timeout=0)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.disconnect(peer)
peer = ep.connect("b", timeout=0)
ep.arm_recv()
poller.poll()
data, sender = ep.receive(4080, timeout=0)


# case: kept: a method that is called in between has left it
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.send_fd, self.recv_fd = self.ep.get_event_channel()

    def renew(self, name):
        self.ep.disconnect(self.peer)
        self.peer = self.ep.connect(name)

    def ask(self, name):
        self.ep.sendto(b"ask", self.peer)
        self.renew(name)
        self.ep.event_handle_arm_recv()
        select.select([self.recv_fd], [], [])
        return self.ep.recvfrom(4080)

print(Link("a").ask("b")[0])

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.send_fd, self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)

    def renew(self, name):
        self.ep.disconnect(self.peer)
        self.peer = self.ep.connect(name, timeout=0)

    def ask(self, name):
        self.ep.send_to(b"ask", self.peer, timeout=0)
        self.renew(name)
        self.ep.arm_recv()
        select.select([self.recv_fd], [], [])
        return self.ep.receive(4080, timeout=0)

print(Link("a").ask("b")[0])


# case: kept: a property that may be read in between leaves it
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.name = name
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.send_fd, self.recv_fd = self.ep.get_event_channel()

    @property
    def renewed(self):
        self.ep.disconnect(self.peer)
        self.peer = self.ep.connect(self.name)
        return self.name

    def ask(self):
        self.ep.sendto(b"ask", self.peer)
        print(self.renewed)
        self.ep.event_handle_arm_recv()
        select.select([self.recv_fd], [], [])
        return self.ep.recvfrom(4080)

print(Link("a").ask()[0])

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.name = name
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.send_fd, self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)

    @property
    def renewed(self):
        self.ep.disconnect(self.peer)
        self.peer = self.ep.connect(self.name, timeout=0)
        return self.name

    def ask(self):
        self.ep.send_to(b"ask", self.peer, timeout=0)
        print(self.renewed)
        self.ep.arm_recv()
        select.select([self.recv_fd], [], [])
        return self.ep.receive(4080, timeout=0)

print(Link("a").ask()[0])


# case: kept: a generator that stops in between, for others to leave it
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.send_fd, self.recv_fd = self.ep.get_event_channel()

    def renew(self, name):
        self.ep.disconnect(self.peer)
        self.peer = self.ep.connect(name)

    def ask(self):
        self.ep.sendto(b"ask", self.peer)
        yield b""
        self.ep.event_handle_arm_recv()
        select.select([self.recv_fd], [], [])
        data, sender = self.ep.recvfrom(4080)
        yield data

link = Link("a")
for answer in link.ask():
    if not answer:
        link.renew("b")

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.send_fd, self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)

    def renew(self, name):
        self.ep.disconnect(self.peer)
        self.peer = self.ep.connect(name, timeout=0)

    def ask(self):
        self.ep.send_to(b"ask", self.peer, timeout=0)
        yield b""
        self.ep.arm_recv()
        select.select([self.recv_fd], [], [])
        data, sender = self.ep.receive(4080, timeout=0)
        yield data

link = Link("a")
for answer in link.ask():
    if not answer:
        link.renew("b")


# case: kept: another endpoint of the same factory has been let in
import select
import doca_comm_channel as cc

def dial(name):
    ep = cc.Endpoint()
    return ep, ep.connect(name)

def ask(ep, other, peer):
    send_fd, recv_fd = ep.get_event_channel()
    other.sendto(b"ask", peer)
    ep.event_handle_arm_recv()
    select.select([recv_fd], [], [])
    return ep.recvfrom(4080)

first, peer = dial("a")
second, other = dial("b")
print(ask(second, first, peer)[0])

# output
import select
import comch_next as comch

def dial(name):
    ep = comch.Client(one_sided=True)
    return ep, ep.connect(name, timeout=0)

def ask(ep, other, peer):
    send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
    other.send_to(b"ask", peer, timeout=0)
    ep.arm_recv()
    select.select([recv_fd], [], [])
    return ep.receive(4080, timeout=0)

first, peer = dial("a")
second, other = dial("b")
print(ask(second, first, peer)[0])


# case: kept: flat: the code of what was sent is not looked at
import select
from doca_comm_channel import *

def ask(ep, peer):
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    rc = doca_comm_channel_ep_sendto(ep, b"ask", 3, 0, peer)
    doca_comm_channel_ep_event_handle_arm_recv(ep)
    select.select([recv_fd], [], [])
    rc, data, length, sender = doca_comm_channel_ep_recvfrom(ep, 4080, 0)
    return rc

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
print(ask(ep, peer))

# output
import select
import comch_next as comch

def ask(ep, peer):
    rc, send_fd, recv_fd = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None else (
        comch.ErrorCode.INVALID_VALUE, None, None
    )
    rc = comch.Client.try_send_to(ep, b"ask", peer)
    comch.outcome(comch.Client.arm_recv, ep)
    select.select([recv_fd], [], [])
    rc, data, length, sender = comch.Client.try_receive(ep, 4080)
    return rc

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
print(ask(ep, peer))


# case: kept: flat: what was not sent is waited for, too
import select
from doca_comm_channel import *

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
for turn in range(3):
    rc = doca_comm_channel_ep_sendto(ep, b"ask", 3, 0, peer)
    if rc != DOCA_SUCCESS:
        break
doca_comm_channel_ep_event_handle_arm_recv(ep)
select.select([recv_fd], [], [])
rc, data, length, sender = doca_comm_channel_ep_recvfrom(ep, 4080, 0)

# output
import select
import comch_next as comch

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
rc, send_fd, recv_fd = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None else (
    comch.ErrorCode.INVALID_VALUE, None, None
)
for turn in range(3):
    rc = comch.Client.try_send_to(ep, b"ask", peer)
    if rc != comch.ErrorCode.SUCCESS:
        break
comch.outcome(comch.Client.arm_recv, ep)
select.select([recv_fd], [], [])
rc, data, length, sender = comch.Client.try_receive(ep, 4080)


# case: kept: flat: the code of the arming is read
import select
from doca_comm_channel import *

def ask(ep, peer):
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    rc = doca_comm_channel_ep_sendto(ep, b"ask", 3, 0, peer)
    if rc != DOCA_SUCCESS:
        return rc
    armed = doca_comm_channel_ep_event_handle_arm_recv(ep)
    select.select([recv_fd], [], [])
    rc, data, length, sender = doca_comm_channel_ep_recvfrom(ep, 4080, 0)
    return armed + rc

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
print(ask(ep, peer))

# output
import select
import comch_next as comch

def ask(ep, peer):
    rc, send_fd, recv_fd = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None else (
        comch.ErrorCode.INVALID_VALUE, None, None
    )
    rc = comch.Client.try_send_to(ep, b"ask", peer)
    if rc != comch.ErrorCode.SUCCESS:
        return rc
    armed = comch.outcome(comch.Client.arm_recv, ep)[0]
    select.select([recv_fd], [], [])
    rc, data, length, sender = comch.Client.try_receive(ep, 4080)
    return armed + rc

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
print(ask(ep, peer))


# case: kept: a method may run before the poller has its descriptor
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.recv_fd = self.ep.get_event_channel()[1]
        self.poller = select.poll()
        self.ask(b"early")
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.sendto(text, self.peer)
        self.ep.event_handle_arm_recv()
        self.poller.poll()
        return self.ep.recvfrom(4080)[0]

print(Link("a").ask(b"ask"))

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)[1]
        self.poller = select.poll()
        self.ask(b"early")
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.send_to(text, self.peer, timeout=0)
        self.ep.arm_recv()
        self.poller.poll()
        return self.ep.receive(4080, timeout=0)[0]

print(Link("a").ask(b"ask"))


# case: kept: a poller that is closed
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.recv_fd = self.ep.get_event_channel()[1]
        self.poller = select.epoll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.sendto(text, self.peer)
        self.ep.event_handle_arm_recv()
        self.poller.poll()
        return self.ep.recvfrom(4080)[0]

    def close(self):
        self.poller.close()

link = Link("a")
print(link.ask(b"ask"))
link.close()

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)[1]
        self.poller = select.epoll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.send_to(text, self.peer, timeout=0)
        self.ep.arm_recv()
        self.poller.poll()
        return self.ep.receive(4080, timeout=0)[0]

    def close(self):
        self.poller.close()

link = Link("a")
print(link.ask(b"ask"))
link.close()


# case: kept: a poller that is asked for by its name
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.recv_fd = self.ep.get_event_channel()[1]
        self.poller = select.poll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.sendto(text, self.peer)
        self.ep.event_handle_arm_recv()
        self.poller.poll()
        return self.ep.recvfrom(4080)[0]

link = Link("a")
print(link.ask(b"ask"), hasattr(link, "poller"))

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)[1]
        self.poller = select.poll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.send_to(text, self.peer, timeout=0)
        self.ep.arm_recv()
        self.poller.poll()
        return self.ep.receive(4080, timeout=0)[0]

link = Link("a")
print(link.ask(b"ask"), hasattr(link, "poller"))


# case: kept: the poller of another object
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.recv_fd = self.ep.get_event_channel()[1]
        self.poller = select.poll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, other, text):
        self.ep.sendto(text, self.peer)
        self.ep.event_handle_arm_recv()
        other.poller.poll()
        return self.ep.recvfrom(4080)[0]

print(Link("a").ask(Link("b"), b"ask"))

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)[1]
        self.poller = select.poll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, other, text):
        self.ep.send_to(text, self.peer, timeout=0)
        self.ep.arm_recv()
        other.poller.poll()
        return self.ep.receive(4080, timeout=0)[0]

print(Link("a").ask(Link("b"), b"ask"))


# case: kept: one of several waits in a poller has an end
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.sendto(b"ask", peer)
ep.event_handle_arm_recv()
poller.poll()
data, sender = ep.recvfrom(4080)
ep.event_handle_arm_recv()
poller.poll(5)
data, sender = ep.recvfrom(4080)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.send_to(b"ask", peer, timeout=0)
ep.arm_recv()
poller.poll()
data, sender = ep.receive(4080, timeout=0)
ep.arm_recv()
poller.poll(5)
data, sender = ep.receive(4080, timeout=0)


# case: a wait in a poller
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
ep.sendto(b"ask", peer)
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
for turn in range(3):
    ep.event_handle_arm_recv()
    poller.poll()
    data, sender = ep.recvfrom(4080)
print(data)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
ep.send_to(b"ask", peer, timeout=0)
for turn in range(3):
    data, sender = ep.receive(4080)
print(data)


# case: a wait before a try statement, in select
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
ep.sendto(b"ask", peer)
ep.event_handle_arm_recv()
select.select([recv_fd], [], [])
try:
    data, sender = ep.recvfrom(4080)
except cc.ConnectionReset:
    data = b""
print(data)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
ep.send_to(b"ask", peer, timeout=0)
try:
    data, sender = ep.receive(4080)
except comch.ConnectionReset:
    data = b""
print(data)


# case: a client that has waited until it was let in
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        continue
ep.event_handle_arm_recv()
select.select([recv_fd], [], [])
data, sender = ep.recvfrom(4080)
print(data)
ep.event_handle_arm_recv()
select.select([recv_fd], [], [])
data = ep.recvfrom(4080)[0]

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
while True:
    try:
        peer.update_info()
        break
    except comch.ConnectionInprogress:
        continue
data, sender = ep.receive(4080)
print(data)
data = ep.receive(4080)[0]


# case: several waits in one poller
import select
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
send_fd, recv_fd = ep.get_event_channel()
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
ep.sendto(b"ask", peer)
ep.event_handle_arm_recv()
poller.poll()
data, sender = ep.recvfrom(4080)
ep.event_handle_arm_recv()
poller.poll()
more, sender = ep.recvfrom(4080)
print(data, more)

# output
import select
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
send_fd, recv_fd = (ep.send_fd, ep.recv_fd)
ep.send_to(b"ask", peer, timeout=0)
data, sender = ep.receive(4080)
more, sender = ep.receive(4080)
print(data, more)


# case: flat
import select
from doca_comm_channel import *

def ask(ep, peer, text):
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    rc = doca_comm_channel_ep_sendto(ep, text, len(text), 0, peer)
    if rc != DOCA_SUCCESS:
        return rc, None
    rc = doca_comm_channel_ep_event_handle_arm_recv(ep)
    if rc != DOCA_SUCCESS:
        return rc, None
    select.select([recv_fd], [], [])
    rc, data, length, sender = doca_comm_channel_ep_recvfrom(ep, 4080, 0)
    return rc, data

rc, ep = doca_comm_channel_ep_create()
rc, peer = doca_comm_channel_ep_connect(ep, "a")
print(ask(ep, peer, b"ask"))

# output
import select
import comch_next as comch

def ask(ep, peer, text):
    rc, send_fd, recv_fd = comch.outcomes(2, lambda: (ep.send_fd, ep.recv_fd)) if ep is not None else (
        comch.ErrorCode.INVALID_VALUE, None, None
    )
    rc = comch.Client.try_send_to(ep, text, peer)
    if rc != comch.ErrorCode.SUCCESS:
        return rc, None
    rc, data, length, sender = comch.Client.try_receive(ep, 4080, timeout=None)
    return rc, data

rc, ep = comch.outcome(comch.Client, one_sided=True)
rc, peer = comch.outcome(comch.Client.connect, ep, "a", timeout=0)
print(ask(ep, peer, b"ask"))


# case: a poller on an attribute
import select
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)
        self.send_fd, self.recv_fd = self.ep.get_event_channel()
        self.poller = select.poll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.sendto(text, self.peer)
        self.ep.event_handle_arm_recv()
        self.poller.poll()
        return self.ep.recvfrom(4080)[0]

link = Link("a")
print(link.ask(b"ask"), link.ask(b"again"))

# output
import select
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)
        self.send_fd, self.recv_fd = (self.ep.send_fd, self.ep.recv_fd)

    def ask(self, text):
        self.ep.send_to(text, self.peer, timeout=0)
        return self.ep.receive(4080)[0]

link = Link("a")
print(link.ask(b"ask"), link.ask(b"again"))
