"""An engine in an asyncio loop: the notification handle is watched, re-armed before every sleep."""
import asyncio

from cffi import FFI

ffi = FFI()
ffi.cdef("""
    typedef int doca_error_t;
    typedef struct { uint64_t u64; } user_data_t;
    typedef void (*done_t)(void *, user_data_t, user_data_t);
    typedef void (*recv_t)(void *, uint8_t *, uint32_t, void *);
    typedef void (*conn_t)(void *, void *, uint8_t);
    typedef void (*state_t)(user_data_t, void *, int, int);
    doca_error_t doca_devinfo_create_list(void ***, uint32_t *);
    doca_error_t doca_devinfo_destroy_list(void **);
    doca_error_t doca_devinfo_is_equal_pci_addr(void *, const char *, uint8_t *);
    doca_error_t doca_devinfo_rep_create_list(void *, int, void ***, uint32_t *);
    doca_error_t doca_devinfo_rep_destroy_list(void **);
    doca_error_t doca_dev_open(void *, void **);
    doca_error_t doca_dev_rep_open(void *, void **);
    doca_error_t doca_dev_close(void *);
    doca_error_t doca_dev_rep_close(void *);
    doca_error_t doca_pe_create(void **);
    doca_error_t doca_pe_destroy(void *);
    uint8_t doca_pe_progress(void *);
    doca_error_t doca_pe_get_notification_handle(void *, int *);
    doca_error_t doca_pe_request_notification(void *);
    doca_error_t doca_pe_clear_notification(void *, int);
    doca_error_t doca_pe_connect_ctx(void *, void *);
    doca_error_t doca_ctx_start(void *);
    doca_error_t doca_ctx_stop(void *);
    doca_error_t doca_ctx_set_user_data(void *, user_data_t);
    doca_error_t doca_ctx_set_state_changed_cb(void *, state_t);
    doca_error_t doca_task_submit(void *);
    void doca_task_free(void *);
    void doca_task_set_user_data(void *, user_data_t);
    void *doca_cc_task_send_as_task(void *);
    void *doca_cc_server_as_ctx(void *);
    void *doca_cc_client_as_ctx(void *);
    doca_error_t doca_cc_server_create(void *, void *, const char *, void **);
    doca_error_t doca_cc_server_destroy(void *);
    doca_error_t doca_cc_server_task_send_set_conf(void *, done_t, done_t, uint32_t);
    doca_error_t doca_cc_server_task_send_alloc_init(void *, void *, const void *, uint32_t, void **);
    doca_error_t doca_cc_server_event_msg_recv_register(void *, recv_t);
    doca_error_t doca_cc_server_event_connection_register(void *, conn_t, conn_t);
    doca_error_t doca_cc_client_create(void *, const char *, void **);
    doca_error_t doca_cc_client_destroy(void *);
    doca_error_t doca_cc_client_get_connection(void *, void **);
    doca_error_t doca_cc_client_task_send_set_conf(void *, done_t, done_t, uint32_t);
    doca_error_t doca_cc_client_task_send_alloc_init(void *, void *, const void *, uint32_t, void **);
    doca_error_t doca_cc_client_event_msg_recv_register(void *, recv_t);
""")
core, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")


def check(rc):
    if rc:
        raise RuntimeError(f"doca error {rc}")


def new(function, *args, ctype="void *"):
    cell = ffi.new(ctype + " *")
    check(function(*args, cell))
    return cell[0]


def open_device(pci):
    infos, n, equal = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *")
    check(core.doca_devinfo_create_list(infos, n))
    dev = None
    for info in infos[0][0:n[0]]:
        check(core.doca_devinfo_is_equal_pci_addr(info, pci.encode(), equal))
        dev = new(core.doca_dev_open, info) if equal[0] else dev
    check(core.doca_devinfo_destroy_list(infos[0]))
    return dev


class Engine:
    def __init__(self):
        self.pe = new(core.doca_pe_create)
        self.fd = new(core.doca_pe_get_notification_handle, self.pe, ctype="int")
        self.wakeups = 0
        asyncio.get_running_loop().add_reader(self.fd, self.wake)
        self.sleep()

    def wake(self):
        self.wakeups += 1
        check(core.doca_pe_clear_notification(self.pe, self.fd))
        self.sleep()

    def sleep(self):
        """Whatever has come is taken; what comes later wakes the loop."""
        while core.doca_pe_progress(self.pe):
            pass
        check(core.doca_pe_request_notification(self.pe))

    def close(self):
        asyncio.get_running_loop().remove_reader(self.fd)
        check(core.doca_pe_destroy(self.pe))


class States:
    """A future for each state that somebody waits for."""

    def __init__(self, ctx):
        self.now, self.waiting = 0, {}
        self.callback = ffi.callback("state_t", self.changed)
        check(core.doca_ctx_set_state_changed_cb(ctx, self.callback))

    def changed(self, data, ctx, old, new):
        self.now = new
        if new in self.waiting:
            self.waiting.pop(new).set_result(data.u64)

    async def reach(self, state):
        if self.now != state:
            self.waiting[state] = asyncio.get_running_loop().create_future()
            return await asyncio.wait_for(self.waiting[state], 60)


tokens = {}


@ffi.callback("done_t")
def completed(task, token, ctx_data):
    core.doca_task_free(cc.doca_cc_task_send_as_task(task))
    tokens.pop(token.u64).set_result(ctx_data.u64)


async def send(alloc, end, peer, data):
    """Until the library has done with it."""
    task = cc.doca_cc_task_send_as_task(new(alloc, end, peer, data, len(data)))
    token = max(tokens, default=0) + 1
    tokens[token] = asyncio.get_running_loop().create_future()
    core.doca_task_set_user_data(task, {"u64": token})
    check(core.doca_task_submit(task))
    return await asyncio.wait_for(tokens[token], 60)
