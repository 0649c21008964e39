import contextlib
from ctypes import byref, c_int, c_uint32, c_uint8

from . import lib
from .lib import ChannelError, OnConnection, OnMessage, OnTask, Out, make


class End(contextlib.ExitStack):
    """Opened by `with`; what was made is given back in the other order."""

    side = pci = None

    def __init__(self, name):
        super().__init__()
        self.name, self.messages, self.failures, self.peer, self.left = name.encode(), [], [], None, False
        self.f = lib.of_side(self.side)
        self.on_sent, self.on_failed = OnTask(self._sent), OnTask(self._failed)
        self.on_message = OnMessage(self._message)

    def __enter__(self):
        super().__enter__()
        infos, n = Out(), c_uint32()
        lib.doca_devinfo_create_list(byref(infos), byref(n))
        found = [info for info in infos[:n.value]
                 if make(lib.doca_devinfo_is_equal_pci_addr, info, self.pci, kind=c_uint8)]
        self.dev = make(lib.doca_dev_open, found[0])
        lib.doca_devinfo_destroy_list(infos)
        self.callback(lib.doca_dev_close, self.dev)
        self.pe = make(lib.doca_pe_create)
        self.create()
        self.callback(lambda: lib.doca_pe_destroy(self.pe))
        self.callback(self.f["destroy"], self.handle)
        self.ctx = self.f["as_ctx"](self.handle)
        self.f["task_send_set_conf"](self.handle, self.on_sent, self.on_failed, 8)
        self.f["event_msg_recv_register"](self.handle, self.on_message)
        lib.doca_pe_connect_ctx(self.pe, self.ctx)
        try:
            lib.doca_ctx_start(self.ctx)
        except ChannelError as error:
            if error.code != 26:
                raise
        self.callback(self.stop)
        return self

    def stop(self):
        with contextlib.suppress(ChannelError):
            lib.doca_ctx_stop(self.ctx)
        self.until(lambda: self.state == 0)

    @property
    def state(self):
        return make(lib.doca_ctx_get_state, self.ctx, kind=c_int)

    @property
    def limit(self):
        return make(self.f["get_max_msg_size"], self.handle, kind=c_uint32)

    def _sent(self, task, *_):
        lib.doca_task_free(lib.doca_cc_task_send_as_task(task))

    def _failed(self, task, *_):
        generic = lib.doca_cc_task_send_as_task(task)
        self.failures.append(lib.doca_task_get_status(generic))
        lib.doca_task_free(generic)

    def _message(self, event, data, size, peer):
        self.messages.append(bytes(data[:size]))

    def until(self, condition):
        while not condition():
            lib.doca_pe_progress(self.pe)

    def send(self, data):
        task = make(self.f["task_send_alloc_init"], self.handle, self.peer, data, len(data))
        lib.doca_task_submit(lib.doca_cc_task_send_as_task(task))

    def receive(self):
        self.until(lambda: self.messages or self.left)
        return self.messages.pop(0) if self.messages else None


class Host(End):
    """The end on the card, which others come to."""

    side, pci = "server", b"03:00.0"

    def create(self):
        infos, n = Out(), c_uint32()
        lib.doca_devinfo_rep_create_list(self.dev, 0, byref(infos), byref(n))
        rep = make(lib.doca_dev_rep_open, infos[0])
        lib.doca_devinfo_rep_destroy_list(infos)
        self.callback(lib.doca_dev_rep_close, rep)
        self.handle = make(lib.doca_cc_server_create, self.dev, rep, self.name)
        self.on_up, self.on_down = OnConnection(self._up), OnConnection(self._down)
        lib.doca_cc_server_event_connection_register(self.handle, self.on_up, self.on_down)

    def _up(self, event, peer, fine):
        self.peer = peer

    def _down(self, event, peer, fine):
        self.left = True

    def wait(self):
        self.until(lambda: self.peer)


class Guest(End):
    side, pci = "client", b"b1:00.0"

    def create(self):
        self.handle = make(lib.doca_cc_client_create, self.dev, self.name)

    def wait(self):
        self.until(lambda: self.state in (0, 2))
        if self.state == 0:
            raise ConnectionError(self.name.decode())
        self.peer = make(lib.doca_cc_client_get_connection, self.handle)
