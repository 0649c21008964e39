"""Twenty clients in one process, in lists; each round every client sends its number and gets it back."""
import struct
import sys
import time

from doca_comm_channel import Again, ConnectionInprogress, Endpoint, open_device

CLIENTS, ROUNDS = 20, 5
PACKET = struct.Struct("!HH60x")


def make(device):
    ep = Endpoint()
    ep.set_device(device)
    ep.set_max_msg_size(64)
    ep.set_send_queue_size(8)
    ep.set_recv_queue_size(8)
    return ep


def up(peer):
    try:
        peer.update_info()
        return True
    except ConnectionInprogress:
        return False


def main():
    device = open_device("b1:00.0")
    endpoints = [make(device) for _ in range(CLIENTS)]
    peers = [ep.connect("scale_probe") for ep in endpoints]
    end = time.monotonic() + 60
    while not all(up(peer) for peer in peers):
        if time.monotonic() > end:
            print("connected", sum(map(up, peers)))
            return 2
        time.sleep(1e-3)
    print("connected", len(peers))

    for round_ in range(ROUNDS):
        for number, (ep, peer) in enumerate(zip(endpoints, peers)):
            ep.sendto(PACKET.pack(number, round_), peer)
        waiting = dict(enumerate(endpoints))
        while waiting and time.monotonic() < end + 60:
            for number, ep in list(waiting.items()):
                try:
                    data, _ = ep.recvfrom(64)
                except Again:
                    continue
                assert PACKET.unpack(data) == (number, round_)
                del waiting[number]
            time.sleep(1e-4)
        print("round", round_, "missing", len(waiting))

    totals = [0, 0]
    for peer in peers:
        peer.update_info()
        totals[0] += peer.get_send_messages()
        totals[1] += peer.get_recv_messages()
    print("sent %d received %d" % tuple(totals))
    for ep, peer in zip(endpoints, peers):
        ep.disconnect(peer)
    [ep.destroy() for ep in endpoints]
    device.close()
    return 0 if totals[0] == totals[1] else 1


if __name__ == "__main__":
    sys.exit(main())
