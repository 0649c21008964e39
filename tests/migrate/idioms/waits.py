"""Programs that wait for a service to let them in, for what is in flight, and for each message, as idioms join it."""

from __future__ import annotations

from tests.migrate.idioms.program import AWAIT_CONNECT, ENDS, RECEIVES, SENDS

__all__ = ["ONCE", "WAITS"]

DIALS = {
    "break": """
def dial(name):
    ep = cc.Endpoint()
    ep.set_device(cc.open_device("b1:00.0"))
    ep.set_send_queue_size(16)
    peer = ep.connect(name)
    while True:
        try:
            peer.update_info()
            break
        except cc.ConnectionInprogress:
            time.sleep(1e-4)
    return ep, peer
""",
    "method": """
class Link:
    def __init__(self):
        self.ep = cc.Endpoint()
        self.ep.set_device(cc.open_device("b1:00.0"))
        self.ep.set_send_queue_size(16)

    def open(self, name):
        self.peer = self.ep.connect(name)
        while True:
            try:
                self.peer.update_info()
            except cc.ConnectionInprogress:
                continue
            return self.ep

def dial(name):
    link = Link()
    return link.open(name), link.peer
""",
    "closed": """
def dial(name):
    ep = cc.Endpoint()
    ep.set_device(cc.open_device("b1:00.0"))
    ep.set_send_queue_size(16)
    try:
        peer = ep.connect(name)
        while 1:
            try:
                peer.update_info()
            except cc.ConnectionInprogress:
                time.sleep(1e-4)
            else:
                return ep, peer
    except cc.DocaError:
        ep.destroy()
        raise
""",
}
FLUSHES = {
    "break": """
def flush(peer):
    while True:
        peer.update_info()
        if peer.get_send_in_flight_messages() == 0:
            break
        time.sleep(1e-4)
""",
    "before": """
def flush(peer):
    peer.update_info()
    while peer.get_send_in_flight_messages() > 0:
        time.sleep(1e-4)
        peer.update_info()
""",
    "truth": """
def flush(peer):
    while True:
        peer.update_info()
        if peer.get_send_in_flight_messages():
            continue
        break
""",
    "number": """
def flush(peer):
    in_flight = 1
    while in_flight:
        peer.update_info()
        in_flight = peer.get_send_in_flight_messages()
""",
}

SEE = """
def see_a_client(ep):
    while not ep.get_pending_connections():
        ep.update_service_state_info()
        time.sleep(1e-3)
    await_connect()
"""
TALKS = {
    "let in late": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    time.sleep(0.1)
    data, peer = receive(ep)
    send(ep, peer, data * 2)
    receive(ep)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
ep, peer = dial("idioms")
print(peer.get_send_messages(), peer.get_recv_messages(), peer.get_send_in_flight_messages())
send(ep, peer, b"one")
print(receive(ep)[0])
flush(peer)
print(peer.get_send_messages(), peer.get_recv_bytes(), peer.get_send_in_flight_messages())
send(ep, peer, b"end")
""",
    "nobody, one that dies, and one that lets in": """
def second(ready, life):
    ep = service_end()
    os.write(ready, b"x")
    see_a_client(ep)
    if life == 1:
        receive(ep)
        receive(ep)

def first():
    ep, peer = dial("idioms")
    send(ep, peer, b"hello")
    flush(peer)
    count = peer.get_send_messages()
    send(ep, peer, b"end")
    return count

shown(first)
for life in range(2):
    child, reading, writing = fork()
    if not child:
        leave_after(second, writing, life)
    os.read(reading, 1)
    shown(first)
    os.waitpid(child, 0)
""",
    "one that closes before it lets in": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    see_a_client(ep)
    ep.destroy()
    os.read(go, 1)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)

def first():
    ep, peer = dial("idioms")
    send(ep, peer, b"hello")
    flush(peer)
    return len(receive(ep)[0])

shown(first)
shown(first)
os.write(writing, b"x")
""",
    "a slow reader": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    for number in range(300):
        receive(ep)
        if number % 100 == 0:
            time.sleep(0.02)
    receive(ep)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
ep, peer = dial("idioms")
for number in range(300):
    send(ep, peer, bytes(64))
flush(peer)
print(peer.get_send_messages(), peer.get_send_bytes(), peer.get_send_in_flight_messages())
send(ep, peer, b"end")
""",
    "a reader that dies": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    data, peer = receive(ep)
    send(ep, peer, data)
    os.read(go, 1)
    time.sleep(0.1)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
ep, peer = dial("idioms")
send(ep, peer, b"x")
receive(ep)

def fill():
    while True:
        try:
            ep.sendto(bytes(64), peer)
        except cc.Again:
            return "full"

shown(fill)
os.write(writing, b"x")
shown(send, ep, peer, b"x")
shown(flush, peer)
shown(flush, peer)
shown(ep.disconnect, peer)
shown(flush, peer)
""",
    "a service that leaves": """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    data, peer = receive(ep)
    os.read(go, 1)
    ep.disconnect(peer)
    ep.destroy()
    os.write(ready, b"x")
    os.read(go, 1)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
ep, peer = dial("idioms")
send(ep, peer, b"x")
flush(peer)
os.write(writing, b"x")
os.read(reading, 1)
shown(flush, peer)

def fill():
    while True:
        ep.sendto(bytes(64), peer)

shown(fill)
shown(flush, peer)
os.kill(child, 9)
""",
}

