"""Both ends in one process; sizes of buffers that only a run shows, and a device that a table of openers gives."""

import sys

import doca_comm_channel as cc

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 256
code, infos, number = cc.doca_devinfo_create_list()
for info in infos:
    code, name = cc.doca_devinfo_get_iface_name(info, SIZE)
    print(code, bool(name))
cc.doca_devinfo_destroy_list(infos)
dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
service, client = cc.Endpoint(), cc.Endpoint()
service.set_device(dpu)
service.set_device_rep(dpu.open_representor("b1:00.0"))
service.listen("svc")
client.set_device(host)
peer = client.connect("svc")
while cc.doca_comm_channel_peer_addr_update_info(peer) != cc.DOCA_SUCCESS:
    cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
client.sendto(b"word", peer)
print(service.recvfrom(99)[0])
client.destroy()
service.destroy()
