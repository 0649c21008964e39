import itertools

from endpoint import Server, owner
from native import call, ffi, lib


@ffi.callback("conn_cb")
def joined(event, connection, ok):
    call("doca_cc_connection_set_user_data", connection, next(owner(connection).numbers))


@ffi.callback("conn_cb")
def left(event, connection, ok):
    me = owner(connection)
    print("left: client", lib.doca_cc_connection_get_user_data(connection))
    me.left += 1


class Daemon(Server):
    methods = {"add": lambda a, b: a + b, "upper": str.upper}

    def __init__(self, name):
        self.numbers, self.left, self.bytes_out = itertools.count(1), 0, 0
        super().__init__(name)
        call("doca_cc_server_event_connection_register", self.end, joined, left)

    def on_message(self, connection, request):
        method, args = request
        number = lib.doca_cc_connection_get_user_data(connection)
        if method not in self.methods:
            self.send(connection, {"error": "no method " + method})
            return
        result = self.methods[method](*args)
        print("client", number, method, args, "->", result)
        self.send(connection, {"result": result})

    def run(self):
        call("doca_ctx_start", self.ctx)
        print("listening", flush=True)
        while not self.left:
            lib.doca_pe_progress(self.pe)


daemon = Daemon("rpc")
daemon.run()
daemon.close()
print("answered with", daemon.bytes_out, "bytes")
