# case: kept: the number in flight is used for more
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    peer.update_info()
    left = peer.get_send_in_flight_messages()
    print(left)
    if left == 0:
        break

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    peer.update_info()
    left = peer.in_flight
    print(left)
    if left == 0:
        break


# case: kept: the loop counts its turns
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
turns = 0
while True:
    peer.update_info()
    if peer.get_send_in_flight_messages() == 0:
        break
    turns += 1

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
turns = 0
while True:
    peer.update_info()
    if peer.in_flight == 0:
        break
    turns += 1


# case: kept: it is left when little is in flight
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    peer.update_info()
    if peer.get_send_in_flight_messages() <= 4:
        break

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    peer.update_info()
    if peer.in_flight <= 4:
        break


# case: kept: the first snapshot is an older one
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
peer.update_info()
ep.sendto(b"x", peer)
while peer.get_send_in_flight_messages():
    peer.update_info()

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
peer.update_info()
ep.send_to(b"x", peer, timeout=0)
while peer.in_flight:
    peer.update_info()


# case: kept: two peers
import doca_comm_channel as cc

first, second = cc.Endpoint(), cc.Endpoint()
peer, other = first.connect("a"), second.connect("b")
while True:
    other.update_info()
    if peer.get_send_in_flight_messages() == 0:
        break

# output
import comch_next as comch

first, second = comch.Client(one_sided=True), comch.Client(one_sided=True)
peer, other = first.connect("a", timeout=0), second.connect("b", timeout=0)
while True:
    other.update_info()
    if peer.in_flight == 0:
        break


# case: kept: what is received meanwhile
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    peer.update_info()
    if peer.get_send_in_flight_messages() == 0:
        break
    try:
        print(ep.recvfrom(4080)[0])
    except cc.Again:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    peer.update_info()
    if peer.in_flight == 0:
        break
    try:
        print(ep.receive(4080, timeout=0)[0])
    except comch.Again:
        pass


# case: kept: an ended peer ends the loop, too
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        peer.update_info()
    except cc.ConnectionAborted:
        break
    if peer.get_send_in_flight_messages() == 0:
        break

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        peer.update_info()
    except comch.ConnectionAborted:
        break
    if peer.in_flight == 0:
        break


# case: kept: an else clause
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
peer.update_info()
while peer.get_send_in_flight_messages() > 0:
    peer.update_info()
else:
    print("empty")

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
peer.update_info()
while peer.in_flight > 0:
    peer.update_info()
else:
    print("empty")


# case: kept: the peer is another one in each turn
import doca_comm_channel as cc

class Peers:
    def __init__(self):
        self.ep = cc.Endpoint()
        self.peers = [self.ep.connect("a")]
        self.turn = 0

    @property
    def peer(self):
        self.turn += 1
        return self.peers[self.turn % len(self.peers)]

peers = Peers()
while True:
    peers.peer.update_info()
    if peers.peer.get_send_in_flight_messages() == 0:
        break

# output
import comch_next as comch

class Peers:
    def __init__(self):
        self.ep = comch.Client(one_sided=True)
        self.peers = [self.ep.connect("a", timeout=0)]
        self.turn = 0

    @property
    def peer(self):
        self.turn += 1
        return self.peers[self.turn % len(self.peers)]

peers = Peers()
while True:
    peers.peer.update_info()
    if peers.peer.in_flight == 0:
        break


# case: kept: a thread may change the peer
import threading
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
threading.Thread(target=print).start()
while True:
    peer.update_info()
    if peer.get_send_in_flight_messages() == 0:
        break

# output
import threading
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
threading.Thread(target=print).start()
while True:
    peer.update_info()
    if peer.in_flight == 0:
        break


# case: kept: a time limit
import time
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
end = time.monotonic() + 5
while time.monotonic() < end:
    peer.update_info()
    if peer.get_send_in_flight_messages() == 0:
        break

# output
import time
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
end = time.monotonic() + 5
while time.monotonic() < end:
    peer.update_info()
    if peer.in_flight == 0:
        break