MANNERS = list(FLUSHES.values())


def _made(name: str, talk: str, number: int) -> str:
    ways = SENDS["break"] + RECEIVES["return"] + DIALS[name] + MANNERS[number % 4]
    return ENDS + AWAIT_CONNECT + SEE + ways + TALKS[talk]


WAITS = {
    f"{talk}: {name}": _made(name, talk, number + at)
    for number, talk in enumerate(TALKS)
    for at, name in enumerate(("break", "closed" if "shown(first" in TALKS[talk] else "method"))
}

ONCE_CLIENT = """
def second(ready, go):
    ep = service_end()
    os.write(ready, b"x")
    for number in range(4):
        data, peer = receive(ep)
        time.sleep(0.01)
        send(ep, peer, data * 2)
    receive(ep)

child, reading, writing = fork()
if not child:
    leave_after(second, writing, reading)
os.read(reading, 1)
ep = cc.Endpoint()
ep.set_device(cc.open_device("b1:00.0"))
peer = ep.connect("idioms")
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        time.sleep(1e-4)
"""
# A client that waits once for each of its messages, and in the end for one that its service has died over.
ONCE = {
    "epoll": ONCE_CLIENT
    + """
recv_fd = ep.get_event_channel()[1]
poller = select.epoll()
poller.register(recv_fd, select.EPOLLIN)
try:
    for number in range(5):
        ep.sendto(b"message %d" % number, peer)
        ep.event_handle_arm_recv()
        poller.poll()
        data, sender = ep.recvfrom(4080)
        print(data)
except cc.ConnectionReset as error:
    print(type(error).__name__)
ep.destroy()
""",
    "select": ONCE_CLIENT
    + """
send_fd, recv_fd = ep.get_event_channel()
for number in range(5):
    ep.sendto(b"message %d" % number, peer)
    ep.event_handle_arm_recv()
    select.select([recv_fd], [], [])
    try:
        data, sender = ep.recvfrom(4080)
    except cc.ConnectionReset as error:
        print(type(error).__name__)
        break
    print(data)
ep.destroy()
""",
    "attributes": ONCE_CLIENT
    + """
class Link:
    def __init__(self, ep, peer):
        self.ep = ep
        self.peer = peer
        self.send_fd, self.recv_fd = self.ep.get_event_channel()
        self.poller = select.poll()
        self.poller.register(self.recv_fd, select.POLLIN)

    def ask(self, text):
        self.ep.sendto(text, self.peer)
        self.ep.event_handle_arm_recv()
        self.poller.poll()
        return self.ep.recvfrom(4080)[0]

    def tell(self, text):
        self.ep.sendto(text, self.peer)
        self.ep.event_handle_arm_recv()
        self.poller.poll(None)
        data, sender = self.ep.recvfrom(4080)
        return data

link = Link(ep, peer)
try:
    for number in range(5):
        print(link.ask(b"message %d" % number) if number % 2 else link.tell(b"message %d" % number))
except cc.ConnectionReset as error:
    print(type(error).__name__)
ep.destroy()
""",
    "flat": ONCE_CLIENT
    + """
def ask(ep, peer, text):
    rc, send_fd, recv_fd = cc.doca_comm_channel_ep_get_event_channel(ep)
    rc = cc.doca_comm_channel_ep_sendto(ep, text, len(text), cc.DOCA_CC_MSG_FLAG_NONE, peer)
    if rc != cc.DOCA_SUCCESS:
        return rc, b""
    rc = cc.doca_comm_channel_ep_event_handle_arm_recv(ep)
    if rc != cc.DOCA_SUCCESS:
        return rc, b""
    select.select([recv_fd], [], [])
    rc, data, length, sender = cc.doca_comm_channel_ep_recvfrom(ep, 4080, 0)
    return rc, data

for number in range(5):
    rc, data = ask(ep, peer, b"message %d" % number)
    print("ConnectionReset" if rc == cc.DOCA_ERROR_CONNECTION_RESET else data)
ep.destroy()
""",
}
ONCE = {name: ENDS + SENDS["break"] + RECEIVES["return"] + text for name, text in ONCE.items()}
