"""Rank 1 on the DPU: owns the right half of the rod, gives its left edge to rank 0 after every step."""
import struct
import time

from doca_cffi import AGAIN, SUCCESS, cc, core, endpoint, ffi, find, find_rep, must

EDGE = struct.Struct("<Id")
rod = [0.0] * 7 + [8.0]
dev = find(b"03:00.0")
rep = find_rep(dev, b"b1:00.0")
ep = endpoint(dev)
must(cc.doca_comm_channel_ep_set_device_rep(ep, rep), "set_device_rep")
must(cc.doca_comm_channel_ep_listen(ep, b"halo"), "listen")
print("listening", flush=True)

buf = ffi.new("char[]", 1024)
size = ffi.new("size_t *")
peer = ffi.new("struct doca_comm_channel_addr_t **")
done = 0
while True:
    size[0] = 1024
    while (rc := cc.doca_comm_channel_ep_recvfrom(ep, buf, size, 0, peer)) == AGAIN:
        size[0] = 1024
        time.sleep(1e-5)
    must(rc, "recvfrom")
    if size[0] != EDGE.size:
        print("closing word:", ffi.buffer(buf, size[0])[:].decode())
        break
    step, ghost = EDGE.unpack(ffi.buffer(buf, size[0]))
    line = [ghost, *rod]
    rod = [(a + b) / 2 for a, b in zip(line, rod)]
    edge = EDGE.pack(step, rod[0])
    while True:
        rc = cc.doca_comm_channel_ep_sendto(ep, edge, EDGE.size, 0, peer[0])
        if rc != AGAIN:
            break
        time.sleep(1e-5)
    must(rc, "sendto")
    done += 1
print(done, "steps,", "right end %.3f" % rod[-1])
rc = cc.doca_comm_channel_ep_disconnect(ep, peer[0])
if rc == SUCCESS:
    print("disconnected")
must(cc.doca_comm_channel_ep_destroy(ep), "destroy")
must(core.doca_dev_rep_close(rep), "rep_close")
must(core.doca_dev_close(dev), "close")
