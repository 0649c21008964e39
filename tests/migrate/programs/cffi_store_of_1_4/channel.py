"""A thin layer over the channel of DOCA 1.4, with the time from libc."""
import cffi

_CDEF = r"""
struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t;
struct timespec { long tv_sec; long tv_nsec; };
int clock_gettime(int clock, struct timespec *now);
struct doca_comm_channel_init_attr {
    uint32_t cookie;
    uint32_t flags;
    uint32_t maxmsgs;
    uint32_t msgsize;
};
typedef int doca_error_t;
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *, struct doca_comm_channel_ep_t **);
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *, const char *);
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *, const char *, struct doca_comm_channel_addr_t **);
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *, const void *, size_t, int, struct doca_comm_channel_addr_t *);
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *, void *, size_t *, int, struct doca_comm_channel_addr_t **);
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *, struct doca_comm_channel_addr_t *);
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *);
doca_error_t doca_comm_channel_peer_addr_user_data_get(struct doca_comm_channel_addr_t *, uint64_t *);
doca_error_t doca_comm_channel_peer_addr_user_data_set(struct doca_comm_channel_addr_t *, uint64_t);
"""
AGAIN = 5
DONTWAIT = 1
ffi = cffi.FFI()
ffi.cdef(_CDEF)
_dc = ffi.dlopen("libdoca_comm_channel.so.2")
_libc = ffi.dlopen(None)


class DocaError(RuntimeError):
    def __init__(self, call, code):
        super().__init__("%s returned %d" % (call, code))
        self.code = code


def check(call, code):
    if code:
        raise DocaError(call, code)


def now():
    ts = ffi.new("struct timespec *")
    assert _libc.clock_gettime(1, ts) == 0
    return ts.tv_sec + ts.tv_nsec / 1e9


class Endpoint:
    def __init__(self, size=1024, depth=8):
        self.size = size
        attr = ffi.new("struct doca_comm_channel_init_attr *")
        attr.msgsize, attr.maxmsgs = size, depth
        self._ep = ffi.new("struct doca_comm_channel_ep_t **")
        check("create", _dc.doca_comm_channel_ep_create(attr, self._ep))
        self._peer = ffi.new("struct doca_comm_channel_addr_t **")
        self._buf = ffi.new("uint8_t[]", size)
        self._len = ffi.new("size_t *")

    def listen(self, name):
        check("listen", _dc.doca_comm_channel_ep_listen(self._ep[0], name.encode()))

    def connect(self, name):
        peer = ffi.new("struct doca_comm_channel_addr_t **")
        check("connect", _dc.doca_comm_channel_ep_connect(self._ep[0], name.encode(), peer))
        return peer[0]

    def send(self, data, peer):
        check("sendto", _dc.doca_comm_channel_ep_sendto(self._ep[0], data, len(data), 0, peer))

    def recv(self, wait=True):
        self._len[0] = self.size
        flags = 0 if wait else DONTWAIT
        code = _dc.doca_comm_channel_ep_recvfrom(self._ep[0], self._buf, self._len, flags, self._peer)
        if code == AGAIN:
            return None, None
        check("recvfrom", code)
        return bytes(ffi.buffer(self._buf, self._len[0])), self._peer[0]

    def count(self, peer):
        """Count one more request of a peer, in its user data."""
        seen = ffi.new("uint64_t *")
        check("user_data_get", _dc.doca_comm_channel_peer_addr_user_data_get(peer, seen))
        check("user_data_set", _dc.doca_comm_channel_peer_addr_user_data_set(peer, seen[0] + 1))
        return seen[0] + 1

    def disconnect(self, peer):
        check("disconnect", _dc.doca_comm_channel_ep_disconnect(self._ep[0], peer))

    def close(self):
        if self._ep[0] != ffi.NULL:
            check("destroy", _dc.doca_comm_channel_ep_destroy(self._ep[0]))
            self._ep[0] = ffi.NULL
