"""Both ends in one process, by functions whose names are put together."""

import doca_comm_channel as cc

PREFIX = "doca_comm_channel_"


def call(verb, *args):
    return getattr(cc, PREFIX + verb.lower())(*args)


dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
code, service = call("ep_create")
code, client = call("ep_create")
call("ep_set_device", service, dpu)
call("ep_set_device_rep", service, dpu.open_representor("b1:00.0"))
print(call("ep_listen", service, "svc"), call("ep_set_device", client, host))
code, peer = call("ep_connect", client, "svc")
while call("peer_addr_update_info", peer) != cc.DOCA_SUCCESS:
    call("ep_recvfrom", service, 99, 0)
for word in (b"one", b"three"):
    print(call("ep_sendto", client, word, len(word), cc.DOCA_CC_MSG_FLAG_NONE, peer))
for _ in range(2):
    code, data, length, sender = call("ep_recvfrom", service, 99, 0)
    print(code, data, length)
print(call("ep_recvfrom", service, 99, 0)[0])
print(call("ep_disconnect", client, peer), call("ep_destroy", client), call("ep_destroy", service))
