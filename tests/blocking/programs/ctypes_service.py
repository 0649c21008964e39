"""The service of DOCA 1.4 on ctypes."""

import ctypes as c
from ctypes.util import find_library


class InitAttr(c.Structure):
    _fields_ = [(name, c.c_uint32) for name in ("cookie", "flags", "maxmsgs", "msgsize")]


class Info(c.Structure):
    _fields_ = [
        ("vport", c.c_uint16),
        *((name, c.c_uint32) for name in ("msgsize", "maxmsgs", "curmsgs")),
        *((name, c.c_uint64) for name in ("rx_msgs", "tx_msgs", "rx_bytes", "tx_bytes")),
    ]


lib = c.CDLL(find_library("doca_comm_channel"))
MORE = 2


def call(name, *arguments):
    rc = getattr(lib, "doca_comm_channel_" + name)(*arguments)
    if rc != 0:
        raise SystemExit(f"{name}: {rc}")


ep, peer = c.c_void_p(), c.c_void_p()
call("ep_create", c.byref(InitAttr(cookie=1, maxmsgs=8, msgsize=1024)), c.byref(ep))
call("ep_listen", ep, b"blocking")
print("listening", flush=True)
count = 0
buf = c.create_string_buffer(128)
while True:
    n = c.c_size_t(128)
    call("ep_recvfrom", ep, buf, c.byref(n), 0, c.byref(peer))
    msg = buf.raw[: n.value]
    if msg == b"bye":
        break
    count += 1
    call("peer_addr_user_data_set", peer, c.c_uint64(count))
    if count % 10 == 0:
        call("ep_sendto", ep, b"answer to " + msg, c.c_size_t(10 + n.value), MORE, peer)
last, info = c.c_uint64(), Info()
call("peer_addr_user_data_get", peer, c.byref(last))
call("peer_addr_info_get", peer, c.byref(info))
print("received", last.value, "messages;", info.rx_msgs, info.rx_bytes, info.tx_msgs, info.tx_bytes, info.msgsize)
call("ep_destroy", ep)
print("end")
