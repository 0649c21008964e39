# case: kept: the connection is left when it has not come up
import time
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = None
try:
    peer = ep.connect("a")
    while True:
        try:
            peer.update_info()
            break
        except cc.ConnectionInprogress:
            time.sleep(0.01)
finally:
    if peer is not None:
        ep.disconnect(peer)
    ep.destroy()

# output
import time
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = None
try:
    peer = ep.connect("a", timeout=0)
    while True:
        try:
            peer.update_info()
            break
        except comch.ConnectionInprogress:
            time.sleep(0.01)
finally:
    if peer is not None:
        ep.disconnect(peer)
    ep.close()


# case: kept: a second connect on the same endpoint, which generation 1 refuses
import time
import doca_comm_channel as cc

ep = cc.Endpoint()
for _ in range(3):
    try:
        peer = ep.connect("a")
        while True:
            try:
                peer.update_info()
                break
            except cc.ConnectionInprogress:
                pass
        break
    except cc.DocaError:
        time.sleep(1)

# output
import time
import comch_next as comch

ep = comch.Client(one_sided=True)
for _ in range(3):
    try:
        peer = ep.connect("a", timeout=0)
        while True:
            try:
                peer.update_info()
                break
            except comch.ConnectionInprogress:
                pass
        break
    except comch.DocaError:
        time.sleep(1)


# case: kept: a method that a handler of a caller calls reads the connection
import doca_comm_channel as cc

class Link:
    def __init__(self):
        self.ep = cc.Endpoint()
        self.peer = None

    def open(self):
        self.peer = self.ep.connect("a")
        while True:
            try:
                self.peer.update_info()
                return
            except cc.ConnectionInprogress:
                pass

    def close(self):
        if self.peer is not None:
            self.ep.disconnect(self.peer)

link = Link()
try:
    link.open()
except cc.ConnectionAborted:
    link.close()

# output
import comch_next as comch

class Link:
    def __init__(self):
        self.ep = comch.Client(one_sided=True)
        self.peer = None

    def open(self):
        self.peer = self.ep.connect("a", timeout=0)
        while True:
            try:
                self.peer.update_info()
                return
            except comch.ConnectionInprogress:
                pass

    def close(self):
        if self.peer is not None:
            self.ep.disconnect(self.peer)

link = Link()
try:
    link.open()
except comch.ConnectionAborted:
    link.close()


# case: kept: the end of a with block reads the connection
import doca_comm_channel as cc

class Link:
    peer = None

    def __enter__(self):
        self.ep = cc.Endpoint()
        return self

    def __exit__(self, *error):
        if self.peer is not None:
            self.ep.disconnect(self.peer)

with Link() as link:
    link.peer = link.ep.connect("a")
    while True:
        try:
            link.peer.update_info()
            break
        except cc.ConnectionInprogress:
            pass

# output
import comch_next as comch

class Link:
    peer = None

    def __enter__(self):
        self.ep = comch.Client(one_sided=True)
        return self

    def __exit__(self, *error):
        if self.peer is not None:
            self.ep.disconnect(self.peer)

with Link() as link:
    link.peer = link.ep.connect("a", timeout=0)
    while True:
        try:
            link.peer.update_info()
            break
        except comch.ConnectionInprogress:
            pass


# case: kept: a closure that runs at the end of the program reads the connection
import atexit
import doca_comm_channel as cc

def main():
    ep = cc.Endpoint()
    peer = None
    atexit.register(lambda: peer and ep.disconnect(peer))
    peer = ep.connect("a")
    while True:
        try:
            peer.update_info()
            break
        except cc.ConnectionInprogress:
            pass

main()

# output
import atexit
import comch_next as comch

def main():
    ep = comch.Client(one_sided=True)
    peer = None
    atexit.register(lambda: peer and ep.disconnect(peer))
    peer = ep.connect("a", timeout=0)
    while True:
        try:
            peer.update_info()
            break
        except comch.ConnectionInprogress:
            pass

main()


# case: kept: the endpoint of the failure is looked up
import doca_comm_channel as cc

ep = cc.Endpoint()
try:
    peer = ep.connect("a")
    while True:
        try:
            peer.update_info()
            break
        except cc.ConnectionInprogress:
            pass
except cc.ConnectionAborted as error:
    ep.disconnect(error.connection)

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
try:
    peer = ep.connect("a", timeout=0)
    while True:
        try:
            peer.update_info()
            break
        except comch.ConnectionInprogress:
            pass
except comch.ConnectionAborted as error:
    ep.disconnect(error.connection)


# case: kept: something is done before the loop
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
print("waiting")
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
print("waiting")
while True:
    try:
        peer.update_info()
        break
    except comch.ConnectionInprogress:
        pass


# case: kept: the loop shows that it waits
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        print(".")

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        peer.update_info()
        break
    except comch.ConnectionInprogress:
        print(".")


# case: kept: a refusal ends the loop, too
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        pass
    except cc.ConnectionAborted:
        break

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        peer.update_info()
        break
    except comch.ConnectionInprogress:
        pass
    except comch.ConnectionAborted:
        break


# case: kept: every error is waited out
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        peer.update_info()
        break
    except cc.DocaError:
        pass

# output
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        peer.update_info()
        break
    except comch.DocaError:
        pass


# case: kept: a handler of signals may run meanwhile
import signal
import doca_comm_channel as cc

signal.signal(signal.SIGINT, print)
ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        pass

