import json

from native import DocaError, call, ffi, lib, out

PCI = {"server": b"03:00.0", "client": b"b1:00.0"}


class Endpoint:
    """Both sides; a side knows its own functions by its noun. The object travels as user data of the context."""

    noun = ""

    def __init__(self, name):
        self.handle_of_self = ffi.new_handle(self)
        self.dev = self._open(PCI[self.noun])
        self.pe = out("doca_pe_create", "struct doca_pe *")
        self.end = self._create(name.encode())
        self.ctx = getattr(lib, f"doca_cc_{self.noun}_as_ctx")(self.end)
        call("doca_ctx_set_user_data", self.ctx, int(ffi.cast("uintptr_t", self.handle_of_self)))
        call("doca_pe_connect_ctx", self.pe, self.ctx)
        call(f"doca_cc_{self.noun}_task_send_set_conf", self.end, sent, sent, 32)
        call(f"doca_cc_{self.noun}_event_msg_recv_register", self.end, received)

    def _open(self, pci):
        infos, n, equal = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *")
        call("doca_devinfo_create_list", infos, n)
        try:
            for info in infos[0][0:n[0]]:
                call("doca_devinfo_is_equal_pci_addr", info, pci, equal)
                if equal[0]:
                    return out("doca_dev_open", "struct doca_dev *", info)
        finally:
            call("doca_devinfo_destroy_list", infos[0])
        raise LookupError(pci)

    def send(self, connection, value):
        data = json.dumps(value).encode()
        task = out(f"doca_cc_{self.noun}_task_send_alloc_init", "struct doca_cc_task_send *", self.end, connection,
                   data, len(data))
        generic = lib.doca_cc_task_send_as_task(task)
        lib.doca_task_set_user_data(generic, len(data))
        call("doca_task_submit", generic)

    @property
    def state(self):
        return out("doca_ctx_get_state", "enum doca_ctx_states", self.ctx)

    def close(self):
        try:
            call("doca_ctx_stop", self.ctx)
        except DocaError as error:
            print("stop:", error.args[1])
        while self.state != lib.IDLE:
            lib.doca_pe_progress(self.pe)
        call(f"doca_cc_{self.noun}_destroy", self.end)
        call("doca_pe_destroy", self.pe)


def owner(connection):
    """The Endpoint of a connection, through its context."""
    server, client = lib.doca_cc_server_get_server_ctx(connection), lib.doca_cc_client_get_client_ctx(connection)
    assert (server == ffi.NULL) != (client == ffi.NULL)
    ctx = lib.doca_cc_server_as_ctx(server) if server else lib.doca_cc_client_as_ctx(client)
    return ffi.from_handle(ffi.cast("void *", out("doca_ctx_get_user_data", "uint64_t", ctx)))


@ffi.callback("task_cb")
def sent(task, size, me):
    ffi.from_handle(ffi.cast("void *", me)).bytes_out += size
    lib.doca_task_free(lib.doca_cc_task_send_as_task(task))


@ffi.callback("recv_cb", onerror=lambda *error: print("callback:", error[1]))
def received(event, data, length, connection):
    owner(connection).on_message(connection, json.loads(ffi.unpack(ffi.cast("char *", data), length)))


class Server(Endpoint):
    noun = "server"

    def _create(self, name):
        reps, n = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
        call("doca_devinfo_rep_create_list", self.dev, 0, reps, n)
        self.rep = out("doca_dev_rep_open", "struct doca_dev_rep *", reps[0][0])
        call("doca_devinfo_rep_destroy_list", reps[0])
        return out("doca_cc_server_create", "struct doca_cc_server *", self.dev, self.rep, name)

    def close(self):
        super().close()
        call("doca_dev_rep_close", self.rep)
        call("doca_dev_close", self.dev)


class Client(Endpoint):
    noun = "client"

    def _create(self, name):
        return out("doca_cc_client_create", "struct doca_cc_client *", self.dev, name)

    def close(self):
        super().close()
        call("doca_dev_close", self.dev)
