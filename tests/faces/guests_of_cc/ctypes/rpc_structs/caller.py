import struct
from ctypes import byref

from wire import H, Op, Peer, check, doca, lib


class Caller(Peer):
    def __init__(self):
        super().__init__("client", b"b1:00.0")
        self.answers, self.completions = {}, []
        end = H()
        check(lib.doca_cc_client_create(self.dev, b"rpc", byref(end)))
        self.start(end)
        self.progress_until(lambda: self.state == 2)
        self.connection = H()
        check(lib.doca_cc_client_get_connection(self.end, byref(self.connection)))

    def on_frame(self, connection, header, payload):
        assert connection == self.connection.value
        self.answers[header.seq] = payload

    def on_completed(self, seq):
        self.completions.append(seq)

    def ask(self, op, payload, flags=0):
        seq = len(self.answers) + 65530
        self.send(self.connection, op, seq, payload, flags)
        self.progress_until(lambda: seq in self.answers)
        return self.answers[seq]


caller = Caller()
print(caller.ask(Op.ECHO, b"text"), caller.ask(Op.ECHO, b"", 0x80))
print(struct.unpack("!q", caller.ask(Op.SUM, struct.pack("!3i", -1, 2**31 - 1, 7))))
caller.send(caller.connection, Op.QUIT, 9)
caller.progress_until(lambda: 9 in caller.completions)
caller.close()
check(doca.doca_dev_close(caller.dev))
print(caller.completions)
