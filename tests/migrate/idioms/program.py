"""Programs of two processes, one of which waits for the other in loops that idioms join.

Each is a first end that prints, a second end in a child, and the loops of both, in several manners.
"""

from __future__ import annotations

__all__ = ["PROGRAMS"]

IMPORTS = """
import os
import select
import struct
import time
import doca_comm_channel as cc
"""
SERVICE = """
def service_end():
    dpu = cc.open_device("03:00.0")
    ep = cc.Endpoint()
    ep.set_device(dpu)
    ep.set_device_rep(dpu.open_representor("b1:00.0"))
    ep.set_recv_queue_size(16)
    ep.listen("idioms")
    return ep

def fork():
    up, down = os.pipe(), os.pipe()
    child = os.fork()
    (reading, unused), (other, writing) = (up, down) if child else (down, up)
    os.close(unused)
    os.close(other)
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # two ends that print have no order
    return child, reading, writing

def leave_after(work, *args):
    try:
        work(*args)
    finally:
        os._exit(0)
"""
SHOWN = """
def shown(call, *args):
    try:
        print(call(*args))
    except cc.DocaError as error:
        print(type(error).__name__)

def heard(receive, ep):
    try:
        print(receive(ep)[0])
    except cc.DocaError as error:
        print(type(error).__name__)
"""
ENDS = IMPORTS + SERVICE + SHOWN
AWAIT_CONNECT = '''
def await_connect():
    """Wait until the parent's connect has come back: it sleeps in its wait, or has worked for a while in it."""
    parent = "/proc/%d" % os.getppid()

    def read(name):
        with open(os.path.join(parent, name)) as file:
            return file.read()

    def worked():
        return int(read("schedstat").split()[0])

    begin = worked()
    while read("stat").rpartition(")")[2].split()[0] != "S" and worked() - begin < 50_000_000:
        time.sleep(1e-4)
'''

CLIENT = """
def client_end():
    ep = cc.Endpoint()
    ep.set_device(cc.open_device("b1:00.0"))
    ep.set_send_queue_size(16)
    return ep
"""

ARMED_SEND = """\
    while True:
        try:
            ep.sendto(msg, peer)
            {leave}
        except cc.Again:
            ep.event_handle_arm_send()
            {wait}
"""
SENDS = {
    "break": """
def send(ep, peer, msg):
    while True:
        try:
            ep.sendto(msg, peer)
            break
        except cc.Again:
            time.sleep(1e-4)
""",
    "else": """
def send(ep, peer, msg):
    while 1:
        try:
            ep.sendto(msg, peer)
        except cc.Again:
            pass
        else:
            return True
""",
    "code": """
def send(ep, peer, msg):
    while True:
        rc = cc.doca_comm_channel_ep_sendto(ep, msg, len(msg), cc.DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != cc.DOCA_ERROR_AGAIN:
            break
        time.sleep(1e-4)
    if rc != cc.DOCA_SUCCESS:
        print("send", cc.doca_error_get_name(rc))
""",
    "walrus": """
def send(ep, peer, msg):
    while (rc := cc.doca_comm_channel_ep_sendto(ep, msg, len(msg), 0, peer)) == cc.DOCA_ERROR_AGAIN:
        pass
    if rc:
        print("send", int(rc))
""",
    "primed": """
def send(ep, peer, msg):
    rc = cc.DOCA_ERROR_AGAIN
    while rc == cc.DOCA_ERROR_AGAIN:
        rc = cc.doca_comm_channel_ep_sendto(ep, msg, len(msg), 0, peer)
        if rc == cc.DOCA_ERROR_AGAIN:
            time.sleep(1e-4)
    print("send", cc.doca_error_get_name(rc)) if rc else None
""",
    "poll": """
def send(ep, peer, msg):
    send_fd, recv_fd = ep.get_event_channel()
    poller = select.poll()
    poller.register(send_fd, select.POLLIN)
"""
    + ARMED_SEND.format(leave="break", wait="poller.poll(100)"),
    "select": """
def send(ep, peer, msg):
    send_fd = ep.get_event_channel()[0]
"""
    + ARMED_SEND.format(leave="return", wait="select.select([send_fd], [], [])"),
    "epoll": """
def send(ep, peer, msg):
    rc, send_fd, recv_fd = cc.doca_comm_channel_ep_get_event_channel(ep)
    if rc != cc.DOCA_SUCCESS:
        print("channel", cc.doca_error_get_name(rc))
        return
    with select.epoll() as poller:
        poller.register(send_fd)
        while (rc := cc.doca_comm_channel_ep_sendto(ep, msg, len(msg), 0, peer)) == cc.DOCA_ERROR_AGAIN:
            cc.doca_comm_channel_ep_event_handle_arm_send(ep)
            poller.poll()
    if rc:
        print("send", int(rc))
""",
}
RECEIVES = {
    "return": """
def receive(ep):
    while True:
        try:
            return ep.recvfrom(4080)
        except cc.Again:
            time.sleep(1e-4)
""",
    "continue": """
def receive(ep):
    while True:
        try:
            data, peer = ep.recvfrom(4080)
        except cc.Again:
            continue
        return data, peer
""",
    "tuple": """
def receive(ep):
    while True:
        rc, data, length, peer = cc.doca_comm_channel_ep_recvfrom(ep, 4080, 0)
        if rc != cc.DOCA_ERROR_AGAIN:
            break
        time.sleep(1e-4)
    if rc != cc.DOCA_SUCCESS:
        return cc.doca_error_get_name(rc), length, peer is None
    return data, peer
""",
    "epoll": """
def receive(ep):
    recv_fd = ep.get_event_channel()[1]
    poller = select.epoll()
    poller.register(recv_fd, select.EPOLLIN)
    while True:
        try:
            return ep.recvfrom(4080)
        except cc.Again:
            ep.event_handle_arm_recv()
            poller.poll()
""",
    "select": """
def receive(ep):
    send_fd, recv_fd = ep.get_event_channel()
    while True:
        try:
            data, peer = ep.recvfrom(4080)
        except cc.Again:
            ep.event_handle_arm_recv()
            select.select([recv_fd], [], [], 1)
            continue
        return data, peer
""",
    "poll": """
def receive(ep):
    rc, send_fd, recv_fd = cc.doca_comm_channel_ep_get_event_channel(ep)
    if rc != cc.DOCA_SUCCESS:
        return cc.doca_error_get_name(rc), None
    poller = select.poll()
    poller.register(recv_fd, select.POLLIN)
    while True:
        rc, data, length, peer = cc.doca_comm_channel_ep_recvfrom(ep, 4080, 0)
        if rc != cc.DOCA_ERROR_AGAIN:
            break
        cc.doca_comm_channel_ep_event_handle_arm_recv(ep)
        poller.poll(1000)
    if rc != cc.DOCA_SUCCESS:
        return cc.doca_error_get_name(rc), length, peer is None
    return data, peer
""",
}

