import ctypes as ct

U32, U64, SIZE, PTR, STR = ct.c_uint32, ct.c_uint64, ct.c_size_t, ct.c_void_p, ct.c_char_p


class Attr(ct.Structure):
    """struct doca_comm_channel_init_attr"""

    _fields_ = [(field, U32) for field in ("cookie", "flags", "maxmsgs", "msgsize")]


class Info(ct.Structure):
    """struct doca_comm_channel_peer_addr_info"""

    _fields_ = [("vport", ct.c_uint16), ("msgsize", U32), ("maxmsgs", U32), ("curmsgs", U32)] + [
        (field, U64) for field in "rx_msgs tx_msgs rx_bytes tx_bytes".split()
    ]


PROTOTYPES = {
    "ep_create": [ct.POINTER(Attr), ct.POINTER(PTR)],
    "ep_listen": [PTR, STR],
    "ep_connect": [PTR, STR, ct.POINTER(PTR)],
    "ep_sendto": [PTR, STR, SIZE, ct.c_int, PTR],
    "ep_recvfrom": [PTR, PTR, ct.POINTER(SIZE), ct.c_int, ct.POINTER(PTR)],
    "ep_event_channel_get": [PTR],
    "ep_disconnect": [PTR, PTR],
    "ep_destroy": [PTR],
    "peer_addr_info_get": [PTR, ct.POINTER(Info)],
}
lib = ct.CDLL("libdoca_comm_channel.so.2")
for name, argtypes in PROTOTYPES.items():
    function = getattr(lib, "doca_comm_channel_" + name)
    function.argtypes = argtypes
    function.restype = ct.c_int
errors = ct.CDLL("libdoca_common.so.2")
errors.doca_get_error_name.argtypes, errors.doca_get_error_name.restype = [ct.c_int], ct.c_char_p


class DocaError(RuntimeError):
    @property
    def code(self):
        return self.args[0]

    def __str__(self):
        return "%s failed with %s" % (self.args[1], errors.doca_get_error_name(self.args[0]).decode())


def check(rc, what):
    if rc:
        raise DocaError(rc, what)
    return rc
