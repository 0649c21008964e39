"""A service of DOCA 1.4 in the C names: counts messages until a farewell and answers every tenth."""

from doca_comm_channel import *


def check(rc, what):
    if rc != DOCA_SUCCESS:
        raise SystemExit(f"{what}: {doca_error_get_name(rc)}")


attr = doca_comm_channel_init_attr(cookie=1)
attr.msgsize = 1024
attr.maxmsgs = 8
rc, ep = doca_comm_channel_ep_create(attr)
check(rc, "create")
check(doca_comm_channel_ep_listen(ep, "blocking"), "listen")
print("listening")
count = 0
while True:
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, SERVICE_NAME_MAX, 0)
    check(rc, "recvfrom")
    if msg == b"bye":
        break
    count += 1
    check(doca_comm_channel_peer_addr_user_data_set(peer, count), "user data")
    if count % 10 == 0:
        check(doca_comm_channel_ep_sendto(ep, b"answer to " + msg, 10 + length, DOCA_CC_MSG_FLAG_MORE, peer), "sendto")
rc, last = doca_comm_channel_peer_addr_user_data_get(peer)
rc, info = doca_comm_channel_peer_addr_info_get(peer)
check(rc, "info")
print("received", last, "messages;", info.rx_msgs, info.rx_bytes, info.tx_msgs, info.tx_bytes, info.msgsize)
check(doca_comm_channel_ep_destroy(ep), "destroy")
print("end")
