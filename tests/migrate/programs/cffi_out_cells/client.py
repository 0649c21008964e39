import time

import native
from native import channel, ffi, ok

dev = native.open_device("b1:00.0")
ep = native.Endpoint(dev)
peer = ep.connect(b"cffiping")
while (rc := channel.doca_comm_channel_peer_addr_update_info(peer)) == native.IN_PROGRESS:
    time.sleep(1e-4)
ok(rc)
pongs = 0
for n in range(10):
    ping = bytes(range(256))[: 2**n] * (2 if n == 9 else 1)
    ping = ping[:512]
    ep.send(ping, peer)
    answer, sender = ep.receive()
    pongs += answer == ping[::-1]
print(pongs, "pongs")
ok(channel.doca_comm_channel_peer_addr_update_info(peer))
print(native.out("uint64_t", channel.doca_comm_channel_peer_addr_get_send_bytes, peer) // 8, "words")
ep.send(b"end", peer)
ep.receive()
ep.send(b"x", peer)
ok(channel.doca_comm_channel_ep_disconnect(ep.handle, peer))
try:
    ep.connect(b"nobody")
except native.Failure as failure:
    print("missing:", failure)
ep.close()
ok(native.common.doca_dev_close(dev))
