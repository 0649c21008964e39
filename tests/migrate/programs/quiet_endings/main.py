"""Who leaves says nothing: what the other side sees of it, step by step, as client and as service. Flat."""
import sys
from types import SimpleNamespace

from doca_comm_channel import *


def name(rc):
    return doca_error_get_name(rc).replace("DOCA_", "").replace("ERROR_", "")


def up(board, service):
    """A new endpoint, connected, and the peer by which the service knows it."""
    rc, ep = doca_comm_channel_ep_create()
    rc = rc or doca_comm_channel_ep_set_device(ep, board.host)
    rc, peer = doca_comm_channel_ep_connect(ep, service.name) if rc == DOCA_SUCCESS else (rc, None)
    while rc == DOCA_SUCCESS and doca_comm_channel_ep_recvfrom(service.ep, 100, 0)[0] == DOCA_SUCCESS:
        pass
    rc = doca_comm_channel_ep_sendto(ep, b"hello", 5, 0, peer)
    rc, msg, _, known = doca_comm_channel_ep_recvfrom(service.ep, 100, 0)
    assert rc == DOCA_SUCCESS and msg == b"hello", name(rc)
    return SimpleNamespace(ep=ep, peer=peer, known=known)


def serve(board, label):
    rc, ep = doca_comm_channel_ep_create()
    rc = rc or doca_comm_channel_ep_set_device(ep, board.dpu)
    rc = rc or doca_comm_channel_ep_set_device_rep(ep, board.rep)
    rc = rc or doca_comm_channel_ep_listen(ep, label)
    assert rc == DOCA_SUCCESS, name(rc)
    return SimpleNamespace(ep=ep, name=label)


def receive(ep, peer):
    rc, msg, length, sender = doca_comm_channel_ep_recvfrom(ep, 100, DOCA_CC_MSG_FLAG_NONE)
    if sender is not None:
        return name(rc), msg, sender is peer
    return name(rc), msg


def watch(label, ep, peer):
    """Write to one that has left until it shows."""
    print(label)
    print("  info", name(doca_comm_channel_peer_addr_update_info(peer)), "receive", *receive(ep, peer))
    for _ in range(3):
        rc = doca_comm_channel_ep_sendto(ep, b"are you there?", 14, DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != DOCA_SUCCESS:
            break
    print("  send", name(rc), "info", name(doca_comm_channel_peer_addr_update_info(peer)))
    print("  receive", *receive(ep, peer))
    print("  receive", *receive(ep, peer))
    print("  disconnect", *(name(doca_comm_channel_ep_disconnect(ep, peer)) for _ in range(2)))


def peers(ep):
    rc = doca_comm_channel_ep_update_service_state_info(ep)
    rc, listed, count = doca_comm_channel_ep_get_peer_addr_list(ep)
    return name(rc), count


def main():
    board = SimpleNamespace(dpu=open_device("03:00.0"), host=open_device("b1:00.0"))
    board.rep = board.dpu.open_representor("b1:00.0")

    service = serve(board, "quiet")
    client = up(board, service)
    doca_comm_channel_ep_sendto(client.ep, b"last words", 10, 0, client.peer)
    doca_comm_channel_ep_disconnect(client.ep, client.peer)
    print("peers", *peers(service.ep))
    print("drained", *receive(service.ep, client.known))
    watch("a client has left", service.ep, client.known)
    doca_comm_channel_ep_destroy(client.ep)

    client = up(board, service)
    doca_comm_channel_ep_sendto(service.ep, b"good night", 10, 0, client.known)
    doca_comm_channel_ep_disconnect(service.ep, client.known)
    print("drained", *receive(client.ep, client.peer))
    watch("the service has left it", client.ep, client.peer)
    rc, again = doca_comm_channel_ep_connect(client.ep, "quiet")
    print("again", name(rc), again is client.peer)
    doca_comm_channel_ep_destroy(service.ep)
    print("refused", name(doca_comm_channel_peer_addr_update_info(again)))
    doca_comm_channel_ep_destroy(client.ep)

    codes = [doca_dev_rep_close(board.rep), doca_dev_close(board.dpu), doca_dev_close(board.host)]
    return sum(codes)


if __name__ == "__main__":
    sys.exit(main())
