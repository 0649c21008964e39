#!/usr/bin/env python3
"""How much does one doca_pe_progress do?  Both ends in one process, each with an engine of its own."""
from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef int doca_error_t;
struct doca_devinfo; struct doca_dev; struct doca_devinfo_rep; struct doca_dev_rep;
struct doca_pe; struct doca_ctx; struct doca_task;
struct doca_cc_server; struct doca_cc_client; struct doca_cc_connection; struct doca_cc_task_send;
struct doca_cc_event_msg_recv; struct doca_cc_event_connection_status_changed;
typedef void (*sent_t)(struct doca_cc_task_send *task, uint64_t task_data, uint64_t ctx_data);
typedef void (*msg_t)(struct doca_cc_event_msg_recv *event, uint8_t *buf, uint32_t len, struct doca_cc_connection *from);
typedef void (*conn_t)(struct doca_cc_event_connection_status_changed *event, struct doca_cc_connection *c, uint8_t ok);

const char *doca_error_get_name(doca_error_t error);
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***list, uint32_t *n);
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **list);
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *info, const char *pci, uint8_t *equal);
doca_error_t doca_dev_open(struct doca_devinfo *info, struct doca_dev **dev);
doca_error_t doca_dev_close(struct doca_dev *dev);
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list, uint32_t *n);
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **list);
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *info, struct doca_dev_rep **rep);
doca_error_t doca_dev_rep_close(struct doca_dev_rep *rep);
doca_error_t doca_pe_create(struct doca_pe **pe);
doca_error_t doca_pe_destroy(struct doca_pe *pe);
uint8_t doca_pe_progress(struct doca_pe *pe);
doca_error_t doca_pe_connect_ctx(struct doca_pe *pe, struct doca_ctx *ctx);
doca_error_t doca_ctx_start(struct doca_ctx *ctx);
doca_error_t doca_ctx_stop(struct doca_ctx *ctx);
doca_error_t doca_ctx_get_state(const struct doca_ctx *ctx, int *state);
doca_error_t doca_task_submit(struct doca_task *task);
void doca_task_free(struct doca_task *task);

doca_error_t doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *rep, const char *name, struct doca_cc_server **s);
doca_error_t doca_cc_server_destroy(struct doca_cc_server *s);
struct doca_ctx *doca_cc_server_as_ctx(struct doca_cc_server *s);
doca_error_t doca_cc_server_task_send_set_conf(struct doca_cc_server *s, sent_t ok, sent_t bad, uint32_t n);
doca_error_t doca_cc_server_event_msg_recv_register(struct doca_cc_server *s, msg_t cb);
doca_error_t doca_cc_server_event_connection_register(struct doca_cc_server *s, conn_t up, conn_t down);
doca_error_t doca_cc_client_create(struct doca_dev *dev, const char *name, struct doca_cc_client **c);
doca_error_t doca_cc_client_destroy(struct doca_cc_client *c);
struct doca_ctx *doca_cc_client_as_ctx(struct doca_cc_client *c);
doca_error_t doca_cc_client_task_send_set_conf(struct doca_cc_client *c, sent_t ok, sent_t bad, uint32_t n);
doca_error_t doca_cc_client_event_msg_recv_register(struct doca_cc_client *c, msg_t cb);
doca_error_t doca_cc_client_get_connection(const struct doca_cc_client *c, struct doca_cc_connection **conn);
doca_error_t doca_cc_client_task_send_alloc_init(struct doca_cc_client *c, struct doca_cc_connection *conn, const void *msg,
                                                 uint32_t len, struct doca_cc_task_send **task);
