"""The 2.5 control path sample, carried over from C line by line: structs of state, result codes, labels."""
import cffi

DOCA_SUCCESS = 0
DOCA_ERROR_IN_PROGRESS = 26
DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING, DOCA_CTX_STATE_STOPPING = range(4)
CC_MAX_MSG_SIZE = 1024 * 4 - 16
CC_LOG_SEND_TASK_NUM = 4
SERVER_NAME = b"cc_ctrl_path_sample_server"

ffi = cffi.FFI()
ffi.cdef("""
typedef int doca_error_t;
struct doca_devinfo; struct doca_devinfo_rep; struct doca_dev; struct doca_dev_rep; struct doca_pe; struct doca_ctx;
struct doca_task; struct doca_cc_server; struct doca_cc_client; struct doca_cc_connection; struct doca_cc_send_task;
struct doca_cc_event_msg_recv; struct doca_cc_event_connection_status_changed;
typedef void (*comp_handler)(struct doca_cc_send_task *task, uint64_t task_user_data, uint64_t ctx_user_data);
typedef void (*msg_recv)(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer, size_t msg_len,
	struct doca_cc_connection *cc_connection);
typedef void (*status_changed)(struct doca_cc_event_connection_status_changed *event,
	struct doca_cc_connection *cc_connection, bool change_succesful);
typedef void (*state_changed)(const uint64_t user_data, struct doca_ctx *ctx, int prev_state, int next_state);
""")
ffi.cdef("""
const char *doca_error_get_descr(doca_error_t error);
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *, const char *, uint8_t *);
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***, uint32_t *);
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *, const char *, uint8_t *);
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
doca_error_t doca_ctx_set_user_data(struct doca_ctx *ctx, uint64_t user_data);
doca_error_t doca_ctx_set_state_changed_cb(struct doca_ctx *ctx, state_changed cb);
doca_error_t doca_task_submit(struct doca_task *task);
doca_error_t doca_task_get_status(const struct doca_task *task);
void doca_task_free(struct doca_task *task);
struct doca_task *doca_cc_send_task_as_task(struct doca_cc_send_task *task);
doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
	struct doca_cc_server **cc_server);
doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server);
struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server);
doca_error_t doca_cc_server_set_max_msg_size(struct doca_cc_server *cc_server, size_t size);
doca_error_t doca_cc_server_set_recv_queue_size(struct doca_cc_server *cc_server, size_t size);
doca_error_t doca_cc_server_send_task_set_conf(struct doca_cc_server *cc_server, comp_handler, comp_handler,
	uint8_t log_num_tasks);
doca_error_t doca_cc_server_send_task_alloc_init(struct doca_cc_server *cc_server, struct doca_cc_connection *peer,
	const void *msg, size_t len, struct doca_cc_send_task **task);
doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server, msg_recv recv_event_cb);
doca_error_t doca_cc_server_event_connection_register(struct doca_cc_server *, status_changed, status_changed);
struct doca_cc_server *doca_cc_server_get_server_ctx(const struct doca_cc_connection *connection);
doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name, struct doca_cc_client **cc_client);
doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client);
struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client);
doca_error_t doca_cc_client_set_max_msg_size(struct doca_cc_client *cc_client, size_t size);
doca_error_t doca_cc_client_send_task_set_conf(struct doca_cc_client *, comp_handler, comp_handler, uint8_t);
doca_error_t doca_cc_client_send_task_alloc_init(struct doca_cc_client *, struct doca_cc_connection *, const void *,
	size_t, struct doca_cc_send_task **);
doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client, msg_recv recv_event_cb);
doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *, struct doca_cc_connection **);
""")
doca = ffi.dlopen("libdoca_common.so.2")
doca_cc = ffi.dlopen("libdoca_cc.so.2")


def doca_error_get_descr(result):
    return ffi.string(doca.doca_error_get_descr(result)).decode()


def open_doca_device_with_pci(pci_addr):
    dev_list, nb_devs = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    is_addr_equal, retval = ffi.new("uint8_t *"), ffi.new("struct doca_dev **")
    res = doca.doca_devinfo_create_list(dev_list, nb_devs)
    if res != DOCA_SUCCESS:
        return res, ffi.NULL
    i = 0
    while i < nb_devs[0]:
        res = doca.doca_devinfo_is_equal_pci_addr(dev_list[0][i], pci_addr, is_addr_equal)
        if res == DOCA_SUCCESS and is_addr_equal[0]:
            res = doca.doca_dev_open(dev_list[0][i], retval)
            if res == DOCA_SUCCESS:
                doca.doca_devinfo_destroy_list(dev_list[0])
                return res, retval[0]
        i += 1
    doca.doca_devinfo_destroy_list(dev_list[0])
    return 16, ffi.NULL


def open_doca_device_rep_with_pci(dev, filter, pci_addr):
    rep_list, nb_rdevs = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    is_addr_equal, retval = ffi.new("uint8_t *"), ffi.new("struct doca_dev_rep **")
    result = doca.doca_devinfo_rep_create_list(dev, filter, rep_list, nb_rdevs)
    if result != DOCA_SUCCESS:
        return result, ffi.NULL
    for i in range(nb_rdevs[0]):
        result = doca.doca_devinfo_rep_is_equal_pci_addr(rep_list[0][i], pci_addr, is_addr_equal)
        if result == DOCA_SUCCESS and is_addr_equal[0]:
            if doca.doca_dev_rep_open(rep_list[0][i], retval) == DOCA_SUCCESS:
                doca.doca_devinfo_rep_destroy_list(rep_list[0])
                return DOCA_SUCCESS, retval[0]
    doca.doca_devinfo_rep_destroy_list(rep_list[0])
    return 16, ffi.NULL
