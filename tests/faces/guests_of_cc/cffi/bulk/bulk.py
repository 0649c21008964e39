"""Copy a file to the card over the fast path: `bulk.py -l TARGET` there, `bulk.py SOURCE` here (or -g N: made up)."""
import hashlib
import sys

from cffi import FFI

CHUNK, SLOTS, NAME = 4096, 4, b"bulk"
AGAIN, IN_PROGRESS = 5, 26

ffi = FFI()
ffi.cdef("""
    typedef int rc; typedef uint64_t data_t;
    typedef void (*done_cb)(void *, data_t, data_t); typedef void (*recv_cb)(void *, uint8_t *, uint32_t, void *);
    typedef void (*conn_cb)(void *, void *, uint8_t); typedef void (*consumer_cb)(void *, void *, uint32_t);
    rc doca_devinfo_create_list(void ***, uint32_t *); rc doca_devinfo_destroy_list(void **);
    rc doca_devinfo_is_equal_pci_addr(void *, const char *, uint8_t *); rc doca_dev_open(void *, void **);
    rc doca_devinfo_rep_create_list(void *, int, void ***, uint32_t *); rc doca_devinfo_rep_destroy_list(void **);
    rc doca_dev_rep_open(void *, void **); rc doca_dev_close(void *); rc doca_dev_rep_close(void *);
    rc doca_pe_create(void **); rc doca_pe_destroy(void *); uint8_t doca_pe_progress(void *);
    rc doca_pe_connect_ctx(void *, void *); rc doca_ctx_start(void *); rc doca_ctx_stop(void *);
    rc doca_ctx_get_state(void *, int *); rc doca_task_submit(void *); void doca_task_free(void *);
    void doca_task_set_user_data(void *, data_t); rc doca_task_get_status(void *);
    rc doca_mmap_create(void **); rc doca_mmap_add_dev(void *, void *); rc doca_mmap_set_permissions(void *, uint32_t);
    rc doca_mmap_set_memrange(void *, void *, size_t); rc doca_mmap_start(void *); rc doca_mmap_destroy(void *);
    rc doca_buf_inventory_create(size_t, void **); rc doca_buf_inventory_start(void *);
    rc doca_buf_inventory_destroy(void *); rc doca_buf_dec_refcount(void *, uint16_t *);
    rc doca_buf_inventory_buf_get_by_addr(void *, void *, void *, size_t, void **);
    rc doca_buf_inventory_buf_get_by_data(void *, void *, void *, size_t, void **);
    rc doca_buf_get_data(void *, void **); rc doca_buf_get_data_len(void *, size_t *);
    rc doca_buf_reset_data_len(void *);

    void *doca_cc_server_as_ctx(void *); void *doca_cc_client_as_ctx(void *);
    void *doca_cc_producer_as_ctx(void *); void *doca_cc_consumer_as_ctx(void *);
    rc doca_cc_server_create(void *, void *, const char *, void **); rc doca_cc_server_destroy(void *);
    rc doca_cc_client_create(void *, const char *, void **); rc doca_cc_client_destroy(void *);
    rc doca_cc_client_get_connection(void *, void **);
    rc doca_cc_server_task_send_set_conf(void *, done_cb, done_cb, uint32_t);
    rc doca_cc_client_task_send_set_conf(void *, done_cb, done_cb, uint32_t);
    rc doca_cc_client_task_send_alloc_init(void *, void *, const void *, uint32_t, void **);
    void *doca_cc_task_send_as_task(void *);
    rc doca_cc_server_event_msg_recv_register(void *, recv_cb);
    rc doca_cc_client_event_msg_recv_register(void *, recv_cb);
    rc doca_cc_server_event_connection_register(void *, conn_cb, conn_cb);
    rc doca_cc_server_event_consumer_register(void *, consumer_cb, consumer_cb);
    rc doca_cc_client_event_consumer_register(void *, consumer_cb, consumer_cb);
    rc doca_cc_producer_create(void *, void **); rc doca_cc_producer_destroy(void *);
    rc doca_cc_producer_task_send_set_conf(void *, done_cb, done_cb, uint32_t);
    rc doca_cc_producer_task_send_alloc_init(void *, void *, uint32_t, void **);
    void *doca_cc_producer_task_send_get_buf(void *); void *doca_cc_producer_task_send_as_task(void *);
    rc doca_cc_consumer_create(void *, void *, void **); rc doca_cc_consumer_destroy(void *);
    rc doca_cc_consumer_task_post_recv_set_conf(void *, done_cb, done_cb, uint32_t);
    rc doca_cc_consumer_task_post_recv_alloc_init(void *, void *, void **);
    void *doca_cc_consumer_task_post_recv_get_buf(void *); void *doca_cc_consumer_task_post_recv_as_task(void *);
""")
com, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")


