"""DOCA 2.5's fast path, both ends in one process on two engines: ten buffers from the host to the card, one each way back."""
import hashlib
from ctypes import *

core, cc = CDLL("libdoca_common.so.2"), CDLL("libdoca_cc.so.2")
V, OUT = c_void_p, POINTER(c_void_p)
HANDLER = CFUNCTYPE(None, V, c_uint64, c_uint64)
RECV = CFUNCTYPE(None, V, V, c_size_t, V)
CONN = CFUNCTYPE(None, V, V, c_bool)
CONSUMER = CFUNCTYPE(None, V, V, c_int)
PROTOTYPES = {
    core: {
        "doca_devinfo_create_list": (POINTER(OUT), POINTER(c_uint32)), "doca_devinfo_destroy_list": (OUT,),
        "doca_devinfo_is_equal_pci_addr": (V, c_char_p, POINTER(c_uint8)), "doca_dev_open": (V, OUT),
        "doca_devinfo_rep_create_list": (V, c_int, POINTER(OUT), POINTER(c_uint32)), "doca_dev_close": (V,),
        "doca_devinfo_rep_destroy_list": (OUT,), "doca_dev_rep_open": (V, OUT), "doca_dev_rep_close": (V,),
        "doca_pe_create": (OUT,), "doca_pe_destroy": (V,), "doca_pe_progress": (V,), "doca_pe_connect_ctx": (V, V),
        "doca_ctx_start": (V,), "doca_ctx_stop": (V,), "doca_ctx_get_state": (V, POINTER(c_int)),
        "doca_task_submit": (V,), "doca_task_free": (V,), "doca_task_set_user_data": (V, c_uint64),
        "doca_mmap_create": (OUT,), "doca_mmap_destroy": (V,), "doca_mmap_start": (V,), "doca_mmap_add_dev": (V, V),
        "doca_mmap_set_permissions": (V, c_uint32), "doca_mmap_set_memrange": (V, V, c_size_t),
        "doca_buf_inventory_create": (c_size_t, OUT), "doca_buf_inventory_start": (V,),
        "doca_buf_inventory_destroy": (V,), "doca_buf_dec_refcount": (V, POINTER(c_uint16)),
        "doca_buf_inventory_buf_get_by_addr": (V, V, V, c_size_t, OUT),
        "doca_buf_inventory_buf_get_by_data": (V, V, V, c_size_t, OUT),
        "doca_buf_get_data_len": (V, POINTER(c_size_t)), "doca_buf_get_data": (V, OUT),
    },
    cc: {
        "doca_cc_server_create": (V, V, c_char_p, OUT), "doca_cc_client_create": (V, c_char_p, OUT),
        "doca_cc_client_get_connection": (V, OUT), "doca_cc_producer_create": (V, OUT),
        "doca_cc_consumer_create": (V, V, OUT), "doca_cc_consumer_get_id": (V, POINTER(c_uint32)),
        "doca_cc_server_event_connection_register": (V, CONN, CONN),
        "doca_cc_producer_send_task_set_conf": (V, HANDLER, HANDLER, c_size_t),
        "doca_cc_producer_send_task_alloc_init": (V, V, c_int, OUT),
        "doca_cc_consumer_post_recv_task_set_conf": (V, HANDLER, HANDLER, c_size_t),
        "doca_cc_consumer_post_recv_task_alloc_init": (V, V, OUT),
    },
}
for side in ("server", "client"):
    PROTOTYPES[cc][f"doca_cc_{side}_send_task_set_conf"] = V, HANDLER, HANDLER, c_uint8
    PROTOTYPES[cc][f"doca_cc_{side}_event_msg_recv_register"] = V, RECV
    PROTOTYPES[cc][f"doca_cc_{side}_event_consumer_register"] = V, CONSUMER, CONSUMER
for side in ("server", "client", "producer", "consumer"):
    PROTOTYPES[cc][f"doca_cc_{side}_destroy"] = PROTOTYPES[cc][f"doca_cc_{side}_as_ctx"] = (V,)