struct doca_task *doca_cc_task_send_as_task(struct doca_cc_task_send *task);
""")
core, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")
IN_PROGRESS, IDLE, RUNNING = "DOCA_ERROR_IN_PROGRESS", 0, 2
BATCH = 5


def must(rc):
    if rc != 0:
        name = ffi.string(core.doca_error_get_name(rc)).decode()
        if name != IN_PROGRESS:
            raise SystemExit(name)


def device(pci):
    infos, n = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    equal, dev = ffi.new("uint8_t *"), ffi.new("struct doca_dev **")
    must(core.doca_devinfo_create_list(infos, n))
    for i in range(n[0]):
        must(core.doca_devinfo_is_equal_pci_addr(infos[0][i], pci, equal))
        if equal[0]:
            must(core.doca_dev_open(infos[0][i], dev))
            break
    must(core.doca_devinfo_destroy_list(infos[0]))
    return dev[0]


def representor(dev):
    infos, n, rep = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *"), ffi.new("struct doca_dev_rep **")
    must(core.doca_devinfo_rep_create_list(dev, 2, infos, n))
    must(core.doca_dev_rep_open(infos[0][0], rep))
    must(core.doca_devinfo_rep_destroy_list(infos[0]))
    return rep[0]


def engine():
    pe = ffi.new("struct doca_pe **")
    must(core.doca_pe_create(pe))
    return pe[0]


calls = []  # of callbacks


@ffi.callback("sent_t")
def sent(task, task_data, ctx_data):
    calls.append("sent")
    core.doca_task_free(cc.doca_cc_task_send_as_task(task))


@ffi.callback("msg_t")
def received(event, buf, size, connection):
    calls.append(ffi.buffer(buf, size)[:].decode())


@ffi.callback("conn_t")
def came(event, connection, ok):
    calls.append("up")


@ffi.callback("conn_t")
def left(event, connection, ok):
    calls.append("down")


def state(ctx):
    now = ffi.new("int *")
    must(core.doca_ctx_get_state(ctx, now))
    return now[0]


def drain(what, pe):
    """What each call of progress that moved something has run."""
    for turn in range(1, 1000):
        before = len(calls)
        if not core.doca_pe_progress(pe):
            return
        if len(calls) > before:
            print(what, calls[before:])


dpu, host = device(b"03:00.0"), device(b"b1:00.0")
rep = representor(dpu)
pes = engine(), engine()
server, client = ffi.new("struct doca_cc_server **"), ffi.new("struct doca_cc_client **")
must(cc.doca_cc_server_create(dpu, rep, b"metered", server))
must(cc.doca_cc_client_create(host, b"metered", client))
ctxs = cc.doca_cc_server_as_ctx(server[0]), cc.doca_cc_client_as_ctx(client[0])
must(core.doca_pe_connect_ctx(pes[0], ctxs[0]))
must(core.doca_pe_connect_ctx(pes[1], ctxs[1]))
must(cc.doca_cc_server_task_send_set_conf(server[0], sent, sent, 16))
must(cc.doca_cc_client_task_send_set_conf(client[0], sent, sent, 16))
must(cc.doca_cc_server_event_msg_recv_register(server[0], received))
must(cc.doca_cc_client_event_msg_recv_register(client[0], received))
must(cc.doca_cc_server_event_connection_register(server[0], came, left))
for ctx in ctxs:
    must(core.doca_ctx_start(ctx))
while state(ctxs[1]) != RUNNING or "up" not in calls:
    for pe in pes:
        core.doca_pe_progress(pe)
connection, task = ffi.new("struct doca_cc_connection **"), ffi.new("struct doca_cc_task_send **")
must(cc.doca_cc_client_get_connection(client[0], connection))
for number in range(BATCH):
    text = b"message %d" % number
    must(cc.doca_cc_client_task_send_alloc_init(client[0], connection[0], text, len(text), task))
    must(core.doca_task_submit(cc.doca_cc_task_send_as_task(task[0])))
drain("client", pes[1])
drain("server", pes[0])
for ctx in reversed(ctxs):
    must(core.doca_ctx_stop(ctx))
while any(state(ctx) != IDLE for ctx in ctxs):
    for pe in pes:
        core.doca_pe_progress(pe)
must(cc.doca_cc_client_destroy(client[0]))
must(cc.doca_cc_server_destroy(server[0]))
for pe in pes:
    must(core.doca_pe_destroy(pe))
must(core.doca_dev_rep_close(rep))
must(core.doca_dev_close(dpu))
must(core.doca_dev_close(host))
print(len(calls), "callbacks,", calls[-1])
