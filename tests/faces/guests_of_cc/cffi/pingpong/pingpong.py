#!/usr/bin/env python3
# ping-pong over DOCA CC, for the latency chapter; -l on the card, nothing on the host
import sys, zlib
from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef int rc_t;
typedef void (*sent_cb)(void *task, uint64_t tdata, uint64_t cdata);
typedef void (*recv_cb)(void *ev, uint8_t *buf, uint32_t len, void *conn);
typedef void (*conn_cb)(void *ev, void *conn, uint8_t ok);
rc_t doca_devinfo_create_list(void ***list, uint32_t *n);
rc_t doca_devinfo_destroy_list(void **list);
rc_t doca_devinfo_is_equal_pci_addr(void *info, const char *pci, uint8_t *eq);
rc_t doca_devinfo_rep_create_list(void *dev, int filter, void ***list, uint32_t *n);
rc_t doca_devinfo_rep_destroy_list(void **list);
rc_t doca_devinfo_rep_is_equal_pci_addr(void *info, const char *pci, uint8_t *eq);
rc_t doca_dev_open(void *info, void **dev);
rc_t doca_dev_rep_open(void *info, void **rep);
rc_t doca_dev_close(void *dev);
rc_t doca_dev_rep_close(void *rep);
const char *doca_error_get_descr(rc_t rc);
rc_t doca_pe_create(void **pe);
rc_t doca_pe_destroy(void *pe);
uint8_t doca_pe_progress(void *pe);
rc_t doca_pe_connect_ctx(void *pe, void *ctx);
rc_t doca_ctx_start(void *ctx);
rc_t doca_ctx_stop(void *ctx);
rc_t doca_ctx_get_state(void *ctx, int *state);
rc_t doca_task_submit(void *task);
void doca_task_free(void *task);
""")
ffi.cdef("""
void *doca_cc_task_send_as_task(void *task);
void *doca_cc_server_as_ctx(void *s);
void *doca_cc_client_as_ctx(void *c);
rc_t doca_cc_server_create(void *dev, void *rep, const char *name, void **s);
rc_t doca_cc_server_destroy(void *s);
rc_t doca_cc_server_task_send_set_conf(void *s, sent_cb ok, sent_cb bad, uint32_t n);
rc_t doca_cc_server_task_send_alloc_init(void *s, void *conn, const void *msg, uint32_t len, void **task);
rc_t doca_cc_server_event_msg_recv_register(void *s, recv_cb cb);
rc_t doca_cc_server_event_connection_register(void *s, conn_cb up, conn_cb down);
rc_t doca_cc_client_create(void *dev, const char *name, void **c);
rc_t doca_cc_client_destroy(void *c);
rc_t doca_cc_client_get_connection(void *c, void **conn);
rc_t doca_cc_client_task_send_set_conf(void *c, sent_cb ok, sent_cb bad, uint32_t n);
rc_t doca_cc_client_task_send_alloc_init(void *c, void *conn, const void *msg, uint32_t len, void **task);
rc_t doca_cc_client_event_msg_recv_register(void *c, recv_cb cb);
""")
core, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")
N, SIZE, NAME = 10, 64, b"pingpong"
listening = "-l" in sys.argv
pings = 0
last = b""
gone = False


def must(rc, what):
    if rc:
        sys.exit(f"{what}: {ffi.string(core.doca_error_get_descr(rc)).decode()}")


def find(listing, equal, free, opening, pci, *head):
    infos, n, eq, made = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *"), ffi.new("void **")
    must(listing(*head, infos, n), "list")
    for i in range(n[0]):
        must(equal(infos[0][i], pci, eq), "equal")
        if eq[0]:
            must(opening(infos[0][i], made), "open")
            break
    else:
        sys.exit("no such device")
    must(free(infos[0]), "free list")
    return made[0]


def send(end, conn, data):
    task = ffi.new("void **")
    alloc = cc.doca_cc_server_task_send_alloc_init if listening else cc.doca_cc_client_task_send_alloc_init
    must(alloc(end, conn, data, len(data), task), "alloc")
    must(core.doca_task_submit(cc.doca_cc_task_send_as_task(task[0])), "submit")


@ffi.callback("sent_cb")
def done(task, tdata, cdata):
    core.doca_task_free(cc.doca_cc_task_send_as_task(task))


@ffi.callback("recv_cb")
def received(ev, buf, length, conn):
    global pings, last
    pings, last = pings + 1, ffi.buffer(buf, length)[:]
    if listening:
        send(end, conn, last[::-1])


@ffi.callback("conn_cb")
def up(ev, conn, ok):
    pass


@ffi.callback("conn_cb")
def down(ev, conn, ok):
    global gone
    gone = True


def state():
    where = ffi.new("int *")
    must(core.doca_ctx_get_state(ctx, where), "state")
    return where[0]


slot = ffi.new("void **")
dev = find(core.doca_devinfo_create_list, core.doca_devinfo_is_equal_pci_addr, core.doca_devinfo_destroy_list,
           core.doca_dev_open, b"03:00.0" if listening else b"b1:00.0")
must(core.doca_pe_create(slot), "pe")
pe = slot[0]
if listening:
    rep = find(core.doca_devinfo_rep_create_list, core.doca_devinfo_rep_is_equal_pci_addr,
               core.doca_devinfo_rep_destroy_list, core.doca_dev_rep_open, b"b1:00.0", dev, 0)
    must(cc.doca_cc_server_create(dev, rep, NAME, slot), "server")
    end = slot[0]
    ctx = cc.doca_cc_server_as_ctx(end)
    must(cc.doca_cc_server_task_send_set_conf(end, done, done, 8), "conf")
    must(cc.doca_cc_server_event_msg_recv_register(end, received), "recv")
    must(cc.doca_cc_server_event_connection_register(end, up, down), "conn")
else:
    must(cc.doca_cc_client_create(dev, NAME, slot), "client")
    end = slot[0]
    ctx = cc.doca_cc_client_as_ctx(end)
    must(cc.doca_cc_client_task_send_set_conf(end, done, done, 8), "conf")
    must(cc.doca_cc_client_event_msg_recv_register(end, received), "recv")
must(core.doca_pe_connect_ctx(pe, ctx), "connect pe")
rc = core.doca_ctx_start(ctx)
if listening:
    must(rc, "start")
    print("listening", flush=True)
    while not gone:
        core.doca_pe_progress(pe)
    print("served", pings, "pings,", pings * SIZE, "bytes")
else:
    if rc != 26:  # in progress
        must(rc, "start")
    while state() != 2:
        core.doca_pe_progress(pe)
    must(cc.doca_cc_client_get_connection(end, slot), "connection")
    peer, good = slot[0], True
    for i in range(N):
        ping = bytes((i * 7 + k) % 256 for k in range(SIZE))
        send(end, peer, ping)
        while pings == i:
            core.doca_pe_progress(pe)
        good = good and zlib.crc32(last) == zlib.crc32(ping[::-1])
    print(N, "round trips of", SIZE, "bytes, checksum", "ok" if good else "WRONG")
core.doca_ctx_stop(ctx)
while state():
    core.doca_pe_progress(pe)
must((cc.doca_cc_server_destroy if listening else cc.doca_cc_client_destroy)(end), "destroy")
must(core.doca_pe_destroy(pe), "pe destroy")
if listening:
    must(core.doca_dev_rep_close(rep), "rep close")
must(core.doca_dev_close(dev), "close")
