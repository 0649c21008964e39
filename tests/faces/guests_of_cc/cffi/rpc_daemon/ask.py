from endpoint import Client
from native import DocaError, call, ffi, lib, out


class Asking(Client):
    def __init__(self, name):
        self.bytes_out, self.answers = 0, []
        super().__init__(name)

    def on_message(self, connection, answer):
        self.answers.append(answer)

    def connect(self):
        try:
            call("doca_ctx_start", self.ctx)
        except DocaError as error:
            print("start:", error.args[1])
        while self.state != lib.RUNNING:
            lib.doca_pe_progress(self.pe)
        self.connection = out("doca_cc_client_get_connection", "struct doca_cc_connection *", self.end)

    def ask(self, method, *args):
        before = len(self.answers)
        self.send(self.connection, [method, args])
        while len(self.answers) == before:
            lib.doca_pe_progress(self.pe)
        return self.answers[-1]


asking = Asking("rpc")
asking.connect()
print(asking.ask("add", 1, 2))
print(asking.ask("upper", "card"))
print(asking.ask("halt"))
asking.close()
print("asked with", asking.bytes_out, "bytes")
