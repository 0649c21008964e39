"""Straight cffi, as people port the C sample line by line."""
from cffi import FFI

ffi = FFI()
ffi.cdef(
    """
    typedef enum { DOCA_SUCCESS = 0, DOCA_ERROR_AGAIN = 5 } doca_error_t;
    struct doca_comm_channel_ep_t;
    doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
    doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *local_ep);
    const char *doca_get_error_string(doca_error_t error);
    """
)
lib = ffi.dlopen("libdoca_comm_channel.so.2")


def check(result):
    if result != lib.DOCA_SUCCESS:
        raise RuntimeError(ffi.string(lib.doca_get_error_string(result)).decode())


def main():
    ep = ffi.new("struct doca_comm_channel_ep_t **")
    check(lib.doca_comm_channel_ep_create(ep))
    op = "destroy"
    check(getattr(lib, "doca_comm_channel_ep_" + op)(ep[0]))
    print("doca_comm_channel_ep_destroy done")


if __name__ == "__main__":
    main()
