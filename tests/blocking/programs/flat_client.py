"""A client of DOCA 1.4 in the C names: sends more messages than a queue holds, waits for the answers, then says bye."""

from doca_comm_channel import *


def check(rc, what):
    if rc != DOCA_SUCCESS:
        raise SystemExit(f"{what}: {doca_error_get_name(rc)}")


rc, ep = doca_comm_channel_ep_create(doca_comm_channel_init_attr(maxmsgs=8, msgsize=64))
check(rc, "create")
rc, peer = doca_comm_channel_ep_connect(ep, "blocking")
check(rc, "connect")
for number in range(1, 41):
    msg = b"message %d" % number
    check(doca_comm_channel_ep_sendto(ep, msg, len(msg), 0, peer), "sendto")
for _ in range(4):
    rc, msg, length, sender = doca_comm_channel_ep_recvfrom(ep, 64, 0)
    check(rc, "recvfrom")
    print("received", length, msg.decode(), sender is peer)
rc, msg, length, sender = doca_comm_channel_ep_recvfrom(ep, 64, DOCA_CC_MSG_FLAG_DONTWAIT)
print("nothing waits:", doca_error_get_name(rc))
print("too long:", doca_error_get_name(doca_comm_channel_ep_sendto(ep, bytes(65), 65, 0, peer)))
print("to nobody:", doca_error_get_name(doca_comm_channel_ep_sendto(ep, b"x", 1, 0, None)))
check(doca_comm_channel_ep_sendto(ep, b"bye", 3, 0, peer), "sendto")
rc, info = doca_comm_channel_peer_addr_info_get(peer)
print("sent", info.tx_msgs, "of", info.tx_bytes, "bytes; received", info.rx_msgs, "of", info.rx_bytes)
check(doca_comm_channel_ep_disconnect(ep, peer), "disconnect")
print("left:", doca_error_get_name(doca_comm_channel_ep_sendto(ep, b"x", 1, 0, peer)))
check(doca_comm_channel_ep_destroy(ep), "destroy")
print("twice:", doca_error_get_name(doca_comm_channel_ep_destroy(ep)))
