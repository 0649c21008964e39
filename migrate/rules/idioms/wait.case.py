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
