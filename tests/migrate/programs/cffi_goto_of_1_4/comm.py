# comm.h, and what comm_utils.c had
from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef enum doca_error {
    DOCA_SUCCESS = 0, DOCA_ERROR_UNKNOWN = 1, DOCA_ERROR_NOT_PERMITTED = 2, DOCA_ERROR_AGAIN = 5,
    DOCA_ERROR_INVALID_VALUE = 6, DOCA_ERROR_CONNECTION_ABORTED = 12, DOCA_ERROR_NOT_CONNECTED = 14
} doca_error_t;
struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t;
struct doca_comm_channel_init_attr { uint32_t cookie; uint32_t flags; uint32_t maxmsgs; uint32_t msgsize; };

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_init_attr *attr, struct doca_comm_channel_ep_t **ep);
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *local_ep, const char *name);
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *local_ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr);
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *local_ep, const void *msg, size_t len,
                                         int flags, struct doca_comm_channel_addr_t *peer_addr);
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *local_ep, void *msg, size_t *len,
                                           int flags, struct doca_comm_channel_addr_t **peer_addr);
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *local_ep,
                                             struct doca_comm_channel_addr_t *peer_addr);
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
""")
dc = ffi.dlopen("libdoca_comm_channel.so.2")

MAX_MSG_SIZE = 512
MAX_MSGS = 16
SERVER_NAME = b"goto_server"


def create_endpoint(ep):
    attr = ffi.new("struct doca_comm_channel_init_attr *")
    attr.cookie = 0
    attr.flags = 0
    attr.msgsize = MAX_MSG_SIZE
    attr.maxmsgs = MAX_MSGS
    result = dc.doca_comm_channel_ep_create(attr, ep)
    if result != dc.DOCA_SUCCESS:
        print("Failed to create endpoint: %d" % result)
    return result
