"""Both ends in one process, each in a thread with an engine of its own; a third thread hands the client its work."""
import queue
import threading

from cffi import FFI

ffi = FFI()
ffi.cdef("""
    typedef int e_t;
    typedef void (*done_t)(void *, uint64_t, uint64_t); typedef void (*recv_t)(void *, uint8_t *, uint32_t, void *);
    typedef void (*conn_t)(void *, void *, uint8_t);
    e_t doca_devinfo_create_list(void ***, uint32_t *); e_t doca_devinfo_destroy_list(void **);
    e_t doca_devinfo_is_equal_pci_addr(void *, const char *, uint8_t *);
    e_t doca_devinfo_rep_create_list(void *, int, void ***, uint32_t *); e_t doca_devinfo_rep_destroy_list(void **);
    e_t doca_dev_open(void *, void **); e_t doca_dev_rep_open(void *, void **);
    e_t doca_dev_close(void *); e_t doca_dev_rep_close(void *);
    e_t doca_pe_create(void **); e_t doca_pe_destroy(void *); uint8_t doca_pe_progress(void *);
    e_t doca_pe_connect_ctx(void *, void *); e_t doca_ctx_start(void *); e_t doca_ctx_stop(void *);
    e_t doca_ctx_get_state(void *, int *); e_t doca_task_submit(void *); void doca_task_free(void *);
    void *doca_cc_task_send_as_task(void *); void *doca_cc_server_as_ctx(void *); void *doca_cc_client_as_ctx(void *);
    e_t doca_cc_server_create(void *, void *, const char *, void **); e_t doca_cc_server_destroy(void *);
    e_t doca_cc_client_create(void *, const char *, void **); e_t doca_cc_client_destroy(void *);
    e_t doca_cc_client_get_connection(void *, void **);
    e_t doca_cc_server_task_send_set_conf(void *, done_t, done_t, uint32_t);
    e_t doca_cc_client_task_send_set_conf(void *, done_t, done_t, uint32_t);
    e_t doca_cc_server_task_send_alloc_init(void *, void *, const void *, uint32_t, void **);
    e_t doca_cc_client_task_send_alloc_init(void *, void *, const void *, uint32_t, void **);
    e_t doca_cc_server_event_msg_recv_register(void *, recv_t);
    e_t doca_cc_client_event_msg_recv_register(void *, recv_t);
    e_t doca_cc_server_event_connection_register(void *, conn_t, conn_t);
""")
core, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")
ready, stopping = threading.Event(), threading.Event()
COUNT = 200


def ok(rc):
    assert rc == 0, rc


def new(function, *args):
    slot = ffi.new("void **")
    ok(function(*args, slot))
    return slot[0]


def device(pci):
    infos, n, equal = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *")
    ok(core.doca_devinfo_create_list(infos, n))
    for info in infos[0][0:n[0]]:
        ok(core.doca_devinfo_is_equal_pci_addr(info, pci, equal))
        if equal[0]:
            dev = new(core.doca_dev_open, info)
    ok(core.doca_devinfo_destroy_list(infos[0]))
    return dev


class Side(threading.Thread):
    def __init__(self, side, pci):
        super().__init__(name=side)
        self.side, self.dev, self.pe = side, device(pci), new(core.doca_pe_create)
        self.idents = set()
        self.keep = []

    def f(self, name):
        return getattr(cc, f"doca_cc_{self.side}_{name}")

    def keeping(self, ctype, function):
        def call(*args):
            self.idents.add(threading.get_ident())
            function(*args)
        self.keep.append(ffi.callback(ctype, call))
        return self.keep[-1]

    def setup(self, end):
        self.end, self.ctx = end, self.f("as_ctx")(end)
        free = self.keeping("done_t", lambda task, *_: core.doca_task_free(cc.doca_cc_task_send_as_task(task)))
        ok(self.f("task_send_set_conf")(end, free, free, 16))
        ok(self.f("event_msg_recv_register")(end, self.keeping("recv_t", self.received)))
        ok(core.doca_pe_connect_ctx(self.pe, self.ctx))

    def send(self, connection, data):
        slot = ffi.new("void **")
        while self.f("task_send_alloc_init")(self.end, connection, data, len(data), slot) == 7:  # no memory
            core.doca_pe_progress(self.pe)
        ok(core.doca_task_submit(cc.doca_cc_task_send_as_task(slot[0])))

    def state(self):
        state = ffi.new("int *")
        ok(core.doca_ctx_get_state(self.ctx, state))
        return state[0]

    def finish(self):
        core.doca_ctx_stop(self.ctx)
        while self.state():
            core.doca_pe_progress(self.pe)
        ok(self.f("destroy")(self.end))
        ok(core.doca_pe_destroy(self.pe))


class Server(Side):
    total = 0

    def received(self, event, data, size, connection):
        self.total += int(ffi.buffer(data, size)[:])
        self.todo.append((connection, b"%d" % self.total))

    def run(self):
        self.todo, self.gone = [], False
        infos, n = ffi.new("void ***"), ffi.new("uint32_t *")
        ok(core.doca_devinfo_rep_create_list(self.dev, 0, infos, n))
        rep = new(core.doca_dev_rep_open, infos[0][0])
        ok(core.doca_devinfo_rep_destroy_list(infos[0]))
        self.setup(new(cc.doca_cc_server_create, self.dev, rep, b"sums"))
        up = self.keeping("conn_t", lambda *_: None)
        ok(cc.doca_cc_server_event_connection_register(self.end, up, self.keeping("conn_t", self.down)))
        ok(core.doca_ctx_start(self.ctx))
        ready.set()
        while not self.gone:
            core.doca_pe_progress(self.pe)
            while self.todo:
                self.send(*self.todo.pop(0))
        self.finish()
        ok(core.doca_dev_rep_close(rep))
        ok(core.doca_dev_close(self.dev))

    def down(self, *_):
        self.gone = True


class Client(Side):
    def received(self, event, data, size, connection):
        self.answers.append(int(ffi.buffer(data, size)[:]))

    def run(self):
        self.answers, sent = [], 0
        ready.wait()
        self.setup(new(cc.doca_cc_client_create, self.dev, b"sums"))
        assert core.doca_ctx_start(self.ctx) == 26
        while self.state() != 2:
            core.doca_pe_progress(self.pe)
        connection = new(cc.doca_cc_client_get_connection, self.end)
        while not (stopping.is_set() and work.empty() and len(self.answers) == sent):
            try:
                self.send(connection, b"%d" % work.get_nowait())
                sent += 1
            except queue.Empty:
                core.doca_pe_progress(self.pe)
        self.finish()
        ok(core.doca_dev_close(self.dev))


work = queue.Queue(maxsize=8)
server, client = Server("server", b"03:00.0"), Client("client", b"b1:00.0")
server.start()
client.start()
for number in range(1, COUNT + 1):
    work.put(number)
stopping.set()
client.join()
server.join()
print(len(client.answers), "answers, in order:", client.answers == sorted(client.answers))
print("last", client.answers[-1], "expected", COUNT * (COUNT + 1) // 2)
print("callbacks in their own threads:", client.idents == {client.ident}, server.idents == {server.ident})
