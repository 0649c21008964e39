from ctypes import POINTER, byref, c_uint8, c_uint32, c_void_p

from . import _c
from .errors import check


def open_device(address):
    infos, count, same, device = POINTER(c_void_p)(), c_uint32(), c_uint8(), c_void_p()
    check(_c.core.doca_devinfo_create_list(byref(infos), byref(count)))
    for index in range(count.value):
        check(_c.core.doca_devinfo_is_equal_pci_addr(c_void_p(infos[index]), address.encode(), byref(same)))
        if same.value:
            check(_c.core.doca_dev_open(c_void_p(infos[index]), byref(device)))
            break
    _c.core.doca_devinfo_destroy_list(infos)
    return device


def open_representor(device, address):
    infos, count, same, rep = POINTER(c_void_p)(), c_uint32(), c_uint8(), c_void_p()
    check(_c.core.doca_devinfo_rep_create_list(device, 0, byref(infos), byref(count)))
    for index in range(count.value):
        check(_c.core.doca_devinfo_rep_is_equal_pci_addr(c_void_p(infos[index]), address.encode(), byref(same)))
        if same.value:
            check(_c.core.doca_dev_rep_open(c_void_p(infos[index]), byref(rep)))
            break
    _c.core.doca_devinfo_rep_destroy_list(infos)
    return rep
