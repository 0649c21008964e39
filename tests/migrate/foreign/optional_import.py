"""Falls back to a socket when there is no DPU; picks the transport by name."""
import importlib
import socket

try:
    import doca_comm_channel as cc
    HAVE_DOCA = True
except ImportError:
    cc = None
    HAVE_DOCA = False

TRANSPORTS = {"doca": "doca_comm_channel", "tcp": "socket"}


class Tcp:
    def __init__(self, host, port):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addr = (host, port)

    def send(self, data):
        self.sock.sendto(data, self.addr)

    def recv(self):
        return self.sock.recvfrom(4080)


class Doca:
    def __init__(self, pci, name):
        self.ep = cc.Endpoint()
        self.ep.set_device(cc.open_device(pci))
        self.peer = self.ep.connect(name)

    def send(self, data):
        try:
            self.ep.sendto(data, self.peer)
        except cc.Again:
            return False

    def recv(self):
        return self.ep.recvfrom(4080)


def make(kind):
    module = importlib.import_module(TRANSPORTS[kind])
    print("using", module.__name__)
    if HAVE_DOCA and hasattr(cc, "Endpoint"):
        return Doca("b1:00.0", "svc")
    return Tcp("localhost", 4000)
