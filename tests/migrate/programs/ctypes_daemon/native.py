"""The comm channel through ctypes, with prototypes; and an endpoint as an object."""
import ctypes
import enum
import os
import time
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint16, c_uint32, c_void_p
from ctypes.util import find_library

PATH = os.environ.get("DOCA_COMM_CHANNEL_LIB") or find_library("doca_comm_channel")


class Rc(enum.IntEnum):
    SUCCESS = 0
    AGAIN = 5
    INVALID_VALUE = 6
    CONNECTION_RESET = 11
    CONNECTION_ABORTED = 12
    CONNECTION_INPROGRESS = 13


class DocaError(Exception):
    def __init__(self, rc, where):
        super().__init__(rc, where)
        self.rc, self.where = rc, where

    def __str__(self):
        return f"{self.where}: {describe(self.rc)}"


_common = ctypes.CDLL(find_library("doca_common"))
_lib = ctypes.CDLL(PATH)

_common.doca_get_error_string.argtypes = (c_int,)
_common.doca_get_error_string.restype = c_char_p
_create_list = _common.doca_devinfo_create_list
_create_list.argtypes = (POINTER(POINTER(c_void_p)), POINTER(c_uint32))
_create_list.restype = c_int
_is_equal = _common.doca_devinfo_is_equal_pci_addr
_is_equal.argtypes = (c_void_p, c_char_p, POINTER(ctypes.c_uint8))
_create = _lib.doca_comm_channel_ep_create
_create.argtypes = (POINTER(c_void_p),)
_sendto = _lib.doca_comm_channel_ep_sendto
_sendto.argtypes = (c_void_p, c_char_p, c_size_t, c_int, c_void_p)
_recvfrom = _lib.doca_comm_channel_ep_recvfrom
_recvfrom.argtypes = (c_void_p, c_char_p, POINTER(c_size_t), c_int, POINTER(c_void_p))


def describe(rc):
    return _common.doca_get_error_string(rc).decode("ascii")


def raise_for(rc, where):
    if rc != Rc.SUCCESS:
        raise DocaError(rc, where)


class Device:
    def __init__(self, address):
        self.pointer = c_void_p(None)
        found, count = POINTER(c_void_p)(), c_uint32()
        raise_for(_create_list(byref(found), byref(count)), "create_list")
        equal = ctypes.c_uint8(0)
        for place in range(count.value):
            raise_for(_is_equal(found[place], address.encode("ascii"), byref(equal)), "is_equal")
            if equal.value == 1:
                raise_for(_common.doca_dev_open(c_void_p(found[place]), byref(self.pointer)), "open")
                break
        raise_for(_common.doca_devinfo_destroy_list(found), "destroy_list")
        if self.pointer.value is None:
            raise KeyError(address)

    def representor(self):
        found, count, rep = POINTER(c_void_p)(), c_uint32(), c_void_p()
        raise_for(_common.doca_devinfo_rep_create_list(self.pointer, 0, byref(found), byref(count)), "reps")
        raise_for(_common.doca_dev_rep_open(c_void_p(found[0]), byref(rep)), "rep_open")
        raise_for(_common.doca_devinfo_rep_destroy_list(found), "rep_destroy_list")
        return rep


class Endpoint:
    SIZE = 4080

    def __init__(self, device, rep=None):
        self.ptr = c_void_p()
        self.device = device
        raise_for(_create(byref(self.ptr)), "create")
        raise_for(_lib.doca_comm_channel_ep_set_device(self.ptr, device.pointer), "device")
        if rep is not None:
            raise_for(_lib.doca_comm_channel_ep_set_device_rep(self.ptr, rep), "rep")
        for setter, value in (
            (_lib.doca_comm_channel_ep_set_max_msg_size, self.SIZE),
            (_lib.doca_comm_channel_ep_set_send_queue_size, 64),
            (_lib.doca_comm_channel_ep_set_recv_queue_size, 64),
        ):
            raise_for(setter(self.ptr, c_uint16(value)), setter.__name__)

    def listen(self, name):
        raise_for(_lib.doca_comm_channel_ep_listen(self.ptr, name), "listen")

    def connect(self, name, patience=60.0):
        peer = c_void_p()
        raise_for(_lib.doca_comm_channel_ep_connect(self.ptr, name, byref(peer)), "connect")
        deadline = time.monotonic() + patience
        while (rc := _lib.doca_comm_channel_peer_addr_update_info(peer)) == Rc.CONNECTION_INPROGRESS:
            if time.monotonic() > deadline:
                break
            time.sleep(0.0001)
        raise_for(rc, "update_info")
        return peer

    def send(self, peer, payload):
        while (rc := _sendto(self.ptr, payload, len(payload), 0, peer)) == Rc.AGAIN:
            time.sleep(0.0001)
        raise_for(rc, "sendto")

    def receive(self):
        """A message, or b"" and None when there is none now."""
        buf, size, peer = ctypes.create_string_buffer(self.SIZE), c_size_t(self.SIZE), c_void_p()
        rc = _recvfrom(self.ptr, buf, byref(size), 0, byref(peer))
        if rc == Rc.AGAIN:
            return b"", None
        raise_for(rc, "recvfrom")
        return ctypes.string_at(buf, size.value), peer

    def drop(self, peer):
        return _lib.doca_comm_channel_ep_disconnect(self.ptr, peer)

    def destroy(self):
        raise_for(_lib.doca_comm_channel_ep_destroy(self.ptr), "destroy")
        raise_for(_common.doca_dev_close(self.device.pointer), "close")
