import ctypes as ct

core = ct.CDLL("libdoca_common.so.2")
lib = ct.CDLL("libdoca_comm_channel.so.2")

_PTR, _OUT, _INT, _SIZE = ct.c_void_p, ct.POINTER(ct.c_void_p), ct.c_int, ct.c_size_t
PROTOTYPES = [
    ("doca_comm_channel_ep_create", [_OUT]),
    ("doca_comm_channel_ep_destroy", [_PTR]),
    ("doca_comm_channel_ep_set_device", [_PTR, _PTR]),
    ("doca_comm_channel_ep_set_device_rep", [_PTR, _PTR]),
    ("doca_comm_channel_ep_set_max_msg_size", [_PTR, ct.c_uint16]),
    ("doca_comm_channel_ep_set_send_queue_size", [_PTR, ct.c_uint16]),
    ("doca_comm_channel_ep_set_recv_queue_size", [_PTR, ct.c_uint16]),
    ("doca_comm_channel_ep_listen", [_PTR, ct.c_char_p]),
    ("doca_comm_channel_ep_connect", [_PTR, ct.c_char_p, _OUT]),
    ("doca_comm_channel_ep_disconnect", [_PTR, _PTR]),
    ("doca_comm_channel_ep_sendto", [_PTR, ct.c_char_p, _SIZE, _INT, _PTR]),
    ("doca_comm_channel_ep_recvfrom", [_PTR, ct.c_char_p, ct.POINTER(_SIZE), _INT, _OUT]),
    ("doca_comm_channel_peer_addr_update_info", [_PTR]),
]
for name, types in PROTOTYPES:
    function = getattr(lib, name)
    function.argtypes = types
    function.restype = _INT
core.doca_get_error_string.restype = ct.c_char_p