FIRST = """\
child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
ep = client_end()
peer = ep.connect("idioms")
"""
# One message is received, 16 fit into the other end's queue, 16 wait; the next send ends by what the other end does.
FLOOD = """
def flood():
    for number in range(300):
        send(ep, peer, bytes(64))
        if number == 32:
            os.write(writing, b"x")

shown(flood)
heard(receive, ep)
shown(send, ep, peer, b"x")
shown(ep.disconnect, peer)
"""
TALKS = {
    "echo": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    for _ in range(5):
        data, peer = receive(ep)
        send(ep, peer, data * 2)
    receive(ep)

"""
    + FIRST
    + """\
for number in range(5):
    send(ep, peer, b"message %d" % number)
    print(receive(ep)[0])
peer.update_info()
print(peer.get_send_messages(), peer.get_recv_bytes())
send(ep, peer, b"end")
""",
    "a slow reader": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    time.sleep(0.1)
    count = 0
    for _ in range(300):
        data, peer = receive(ep)
        count += len(data)
        if count % 7 == 0:
            time.sleep(0.001)
    send(ep, peer, struct.pack("!I", count))
    receive(ep)

"""
    + FIRST
    + """\
for number in range(300):
    send(ep, peer, bytes(64))
print(struct.unpack("!I", receive(ep)[0]))
send(ep, peer, b"end")
""",
    "a reader that dies": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    receive(ep)
    os.read(go, 1)

"""
    + FIRST
    + FLOOD,
    "a service that leaves": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    data, peer = receive(ep)
    os.read(go, 1)
    ep.disconnect(peer)
    ep.destroy()
    os.read(go, 1)

"""
    + FIRST
    + FLOOD
    + """\
os.kill(child, 9)
""",
    "a service that never lets in": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    os.read(go, 1)
    time.sleep(0.1)

"""
    + FIRST
    + """\
os.write(writing, b"x")
shown(send, ep, peer, b"x")
heard(receive, ep)
shown(send, ep, peer, b"x")
""",
    "clients that die": """
def second(ready, life):
    ep = client_end()
    peer = ep.connect("idioms")
    os.write(ready, b"x")
    if life:
        send(ep, peer, b"hello")
    time.sleep(0.1)

def first():
    return receive(ep)[0]

ep = service_end()
for life in range(2):
    child, reading, writing = fork()
    if not child:
        leave_after(second, writing, life)
    os.read(reading, 1)
    if life:
        shown(first)
    shown(first)
ep.destroy()
""",
    "what is refused": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    data, peer = receive(ep)
    shown(send, ep, peer, bytes(4081))
    send(ep, peer, bytes(100))
    receive(ep)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
ep = client_end()
heard(receive, ep)
peer = ep.connect("idioms")
shown(send, ep, None, b"x")
shown(send, ep, peer, bytes(4081))
send(ep, peer, b"x")
print(len(receive(ep)[0]))
shown(send, ep, peer, "text".encode())
shown(ep.disconnect, peer)
shown(send, ep, peer, b"x")
heard(receive, ep)
ep.destroy()
shown(send, ep, peer, b"x")
heard(receive, ep)
""",
}

MANNERS = {"break": "return", "else": "continue", "code": "tuple", "walrus": "continue", "primed": "tuple"}
MANNERS |= {"poll": "epoll", "epoll": "poll", "select": "select"}
PROGRAMS = {
    f"{talk}: {send}": ENDS + CLIENT + SENDS[send] + RECEIVES[MANNERS[send]] + TALKS[talk]
    for number, talk in enumerate(TALKS)
    for send in list(MANNERS)[number % 2 :: 2]
}
