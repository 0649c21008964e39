"""The client of DOCA 1.4 on cffi."""

from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef int doca_error_t;
struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t;
struct doca_comm_channel_init_attr { uint32_t cookie; uint32_t flags; uint32_t maxmsgs; uint32_t msgsize; };
struct doca_comm_channel_peer_addr_info {
    uint16_t vport; uint32_t msgsize; uint32_t maxmsgs; uint32_t curmsgs;
    uint64_t rx_msgs; uint64_t tx_msgs; uint64_t rx_bytes; uint64_t tx_bytes;
};
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr, struct doca_comm_channel_ep_t **ep);
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer);
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *msg, size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer);
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer);
doca_error_t doca_comm_channel_peer_addr_info_get(struct doca_comm_channel_addr_t *peer,
                                                  struct doca_comm_channel_peer_addr_info *info);
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer);
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
const char *doca_error_get_name(doca_error_t error);
""")
common = ffi.dlopen("libdoca_common.so.2")
lib = ffi.dlopen("libdoca_comm_channel.so.2")


def name(rc):
    return ffi.string(common.doca_error_get_name(rc)).decode()


def check(rc, what):
    if rc:
        raise SystemExit(f"{what}: {name(rc)}")


ep = ffi.new("struct doca_comm_channel_ep_t **")
peer = ffi.new("struct doca_comm_channel_addr_t **")
sender = ffi.new("struct doca_comm_channel_addr_t **")
buf, n = ffi.new("char[64]"), ffi.new("size_t *")
attr = ffi.new("struct doca_comm_channel_init_attr *", {"maxmsgs": 8, "msgsize": 64})
check(lib.doca_comm_channel_ep_create(attr, ep), "create")
check(lib.doca_comm_channel_ep_connect(ep[0], b"blocking", peer), "connect")
for number in range(1, 41):
    msg = b"message %d" % number
    check(lib.doca_comm_channel_ep_sendto(ep[0], msg, len(msg), 0, peer[0]), "sendto")
for _ in range(4):
    n[0] = 64
    check(lib.doca_comm_channel_ep_recvfrom(ep[0], buf, n, 0, sender), "recvfrom")
    print("received", n[0], ffi.buffer(buf, n[0])[:].decode(), sender[0] == peer[0])
n[0] = 64
print("nothing waits:", name(lib.doca_comm_channel_ep_recvfrom(ep[0], buf, n, 1, sender)))
print("too long:", name(lib.doca_comm_channel_ep_sendto(ep[0], bytes(65), 65, 0, peer[0])))
print("to nobody:", name(lib.doca_comm_channel_ep_sendto(ep[0], b"x", 1, 0, ffi.NULL)))
check(lib.doca_comm_channel_ep_sendto(ep[0], b"bye", 3, 0, peer[0]), "sendto")
info = ffi.new("struct doca_comm_channel_peer_addr_info *")
check(lib.doca_comm_channel_peer_addr_info_get(peer[0], info), "info")
print("sent", info.tx_msgs, "of", info.tx_bytes, "bytes; received", info.rx_msgs, "of", info.rx_bytes)
check(lib.doca_comm_channel_ep_disconnect(ep[0], peer[0]), "disconnect")
print("left:", name(lib.doca_comm_channel_ep_sendto(ep[0], b"x", 1, 0, peer[0])))
check(lib.doca_comm_channel_ep_destroy(ep[0]), "destroy")
print("twice:", name(lib.doca_comm_channel_ep_destroy(ep[0])))
