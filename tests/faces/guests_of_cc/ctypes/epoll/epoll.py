"""Two clients and their server in one process, three engines in one epoll set, armed before every wait."""
import ctypes.util
import select
from ctypes import CDLL, CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p, string_at

core = CDLL(ctypes.util.find_library("doca_common") or "libdoca_common.so.2")
chan = CDLL(ctypes.util.find_library("doca_cc") or "libdoca_cc.so.2")
void = c_void_p
for lib, names in ((core, "pe_create pe_destroy pe_progress pe_request_notification pe_clear_notification ctx_start "
                          "pe_get_notification_handle pe_connect_ctx ctx_stop ctx_get_state task_submit task_free "
                          "dev_open dev_close dev_rep_open dev_rep_close pe_get_num_inflight_tasks"),
                   (chan, "cc_server_create cc_server_destroy cc_client_create cc_client_destroy cc_task_send_as_task "
                          "cc_server_as_ctx cc_client_as_ctx cc_client_get_connection cc_connection_get_user_data "
                          "cc_connection_set_user_data")):
    for name in names.split():
        function = getattr(lib, "doca_" + name)
        function.argtypes = {
            "pe_clear_notification": [void, c_int], "cc_server_create": [void, void, c_char_p, POINTER(void)],
            "pe_get_notification_handle": [void, POINTER(c_int)], "ctx_get_state": [void, POINTER(c_int)],
            "pe_connect_ctx": [void, void], "pe_create": [POINTER(void)],
            "cc_client_create": [void, c_char_p, POINTER(void)], "dev_open": [void, POINTER(void)],
            "dev_rep_open": [void, POINTER(void)], "cc_client_get_connection": [void, POINTER(void)],
            "cc_connection_set_user_data": [void, c_uint64], "pe_get_num_inflight_tasks": [void, POINTER(c_size_t)],
        }.get(name, [void])
        function.restype = {"pe_progress": c_uint8, "task_free": None, "cc_connection_get_user_data": c_uint64,
                            }.get(name, void if "_as_" in name else c_int)
DONE = CFUNCTYPE(None, void, c_uint64, c_uint64)
RECV = CFUNCTYPE(None, void, void, c_uint32, void)
CONN = CFUNCTYPE(None, void, void, c_uint8)
engines = {}


def ok(rc):
    if rc:
        raise SystemError(rc)


def new(function, *args, kind=void):
    made = kind()
    ok(function(*args, byref(made)))
    return made.value


def devices():
    infos, n, found = POINTER(void)(), c_uint32(), {}
    ok(core.doca_devinfo_create_list(byref(infos), byref(n)))
    for i in range(n.value):
        text = ctypes.create_string_buffer(13)
        ok(core.doca_devinfo_get_pci_addr_str(void(infos[i]), text))
        found[text.value] = new(core.doca_dev_open, infos[i])
    ok(core.doca_devinfo_destroy_list(infos))
    return found


class Engine:
    def __init__(self, name):
        self.name, self.wakeups = name, 0
        self.pe = new(core.doca_pe_create)
        self.fd = new(core.doca_pe_get_notification_handle, self.pe, kind=c_int)
        engines[self.fd] = self
        poll.register(self.fd, select.EPOLLIN)


def wait():
    for engine in engines.values():
        ok(core.doca_pe_request_notification(engine.pe))
        while core.doca_pe_progress(engine.pe):
            pass
    for fd, _ in poll.poll(0.05):
        engines[fd].wakeups += 1
        ok(core.doca_pe_clear_notification(engines[fd].pe, fd))
        while core.doca_pe_progress(engines[fd].pe):
            pass


def until(condition):
    for _ in range(2000):
        if condition():
            return
        wait()
    raise TimeoutError


@DONE
def done(task, *_):
    core.doca_task_free(chan.doca_cc_task_send_as_task(task))


@RECV
def to_server(event, data, size, peer):
    number = chan.doca_cc_connection_get_user_data(peer)
    heard.append((number, string_at(data, size)))
    send("server", server, peer, b"you are %d" % number)


@RECV
def to_client(event, data, size, peer):
    answers.append(string_at(data, size))


@CONN
def up(event, peer, success):
    peers.append(peer)
    ok(chan.doca_cc_connection_set_user_data(peer, len(peers)))


@CONN
def down(event, peer, success):
    gone.append(chan.doca_cc_connection_get_user_data(peer))


def send(side, end, peer, data):
    task = void()
    ok(getattr(chan, f"doca_cc_{side}_task_send_alloc_init")(void(end), void(peer), data, len(data), byref(task)))
    ok(core.doca_task_submit(chan.doca_cc_task_send_as_task(task)))


def state(ctx):
    return new(core.doca_ctx_get_state, ctx, kind=c_int)


poll, peers, heard, answers, gone = select.epoll(), [], [], [], []
devs = devices()
dpu, reps, n = devs[b"0000:03:00.0"], POINTER(void)(), c_uint32()
ok(core.doca_devinfo_rep_create_list(void(dpu), 0, byref(reps), byref(n)))
rep = new(core.doca_dev_rep_open, reps[0])
ok(core.doca_devinfo_rep_destroy_list(reps))
host = Engine("server")
server = new(chan.doca_cc_server_create, dpu, rep, b"epoll")
ok(chan.doca_cc_server_task_send_set_conf(void(server), done, done, 4))
ok(chan.doca_cc_server_event_msg_recv_register(void(server), to_server))
ok(chan.doca_cc_server_event_connection_register(void(server), up, down))
ok(core.doca_pe_connect_ctx(host.pe, chan.doca_cc_server_as_ctx(server)))
ok(core.doca_ctx_start(chan.doca_cc_server_as_ctx(server)))
clients = []
for name in ("first", "second"):
    engine = Engine(name)
    client = new(chan.doca_cc_client_create, devs[b"0000:b1:00.0"], b"epoll")
    ok(chan.doca_cc_client_task_send_set_conf(void(client), done, done, 4))
    ok(chan.doca_cc_client_event_msg_recv_register(void(client), to_client))
    ctx = chan.doca_cc_client_as_ctx(client)
    ok(core.doca_pe_connect_ctx(engine.pe, ctx))
    assert core.doca_ctx_start(ctx) == 26
    until(lambda: state(ctx) == 2 and len(peers) == len(clients) + 1)
    clients.append((client, ctx, engine))
for client, ctx, engine in clients:
    send("client", client, new(chan.doca_cc_client_get_connection, client), b"I am the " + engine.name.encode())
    until(lambda: len(answers) == [e for _, _, e in clients].index(engine) + 1)
print(heard)
print(answers)
for client, ctx, engine in reversed(clients):
    core.doca_ctx_stop(ctx)
    until(lambda: state(ctx) == 0)
until(lambda: len(gone) == 2)
print("left:", gone)
core.doca_ctx_stop(chan.doca_cc_server_as_ctx(server))
until(lambda: state(chan.doca_cc_server_as_ctx(server)) == 0)
print("in flight:", [new(core.doca_pe_get_num_inflight_tasks, e.pe, kind=c_size_t) for e in engines.values()])
print("all were woken:", all(e.wakeups for e in engines.values()))
for client, _, _ in clients:
    ok(chan.doca_cc_client_destroy(client))
ok(chan.doca_cc_server_destroy(server))
for engine in engines.values():
    ok(core.doca_pe_destroy(engine.pe))
ok(core.doca_dev_rep_close(rep))
for dev in devs.values():
    ok(core.doca_dev_close(dev))
