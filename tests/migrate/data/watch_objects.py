"""A service in objects that sleeps until clients come and go, a client for it, and a service that loses its name."""
import glob
import os
import select
import sys

import doca_comm_channel as cc


def wait(fd):
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        poller.poll()


def show(ep, what):
    print(what, len(ep.get_peer_addr_list()), ep.get_pending_connections())


def until(ep, fd, count):
    """Sleep until so many clients have come, waiting or not."""
    while True:
        ep.update_service_state_info()
        if len(ep.get_peer_addr_list()) + ep.get_pending_connections() == count:
            return
        wait(fd)


def receive(ep, fd):
    while True:
        try:
            return ep.recvfrom(64)
        except cc.Again:
            ep.event_handle_arm_recv()
            wait(fd)


def answer(ep, fd, peer, msg):
    while True:
        try:
            ep.sendto(msg, peer)
            return
        except cc.Again:
            ep.event_handle_arm_send()
            wait(fd)


def serve():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.listen("watch")
    fd = ep.get_service_event_channel()
    send_fd, recv_fd = ep.get_event_channel()
    print("listening", flush=True)
    show(ep, "at first")
    until(ep, fd, 1)
    show(ep, "came")
    msg, sender = receive(ep, recv_fd)
    show(ep, "of old")
    ep.update_service_state_info()
    show(ep, "let in")
    for number, peer in enumerate(ep.get_peer_addr_list()):
        peer.set_user_data(number + 7)
        print(msg, peer is sender, sender.get_user_data())
        answer(ep, send_fd, peer, b"one")
    peers = ep.get_peer_addr_list()
    until(ep, fd, 0)
    print("left", len(peers), peers[0] is sender, fd == ep.get_service_event_channel())
    until(ep, fd, 1)
    msg, peer = receive(ep, recv_fd)
    ep.update_service_state_info()
    for peer in ep.get_peer_addr_list():
        peer.update_info()
        print(msg, peer.get_recv_messages())
        answer(ep, send_fd, peer, b"two")
    ep.disconnect(ep.get_peer_addr_list()[0])
    show(ep, "of old")
    ep.update_service_state_info()
    show(ep, "sent away")
    ep.destroy()


def visit(msg):
    dev = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    peer = ep.connect("watch")
    send_fd, recv_fd = ep.get_event_channel()
    answer(ep, send_fd, peer, msg)
    print(receive(ep, recv_fd)[0])
    while peer.get_send_in_flight_messages():
        peer.update_info()
    print("answered", flush=True)
    sys.stdin.readline()
    ep.disconnect(peer)
    ep.destroy()
    dev.close()


def complain(ep, peers):
    try:
        ep.update_service_state_info()
    except cc.ConnectionReset as error:
        print("update", error.name)
    try:
        receive(ep, ep.get_event_channel()[1])
    except cc.ConnectionReset as error:
        print("receive", error.name, error.connection is None)
    for peer in peers:
        try:
            ep.sendto(b"x", peer)
        except cc.ConnectionReset as error:
            print("send", error.name)
        try:
            peer.update_info()
        except cc.ConnectionAborted as error:
            print("peer", error.name)


def lose():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.listen("watch")
    fd = ep.get_service_event_channel()
    guest_dev = cc.open_device("b1:00.0")
    guest = cc.Endpoint()
    guest.set_device(guest_dev)
    host = guest.connect("watch")
    until(ep, fd, 1)
    try:
        ep.recvfrom(64)
    except cc.Again:
        pass
    ep.update_service_state_info()
    peers = ep.get_peer_addr_list()
    for name in glob.glob(os.path.join(os.environ["COMCH_RUNTIME_DIR"], "*.sock")):
        os.unlink(name)
    wait(fd)
    for _ in range(2):
        complain(ep, peers)
        show(ep, "lost")
    guest.disconnect(host)
    guest.destroy()
    ep.destroy()


if __name__ == "__main__":
    if sys.argv[1] == "visit":
        visit(sys.argv[2].encode())
    else:
        {"serve": serve, "lose": lose}[sys.argv[1]]()