def ok(rc):
    if rc:
        raise SystemExit(f"doca error {rc}")


def get(function, *args, ctype="void *"):
    cell = ffi.new(ctype + " *")
    ok(function(*args, cell))
    return cell[0]


class App:
    def __init__(self, pci):
        infos, n = ffi.new("void ***"), ffi.new("uint32_t *")
        ok(com.doca_devinfo_create_list(infos, n))
        mine = [info for info in infos[0][0:n[0]]
                if get(com.doca_devinfo_is_equal_pci_addr, info, pci, ctype="uint8_t")]
        self.dev = get(com.doca_dev_open, mine[0])
        ok(com.doca_devinfo_destroy_list(infos[0]))
        self.pe = get(com.doca_pe_create)
        self.memory = ffi.new("uint8_t[]", CHUNK * SLOTS)
        self.mmap = get(com.doca_mmap_create)
        ok(com.doca_mmap_add_dev(self.mmap, self.dev))
        ok(com.doca_mmap_set_permissions(self.mmap, 0x20 if listening else 1))
        ok(com.doca_mmap_set_memrange(self.mmap, self.memory, CHUNK * SLOTS))
        ok(com.doca_mmap_start(self.mmap))
        self.inventory = get(com.doca_buf_inventory_create, SLOTS)
        ok(com.doca_buf_inventory_start(self.inventory))
        self.peer, self.consumer_id, self.gone, self.control = None, None, False, []
        self.kept = [ffi.callback("done_cb", lambda task, *_: com.doca_task_free(cc.doca_cc_task_send_as_task(task))),
                     ffi.callback("recv_cb", self.on_control), ffi.callback("consumer_cb", self.on_consumer),
                     ffi.callback("consumer_cb", lambda *_: None), ffi.callback("conn_cb", self.on_up),
                     ffi.callback("conn_cb", self.on_down)]

    def on_control(self, event, data, size, peer):
        self.control.append(ffi.buffer(data, size)[:])

    def on_consumer(self, event, peer, number):
        self.consumer_id = number

    def on_up(self, event, peer, okay):
        self.peer = peer

    def on_down(self, event, peer, okay):
        self.gone = True

    def start(self, ctx):
        ok(com.doca_pe_connect_ctx(self.pe, ctx))
        rc = com.doca_ctx_start(ctx)
        ok(rc if rc != IN_PROGRESS else 0)

    def until(self, condition):
        while not condition():
            com.doca_pe_progress(self.pe)

    def in_state(self, ctx, state):
        return lambda: get(com.doca_ctx_get_state, ctx, ctype="int") == state

    def stop(self, ctx):
        com.doca_ctx_stop(ctx)
        self.until(self.in_state(ctx, 0))

    def close(self):
        ok(com.doca_buf_inventory_destroy(self.inventory))
        ok(com.doca_mmap_destroy(self.mmap))
        ok(com.doca_pe_destroy(self.pe))
        ok(com.doca_dev_close(self.dev))


