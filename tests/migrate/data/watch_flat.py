"""The same as watch_objects by the C names, with poll: who comes and goes, and a service that loses its name."""
import glob
import os
import select
import sys

from doca_comm_channel import *


def check(rc, what):
    if rc != DOCA_SUCCESS:
        print(what, rc, doca_error_get_name(rc))
        sys.exit(int(rc))


def wait(fd):
    poller = select.poll()
    poller.register(fd, select.POLLIN)
    poller.poll()


def show(ep, what):
    rc, peers, n = doca_comm_channel_ep_get_peer_addr_list(ep)
    check(rc, "list")
    rc, pending = doca_comm_channel_ep_get_pending_connections(ep)
    check(rc, "pending")
    print(what, n, len(peers), pending)


def until(ep, fd, count):
    """Sleep until so many clients have come, waiting or not."""
    while True:
        doca_comm_channel_ep_update_service_state_info(ep)
        if doca_comm_channel_ep_get_peer_addr_list(ep)[2] + doca_comm_channel_ep_get_pending_connecti(ep)[1] == count:
            return
        wait(fd)


def receive(ep, fd):
    while True:
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 64, DOCA_CC_MSG_FLAG_NONE)
        if rc != DOCA_ERROR_AGAIN:
            return rc, msg, peer
        check(doca_comm_channel_ep_event_handle_arm_recv(ep), "arm")
        wait(fd)


def answer(ep, fd, peer, msg):
    while (rc := doca_comm_channel_ep_sendto(ep, msg, len(msg), 0, peer)) == DOCA_ERROR_AGAIN:
        doca_comm_channel_ep_event_handle_arm_send(ep)
        wait(fd)
    return rc


def open_device(pci_addr):
    rc, devs, n = doca_devinfo_list_create()
    check(rc, "list")
    for i in range(n):
        rc, same = doca_devinfo_get_is_pci_addr_equal(devs[i], pci_addr)
        if rc == DOCA_SUCCESS and same:
            rc, dev = doca_dev_open(devs[i])
            check(rc, "open")
            break
    else:
        check(DOCA_ERROR_NOT_FOUND, "device " + pci_addr)
    doca_devinfo_list_destroy(devs)
    return dev


def listen(dev):
    rc, reps, n = doca_devinfo_rep_list_create(dev, DOCA_DEVINFO_REP_FILTER_ALL)
    check(rc, "representors")
    rc, rep = doca_dev_rep_open(reps[0])
    check(rc, "open representor")
    doca_devinfo_rep_list_destroy(reps)
    rc, ep = doca_comm_channel_ep_create()
    check(rc, "create")
    check(doca_comm_channel_ep_set_device(ep, dev), "device")
    check(doca_comm_channel_ep_set_device_rep(ep, rep), "representor")
    check(doca_comm_channel_ep_listen(ep, "watch"), "listen")
    return ep


def serve():
    ep = listen(open_device("03:00.0"))
    rc, fd = doca_comm_channel_ep_get_service_event_channel(ep)
    check(rc, "service channel")
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    check(rc, "channel")
    print("listening", flush=True)
    show(ep, "at first")
    until(ep, fd, 1)
    show(ep, "came")
    rc, msg, sender = receive(ep, recv_fd)
    print(rc == DOCA_SUCCESS, msg)
    show(ep, "of old")
    check(doca_comm_channel_ep_update_service_state_info(ep), "update")
    show(ep, "let in")
    rc, peers, n = doca_comm_channel_ep_get_peer_addr_list(ep)
    for i in range(n):
        doca_comm_channel_peer_addr_user_data_set(peers[i], i + 7)
        rc, data = doca_comm_channel_peer_addr_user_data_get(sender)
        print(peers[i] is sender, data, answer(ep, send_fd, peers[i], b"one") == 0)
    until(ep, fd, 0)
    rc, again = doca_comm_channel_ep_get_service_event_channel(ep)
    print("left", len(peers), peers[0] is sender, rc == 0, fd == again)
    until(ep, fd, 1)
    rc, msg, peer = receive(ep, recv_fd)
    if doca_comm_channel_ep_update_service_state_info(ep) != DOCA_SUCCESS:
        sys.exit(9)
    rc, peers, n = doca_comm_channel_ep_get_peer_addr_list(ep)
    for peer in peers:
        doca_comm_channel_peer_addr_update_info(peer)
        rc, got = doca_comm_channel_peer_addr_get_rcv_messages(peer)
        print(msg, got, answer(ep, send_fd, peer, b"two") == DOCA_SUCCESS)
    print(doca_comm_channel_ep_disconnect(ep, peers[0]) == 0)
    show(ep, "of old")
    doca_comm_channel_ep_update_service_state_info(ep)
    show(ep, "sent away")
    doca_comm_channel_ep_destroy(ep)


def visit(msg):
    dev = open_device("b1:00.0")
    rc, ep = doca_comm_channel_ep_create()
    check(rc, "create")
    check(doca_comm_channel_ep_set_device(ep, dev), "device")
    rc, peer = doca_comm_channel_ep_connect(ep, "watch")
    check(rc, "connect")
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    check(answer(ep, send_fd, peer, msg), "send")
    print(receive(ep, recv_fd)[1])
    rc, waiting = doca_comm_channel_peer_addr_get_send_in_flight_messages(peer)
    while waiting:
        doca_comm_channel_peer_addr_update_info(peer)
        rc, waiting = doca_comm_channel_peer_addr_get_send_in_flight_messages(peer)
    print("answered", flush=True)
    sys.stdin.readline()
    doca_comm_channel_ep_disconnect(ep, peer)
    doca_comm_channel_ep_destroy(ep)
    doca_dev_close(dev)


def lose():
    ep = listen(open_device("03:00.0"))
    rc, fd = doca_comm_channel_ep_get_service_event_channel(ep)
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    for name in glob.glob(os.path.join(os.environ["COMCH_RUNTIME_DIR"], "*.sock")):
        os.unlink(name)
    wait(fd)
    for _ in range(2):
        print(doca_error_get_name(doca_comm_channel_ep_update_service_state_info(ep)))
        rc, msg, peer = receive(ep, recv_fd)
        print(doca_error_get_name(rc), msg, peer is None)
        show(ep, "lost")
    doca_comm_channel_ep_destroy(ep)


if __name__ == "__main__":
    if sys.argv[1] == "visit":
        visit(sys.argv[2].encode())
    else:
        {"serve": serve, "lose": lose}[sys.argv[1]]()
