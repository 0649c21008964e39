"""The fast path transliterated from C, with the names of DOCA 2.5: one text from the producer to the consumer."""

from doca_cc import *

LOG_NUM_TASKS = 1
BUF_SIZE = 1 << 12


class lane_objects:
    def __init__(self):
        self.pe = self.mmap = self.inv = self.consumer = self.producer = None
        self.consumer_ctx = self.producer_ctx = None
        self.memory = bytearray(BUF_SIZE)
        self.remote_id = 0
        self.expired = 0
        self.state = {}
        self.result = DOCA_SUCCESS
        self.lines = []


def check(rc, what):
    if rc not in (DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS):
        print("%s failed: %s" % (what, doca_error_get_descr(rc) and doca_error_get_name(rc)))
        raise SystemExit(2)


def state_changed(user_data, ctx, prev_state, next_state):
    user_data.state[ctx] = next_state


def new_consumer(event, cc_connection, id):
    rc, objects = lookup(cc_connection)
    check(rc, "lookup")
    objects.remote_id = id


def expired_consumer(event, cc_connection, id):
    rc, objects = lookup(cc_connection)
    check(rc, "lookup")
    objects.expired = id


def lookup(cc_connection):
    server = doca_cc_server_get_server_ctx(cc_connection)
    if server is not None:
        return doca_ctx_get_user_data(doca_cc_server_as_ctx(server))
    return doca_ctx_get_user_data(doca_cc_client_as_ctx(doca_cc_client_get_client_ctx(cc_connection)))


def make_memory(objects, dev, access):
    rc, objects.mmap = doca_mmap_create()
    check(rc, "mmap_create")
    check(doca_mmap_set_permissions(objects.mmap, access), "permissions")
    check(doca_mmap_set_memrange(objects.mmap, objects.memory, BUF_SIZE), "memrange")
    check(doca_mmap_add_dev(objects.mmap, dev), "add_dev")
    check(doca_mmap_start(objects.mmap), "mmap start")
    rc, objects.inv = doca_buf_inventory_create(2)
    check(rc, "inventory")
    check(doca_buf_inventory_start(objects.inv), "inventory start")


def free_memory(objects):
    check(doca_buf_inventory_stop(objects.inv), "inventory stop")
    check(doca_buf_inventory_destroy(objects.inv), "inventory destroy")
    rc, n = doca_mmap_get_num_bufs(objects.mmap)
    print("buffers left:", n)
    check(doca_mmap_stop(objects.mmap), "mmap stop")
    check(doca_mmap_destroy(objects.mmap), "mmap destroy")


def start_ctx(objects, ctx):
    check(doca_ctx_set_user_data(ctx, objects), "user data")
    check(doca_ctx_set_state_changed_cb(ctx, state_changed), "state cb")
    check(doca_pe_connect_ctx(objects.pe, ctx), "connect ctx")
    check(doca_ctx_start(ctx), "ctx start")
    while objects.state.get(ctx) != DOCA_CTX_STATE_RUNNING:
        doca_pe_progress(objects.pe)


def stop_ctx(objects, ctx):
    check(doca_ctx_stop(ctx), "ctx stop")
    while objects.state.get(ctx) != DOCA_CTX_STATE_IDLE:
        doca_pe_progress(objects.pe)


def no_message(event, recv_buffer, msg_len, cc_connection):
    print("unexpected", msg_len)


def send_freed(task, task_user_data, ctx_user_data):
    doca_task_free(doca_cc_send_task_as_task(task))
