"""A desk and its two clients in one process: orders, answers, refusals, and who has gone."""
import sys
import time

import doca_comm_channel as cc

failures = 0


def wait(call, *args):
    """What a call returns when it no longer has to be tried again."""
    end = time.monotonic() + 3
    while time.monotonic() < end:
        try:
            return call(*args)
        except (cc.Again, cc.ConnectionInprogress):
            time.sleep(0.001)
    sys.exit("nothing comes")


def count(what, call, *args):
    """A failure is part of the exit status, and no more."""
    global failures
    try:
        call(*args)
    except cc.DocaError as error:
        failures += 1
        print(what, error.name)


def open_desk(dev, rep):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.set_max_msg_size(1024)
    ep.set_send_queue_size(32)
    ep.set_recv_queue_size(64)
    ep.listen("desk")
    print("queues", ep.get_send_queue_size(), ep.get_recv_queue_size())
    return ep


def call_desk(dev, desk):
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_max_msg_size(1024)
    peer = ep.connect("desk")
    while True:
        try:
            peer.update_info()
            return ep, peer
        except cc.ConnectionInprogress:
            count("early", desk.get_pending_connections)
            try:
                desk.recvfrom(1024)
            except cc.Again:
                pass


def order(ep, peer, number, size):
    head = b"order %d" % number
    wait(ep.sendto, head, peer)
    for part in range(2):
        while True:
            try:
                ep.sendto(b"%d" % part * size, peer)
                break
            except cc.Again:
                time.sleep(0.0001)


def answer(desk):
    head, peer = wait(desk.recvfrom, 1024)
    parts = [wait(desk.recvfrom, 1024)[0] for _ in range(2)]
    total = sum(len(part) for part in parts)
    peer.set_user_data(total)
    wait(desk.sendto, b"%s: %d" % (head, total), peer)
    wait(desk.sendto, b"thanks", peer)
    return peer


def tell(peer):
    peer.update_info()
    print("sent", peer.get_send_messages(), peer.get_send_bytes(), "received", peer.get_recv_messages(),
          peer.get_recv_bytes(), "for", peer.get_user_data())


def main():
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    desk = open_desk(dpu, rep)
    first, to_desk = call_desk(host, desk)
    second, also_to_desk = call_desk(host, desk)

    order(first, to_desk, 1, 100)
    known = answer(desk)
    order(second, also_to_desk, 2, 200)
    other = answer(desk)
    for ep in (first, second):
        print(wait(ep.recvfrom, 1024)[0], wait(ep.recvfrom, 64)[0])
    tell(known)
    tell(other)

    count("too long", first.sendto, bytes(2000), to_desk)
    count("foreign", first.sendto, b"x", also_to_desk)
    first.disconnect(to_desk)
    count("gone", first.sendto, b"x", to_desk)
    try:
        for _ in range(3):
            desk.sendto(b"are you there", known)
            time.sleep(0.002)
    except cc.ConnectionReset:
        print("the first has gone")
    finally:
        desk.update_service_state_info()
        print("peers", len(desk.get_peer_addr_list()))

    wait(second.sendto, b"last", also_to_desk)
    second.disconnect(also_to_desk)
    print(wait(desk.recvfrom, 1024)[0])
    for ep in (first, second, desk):
        ep.destroy()
    rep.close()
    dpu.close()
    host.close()
    return failures


if __name__ == "__main__":
    sys.exit(main())
