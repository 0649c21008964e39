"""Both ends in one process, through ctypes; the functions of the channel by names whose prefix only a run shows."""

import sys
from ctypes import CDLL, POINTER, byref, c_size_t, c_uint8, c_uint32, c_void_p, create_string_buffer

PREFIX = sys.argv[1]
FILTER_ALL, SUCCESS = 0, 0
common = CDLL("libdoca_common.so.2")
lib = CDLL("libdoca_comm_channel.so.2")


def call(name, *args):
    return getattr(lib, PREFIX + name)(*args)


def open_device(address):
    infos, number, is_equal, dev = POINTER(c_void_p)(), c_uint32(), c_uint8(), c_void_p()
    common.doca_devinfo_create_list(byref(infos), byref(number))
    for at in range(number.value):
        common.doca_devinfo_is_equal_pci_addr(c_void_p(infos[at]), address, byref(is_equal))
        if is_equal.value:
            common.doca_dev_open(c_void_p(infos[at]), byref(dev))
    common.doca_devinfo_destroy_list(infos)
    return dev


def open_representor(dev, address):
    infos, number, is_equal, rep = POINTER(c_void_p)(), c_uint32(), c_uint8(), c_void_p()
    common.doca_devinfo_rep_create_list(dev, FILTER_ALL, byref(infos), byref(number))
    for at in range(number.value):
        common.doca_devinfo_rep_is_equal_pci_addr(c_void_p(infos[at]), address, byref(is_equal))
        if is_equal.value:
            common.doca_dev_rep_open(c_void_p(infos[at]), byref(rep))
    common.doca_devinfo_rep_destroy_list(infos)
    return rep


dpu, host = open_device(b"03:00.0"), open_device(b"b1:00.0")
service, client, peer, sender = c_void_p(), c_void_p(), c_void_p(), c_void_p()
data, size = create_string_buffer(99), c_size_t(99)
print(call("ep_create", byref(service)), call("ep_create", byref(client)))
call("ep_set_device", service, dpu)
call("ep_set_device_rep", service, open_representor(dpu, b"b1:00.0"))
print(call("ep_listen", service, b"svc"), call("ep_set_device", client, host))
print(call("ep_connect", client, b"svc", byref(peer)))
while call("peer_addr_update_info", peer) != SUCCESS:
    size.value = 99
    call("ep_recvfrom", service, data, byref(size), 0, byref(sender))
for word in (b"one", b"three"):
    print(call("ep_sendto", client, word, len(word), 0, peer))
for _ in range(3):
    size.value = 99
    print(call("ep_recvfrom", service, data, byref(size), 0, byref(sender)), data.raw[:5])
print(call("ep_disconnect", client, peer), call("ep_destroy", client), call("ep_destroy", service))
