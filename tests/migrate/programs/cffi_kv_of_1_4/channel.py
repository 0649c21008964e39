"""Comm Channel of DOCA 1.x behind a small class."""
import cffi

HEADER = r"""
typedef uint32_t doca_error_t;
typedef struct doca_comm_channel_ep_t ep_t;
typedef struct doca_comm_channel_addr_t peer_t;
typedef struct doca_comm_channel_init_attr {
    uint32_t cookie;    /* ours, for the logs */
    uint32_t flags;
    uint32_t maxmsgs;
    uint32_t msgsize;
} attr_t;
typedef struct doca_comm_channel_peer_addr_info {
    uint16_t vport;
    uint32_t msgsize, maxmsgs, curmsgs;
    uint64_t rx_msgs, tx_msgs, rx_bytes, tx_bytes;
} info_t;
#define DOCA_CC_MSG_FLAG_DONTWAIT 1
#define DOCA_ERROR_AGAIN 5

doca_error_t doca_comm_channel_ep_create(attr_t *attr, ep_t **ep);
doca_error_t doca_comm_channel_ep_listen(ep_t *ep, const char *name);
doca_error_t doca_comm_channel_ep_connect(ep_t *ep, const char *name, peer_t **peer);
doca_error_t doca_comm_channel_ep_sendto(ep_t *ep, const void *msg, size_t len, int flags, peer_t *peer);
doca_error_t doca_comm_channel_ep_recvfrom(ep_t *ep, void *msg, size_t *len, int flags, peer_t **peer);
doca_error_t doca_comm_channel_peer_addr_info_get(peer_t *peer, info_t *info);
doca_error_t doca_comm_channel_peer_addr_user_data_set(peer_t *peer, uint64_t user_context);
doca_error_t doca_comm_channel_peer_addr_user_data_get(peer_t *peer, uint64_t *user_data);
doca_error_t doca_comm_channel_ep_disconnect(ep_t *ep, peer_t *peer);
doca_error_t doca_comm_channel_ep_destroy(ep_t *ep);
const char *doca_get_error_name(doca_error_t error);
"""

ffi = cffi.FFI()
ffi.cdef(HEADER)
lib = ffi.dlopen("libdoca_comm_channel.so.2")
core = ffi.dlopen("libdoca_common.so.2")


class ChannelError(Exception):
    def __init__(self, what, code):
        super().__init__(f"{what}: {ffi.string(core.doca_get_error_name(code)).decode()}")
        self.code = code


def check(code, what):
    if code != 0:
        raise ChannelError(what, code)


class Channel:
    MSG_SIZE = 512

    def __init__(self, cookie, depth=16):
        attr = ffi.new("attr_t *")
        attr.cookie = cookie
        attr.maxmsgs = depth
        attr.msgsize = self.MSG_SIZE
        self._ep = ffi.new("ep_t **")
        self._buf = ffi.new("char[]", self.MSG_SIZE)
        check(lib.doca_comm_channel_ep_create(attr, self._ep), "create")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        check(lib.doca_comm_channel_ep_destroy(self._ep[0]), "destroy")

    def listen(self, name):
        check(lib.doca_comm_channel_ep_listen(self._ep[0], name.encode()), "listen")

    def connect(self, name):
        peer = ffi.new("peer_t **")
        check(lib.doca_comm_channel_ep_connect(self._ep[0], name.encode(), peer), "connect")
        return peer[0]

    def send(self, peer, data):
        check(lib.doca_comm_channel_ep_sendto(self._ep[0], data, len(data), 0, peer), "send")

    def recv(self, block=True):
        """(data, peer), or None when nothing is there and nobody wants to wait."""
        size, peer = ffi.new("size_t *", self.MSG_SIZE), ffi.new("peer_t **")
        flags = 0 if block else lib.DOCA_CC_MSG_FLAG_DONTWAIT
        code = lib.doca_comm_channel_ep_recvfrom(self._ep[0], self._buf, size, flags, peer)
        if code == lib.DOCA_ERROR_AGAIN:
            return None
        check(code, "recv")
        return ffi.buffer(self._buf, size[0])[:], peer[0]

    def label(self, peer, number):
        check(lib.doca_comm_channel_peer_addr_user_data_set(peer, number), "label")

    def label_of(self, peer):
        out = ffi.new("uint64_t *")
        check(lib.doca_comm_channel_peer_addr_user_data_get(peer, out), "label_of")
        return out[0]

    def stats(self, peer):
        info = ffi.new("info_t *")
        check(lib.doca_comm_channel_peer_addr_info_get(peer, info), "info")
        return {"rx": (info.rx_msgs, info.rx_bytes), "tx": (info.tx_msgs, info.tx_bytes), "size": info.msgsize}

    def hang_up(self, peer):
        check(lib.doca_comm_channel_ep_disconnect(self._ep[0], peer), "hang up")
