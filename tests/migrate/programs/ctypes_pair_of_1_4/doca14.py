from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint32, c_void_p, create_string_buffer


class InitAttr(Structure):
    _fields_ = [("cookie", c_uint32), ("flags", c_uint32), ("maxmsgs", c_uint32), ("msgsize", c_uint32)]


lib = CDLL("libdoca_comm_channel.so.2")
for name, types in {
    "ep_create": [POINTER(InitAttr), POINTER(c_void_p)],
    "ep_listen": [c_void_p, c_char_p],
    "ep_connect": [c_void_p, c_char_p, POINTER(c_void_p)],
    "ep_sendto": [c_void_p, c_char_p, c_size_t, c_int, c_void_p],
    "ep_recvfrom": [c_void_p, c_char_p, POINTER(c_size_t), c_int, POINTER(c_void_p)],
    "ep_disconnect": [c_void_p, c_void_p],
    "ep_destroy": [c_void_p],
}.items():
    function = getattr(lib, "doca_comm_channel_" + name)
    function.argtypes, function.restype = types, c_int

SIZE = 128


def endpoint():
    attr = InitAttr(0, 0, 32, SIZE)
    ep = c_void_p()
    rc = lib.doca_comm_channel_ep_create(byref(attr), byref(ep))
    assert rc == 0, rc
    return ep


def receive(ep, flags=0):
    buf, n, peer = create_string_buffer(SIZE), c_size_t(SIZE), c_void_p()
    rc = lib.doca_comm_channel_ep_recvfrom(ep, buf, byref(n), flags, byref(peer))
    return rc, buf.raw[: n.value], peer


def send(ep, data, peer, flags=0):
    return lib.doca_comm_channel_ep_sendto(ep, data, len(data), flags, peer)
