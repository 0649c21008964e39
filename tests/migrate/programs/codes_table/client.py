"""The same with match, assert and truth."""
import time

import doca_comm_channel as cc


def describe(rc):
    match rc:
        case cc.DOCA_SUCCESS:
            return "fine"
        case cc.DOCA_ERROR_AGAIN | cc.DOCA_ERROR_CONNECTION_INPROGRESS:
            return "later"
        case cc.DOCA_ERROR_INVALID_VALUE | cc.DOCA_ERROR_BAD_STATE:
            return "wrong"
        case _:
            return "broken"


def until_settled(call, *args, pending=(cc.DOCA_ERROR_AGAIN, cc.DOCA_ERROR_CONNECTION_INPROGRESS)):
    while True:
        result = call(*args)
        rc = result[0] if isinstance(result, tuple) else result
        if rc not in pending:
            return result
        time.sleep(0.001)


rc, infos, n = cc.doca_devinfo_create_list()
assert rc == cc.DOCA_SUCCESS and n == len(infos)
device = next(
    cc.doca_dev_open(info)[1] for info in infos if cc.doca_devinfo_is_equal_pci_addr(info, "b1:00.0") == (cc.DOCA_SUCCESS, 1)
)
assert not cc.doca_devinfo_destroy_list(infos)
rc, ep = cc.doca_comm_channel_ep_create()
print("connect without a device:", describe(cc.doca_comm_channel_ep_connect(ep, "codes")[0]))
assert cc.doca_comm_channel_ep_set_device(ep, device) == cc.DOCA_SUCCESS
print("sizes:", *(describe(cc.doca_comm_channel_ep_set_max_msg_size(ep, size)) for size in (0, 65536, 256)))
print("listen on a host:", describe(cc.doca_comm_channel_ep_listen(ep, "codes")))
rc, peer = cc.doca_comm_channel_ep_connect(ep, "codes")
print("connect:", describe(rc))
print("update:", describe(until_settled(cc.doca_comm_channel_peer_addr_update_info, peer)))
total = 0
for text in (b"first", b"x" * 257, b"last"):
    rc = until_settled(cc.doca_comm_channel_ep_sendto, ep, text, len(text), cc.DOCA_CC_MSG_FLAG_NONE, peer)
    print("send:", describe(rc), bool(rc), rc if rc else "none")
    if not rc:
        rc, answer, length, _ = until_settled(cc.doca_comm_channel_ep_recvfrom, ep, 256, cc.DOCA_CC_MSG_FLAG_NONE)
        print("receive:", describe(rc), answer, length)
        total += rc
assert total == 0
ok = cc.doca_comm_channel_ep_disconnect(ep, peer) == cc.doca_comm_channel_ep_destroy(ep) == cc.doca_dev_close(device) == 0
print("teardown:", ok)
