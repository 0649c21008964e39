"""Prototypes by decorators: the body is documentation, the annotations are the types."""
import ctypes
import inspect
from ctypes import POINTER, byref, c_char_p, c_int, c_uint8, c_uint32, c_uint64, c_void_p

_libraries = [ctypes.CDLL(name, use_errno=True) for name in ("libdoca_common.so.2", "libdoca_cc.so.2")]
Out = POINTER(c_void_p)
OnTask = ctypes.CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
OnMessage = ctypes.CFUNCTYPE(None, c_void_p, POINTER(c_uint8), c_uint32, c_void_p)
OnConnection = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_uint8)


class ChannelError(Exception):
    def __init__(self, function, code):
        self.code = code
        super().__init__(f"{function.removeprefix('doca_')}: {doca_error_get_name(code).decode()}")


def _raising(result, function, arguments):
    if result:
        raise ChannelError(function.__name__, result)
    return result


def prototype(declared):
    """The C function of a name; those that return a code raise."""
    signature = inspect.signature(declared)
    library = next(lib for lib in _libraries if hasattr(lib, declared.__name__))
    function = library[declared.__name__]
    function.argtypes = [parameter.annotation for parameter in signature.parameters.values()]
    returns = signature.return_annotation
    function.restype = c_int if returns is signature.empty else returns
    if returns is signature.empty:
        function.errcheck = _raising
    return function


@prototype
def doca_error_get_name(code: c_int) -> c_char_p: ...
@prototype
def doca_devinfo_create_list(infos: POINTER(Out), n: POINTER(c_uint32)): ...
@prototype
def doca_devinfo_destroy_list(infos: Out): ...
@prototype
def doca_devinfo_is_equal_pci_addr(info: c_void_p, pci: c_char_p, equal: POINTER(c_uint8)): ...
@prototype
def doca_devinfo_rep_create_list(dev: c_void_p, which: c_int, infos: POINTER(Out), n: POINTER(c_uint32)): ...
@prototype
def doca_devinfo_rep_destroy_list(infos: Out): ...
@prototype
def doca_dev_open(info: c_void_p, dev: Out): ...
@prototype
def doca_dev_rep_open(info: c_void_p, rep: Out): ...
@prototype
def doca_dev_close(dev: c_void_p): ...
@prototype
def doca_dev_rep_close(rep: c_void_p): ...
@prototype
def doca_pe_create(pe: Out): ...
@prototype
def doca_pe_destroy(pe: c_void_p): ...
@prototype
def doca_pe_progress(pe: c_void_p) -> c_uint8: ...
@prototype
def doca_pe_connect_ctx(pe: c_void_p, ctx: c_void_p): ...
@prototype
def doca_ctx_start(ctx: c_void_p): ...
@prototype
def doca_ctx_stop(ctx: c_void_p): ...
@prototype
def doca_ctx_get_state(ctx: c_void_p, state: POINTER(c_int)): ...
@prototype
def doca_task_submit(task: c_void_p): ...
@prototype
def doca_task_free(task: c_void_p) -> None: ...
@prototype
def doca_task_get_status(task: c_void_p) -> c_int: ...
@prototype
def doca_cc_task_send_as_task(task: c_void_p) -> c_void_p: ...
@prototype
def doca_cc_server_create(dev: c_void_p, rep: c_void_p, name: c_char_p, server: Out): ...
@prototype
def doca_cc_server_event_connection_register(server: c_void_p, up: OnConnection, down: OnConnection): ...
@prototype
def doca_cc_client_create(dev: c_void_p, name: c_char_p, client: Out): ...
@prototype
def doca_cc_client_get_connection(client: c_void_p, connection: Out): ...


def of_side(side):
    """What servers and clients share."""
    table = {
        "as_ctx": ([c_void_p], c_void_p), "destroy": ([c_void_p], c_int),
        "task_send_set_conf": ([c_void_p, OnTask, OnTask, c_uint32], c_int),
        "task_send_alloc_init": ([c_void_p, c_void_p, c_char_p, c_uint32, Out], c_int),
        "event_msg_recv_register": ([c_void_p, OnMessage], c_int),
        "get_max_msg_size": ([c_void_p, POINTER(c_uint32)], c_int),
    }
    made = {}
    for name, (arguments, returns) in table.items():
        made[name] = function = _libraries[1][f"doca_cc_{side}_{name}"]
        function.argtypes, function.restype = arguments, returns
        if returns is c_int:
            function.errcheck = _raising
    return made


def make(function, *arguments, kind=c_void_p):
    cell = kind()
    function(*arguments, byref(cell))
    return cell.value
