"""The header of every request and answer, and the calls of both ends."""
import ctypes
from ctypes import POINTER, byref, c_char_p, c_int, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from enum import IntEnum


class Op(IntEnum):
    ECHO = 1
    SUM = 2
    QUIT = 3


class Header(ctypes.BigEndianStructure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = [("op", c_uint8), ("flags", c_uint8), ("seq", c_uint16), ("length", c_uint32)]


class UserData(ctypes.Structure):
    """union doca_data, of which a number is enough; a structure of its size is passed likewise."""

    _fields_ = [("u64", c_uint64)]


doca = ctypes.CDLL("libdoca_common.so.2", mode=ctypes.RTLD_GLOBAL)
lib = ctypes.CDLL("libdoca_cc.so.2")
Completion = ctypes.CFUNCTYPE(None, c_void_p, UserData, UserData)
Receive = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_uint32, c_void_p)
Status = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_uint8)
StateChanged = ctypes.CFUNCTYPE(None, UserData, c_void_p, c_int, c_int)
H, O = c_void_p, POINTER(c_void_p)

SIGNATURES = {
    doca: {
        "doca_devinfo_create_list": (c_int, [POINTER(O), POINTER(c_uint32)]),
        "doca_devinfo_destroy_list": (c_int, [O]),
        "doca_devinfo_is_equal_pci_addr": (c_int, [H, c_char_p, POINTER(c_uint8)]),
        "doca_devinfo_rep_create_list": (c_int, [H, c_int, POINTER(O), POINTER(c_uint32)]),
        "doca_devinfo_rep_destroy_list": (c_int, [O]),
        "doca_dev_open": (c_int, [H, O]), "doca_dev_rep_open": (c_int, [H, O]),
        "doca_dev_close": (c_int, [H]), "doca_dev_rep_close": (c_int, [H]),
        "doca_pe_create": (c_int, [O]), "doca_pe_destroy": (c_int, [H]), "doca_pe_progress": (c_uint8, [H]),
        "doca_pe_connect_ctx": (c_int, [H, H]), "doca_ctx_start": (c_int, [H]), "doca_ctx_stop": (c_int, [H]),
        "doca_ctx_set_user_data": (c_int, [H, UserData]),
        "doca_ctx_get_user_data": (c_int, [H, POINTER(UserData)]),
        "doca_ctx_set_state_changed_cb": (c_int, [H, StateChanged]),
        "doca_task_submit": (c_int, [H]), "doca_task_free": (None, [H]),
        "doca_task_set_user_data": (None, [H, UserData]), "doca_task_get_user_data": (UserData, [H]),
        "doca_error_get_name": (c_char_p, [c_int]),
    },
    lib: {
        "doca_cc_task_send_as_task": (H, [H]), "doca_cc_server_as_ctx": (H, [H]), "doca_cc_client_as_ctx": (H, [H]),
        "doca_cc_server_create": (c_int, [H, H, c_char_p, O]), "doca_cc_client_create": (c_int, [H, c_char_p, O]),
        "doca_cc_client_get_connection": (c_int, [H, O]),
        "doca_cc_server_event_connection_register": (c_int, [H, Status, Status]),
        **{f"doca_cc_{side}_{name}": (c_int, types) for side in ("server", "client") for name, types in {
            "destroy": [H],
            "task_send_set_conf": [H, Completion, Completion, c_uint32],
            "task_send_alloc_init": [H, H, c_void_p, c_uint32, O],
            "event_msg_recv_register": [H, Receive],
        }.items()},
    },
}
for library, functions in SIGNATURES.items():
    for name, (result, arguments) in functions.items():
        getattr(library, name).restype = result
        getattr(library, name).argtypes = arguments


def check(rc):
    if rc not in (0, 26):
        raise RuntimeError(doca.doca_error_get_name(rc).decode())


class Peer:
    """What both ends are: an engine, a context with this object's id as user data, frames in and out."""

    by_id = {}

    def __init__(self, side, pci):
        self.side, self.state, self.left = side, 0, False
        self.by_id[id(self)] = self
        self.callbacks = [Completion(self.completed), Receive(self.received), StateChanged(self.changed)]
        infos, n, equal, self.dev, self.pe = O(), c_uint32(), c_uint8(), H(), H()
        check(doca.doca_devinfo_create_list(byref(infos), byref(n)))
        for info in infos[:n.value]:
            check(doca.doca_devinfo_is_equal_pci_addr(info, pci, byref(equal)))
            if equal:
                check(doca.doca_dev_open(info, byref(self.dev)))
        check(doca.doca_devinfo_destroy_list(infos))
        check(doca.doca_pe_create(byref(self.pe)))

    def call(self, name, *args):
        return getattr(lib, f"doca_cc_{self.side}_{name}")(self.end, *args)

    def start(self, end):
        self.end = end
        self.ctx = self.call("as_ctx")
        completed, received, changed = self.callbacks
        check(self.call("task_send_set_conf", completed, completed, 16))
        check(self.call("event_msg_recv_register", received))
        check(doca.doca_ctx_set_user_data(self.ctx, UserData(id(self))))
        check(doca.doca_ctx_set_state_changed_cb(self.ctx, changed))
        check(doca.doca_pe_connect_ctx(self.pe, self.ctx))
        check(doca.doca_ctx_start(self.ctx))

    def send(self, connection, op, seq, payload=b"", flags=0):
        frame = bytes(Header(op, flags, seq, len(payload))) + payload
        task = H()
        check(self.call("task_send_alloc_init", connection, frame, len(frame), byref(task)))
        generic = lib.doca_cc_task_send_as_task(task)
        doca.doca_task_set_user_data(generic, UserData(seq))
        assert doca.doca_task_get_user_data(generic).u64 == seq
        check(doca.doca_task_submit(generic))

    def completed(self, task, task_data, ctx_data):
        self.by_id[ctx_data.u64].on_completed(task_data.u64)
        doca.doca_task_free(lib.doca_cc_task_send_as_task(task))

    def received(self, event, data, size, connection):
        header = Header.from_buffer_copy(ctypes.string_at(data, ctypes.sizeof(Header)))
        payload = ctypes.string_at(data + ctypes.sizeof(Header), header.length)
        assert ctypes.sizeof(Header) + header.length == size
        self.on_frame(connection, header, payload)

    def changed(self, user_data, ctx, before, after):
        assert self.by_id[user_data.u64] is self
        self.state = after

    def on_completed(self, seq):
        pass

    def progress_until(self, condition):
        while not condition():
            doca.doca_pe_progress(self.pe)

    def close(self):
        if self.state:
            check(doca.doca_ctx_stop(self.ctx))
        self.progress_until(lambda: self.state == 0)
        check(self.call("destroy"))
        check(doca.doca_pe_destroy(self.pe))
