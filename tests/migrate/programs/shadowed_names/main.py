"""Names that the library also uses, for other things: sockets, SQL, parameters called cc, and a len of our own."""
import socket
import sqlite3
import sys
import time

import doca_comm_channel as cc
from doca_comm_channel import doca_comm_channel_ep_recvfrom, doca_comm_channel_ep_sendto, DOCA_ERROR_AGAIN

comch = "a name that means something else here"
failure = None
outcome = []
timeout = 60


def len(thing):                      # counts characters, not bytes
    return thing.__len__() if isinstance(thing, bytes) else thing.decode().__len__()


def message(text):
    return text.encode()


class Endpoint:
    """A radio end point; nothing to do with the library's."""

    def __init__(self, max_msg_size=4):
        self.max_msg_size = max_msg_size
        self.sent = []

    def sendto(self, msg, peer):
        self.sent.append((msg[:self.max_msg_size], peer))
        return cc_count([1 for _ in self.sent])

    def listen(self, name):
        return f"{name} on the radio"

    def destroy(self):
        self.sent.clear()


def cc_count(cc):
    return sum(cc)


def carbon_copy(cc, to="someone"):
    """Here cc is a list of people."""
    return [to] + [cc.upper() for cc in cc if cc.isalpha()]


def udp():
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind(("127.0.0.1", 0))
    sock.settimeout(timeout)
    sock.sendto(b"datagram", sock.getsockname())
    data, peer = sock.recvfrom(100)
    sock.close()
    return data, peer[0]


def database():
    ep = sqlite3.connect(":memory:")
    ep.execute("create table peers (name text)")
    ep.execute("insert into peers values ('rep')")
    (row,) = ep.execute("select name from peers").fetchall()
    ep.close()
    return row[0]


def channel():
    global failure
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    server, client = cc.Endpoint(), cc.Endpoint()
    server.set_device(dpu)
    server.set_device_rep(rep)
    server.set_max_msg_size(100)
    server.listen("shadowed")
    client.set_device(host)
    peer = client.connect("shadowed")
    result = doca_comm_channel_ep_recvfrom(server, 100, 0)
    outcome.append(result[0] == DOCA_ERROR_AGAIN)
    text = message("a message")
    outcome.append(doca_comm_channel_ep_sendto(client, text, len(text), 0, peer))
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        rc, data, size, sender = doca_comm_channel_ep_recvfrom(server, 100, 0)
        if rc != DOCA_ERROR_AGAIN:
            break
    outcome.append((data, size))
    try:
        server.sendto(message("b" * 101), sender)
    except cc.InvalidValue as error:
        failure = error.name
    client.disconnect(peer)
    client.destroy(), server.destroy()
    rep.close()
    dpu.close()
    host.close()


def rewire():
    """cc is a local of this function, bound only in a branch."""
    if comch.startswith("b"):
        cc = None
    try:
        return cc
    except UnboundLocalError:
        return "unbound"


if __name__ == "__main__":
    radio = Endpoint()
    print(radio.listen("tower"), radio.sendto(b"mayday", "coast"), radio.sent)
    radio.destroy()
    print(carbon_copy(["ann", "b2", "bob"]))
    print(*udp())
    print(database())
    channel()
    print(outcome, failure)
    print(rewire(), comch)
    sys.exit(0 if failure and not radio.sent else 1)
