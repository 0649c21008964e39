"""The second channel API (DOCA 2.6) through cffi: the libraries, and what both ends of a control path do with them."""
import time

from cffi import FFI

MAX_MSG_SIZE = 4080
NUM_SEND_TASKS = 16
FILTER_NET = 2
TIMEOUT_S = 30.0

ffi = FFI()
ffi.cdef("""
    typedef enum {
        DOCA_SUCCESS = 0,
        DOCA_ERROR_TIME_OUT = 9,
        DOCA_ERROR_CONNECTION_RESET = 11,
        DOCA_ERROR_NOT_FOUND = 16,
        DOCA_ERROR_IN_PROGRESS = 26,
    } doca_error_t;
    enum doca_ctx_states {
        DOCA_CTX_STATE_IDLE = 0,
        DOCA_CTX_STATE_STARTING = 1,
        DOCA_CTX_STATE_RUNNING = 2,
        DOCA_CTX_STATE_STOPPING = 3,
    };
    struct doca_dev;
    struct doca_dev_rep;
    struct doca_devinfo;
    struct doca_devinfo_rep;
    struct doca_pe;
    struct doca_ctx;
    struct doca_task;
    struct doca_cc_server;
    struct doca_cc_client;
    struct doca_cc_connection;
    struct doca_cc_task_send;
    struct doca_cc_event_msg_recv;
    struct doca_cc_event_connection_status_changed;

    typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task, uint64_t task_user_data,
                                                      uint64_t ctx_user_data);
    typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer,
                                                uint32_t msg_len, struct doca_cc_connection *cc_connection);
    typedef void (*doca_cc_event_connection_status_changed_cb_t)(
        struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *cc_connection,
        uint8_t change_successful);
    typedef void (*doca_ctx_state_changed_callback_t)(const uint64_t user_data, struct doca_ctx *ctx,
                                                      enum doca_ctx_states prev_state,
                                                      enum doca_ctx_states next_state);

    const char *doca_error_get_name(doca_error_t error);
    const char *doca_error_get_descr(doca_error_t error);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);
    doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo, const char *pci_addr_str,
                                                uint8_t *is_equal);
    doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list,
                                              uint32_t *nb);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **list);
    doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo,
                                                    const char *pci_addr_str, uint8_t *is_equal);
    doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);
    doca_error_t doca_dev_close(struct doca_dev *dev);
    doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);
    doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);
    doca_error_t doca_pe_create(struct doca_pe **pe);
    doca_error_t doca_pe_destroy(struct doca_pe *pe);
    uint8_t doca_pe_progress(struct doca_pe *pe);
    doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);
    doca_error_t doca_ctx_start(struct doca_ctx *ctx);
    doca_error_t doca_ctx_stop(struct doca_ctx *ctx);
    doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);
    doca_error_t doca_ctx_get_num_inflight_tasks(const struct doca_ctx *ctx, size_t *num_inflight_tasks);
    doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, uint64_t user_data);
    doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx, doca_ctx_state_changed_callback_t cb);
    doca_error_t doca_task_submit(struct doca_task *task);
    void doca_task_free(struct doca_task *task);
    doca_error_t doca_task_get_status(const struct doca_task *task);
""")
ffi.cdef("""
    struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);
    doca_error_t doca_cc_connection_update_info(struct doca_cc_connection *cc_connection);
    struct doca_cc_server *doca_cc_server_get_server_ctx(const struct doca_cc_connection *connection);

    doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
                                       struct doca_cc_server **cc_server);
    doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server);
    doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, uint32_t size);
    struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server);
    doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *cc_server,
                                                   doca_cc_task_send_completion_cb_t task_completion_cb,
                                                   doca_cc_task_send_completion_cb_t task_error_cb,
                                                   uint32_t num_send_tasks);
    doca_error_t doca_cc_server_task_send_alloc_init(struct doca_cc_server *cc_server,
                                                     struct doca_cc_connection *peer, const void *msg,
                                                     uint32_t len, struct doca_cc_task_send **task);
    doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
                                                        doca_cc_event_msg_recv_cb_t recv_event_cb);
    doca_error_t doca_cc_server_event_connection_register(
        struct doca_cc_server *cc_server, doca_cc_event_connection_status_changed_cb_t connect_event_cb,
        doca_cc_event_connection_status_changed_cb_t disconnect_event_cb);

    doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name, struct doca_cc_client **cc_client);
    doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client);
    doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, uint32_t size);
    struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client);
    doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
                                               struct doca_cc_connection **connection);
    doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *cc_client,
                                                   doca_cc_task_send_completion_cb_t task_completion_cb,
                                                   doca_cc_task_send_completion_cb_t task_error_cb,
                                                   uint32_t num_send_tasks);
    doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client,
                                                     struct doca_cc_connection *peer, const void *msg,
                                                     uint32_t len, struct doca_cc_task_send **task);
    doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
                                                        doca_cc_event_msg_recv_cb_t recv_event_cb);
""")
common = ffi.dlopen("libdoca_common.so.2")
cc = ffi.dlopen("libdoca_cc.so.2")


