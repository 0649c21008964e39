#!/usr/bin/env python3
# rank 0 is the service (DPU side), ranks 1..N are clients; sum of squares over the comm channel
import select, struct, sys, threading
from cffi import FFI

N, CHUNK = 3, 5
ffi = FFI()
ffi.cdef("""
struct doca_comm_channel_init_attr { uint32_t cookie, flags, maxmsgs, msgsize; };
int doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *, struct doca_comm_channel_ep_t **);
int doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *, const char *);
int doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *, const char *, struct doca_comm_channel_addr_t **);
int doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *, const void *, size_t, int, struct doca_comm_channel_addr_t *);
int doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *, void *, size_t *, int, struct doca_comm_channel_addr_t **);
int doca_comm_channel_ep_event_channel_get(struct doca_comm_channel_ep_t *);
int doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *);
""")
L = ffi.dlopen("libdoca_comm_channel.so.2")
DONTWAIT, AGAIN = 1, 5


def must(rc):
    if rc: sys.exit(f"rc {rc}")


def endpoint():
    e = ffi.new("struct doca_comm_channel_ep_t **")
    a = ffi.new("struct doca_comm_channel_init_attr *", [0, 0, 8, 64])
    must(L.doca_comm_channel_ep_create(a, e))
    return e[0]


def worker(rank):
    e, p = endpoint(), ffi.new("struct doca_comm_channel_addr_t **")
    must(L.doca_comm_channel_ep_connect(e, b"reduce", p))
    part = sum(x * x for x in range(rank * CHUNK, (rank + 1) * CHUNK))
    m = struct.pack("<iq", rank, part)
    must(L.doca_comm_channel_ep_sendto(e, m, len(m), 0, p[0]))
    buf, n = ffi.new("unsigned char[64]"), ffi.new("size_t *", 64)
    must(L.doca_comm_channel_ep_recvfrom(e, buf, n, 0, p))
    total[rank] = struct.unpack("<q", ffi.buffer(buf, n[0]))[0]
    must(L.doca_comm_channel_ep_destroy(e))


total = {}
root = endpoint()
print("fd before:", L.doca_comm_channel_ep_event_channel_get(root))
must(L.doca_comm_channel_ep_listen(root, b"reduce"))
fd = L.doca_comm_channel_ep_event_channel_get(root)
ranks = [threading.Thread(target=worker, args=(r,)) for r in range(N)]
for t in ranks: t.start()
seen, buf, n = {}, ffi.new("unsigned char[64]"), ffi.new("size_t *")
who = ffi.new("struct doca_comm_channel_addr_t **")
peers = []
while len(seen) < N:
    select.select([fd], [], [], 60)
    n[0] = 64
    rc = L.doca_comm_channel_ep_recvfrom(root, buf, n, DONTWAIT, who)
    if rc == AGAIN: continue
    must(rc)
    rank, part = struct.unpack("<iq", ffi.buffer(buf, n[0]))
    seen[rank] = part
    peers.append(who[0])
print("parts:", sorted(seen.items()))
answer = struct.pack("<q", sum(seen.values()))
for p in peers:
    must(L.doca_comm_channel_ep_sendto(root, answer, 8, 0, p))
for t in ranks: t.join()
print("totals:", sorted(total.items()))
must(L.doca_comm_channel_ep_destroy(root))
