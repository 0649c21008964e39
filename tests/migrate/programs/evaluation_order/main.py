"""Arguments with effects: what is evaluated, how often and in which order, shows in the transcript."""
import argparse
import itertools
import sys

import doca_comm_channel as cc
from doca_comm_channel import *

trace = []
sizes = [64, 256, 512]
config = {"service": "nobody", "tries": 3}
serial = itertools.count(1)


def note(label, value):
    trace.append(label)
    return value


def show(title):
    print(title + ":", " ".join(trace))
    trace.clear()


class Board:
    """Gives a new message each time it is asked."""

    def __init__(self, server, client):
        self._server, self._client = server, client
        self.peer = None

    @property
    def server(self):
        return note("server", self._server)

    @property
    def client(self):
        return note("client", self._client)

    def build(self):
        return note("build", b"message %d" % next(serial))

    def route(self):
        return note("route", self.peer)


def connect(board, options):
    """The name changes between tries, as an operator would change it."""
    for attempt in range(config["tries"]):
        try:
            board.peer = board.client.connect(config["service"])
            return attempt
        except cc.ConnectionAborted:
            options.size += 1
            config["service"] = options.name
    return None


def main():
    options = argparse.Namespace(name="evaluation", size=100)
    dpu, host = open_device("03:00.0"), open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    server, client = cc.Endpoint(), cc.Endpoint()
    board = Board(server, client)

    board.server.set_max_msg_size(note("size", sizes.pop()))
    board.server.set_device(note("dpu", dpu)); board.server.set_device_rep(note("rep", rep))
    server.set_send_queue_size(sizes.pop())
    server.set_recv_queue_size(sizes.pop())
    show("set-up")
    print(server.get_max_msg_size(), server.get_send_queue_size(), server.get_recv_queue_size(), sizes)
    server.listen(options.name)

    client.set_max_msg_size(options.size)
    options.size = 200
    client.set_device(host)
    print("attempt", connect(board, options), "size", client.get_max_msg_size(), options.size)
    show("connect")

    rc, *_ = doca_comm_channel_ep_recvfrom(board.server, note("length", 512), note("flags", DOCA_CC_MSG_FLAG_NONE))
    show("let in")
    board.client.sendto(board.build(), board.route())
    show("objects")
    rc = doca_comm_channel_ep_sendto(board.client, (msg := board.build()), note("len", len(msg)), 0, board.route())
    show("flat")
    ok = note("left", False) and doca_comm_channel_ep_sendto(board.client, board.build(), 1, 0, board.route()) == 0
    show("short circuit")
    rc = note("left", 1) if ok else doca_comm_channel_ep_sendto(client, b"third", len(b"third"), 0, board.peer)
    codes = [doca_comm_channel_ep_sendto(client, text, note(text.decode(), 1), 0, board.route()) for text in (b"a", b"b")]
    show("comprehension")
    received = []
    while len(received) < 5 and (got := doca_comm_channel_ep_recvfrom(server, 512, 0))[0] == DOCA_SUCCESS:
        received.append(got[1].decode())
    print(received, rc, sum(codes), ok)
    try:
        board.client.sendto(board.build(), note("none", None))
    except (cc.NotConnected, cc.InvalidValue):
        show("to None")
    try:
        board.client.sendto(note("text", None) or undefined, board.route())
    except NameError:
        show("undefined")
    (board.client.disconnect(board.route()), board.client.destroy())
    show("clean-up")
    server.destroy()
    rep.close(); dpu.close(); host.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