class SampleError(Exception):
    def __init__(self, rc, what):
        super().__init__("%s: %s" % (what, ffi.string(common.doca_error_get_descr(rc)).decode()))
        self.rc = rc


def name_of(rc):
    return ffi.string(common.doca_error_get_name(rc)).decode()


def check(rc, what):
    if rc != common.DOCA_SUCCESS:
        raise SampleError(rc, what)


def show(what, text):
    print("peer 1 %s %d bytes %r" % (what, len(text), text.decode(errors="replace")), flush=True)


def open_dev(pci_addr):
    dev_list, nb_devs = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    check(common.doca_devinfo_create_list(dev_list, nb_devs), "devinfo_create_list")
    dev, is_equal = ffi.new("struct doca_dev **"), ffi.new("uint8_t *")
    try:
        for i in range(nb_devs[0]):
            rc = common.doca_devinfo_is_equal_pci_addr(dev_list[0][i], pci_addr.encode(), is_equal)
            if rc == common.DOCA_SUCCESS and is_equal[0]:
                check(common.doca_dev_open(dev_list[0][i], dev), "dev_open")
                return dev[0]
    finally:
        common.doca_devinfo_destroy_list(dev_list[0])
    raise SampleError(common.DOCA_ERROR_NOT_FOUND, "no device " + pci_addr)


def open_rep(dev, pci_addr):
    rep_list, nb_reps = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    check(common.doca_devinfo_rep_create_list(dev, FILTER_NET, rep_list, nb_reps), "devinfo_rep_create_list")
    rep, is_equal = ffi.new("struct doca_dev_rep **"), ffi.new("uint8_t *")
    try:
        for i in range(nb_reps[0]):
            rc = common.doca_devinfo_rep_is_equal_pci_addr(rep_list[0][i], pci_addr.encode(), is_equal)
            if rc == common.DOCA_SUCCESS and is_equal[0]:
                check(common.doca_dev_rep_open(rep_list[0][i], rep), "dev_rep_open")
                return rep[0]
    finally:
        common.doca_devinfo_rep_destroy_list(rep_list[0])
    raise SampleError(common.DOCA_ERROR_NOT_FOUND, "no representor " + pci_addr)


def new_pe():
    pe = ffi.new("struct doca_pe **")
    check(common.doca_pe_create(pe), "pe_create")
    return pe[0]


def progress(pe):
    if not common.doca_pe_progress(pe):
        time.sleep(1e-5)


def state_of(ctx):
    state = ffi.new("enum doca_ctx_states *")
    check(common.doca_ctx_get_state(ctx, state), "ctx_get_state")
    return state[0]


def stop(pe, ctx):
    if state_of(ctx) != common.DOCA_CTX_STATE_IDLE:
        common.doca_ctx_stop(ctx)
    while state_of(ctx) != common.DOCA_CTX_STATE_IDLE:
        progress(pe)
