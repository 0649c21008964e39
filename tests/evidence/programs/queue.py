"""Both ends in one process; endpoints and peers go through a box that nobody can look into."""

import importlib

import doca_comm_channel as cc

box = importlib.import_module("letter" + "box").Box()


def talk():
    end, peer, words = box.take()
    for word in words:
        end.sendto(word, peer)


def listen():
    end = box.take()
    end.set_recv_queue_size(16)
    end.listen("svc")


dpu = cc.open_device("03:00.0")
service = cc.Endpoint()
service.set_device(dpu)
service.set_device_rep(dpu.open_representor("b1:00.0"))
box.put(service)
listen()
client = cc.Endpoint()
client.set_device(cc.open_device("b1:00.0"))
peer = client.connect("svc")
while cc.doca_comm_channel_peer_addr_update_info(peer) != cc.DOCA_SUCCESS:
    cc.doca_comm_channel_ep_recvfrom(service, 99, 0)
box.put((client, peer, [b"one", b"three"]))
talk()
for _ in range(2):
    print(service.recvfrom(99)[0])
client.disconnect(peer)
client.destroy()
service.destroy()