# output
import signal
import comch_next as comch

signal.signal(signal.SIGINT, print)
ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
while True:
    try:
        peer.update_info()
        break
    except comch.ConnectionInprogress:
        pass


# case: kept: a name that a class computes
import doca_comm_channel as cc

class Link:
    def __init__(self):
        self.found = []

    @property
    def peer(self):
        return self.found[-1]

    @peer.setter
    def peer(self, peer):
        self.found.append(peer)

link = Link()
ep = cc.Endpoint()
link.peer = ep.connect("a")
while True:
    try:
        link.peer.update_info()
        break
    except cc.ConnectionInprogress:
        pass

# output
import comch_next as comch

class Link:
    def __init__(self):
        self.found = []

    @property
    def peer(self):
        return self.found[-1]

    @peer.setter
    def peer(self, peer):
        self.found.append(peer)

link = Link()
ep = comch.Client(one_sided=True)
link.peer = ep.connect("a", timeout=0)
while True:
    try:
        link.peer.update_info()
        break
    except comch.ConnectionInprogress:
        pass


# case: kept: a time limit
import time
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
end = time.monotonic() + 5
while time.monotonic() < end:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        time.sleep(0.01)

# output
import time
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=0)
end = time.monotonic() + 5
while time.monotonic() < end:
    try:
        peer.update_info()
        break
    except comch.ConnectionInprogress:
        time.sleep(0.01)


# case: kept: what is returned is asked within the handler
import time
import doca_comm_channel as cc

def made(ep, peer):
    peer.update_info()
    return ep, peer

def dial(name):
    ep = cc.Endpoint()
    peer = ep.connect(name)
    while True:
        try:
            peer.update_info()
            return made(ep, peer)
        except cc.ConnectionInprogress:
            time.sleep(1e-4)

dial("a")

# output
import time
import comch_next as comch

def made(ep, peer):
    peer.update_info()
    return ep, peer

def dial(name):
    ep = comch.Client(one_sided=True)
    peer = ep.connect(name, timeout=0)
    while True:
        try:
            peer.update_info()
            return made(ep, peer)
        except comch.ConnectionInprogress:
            time.sleep(1e-4)

dial("a")


# case: a script
import time
import doca_comm_channel as cc

ep = cc.Endpoint()
peer = ep.connect("a")
while True:
    try:
        peer.update_info()
        break
    except cc.ConnectionInprogress:
        time.sleep(0.01)  # not yet
ep.sendto(b"x", peer)

# output
import time
import comch_next as comch

ep = comch.Client(one_sided=True)
peer = ep.connect("a", timeout=None)
# not yet
ep.send_to(b"x", peer, timeout=0)


# case: a failure that ends the program, and one that closes the endpoint
import sys
import time
import doca_comm_channel as cc

class Link:
    def __init__(self, name):
        self.name = name
        self.ep = cc.Endpoint()

    def open(self):
        self.peer = self.ep.connect(self.name)
        while True:
            try:
                self.peer.update_info()
            except cc.ConnectionInprogress:
                time.sleep(0.01)
            else:
                return self.name

    def close(self):
        self.ep.destroy()

link = Link("a")
try:
    print(link.open())
except cc.ConnectionAborted as error:
    link.close()
    sys.exit(int(error.code))
link.close()

# output
import sys
import time
import comch_next as comch

class Link:
    def __init__(self, name):
        self.name = name
        self.ep = comch.Client(one_sided=True)

    def open(self):
        self.peer = self.ep.connect(self.name, timeout=None)
        return self.name

    def close(self):
        self.ep.close()

link = Link("a")
try:
    print(link.open())
except comch.ConnectionAborted as error:
    link.close()
    sys.exit(int(error.code))
link.close()


# case: dialled again with another endpoint
import time
import doca_comm_channel as cc

def dial(name):
    ep = cc.Endpoint()
    peer = ep.connect(name)
    while True:
        try:
            peer.update_info()
            break
        except cc.ConnectionInprogress:
            pass
    return ep, peer

def main():
    while True:
        try:
            ep, peer = dial("a")
            break
        except cc.ConnectionAborted:
            time.sleep(0.1)
    ep.disconnect(peer)

main()

# output
import time
import comch_next as comch

def dial(name):
    ep = comch.Client(one_sided=True)
    peer = ep.connect(name, timeout=None)
    return ep, peer

def main():
    while True:
        try:
            ep, peer = dial("a")
            break
        except comch.ConnectionAborted:
            time.sleep(0.1)
    ep.disconnect(peer)

main()


# case: a class method that makes an object of both
import time
import doca_comm_channel as cc

class Transport:
    def __init__(self, ep, peer):
        self.ep, self.peer = ep, peer

    @classmethod
    def dial(cls, name):
        ep = cc.Endpoint()
        peer = ep.connect(name)
        while True:
            try:
                peer.update_info()
            except cc.ConnectionInprogress:
                time.sleep(1e-4)
            else:
                return cls(ep, peer)

transport = Transport.dial("a")
transport.ep.destroy()

# output
import time
import comch_next as comch

class Transport:
    def __init__(self, ep, peer):
        self.ep, self.peer = ep, peer

    @classmethod
    def dial(cls, name):
        ep = comch.Client(one_sided=True)
        peer = ep.connect(name, timeout=None)
        return cls(ep, peer)

transport = Transport.dial("a")
transport.ep.close()
