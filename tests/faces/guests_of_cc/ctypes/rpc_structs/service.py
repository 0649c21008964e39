import struct
from ctypes import byref, c_uint32

from wire import H, O, Op, Peer, Status, check, doca, lib


class Service(Peer):
    def __init__(self):
        super().__init__("server", b"03:00.0")
        reps, n, self.rep, end = O(), c_uint32(), H(), H()
        check(doca.doca_devinfo_rep_create_list(self.dev, 0, byref(reps), byref(n)))
        check(doca.doca_dev_rep_open(reps[0], byref(self.rep)))
        check(doca.doca_devinfo_rep_destroy_list(reps))
        check(lib.doca_cc_server_create(self.dev, self.rep, b"rpc", byref(end)))
        self.status = Status(lambda event, connection, ok: None), Status(self.gone)
        check(lib.doca_cc_server_event_connection_register(end, *self.status))
        self.answered = []
        self.start(end)

    def gone(self, event, connection, ok):
        self.left = True

    def on_frame(self, connection, header, payload):
        op = Op(header.op)
        print(header.seq, op.name, header.length, "flags", header.flags)
        if op is Op.ECHO:
            self.send(connection, op, header.seq, payload)
        elif op is Op.SUM:
            numbers = struct.unpack(f"!{header.length // 4}i", payload)
            self.send(connection, op, header.seq, struct.pack("!q", sum(numbers)))

    def on_completed(self, seq):
        self.answered.append(seq)


service = Service()
print("listening", flush=True)
service.progress_until(lambda: service.left)
service.close()
check(doca.doca_dev_rep_close(service.rep))
check(doca.doca_dev_close(service.dev))
print("answered", service.answered)