for task in ("producer_send_task", "consumer_post_recv_task"):
    PROTOTYPES[cc][f"doca_cc_{task}_as_task"] = PROTOTYPES[cc][f"doca_cc_{task}_get_buf"] = (V,)
for lib, functions in PROTOTYPES.items():
    for name, arguments in functions.items():
        f = getattr(lib, name)
        f.argtypes = arguments
        if name.endswith(("_as_ctx", "_as_task", "_get_buf")):
            f.restype = V
core.doca_pe_progress.restype = c_uint8
core.doca_task_free.restype = core.doca_task_set_user_data.restype = None
SIZE, LOG_SLOTS = 8192, 2
SLOTS = 1 << LOG_SLOTS


def ok(rc, *others):
    assert rc in (0, *others), rc


def new(function, *args, kind=V):
    cell = kind()
    ok(function(*args, byref(cell)))
    return cell.value


def device(pci):
    infos, n = OUT(), c_uint32()
    ok(core.doca_devinfo_create_list(byref(infos), byref(n)))
    dev = [new(core.doca_dev_open, infos[i]) for i in range(n.value)
           if new(core.doca_devinfo_is_equal_pci_addr, infos[i], pci, kind=c_uint8)]
    ok(core.doca_devinfo_destroy_list(infos))
    return dev[0]


class Memory:
    """SLOTS buffers in one map."""

    def __init__(self, dev, permissions):
        self.raw = create_string_buffer(SIZE * SLOTS)
        self.at = addressof(self.raw)
        self.map, self.bufs = new(core.doca_mmap_create), new(core.doca_buf_inventory_create, SLOTS)
        ok(core.doca_mmap_add_dev(self.map, dev) or core.doca_mmap_set_permissions(self.map, permissions)
           or core.doca_mmap_set_memrange(self.map, self.at, SIZE * SLOTS) or core.doca_mmap_start(self.map)
           or core.doca_buf_inventory_start(self.bufs))

    def close(self):
        ok(core.doca_buf_inventory_destroy(self.bufs) or core.doca_mmap_destroy(self.map))


class End:
    def __init__(self, side, dev, *made):
        self.side, self.dev, self.pe, self.remote, self.peer = side, dev, new(core.doca_pe_create), None, None
        self.handle = new(getattr(cc, f"doca_cc_{side}_create"), dev, *made)
        self.ctx = getattr(cc, f"doca_cc_{side}_as_ctx")(self.handle)
        self.kept = [HANDLER(lambda *_: None), RECV(lambda *_: None), CONSUMER(self.consumer), CONSUMER(self.expired)]
        ok(getattr(cc, f"doca_cc_{side}_send_task_set_conf")(self.handle, self.kept[0], self.kept[0], 0))
        ok(getattr(cc, f"doca_cc_{side}_event_msg_recv_register")(self.handle, self.kept[1]))
        ok(getattr(cc, f"doca_cc_{side}_event_consumer_register")(self.handle, *self.kept[2:]))

    def consumer(self, event, peer, number):
        self.remote = number

    def expired(self, event, peer, number):
        assert number == self.remote
        self.remote = None

    def run(self, ctx):
        ok(core.doca_pe_connect_ctx(self.pe, ctx))
        ok(core.doca_ctx_start(ctx), 26)


def until(condition):
    while not condition():
        for end in ends:
            core.doca_pe_progress(end.pe)


def state(ctx):
    return new(core.doca_ctx_get_state, ctx, kind=c_int)


def halt(ctx):
    core.doca_ctx_stop(ctx)
    until(lambda: state(ctx) == 0)


dpu, host = device(b"03:00.0"), device(b"b1:00.0")
reps, n = OUT(), c_uint32()
ok(core.doca_devinfo_rep_create_list(dpu, 0, byref(reps), byref(n)))
rep = new(core.doca_dev_rep_open, reps[0])
ok(core.doca_devinfo_rep_destroy_list(reps))
ends = server, client = End("server", dpu, rep, b"fast"), End("client", host, b"fast")
up = CONN(lambda event, peer, fine: setattr(server, "peer", peer))
down = CONN(lambda event, peer, fine: setattr(server, "peer", None))
ok(cc.doca_cc_server_event_connection_register(server.handle, up, down))
server.run(server.ctx)
client.run(client.ctx)
until(lambda: server.peer and state(client.ctx) == 2)
client.peer = new(cc.doca_cc_client_get_connection, client.handle)