# case: kept: in a finally clause, where a break would drop an exception
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
for text in (b"x", b"y"):
    try:
        ep.sendto(text, peer)
    finally:
        peer.update_info()
        if peer.get_send_in_flight_messages() == 0:
            break

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
for text in (b"x", b"y"):
    try:
        ep.send_to(text, peer, timeout=0)
    finally:
        peer.update_info()
        if peer.in_flight == 0:
            break


# case: kept: the number that the loop ended with is read
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
left = 1
while left:
    peer.update_info()
    left = peer.get_send_in_flight_messages()
print(left)

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
left = 1
while left:
    peer.update_info()
    left = peer.in_flight
print(left)


# case: kept: the number is of the snapshot before
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
left = 1
while left:
    left = peer.get_send_in_flight_messages()
    peer.update_info()

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
left = 1
while left:
    left = peer.in_flight
    peer.update_info()


# case: kept: the loop may not begin
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
left = 0
while left:
    peer.update_info()
    left = peer.get_send_in_flight_messages()

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
left = 0
while left:
    peer.update_info()
    left = peer.in_flight


# case: kept: a closure reads the number
import doca_comm_channel as cc

def main():
    ep = cc.Endpoint()
    peer = ep.connect("a")
    show = lambda: left
    left = 1
    while left > 0:
        peer.update_info()
        left = peer.get_send_in_flight_messages()
    print(show())

main()

# output
import comch_next as comch

def main():
    ep = comch.Client(one_sided=True)
    peer = ep.connect("a", timeout=0)
    show = lambda: left
    left = 1
    while left > 0:
        peer.update_info()
        left = peer.in_flight
    print(show())

main()


# case: an endless loop with a break
import time
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
ep.sendto(b"x", peer)
while True:
    peer.update_info()
    if peer.get_send_in_flight_messages() == 0:
        break
    time.sleep(0.001)  # a millisecond
ep.destroy()

# output
import time
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
ep.send_to(b"x", peer, timeout=0)
peer.flush()  # a millisecond
ep.close()


# case: a snapshot before the loop, and one in each turn
import time
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.ep = cc.Endpoint()
        self.peer = self.ep.connect(name)

    def drain(self):
        self.peer.update_info()  # what is in flight
        while self.peer.get_send_in_flight_messages() > 0:
            time.sleep(0.001)
            self.peer.update_info()

    def leave(self):
        while True:
            self.peer.update_info()
            if self.peer.get_send_in_flight_messages():
                time.sleep(0.001)
                continue
            break
        self.ep.disconnect(self.peer)

link = Link("a")
link.drain()
link.leave()

# output
import time
import comch_next as comch

class Link:
    def __init__(self, name):
        self.ep = comch.Client(one_sided=True)
        self.peer = self.ep.connect(name, timeout=0)

    def drain(self):
        # what is in flight
        self.peer.flush()

    def leave(self):
        self.peer.flush()
        self.ep.disconnect(self.peer)

link = Link("a")
link.drain()
link.leave()


# case: with else, and by truth
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
try:
    while 1:
        peer.update_info()
        if not peer.get_send_in_flight_messages():
            break
        else:
            pass
    while True:
        peer.update_info()
        if peer.get_send_in_flight_messages() != 0:
            pass
        else:
            break
except cc.ConnectionAborted:
    print("gone")

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
try:
    peer.flush()
    peer.flush()
except comch.ConnectionAborted:
    print("gone")


# case: a number that only the loop reads
import time
import doca_comm_channel as cc

def main():
    ep = cc.Endpoint()
    peer = ep.connect("a")
    in_flight = 1
    while in_flight:
        peer.update_info()
        in_flight = peer.get_send_in_flight_messages()
        time.sleep(0.001)
    count = 1
    while count != 0:
        peer.update_info()
        count = peer.get_send_in_flight_messages()

main()

# output
import time
import comch_next as comch

def main():
    ep = comch.Client(one_sided=True)
    peer = ep.connect("a", timeout=0)
    peer.flush()
    peer.flush()

main()
