"""DOCA 2.5 through ctypes: work goes to the service and comes back squared; `inflight` says how much is on its way."""
import ctypes as C
import sys
from collections import deque

P, U32, SIZE = C.c_void_p, C.c_uint32, C.c_size_t
core = C.CDLL("libdoca_common.so.2")
cc = C.CDLL("libdoca_cc.so.2")
SENT = C.CFUNCTYPE(None, P, C.c_uint64, C.c_uint64)
MSG = C.CFUNCTYPE(None, P, C.POINTER(C.c_uint8), SIZE, P)
CONN = C.CFUNCTYPE(None, P, P, C.c_uint8)

core.doca_error_get_descr.restype = C.c_char_p
core.doca_error_get_descr.argtypes = [C.c_int]
core.doca_task_free.argtypes = [P]
core.doca_task_free.restype = None
core.doca_task_submit.argtypes = [P]
core.doca_pe_progress.argtypes, core.doca_pe_progress.restype = [P], C.c_uint8
core.doca_ctx_get_state.argtypes = [P, C.POINTER(C.c_int)]
core.doca_ctx_start.argtypes = core.doca_ctx_stop.argtypes = [P]
core.doca_pe_connect_ctx.argtypes = [P, P]
cc.doca_cc_send_task_as_task.argtypes, cc.doca_cc_send_task_as_task.restype = [P], P
for side in ("server", "client"):
    as_ctx = getattr(cc, f"doca_cc_{side}_as_ctx")
    as_ctx.argtypes, as_ctx.restype = [P], P

LOG_TASKS = 2
NO_MEMORY = 7


class Error(Exception):
    pass


def check(rc, what):
    if rc:
        raise Error(what, core.doca_error_get_descr(rc).decode())


def open_dev(address):
    infos, count = C.POINTER(P)(), U32()
    check(core.doca_devinfo_create_list(C.byref(infos), C.byref(count)), "list")
    dev, same = P(), C.c_uint8()
    for index in range(count.value):
        check(core.doca_devinfo_is_equal_pci_addr(P(infos[index]), address, C.byref(same)), "address")
        if same.value:
            check(core.doca_dev_open(P(infos[index]), C.byref(dev)), "open")
    check(core.doca_devinfo_destroy_list(infos), "list")
    return dev


def open_rep(dev):
    infos, count, rep = C.POINTER(P)(), U32(), P()
    check(core.doca_devinfo_rep_create_list(dev, 2, C.byref(infos), C.byref(count)), "list")
    check(core.doca_dev_rep_open(P(infos[0]), C.byref(rep)), "open")
    check(core.doca_devinfo_rep_destroy_list(infos), "list")
    return rep


class Side:
    """What both sides have in common."""

    def __init__(self, handle, ctx):
        self.handle, self.ctx, self.pe = handle, ctx, P()
        self.backlog, self.calls = deque(), 0
        check(core.doca_pe_create(C.byref(self.pe)), "engine")
        check(core.doca_pe_connect_ctx(self.pe, self.ctx), "connect")
        self.sent, self.message = SENT(self.on_sent), MSG(self.on_message)

    def on_sent(self, task, task_data, ctx_data):
        self.calls += 1
        core.doca_task_free(cc.doca_cc_send_task_as_task(task))

    def state(self):
        now = C.c_int()
        check(core.doca_ctx_get_state(self.ctx, C.byref(now)), "state")
        return now.value

    def turn(self):
        """One progress; how many callbacks that was."""
        before = self.calls
        core.doca_pe_progress(self.pe)
        while self.backlog and self.send(*self.backlog[0]):
            self.backlog.popleft()
        return self.calls - before

    def post(self, peer, data):
        if self.backlog or not self.send(peer, data):
            self.backlog.append((peer, data))

    def stop(self):
        core.doca_ctx_stop(self.ctx)
        while self.state():
            core.doca_pe_progress(self.pe)


class Service(Side):
    def __init__(self, dev, rep, name):
        server = P()
        check(cc.doca_cc_server_create(dev, rep, name, C.byref(server)), "server")
        super().__init__(server, P(cc.doca_cc_server_as_ctx(server)))
        self.changed = CONN(self.on_connection)
        self.clients = 0
        check(cc.doca_cc_server_send_task_set_conf(server, self.sent, self.sent, LOG_TASKS), "conf")
        check(cc.doca_cc_server_event_msg_recv_register(server, self.message), "message")
        check(cc.doca_cc_server_event_connection_register(server, self.changed, self.changed), "connection")
        check(core.doca_ctx_start(self.ctx), "start")

    def on_connection(self, event, connection, ok):
        self.calls += 1
        self.clients += 1

    def on_message(self, event, data, size, connection):
        self.calls += 1
        number = int(C.string_at(data, size))
        self.post(connection, b"%d" % (number * number))

    def send(self, peer, data):
        task = P()
        rc = cc.doca_cc_server_send_task_alloc_init(self.handle, P(peer), data, SIZE(len(data)), C.byref(task))
        if rc == NO_MEMORY:
            return False
        check(rc, "task")
        check(core.doca_task_submit(cc.doca_cc_send_task_as_task(task)), "submit")
        return True

    def close(self):
        self.stop()
        check(cc.doca_cc_server_destroy(self.handle), "destroy")
        check(core.doca_pe_destroy(self.pe), "engine")


class Client(Side):
    def __init__(self, dev, name):
        client = P()
        check(cc.doca_cc_client_create(dev, name, C.byref(client)), "client")
        super().__init__(client, P(cc.doca_cc_client_as_ctx(client)))
        self.results = []
        check(cc.doca_cc_client_send_task_set_conf(client, self.sent, self.sent, LOG_TASKS), "conf")
        check(cc.doca_cc_client_event_msg_recv_register(client, self.message), "message")
        rc = core.doca_ctx_start(self.ctx)
        print("starting:", core.doca_error_get_descr(rc).decode() != "" and self.state())

    def on_message(self, event, data, size, connection):
        self.calls += 1
        self.results.append(int(C.string_at(data, size)))

    def connect(self, service):
        while self.state() != 2:
            service.turn()
            core.doca_pe_progress(self.pe)
        self.peer = P()
        check(cc.doca_cc_client_get_connection(self.handle, C.byref(self.peer)), "connection")

    def send(self, peer, data):
        task = P()
        rc = cc.doca_cc_client_send_task_alloc_init(self.handle, peer, data, SIZE(len(data)), C.byref(task))
        if rc == NO_MEMORY:
            return False
        check(rc, "task")
        check(core.doca_task_submit(cc.doca_cc_send_task_as_task(task)), "submit")
        return True

    def close(self):
        self.stop()
        check(cc.doca_cc_client_destroy(self.handle), "destroy")
        check(core.doca_pe_destroy(self.pe), "engine")


def main(count):
    dpu, host = open_dev(b"03:00.0"), open_dev(b"b1:00.0")
    rep = open_rep(dpu)
    service = Service(dpu, rep, b"ring")
    client = Client(host, b"ring")
    client.connect(service)
    for number in range(count):
        client.post(client.peer, b"%d" % number)
    print("waiting:", len(client.backlog))
    most = 0
    while len(client.results) < count:
        most = max(most, client.turn(), service.turn())
    print("results:", client.results)
    print("callbacks of one progress, at most:", most)
    client.close()
    while service.clients < 2:
        service.turn()
    service.close()
    print("clients came and went:", service.clients)
    for call, handle in ((core.doca_dev_rep_close, rep), (core.doca_dev_close, dpu), (core.doca_dev_close, host)):
        check(call(handle), "close")


if __name__ == "__main__":
    sys.exit(main(10))
