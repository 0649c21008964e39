"""A protocol of C structs over the channel of DOCA 1.4; they are declared where the channel is."""
from cffi import FFI

ffi = FFI()
ffi.cdef("""
struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t;
struct doca_comm_channel_init_attr { uint32_t cookie; uint32_t flags; uint32_t maxmsgs; uint32_t msgsize; };
int doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr, struct doca_comm_channel_ep_t **ep);
int doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *ep, const char *name);
int doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name, struct doca_comm_channel_addr_t **peer);
int doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *msg, size_t n, int flags, struct doca_comm_channel_addr_t *peer);
int doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *msg, size_t *n, int flags, struct doca_comm_channel_addr_t **peer);
int doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);

struct request { uint32_t id; uint16_t op; char name[10]; };
struct reply { uint32_t id; int32_t value; };
""")
dc = ffi.dlopen("libdoca_comm_channel.so.2")


def must(rc):
    if rc != 0:
        raise SystemExit("failed: %d" % rc)


def endpoint():
    attr = ffi.new("struct doca_comm_channel_init_attr *", {"maxmsgs": 16, "msgsize": 256})
    ep = ffi.new("struct doca_comm_channel_ep_t **")
    must(dc.doca_comm_channel_ep_create(attr, ep))
    return ep[0]
