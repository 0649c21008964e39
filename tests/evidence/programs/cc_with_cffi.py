"""Both ends of generation 2 in one process, through cffi; functions by names whose prefix only a run shows."""

import sys

from cffi import FFI

PREFIX = sys.argv[1]
FILTER_ALL, IDLE, RUNNING = 0, 0, 2
ffi = FFI()
ffi.cdef("""
    typedef int doca_error_t;
    enum doca_ctx_states { DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_STARTING, DOCA_CTX_STATE_RUNNING };
    struct doca_dev; struct doca_dev_rep; struct doca_devinfo; struct doca_devinfo_rep; struct doca_pe; struct doca_ctx;
    struct doca_task; struct doca_cc_server; struct doca_cc_client; struct doca_cc_connection;
    struct doca_cc_task_send; struct doca_cc_event_msg_recv; struct doca_cc_event_connection_status_changed;
    typedef void (*doca_cc_task_send_completion_cb_t)(struct doca_cc_task_send *task, uint64_t task_user_data,
                                                      uint64_t ctx_user_data);
    typedef void (*doca_cc_event_msg_recv_cb_t)(struct doca_cc_event_msg_recv *event, uint8_t *recv_buffer,
                                                uint32_t msg_len, struct doca_cc_connection *cc_connection);
    typedef void (*doca_cc_event_connection_status_changed_cb_t)(
        struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *cc_connection,
        uint8_t change_successful);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***list, uint32_t *number);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **list);
    doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *info, const char *text, uint8_t *is_equal);
    doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list,
                                              uint32_t *number);
    doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *info, const char *text,
                                                    uint8_t *is_equal);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **list);
    doca_error_t doca_dev_open(struct doca_devinfo *info, struct doca_dev **dev);
    doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *info, struct doca_dev_rep **rep);
    doca_error_t doca_pe_create(struct doca_pe **pe);
    uint8_t doca_pe_progress(struct doca_pe *pe);
    doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);
    doca_error_t doca_ctx_start(struct doca_ctx *ctx);
    doca_error_t doca_ctx_stop(struct doca_ctx *ctx);
    doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, enum doca_ctx_states *state);
    doca_error_t doca_task_submit(struct doca_task *task);
    void doca_task_free(struct doca_task *task);
    struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);
    doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *repr, const char *name,
                                       struct doca_cc_server **cc_server);
    struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *cc_server);
    doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *cc_server,
                                                   doca_cc_task_send_completion_cb_t task_completion_cb,
                                                   doca_cc_task_send_completion_cb_t task_error_cb, uint32_t number);
    doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *cc_server,
                                                        doca_cc_event_msg_recv_cb_t recv_event_cb);
    doca_error_t doca_cc_server_event_connection_register(
        struct doca_cc_server *cc_server, doca_cc_event_connection_status_changed_cb_t connect_event_cb,
        doca_cc_event_connection_status_changed_cb_t disconnect_event_cb);
    doca_error_t doca_cc_server_destroy(struct doca_cc_server *cc_server);
    doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name, struct doca_cc_client **cc_client);
    struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *cc_client);
    doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *cc_client,
                                                   doca_cc_task_send_completion_cb_t task_completion_cb,
                                                   doca_cc_task_send_completion_cb_t task_error_cb, uint32_t number);
    doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *cc_client,
                                                        doca_cc_event_msg_recv_cb_t recv_event_cb);
    doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *cc_client,
                                               struct doca_cc_connection **connection);
    doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *cc_client, struct doca_cc_connection *peer,
                                                     const void *msg, uint32_t len, struct doca_cc_task_send **task);
    doca_error_t doca_cc_client_destroy(struct doca_cc_client *cc_client);
""")
common = ffi.dlopen("libdoca_common.so.2")
lib = ffi.dlopen("libdoca_cc.so.2")


def open_device(address):
    infos, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    dev, is_equal = ffi.new("struct doca_dev **"), ffi.new("uint8_t *")
    common.doca_devinfo_create_list(infos, number)
    for at in range(number[0]):
        common.doca_devinfo_is_equal_pci_addr(infos[0][at], address, is_equal)
        if is_equal[0]:
            common.doca_dev_open(infos[0][at], dev)
    common.doca_devinfo_destroy_list(infos[0])
    return dev[0]