def receive(app, target):
    sent, control, up_consumer, down_consumer, up, down = app.kept
    infos, n = ffi.new("void ***"), ffi.new("uint32_t *")
    ok(com.doca_devinfo_rep_create_list(app.dev, 0, infos, n))
    rep = get(com.doca_dev_rep_open, infos[0][0])
    ok(com.doca_devinfo_rep_destroy_list(infos[0]))
    server = get(cc.doca_cc_server_create, app.dev, rep, NAME)
    ctx = cc.doca_cc_server_as_ctx(server)
    ok(cc.doca_cc_server_task_send_set_conf(server, sent, sent, 4))
    ok(cc.doca_cc_server_event_msg_recv_register(server, control))
    ok(cc.doca_cc_server_event_connection_register(server, up, down))
    ok(cc.doca_cc_server_event_consumer_register(server, up_consumer, down_consumer))
    app.start(ctx)
    print("listening", flush=True)
    app.until(lambda: app.peer)
    consumer = get(cc.doca_cc_consumer_create, app.peer, app.mmap)
    parts = []

    @ffi.callback("done_cb")
    def got(task, data, _):
        buf = cc.doca_cc_consumer_task_post_recv_get_buf(task)
        where, size = get(com.doca_buf_get_data, buf), get(com.doca_buf_get_data_len, buf, ctype="size_t")
        parts.append(ffi.buffer(where, size)[:])
        ok(com.doca_buf_reset_data_len(buf))
        ok(com.doca_task_submit(cc.doca_cc_consumer_task_post_recv_as_task(task)))  # once more

    @ffi.callback("done_cb")
    def flushed(task, data, _):
        buf = cc.doca_cc_consumer_task_post_recv_get_buf(task)
        com.doca_task_free(cc.doca_cc_consumer_task_post_recv_as_task(task))
        ok(com.doca_buf_dec_refcount(buf, ffi.NULL))

    ok(cc.doca_cc_consumer_task_post_recv_set_conf(consumer, got, flushed, SLOTS))
    app.start(cc.doca_cc_consumer_as_ctx(consumer))
    app.until(app.in_state(cc.doca_cc_consumer_as_ctx(consumer), 2))
    for i in range(SLOTS):
        buf = get(com.doca_buf_inventory_buf_get_by_addr, app.inventory, app.mmap, app.memory + i * CHUNK, CHUNK)
        task = get(cc.doca_cc_consumer_task_post_recv_alloc_init, consumer, buf)
        ok(com.doca_task_submit(cc.doca_cc_consumer_task_post_recv_as_task(task)))
    app.until(lambda: app.control)
    size, digest = app.control[0].split()
    app.until(lambda: sum(map(len, parts)) == int(size))
    data = b"".join(parts)
    with open(target, "wb") as file:
        file.write(data)
    print(len(parts), "parts,", len(data), "bytes, digest", hashlib.sha256(data).hexdigest() == digest.decode())
    app.stop(cc.doca_cc_consumer_as_ctx(consumer))
    ok(cc.doca_cc_consumer_destroy(consumer))
    app.until(lambda: app.gone)
    app.stop(ctx)
    ok(cc.doca_cc_server_destroy(server))
    ok(com.doca_dev_rep_close(rep))


def send(app, data):
    sent, control, up_consumer, down_consumer, *_ = app.kept
    client = get(cc.doca_cc_client_create, app.dev, NAME)
    ctx = cc.doca_cc_client_as_ctx(client)
    ok(cc.doca_cc_client_task_send_set_conf(client, sent, sent, 4))
    ok(cc.doca_cc_client_event_msg_recv_register(client, control))
    ok(cc.doca_cc_client_event_consumer_register(client, up_consumer, down_consumer))
    app.start(ctx)
    app.until(app.in_state(ctx, 2))
    peer = get(cc.doca_cc_client_get_connection, client)
    line = b"%d %s" % (len(data), hashlib.sha256(data).hexdigest().encode())
    task = get(cc.doca_cc_client_task_send_alloc_init, client, peer, line, len(line))
    ok(com.doca_task_submit(cc.doca_cc_task_send_as_task(task)))
    producer = get(cc.doca_cc_producer_create, peer)
    free = list(range(SLOTS))
    statuses = set()

    @ffi.callback("done_cb")
    def gone(task, slot, _):
        statuses.add(com.doca_task_get_status(cc.doca_cc_producer_task_send_as_task(task)))
        buf = cc.doca_cc_producer_task_send_get_buf(task)
        com.doca_task_free(cc.doca_cc_producer_task_send_as_task(task))
        ok(com.doca_buf_dec_refcount(buf, ffi.NULL))
        free.append(slot)

    ok(cc.doca_cc_producer_task_send_set_conf(producer, gone, gone, SLOTS))
    app.start(cc.doca_cc_producer_as_ctx(producer))
    app.until(lambda: app.consumer_id is not None)
    for offset in range(0, len(data), CHUNK):
        app.until(lambda: free)
        slot, part = free.pop(0), data[offset:offset + CHUNK]
        ffi.memmove(app.memory + slot * CHUNK, part, len(part))
        buf = get(com.doca_buf_inventory_buf_get_by_data, app.inventory, app.mmap, app.memory + slot * CHUNK, len(part))
        task = get(cc.doca_cc_producer_task_send_alloc_init, producer, buf, app.consumer_id)
        generic = cc.doca_cc_producer_task_send_as_task(task)
        com.doca_task_set_user_data(generic, slot)
        while (rc := com.doca_task_submit(generic)) == AGAIN:
            com.doca_pe_progress(app.pe)
        ok(rc)
    app.until(lambda: len(free) == SLOTS)
    print("sent", len(data), "bytes, statuses", statuses)
    app.stop(cc.doca_cc_producer_as_ctx(producer))
    ok(cc.doca_cc_producer_destroy(producer))
    app.stop(ctx)
    ok(cc.doca_cc_client_destroy(client))


listening = sys.argv[1] == "-l"
app = App(b"03:00.0" if listening else b"b1:00.0")
if listening:
    receive(app, sys.argv[2])
else:
    send(app, bytes(i * i % 251 for i in range(int(sys.argv[2]))))
app.close()
