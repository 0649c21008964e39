"""Declarations. The unions of user data are numbers here: they are passed like one."""
from cffi import FFI

ffi = FFI()
ffi.cdef("""
    struct doca_dev; struct doca_dev_rep; struct doca_devinfo; struct doca_devinfo_rep; struct doca_pe;
    struct doca_ctx; struct doca_task; struct doca_cc_server; struct doca_cc_client; struct doca_cc_connection;
    struct doca_cc_task_send; struct doca_cc_event_msg_recv; struct doca_cc_event_connection_status_changed;
    typedef enum doca_error { DOCA_SUCCESS, DOCA_ERROR_AGAIN = 5, DOCA_ERROR_IN_PROGRESS = 26 } doca_error_t;
    enum doca_ctx_states { IDLE, STARTING, RUNNING, STOPPING };
    typedef void (*task_cb)(struct doca_cc_task_send *, uint64_t, uint64_t);
    typedef void (*recv_cb)(struct doca_cc_event_msg_recv *, uint8_t *, uint32_t, struct doca_cc_connection *);
    typedef void (*conn_cb)(struct doca_cc_event_connection_status_changed *, struct doca_cc_connection *, uint8_t);

    const char *doca_error_get_name(doca_error_t);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***, uint32_t *);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **);
    doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *, const char *, uint8_t *);
    doca_error_t doca_devinfo_rep_create_list(struct doca_dev *, int, struct doca_devinfo_rep ***, uint32_t *);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **);
    doca_error_t doca_dev_open(struct doca_devinfo *, struct doca_dev **);
    doca_error_t doca_dev_close(struct doca_dev *);
    doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *, struct doca_dev_rep **);
    doca_error_t doca_dev_rep_close(struct doca_dev_rep *);
    doca_error_t doca_pe_create(struct doca_pe **);
    doca_error_t doca_pe_destroy(struct doca_pe *);
    uint8_t doca_pe_progress(struct doca_pe *);
    doca_error_t doca_pe_connect_ctx(struct doca_pe *, struct doca_ctx *);
    doca_error_t doca_ctx_start(struct doca_ctx *);
    doca_error_t doca_ctx_stop(struct doca_ctx *);
    doca_error_t doca_ctx_get_state(const struct doca_ctx *, enum doca_ctx_states *);
    doca_error_t doca_ctx_set_user_data(struct doca_ctx *, uint64_t);
    doca_error_t doca_ctx_get_user_data(const struct doca_ctx *, uint64_t *);
    doca_error_t doca_task_submit(struct doca_task *);
    void doca_task_free(struct doca_task *);
    void doca_task_set_user_data(struct doca_task *, uint64_t);

    struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *);
    struct doca_cc_server *doca_cc_server_get_server_ctx(const struct doca_cc_connection *);
    struct doca_cc_client *doca_cc_client_get_client_ctx(const struct doca_cc_connection *);
    struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *);
    struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *);
    doca_error_t doca_cc_server_create(struct doca_dev *, struct doca_dev_rep *, const char *,
                                       struct doca_cc_server **);
    doca_error_t doca_cc_server_destroy(struct doca_cc_server *);
    doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *, task_cb, task_cb, uint32_t);
    doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *, struct doca_cc_connection *,
                                                     const void *, uint32_t, struct doca_cc_task_send **);
    doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *, recv_cb);
    doca_error_t doca_cc_server_event_connection_register(struct doca_cc_server *, conn_cb, conn_cb);
    doca_error_t doca_cc_client_create(struct doca_dev *, const char *, struct doca_cc_client **);
    doca_error_t doca_cc_client_destroy(struct doca_cc_client *);
    doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *, struct doca_cc_connection **);
    doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *, task_cb, task_cb, uint32_t);
    doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *, struct doca_cc_connection *,
                                                     const void *, uint32_t, struct doca_cc_task_send **);
    doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *, recv_cb);
    doca_error_t doca_cc_connection_set_user_data(struct doca_cc_connection *, uint64_t);
    uint64_t doca_cc_connection_get_user_data(const struct doca_cc_connection *);
""")


class Libs:
    """Whichever library has a name."""

    def __init__(self, *names):
        self._libs = [ffi.dlopen(name) for name in names]

    def __getattr__(self, name):
        for lib in self._libs:
            try:
                return getattr(lib, name)
            except AttributeError:
                pass
        raise AttributeError(name)


lib = Libs("libdoca_common.so.2", "libdoca_cc.so.2")


class DocaError(Exception):
    pass


def call(name, *args):
    rc = getattr(lib, name)(*args)
    if rc != lib.DOCA_SUCCESS:
        raise DocaError(name, ffi.string(lib.doca_error_get_name(rc)).decode())


def out(name, ctype, *args):
    cell = ffi.new(ctype + " *")
    call(name, *args, cell)
    return cell[0]
