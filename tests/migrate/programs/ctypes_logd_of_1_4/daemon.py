"""logd: collects lines of clients; told to end by the line `.`"""
import collections
import ctypes
import selectors
import sys

from proto import Attr, Info, check, lib, DocaError

DONTWAIT = 1
AGAIN = 5


class Endpoint:
    def __init__(self, **sizes):
        self.handle = ctypes.c_void_p()
        self.attr = Attr(**sizes)
        check(lib.doca_comm_channel_ep_create(ctypes.byref(self.attr), ctypes.byref(self.handle)), "create")

    def fileno(self):
        return lib.doca_comm_channel_ep_event_channel_get(self.handle)

    def close(self):
        check(lib.doca_comm_channel_ep_destroy(self.handle), "destroy")

    def receive(self):
        buf, size, peer = ctypes.create_string_buffer(self.attr.msgsize), ctypes.c_size_t(self.attr.msgsize), ctypes.c_void_p()
        rc = lib.doca_comm_channel_ep_recvfrom(self.handle, buf, ctypes.byref(size), DONTWAIT, ctypes.byref(peer))
        if rc == AGAIN:
            return None, None
        check(rc, "recvfrom")
        return buf.raw[: size.value], peer

    def send(self, peer, data):
        check(lib.doca_comm_channel_ep_sendto(self.handle, data, len(data), 0, peer), "sendto")


class Daemon(Endpoint):
    def __init__(self, name):
        super().__init__(maxmsgs=32, msgsize=256)
        check(lib.doca_comm_channel_ep_listen(self.handle, name), "listen")
        self.lines = collections.Counter()
        self.running = True

    def ready(self):
        while True:
            data, peer = self.receive()
            if data is None:
                return
            if data == b".":
                info = Info()
                check(lib.doca_comm_channel_peer_addr_info_get(peer, ctypes.byref(info)), "info")
                print("peer sent", info.rx_msgs, "messages,", info.rx_bytes, "bytes")
                self.send(peer, b"%d lines" % sum(self.lines.values()))
                self.running = False
            else:
                self.lines[data.decode()] += 1


def main():
    daemon = Daemon(b"logd")
    print("listening", flush=True)
    with selectors.DefaultSelector() as selector:
        selector.register(daemon.fileno(), selectors.EVENT_READ, daemon.ready)
        while daemon.running:
            for key, _ in selector.select(60):
                key.data()
    for line, count in sorted(daemon.lines.items()):
        print(count, line)
    daemon.close()
    try:
        daemon.close()
    except DocaError as error:
        print(error, error.code)


def client():
    end, peer = Endpoint(maxmsgs=4, msgsize=256), ctypes.c_void_p()
    check(lib.doca_comm_channel_ep_connect(end.handle, b"logd", ctypes.byref(peer)), "connect")
    for line in ("up", "load 1", "load 2", "load 1", "down"):
        end.send(peer, line.encode())
    end.send(peer, b".")
    answer = None
    with selectors.DefaultSelector() as selector:
        selector.register(end.fileno(), selectors.EVENT_READ)
        while answer is None:
            selector.select(60)
            answer, sender = end.receive()
    print(answer.decode(), sender.value == peer.value)
    check(lib.doca_comm_channel_ep_disconnect(end.handle, peer), "disconnect")
    print("fd", end.fileno())
    end.close()


if __name__ == "__main__":
    (client if "client" in sys.argv else main)()
