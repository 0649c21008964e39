"""One service, a pump thread that owns the engine, three workers; the client of the same process counts the answers."""
import queue
import sys
import threading

from doca import *

create_server = function(cc, "doca_cc_server_create", c_int, P, P, c_char_p, POINTER(P))
create_client = function(cc, "doca_cc_client_create", c_int, P, c_char_p, POINTER(P))
get_connection = function(cc, "doca_cc_client_get_connection", c_int, P, POINTER(P))
on_conn = function(cc, "doca_cc_server_event_connection_register", c_int, P, CONNECTION, CONNECTION)
SIDES = {}
for side in ("server", "client"):
    SIDES[side] = {
        "ctx": function(cc, f"doca_cc_{side}_as_ctx", P, P),
        "conf": function(cc, f"doca_cc_{side}_task_send_set_conf", c_int, P, SENT, SENT, c_uint32),
        "alloc": function(cc, f"doca_cc_{side}_task_send_alloc_init", c_int, P, P, c_char_p, c_uint32, POINTER(P)),
        "recv": function(cc, f"doca_cc_{side}_event_msg_recv_register", c_int, P, RECEIVED),
        "destroy": function(cc, f"doca_cc_{side}_destroy", c_int, P),
    }
NO_MEMORY = 7


class Pump(threading.Thread):
    """Nobody else touches the library: calls come in by a queue."""

    def __init__(self, name):
        super().__init__(name=name, daemon=True)
        self.calls, self.pe = queue.SimpleQueue(), P()
        check(pe_create(byref(self.pe)))
        self.error = None

    def run(self):
        try:
            while True:
                progress(self.pe)  # each time: callers who try again at once leave the queue never empty
                try:
                    call, reply = self.calls.get_nowait()
                except queue.Empty:
                    continue
                if call is None:
                    return
                reply.put(call())
        except BaseException as error:
            self.error = error
            raise

    def do(self, call):
        reply = queue.SimpleQueue()
        self.calls.put((call, reply))
        return reply.get(timeout=60)

    def end(self):
        self.calls.put((None, None))
        self.join(60)
        check(pe_destroy(self.pe))


class End:
    def __init__(self, side, pump, handle):
        self.f, self.pump, self.handle = SIDES[side], pump, handle
        self.ctx, self.inbox = self.f["ctx"](handle), queue.Queue()
        self.received = RECEIVED(lambda event, data, size, peer: self.inbox.put((peer, string_at(data, size))))
        check(self.f["conf"](handle, free, free, 2))
        check(self.f["recv"](handle, self.received))
        check(connect_ctx(pump.pe, self.ctx))

    def start(self):
        return self.pump.do(lambda: start(self.ctx))

    def send(self, peer, data):
        """Two tasks at most are on their way: the others try again."""
        task = P()

        def attempt():
            rc = self.f["alloc"](self.handle, peer, data, len(data), byref(task))
            return rc or submit(as_task(task))

        while (rc := self.pump.do(attempt)) == NO_MEMORY:
            pass
        check(rc)

    def close(self):
        self.pump.do(lambda: stop(self.ctx))
        while self.pump.do(lambda: state(self.ctx)):
            pass
        check(self.pump.do(lambda: self.f["destroy"](self.handle)))


def worker(service, served):
    while True:
        peer, data = service.inbox.get()
        if peer is None:
            return
        service.send(peer, b"%d" % (int(data) ** 2))
        served.append(threading.current_thread().name)


def main():
    dpu, host, rep, n, reps = open_device(b"03:00.0"), open_device(b"b1:00.0"), P(), c_uint32(), POINTER(P)()
    check(rep_list(dpu, 0, byref(reps), byref(n)))
    check(rep_open(reps[0], byref(rep)))
    check(rep_destroy(reps))
    pumps = [Pump("of the server"), Pump("of the client")]
    server, client, peer = P(), P(), P()
    check(create_server(dpu, rep, b"squares", byref(server)))
    check(create_client(host, b"squares", byref(client)))
    service, user = End("server", pumps[0], server), End("client", pumps[1], client)
    gone = threading.Event()
    ups = CONNECTION(lambda *_: None), CONNECTION(lambda *_: gone.set())
    check(on_conn(server, *ups))
    for pump in pumps:
        pump.start()
    check(service.start())
    assert user.start() == 26
    while user.pump.do(lambda: state(user.ctx)) != 2:
        pass
    check(user.pump.do(lambda: get_connection(client, byref(peer))))
    served = []
    workers = [threading.Thread(target=worker, args=(service, served), name=f"w{i}") for i in range(3)]
    for thread in workers:
        thread.start()
    for number in range(40):
        user.send(peer, b"%d" % number)
    answers = sorted(int(user.inbox.get(timeout=60)[1]) for _ in range(40))
    print(answers == [number ** 2 for number in range(40)], len(served) <= 40)
    for _ in workers:
        service.inbox.put((None, None))
    for thread in workers:
        thread.join(60)
    print("served", len(served), "by", set(served) <= {"w0", "w1", "w2"})
    user.close()
    print("the server heard of it:", gone.wait(60))
    service.close()
    for pump in pumps:
        pump.end()
    check(rep_close(rep) or dev_close(dpu) or dev_close(host))
    return [pump.error for pump in pumps]


print(main())
sys.exit(0)