inbox, outbox, got, sent = Memory(dpu, 0x20), Memory(host, 1), [], []
consumer = new(cc.doca_cc_consumer_create, server.peer, inbox.map)
producer = new(cc.doca_cc_producer_create, client.peer)


def post(address):
    buf = new(core.doca_buf_inventory_buf_get_by_addr, inbox.bufs, inbox.map, address, SIZE)
    task = cc.doca_cc_consumer_post_recv_task_as_task(
        new(cc.doca_cc_consumer_post_recv_task_alloc_init, consumer, buf))
    core.doca_task_set_user_data(task, address)
    ok(core.doca_task_submit(task))


@HANDLER
def received(task, address, _):
    buf = cc.doca_cc_consumer_post_recv_task_get_buf(task)
    got.append(string_at(new(core.doca_buf_get_data, buf), new(core.doca_buf_get_data_len, buf, kind=c_size_t)))
    core.doca_task_free(cc.doca_cc_consumer_post_recv_task_as_task(task))
    ok(core.doca_buf_dec_refcount(buf, None))
    post(address)


@HANDLER
def flushed(task, *_):
    buf = cc.doca_cc_consumer_post_recv_task_get_buf(task)
    core.doca_task_free(cc.doca_cc_consumer_post_recv_task_as_task(task))
    ok(core.doca_buf_dec_refcount(buf, None))
    sent.append("flushed")


@HANDLER
def done(task, *_):
    buf = cc.doca_cc_producer_send_task_get_buf(task)
    core.doca_task_free(cc.doca_cc_producer_send_task_as_task(task))
    ok(core.doca_buf_dec_refcount(buf, None))
    sent.append("done")


ok(cc.doca_cc_consumer_post_recv_task_set_conf(consumer, received, flushed, LOG_SLOTS))
ok(cc.doca_cc_producer_send_task_set_conf(producer, done, done, LOG_SLOTS))
server.run(cc.doca_cc_consumer_as_ctx(consumer))
until(lambda: client.remote is not None)
print("consumer", client.remote == new(cc.doca_cc_consumer_get_id, consumer, kind=c_uint32))
client.run(cc.doca_cc_producer_as_ctx(producer))
until(lambda: state(cc.doca_cc_consumer_as_ctx(consumer)) == 2)
for slot in range(SLOTS):
    post(inbox.at + slot * SIZE)
data = [bytes((number * 31 + k) % 256 for k in range(SIZE - number)) for number in range(10)]
for number, part in enumerate(data):
    until(lambda: len(sent) == number)
    memmove(outbox.at, part, len(part))
    buf = new(core.doca_buf_inventory_buf_get_by_data, outbox.bufs, outbox.map, outbox.at, len(part))
    task = cc.doca_cc_producer_send_task_as_task(
        new(cc.doca_cc_producer_send_task_alloc_init, producer, buf, client.remote))
    until(lambda: core.doca_task_submit(task) != 5)
until(lambda: len(got) == len(data))
print(len(got), "buffers", hashlib.md5(b"".join(got)).digest() == hashlib.md5(b"".join(data)).digest())
halt(cc.doca_cc_producer_as_ctx(producer))
ok(cc.doca_cc_producer_destroy(producer))
print("in use:", core.doca_dev_close(host), cc.doca_cc_server_destroy(server.handle))
halt(cc.doca_cc_consumer_as_ctx(consumer))
ok(cc.doca_cc_consumer_destroy(consumer))
until(lambda: client.remote is None)
print("given back:", sent.count("flushed"), "sent:", sent.count("done"))
halt(client.ctx)
until(lambda: server.peer is None)
halt(server.ctx)
inbox.close()
outbox.close()
for end in ends:
    ok(getattr(cc, f"doca_cc_{end.side}_destroy")(end.handle) or core.doca_pe_destroy(end.pe))
ok(core.doca_dev_rep_close(rep) or core.doca_dev_close(dpu) or core.doca_dev_close(host))