def open_representor(dev, address):
    infos, number = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    rep, is_equal = ffi.new("struct doca_dev_rep **"), ffi.new("uint8_t *")
    common.doca_devinfo_rep_create_list(dev, FILTER_ALL, infos, number)
    for at in range(number[0]):
        common.doca_devinfo_rep_is_equal_pci_addr(infos[0][at], address, is_equal)
        if is_equal[0]:
            common.doca_dev_rep_open(infos[0][at], rep)
    common.doca_devinfo_rep_destroy_list(infos[0])
    return rep[0]


up, heard, done = [], [], []


@ffi.callback("doca_cc_task_send_completion_cb_t")
def completed(task, task_user_data, ctx_user_data):
    common.doca_task_free(lib.doca_cc_task_send_as_task(task))
    done.append(1)


@ffi.callback("doca_cc_event_msg_recv_cb_t")
def received(event, buffer, length, connection):
    heard.append(ffi.buffer(buffer, length)[:])


@ffi.callback("doca_cc_event_connection_status_changed_cb_t")
def connected(event, connection, successful):
    up.append(1)


@ffi.callback("doca_cc_event_connection_status_changed_cb_t")
def disconnected(event, connection, successful):
    up.pop()


def wait(items, number):
    while len(items) != number:
        common.doca_pe_progress(pe[0])


def wait_for(wanted):
    state = ffi.new("enum doca_ctx_states *")
    while True:
        common.doca_pe_progress(pe[0])
        common.doca_ctx_get_state(lib.doca_cc_client_as_ctx(client[0]), state)
        if state[0] == wanted:
            break


dpu, host = open_device(b"03:00.0"), open_device(b"b1:00.0")
pe, task = ffi.new("struct doca_pe **"), ffi.new("struct doca_cc_task_send **")
server, client = ffi.new("struct doca_cc_server **"), ffi.new("struct doca_cc_client **")
peer = ffi.new("struct doca_cc_connection **")
common.doca_pe_create(pe)
print(getattr(lib, PREFIX + "server_create")(dpu, open_representor(dpu, b"b1:00.0"), b"svc", server))
print(getattr(lib, PREFIX + "server_task_send_set_conf")(server[0], completed, completed, 8))
print(getattr(lib, PREFIX + "server_event_msg_recv_register")(server[0], received))
print(getattr(lib, PREFIX + "server_event_connection_register")(server[0], connected, disconnected))
common.doca_pe_connect_ctx(pe[0], getattr(lib, PREFIX + "server_as_ctx")(server[0]))
print(common.doca_ctx_start(lib.doca_cc_server_as_ctx(server[0])))
print(getattr(lib, PREFIX + "client_create")(host, b"svc", client))
print(getattr(lib, PREFIX + "client_task_send_set_conf")(client[0], completed, completed, 8))
print(getattr(lib, PREFIX + "client_event_msg_recv_register")(client[0], received))
common.doca_pe_connect_ctx(pe[0], lib.doca_cc_client_as_ctx(client[0]))
common.doca_ctx_start(lib.doca_cc_client_as_ctx(client[0]))
wait(up, 1)
wait_for(RUNNING)
print(getattr(lib, PREFIX + "client_get_connection")(client[0], peer))
for number, word in enumerate((b"one", b"three"), 1):
    print(getattr(lib, PREFIX + "client_task_send_alloc_init")(client[0], peer[0], word, len(word), task))
    print(common.doca_task_submit(lib.doca_cc_task_send_as_task(task[0])))
    wait(heard, number)
    wait(done, number)
    print(heard[-1])
common.doca_ctx_stop(lib.doca_cc_client_as_ctx(client[0]))
wait(up, 0)
wait_for(IDLE)
common.doca_ctx_stop(lib.doca_cc_server_as_ctx(server[0]))
print(getattr(lib, PREFIX + "client_destroy")(client[0]), getattr(lib, PREFIX + "server_destroy")(server[0]))
