"""How much fits when nobody reads: queues fill up, counters are snapshots, the descriptor tells when to go on."""
import select
import sys

from doca_comm_channel import *
from doca_comm_channel import Again, Endpoint


class Side:
    def __init__(self, pci, send, recv):
        self.dev = open_device(pci)
        self.ep = Endpoint()
        self.ep.set_device(self.dev)
        self.ep.set_max_msg_size(32)
        self.ep.set_send_queue_size(send)
        self.ep.set_recv_queue_size(recv)

    def close(self):
        self.ep.destroy()
        self.dev.close()


def fill(side, peer, number=0):
    """Send until the queue is full; the next number."""
    while True:
        try:
            side.ep.sendto(b"%d" % number, peer)
        except Again:
            return number
        number += 1


def drain(side, count):
    taken = []
    while len(taken) < count:
        try:
            data, _ = side.ep.recvfrom(32)
        except Again:
            break
        taken.append(int(data))
    return taken


def counters(peer):
    return peer.get_send_messages(), peer.get_send_bytes(), peer.get_send_in_flight_messages()


def readable(fd, seconds=0):
    return bool(select.select([fd], [], [], seconds)[0])


def main():
    server, client = Side("03:00.0", 8, 5), Side("b1:00.0", 10, 8)
    rep = server.dev.open_representor("b1:00.0")
    server.ep.set_device_rep(rep)
    server.ep.listen("backpressure")
    peer = client.ep.connect("backpressure")
    print("let in", drain(server, 1))
    peer.update_info()
    print("queues", client.ep.get_send_queue_size(), server.ep.get_recv_queue_size())

    accepted = fill(client, peer)
    print("accepted", accepted, "snapshot", counters(peer))
    peer.update_info()
    print("snapshot", counters(peer))
    send_fd, recv_fd = client.ep.get_event_channel()
    client.ep.event_handle_arm_send()
    print("may go on", readable(send_fd))
    print("read", drain(server, 3))
    peer.update_info()
    print("in flight", counters(peer)[-1], "may go on", readable(send_fd, 5), "message", readable(recv_fd))
    accepted = fill(client, peer, accepted)
    print("accepted", accepted)
    rest = drain(server, 1000)
    print("read", len(rest), "in turn", rest == list(range(3, accepted)))
    rc = doca_comm_channel_peer_addr_update_info(peer)
    print(doca_error_get_name(rc), doca_comm_channel_peer_addr_get_send_in_flight_messages(peer))
    client.ep.disconnect(peer)
    print("kept", counters(peer))
    client.close()
    server.ep.destroy()
    rep.close()
    server.dev.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
