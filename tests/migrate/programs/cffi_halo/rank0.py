"""Rank 0 on the host: owns the left half of the rod, and the clock."""
import struct
import time

from doca_cffi import AGAIN, INPROGRESS, cc, core, endpoint, ffi, find, must

EDGE = struct.Struct("<Id")
STEPS = 5
rod = [16.0] + [0.0] * 7
dev = find(b"b1:00.0")
if dev == ffi.NULL:
    raise SystemExit("no device")
ep = endpoint(dev)
peer = ffi.new("struct doca_comm_channel_addr_t **")
must(cc.doca_comm_channel_ep_connect(ep, b"halo", peer), "connect")
while (rc := cc.doca_comm_channel_peer_addr_update_info(peer[0])) == INPROGRESS:
    time.sleep(1e-5)
must(rc, "update_info")


def send(data):
    while (rc := cc.doca_comm_channel_ep_sendto(ep, data, len(data), 0, peer[0])) == AGAIN:
        time.sleep(1e-5)
    must(rc, "sendto")


def recv(limit=1024):
    """One message; whoever sends it."""
    buf = ffi.new("char[]", limit)
    size = ffi.new("size_t *", limit)
    src = ffi.new("struct doca_comm_channel_addr_t **")
    while (rc := cc.doca_comm_channel_ep_recvfrom(ep, buf, size, 0, src)) == AGAIN:
        size[0] = limit
        time.sleep(1e-5)
    must(rc, "recvfrom")
    return bytes(ffi.buffer(buf, size[0]))


for step in range(STEPS):
    send(EDGE.pack(step, rod[-1]))
    number, ghost = EDGE.unpack(recv())
    assert number == step, (number, step)
    line = [*rod[1:], ghost]
    rod = [(a + b) / 2 for a, b in zip(line, rod)]
print("left half", " ".join("%.2f" % value for value in rod))
send(b"enough")
must(cc.doca_comm_channel_ep_disconnect(ep, peer[0]), "disconnect")
must(cc.doca_comm_channel_ep_destroy(ep), "destroy")
must(core.doca_dev_close(dev), "close")
