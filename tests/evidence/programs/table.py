"""Both ends in one process, by names in a table and methods that are looked up."""

import doca_comm_channel as cc

SAY, HEAR = "say", "hear"
NAMES = {SAY: "doca_comm_channel_ep_sendto", HEAR: "doca_comm_channel_ep_recvfrom"}
SETTINGS = {"device": cc.open_device("b1:00.0"), "max_msg_size": 512}

dpu = cc.open_device("03:00.0")
service, client = cc.Endpoint(), cc.Endpoint()
service.set_device(dpu)
service.set_device_rep(dpu.open_representor("b1:00.0"))
getattr(service, "lis" + "ten")("svc")
for name, value in SETTINGS.items():
    getattr(client, "set_" + name)(value)
peer = client.connect("svc")
while cc.doca_comm_channel_peer_addr_update_info(peer) != cc.DOCA_SUCCESS:
    cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
print(getattr(cc, NAMES[SAY])(client, b"one", 3, cc.DOCA_CC_MSG_FLAG_NONE, peer))
print(getattr(cc, NAMES[HEAR])(service, 99, 0)[:3])
for word in ("disconnect", "destroy"):
    getattr(client, word)(*([peer] if word == "disconnect" else []))
service.destroy()
