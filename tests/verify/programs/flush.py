"""Who leaves early loses what the other side has no room for: two senders that wait until nothing is in flight."""
import sys

import doca_comm_channel as cc
from doca_comm_channel import *


def serve(dpu, rep, name):
    ep = cc.Endpoint()
    ep.set_device(dpu)
    ep.set_device_rep(rep)
    ep.set_max_msg_size(64)
    ep.set_send_queue_size(32)
    ep.set_recv_queue_size(32)
    ep.listen(name)
    return ep


def drain(service):
    """What has come, as numbers."""
    numbers = []
    while True:
        try:
            numbers.append(int(service.recvfrom(64)[0]))
        except (cc.Again, cc.ConnectionReset):
            return numbers


def with_objects(host, service):
    ep = cc.Endpoint()
    ep.set_device(host)
    ep.set_max_msg_size(64)
    ep.set_send_queue_size(32)
    peer = ep.connect("objects")
    drain(service)
    peer.update_info()
    sent, got = 0, []
    while sent < 48:
        ep.sendto(b"%d" % sent, peer)
        sent += 1
    peer.update_info()
    while peer.get_send_in_flight_messages():
        got.append(int(service.recvfrom(64)[0]))
        peer.update_info()
    ep.disconnect(peer)
    ep.destroy()
    return got + drain(service)


def with_codes(host, service):
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, host)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 64)
    rc = doca_comm_channel_ep_set_send_queue_size(ep, 32)
    rc, peer = doca_comm_channel_ep_connect(ep, "codes")
    drain(service)
    rc = doca_comm_channel_peer_addr_update_info(peer)
    got, codes = [], []
    for number in range(48):
        codes.append(doca_comm_channel_ep_sendto(ep, b"%d" % number, len(b"%d" % number), 0, peer))
    while True:
        rc = doca_comm_channel_peer_addr_update_info(peer)
        rc, waiting = doca_comm_channel_peer_addr_get_send_in_flight_messages(peer)
        if rc != DOCA_SUCCESS or waiting == 0:
            break
        got.append(int(service.recvfrom(64)[0]))
    codes.append(doca_comm_channel_ep_disconnect(ep, peer))
    codes.append(doca_comm_channel_ep_destroy(ep))
    print("codes", set(codes))
    return got + drain(service)


def main():
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    for name, talk in (("objects", with_objects), ("codes", with_codes)):
        service = serve(dpu, rep, name)
        numbers = talk(host, service)
        print(name, len(numbers), numbers == sorted(numbers))
        service.destroy()
    rep.close()
    dpu.close()
    host.close()


if __name__ == "__main__":
    sys.exit(main())
