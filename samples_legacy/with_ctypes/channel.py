"""The comm channel through ctypes: the library, and objects around its handles."""
import hashlib
import time
from ctypes import (CDLL, POINTER, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p,
                    create_string_buffer)
from ctypes.util import find_library

MAX_MSG_SIZE = 4080
FILTER_ALL = 0
DOCA_SUCCESS, DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_INPROGRESS = 0, 5, 13
DOCA_ERROR_NOT_FOUND, DOCA_ERROR_IO_FAILED, DOCA_ERROR_TOO_BIG = 16, 17, 27

common = CDLL(find_library("doca_common"))
lib = CDLL("/opt/mellanox/doca/lib/x86_64-linux-gnu/libdoca_comm_channel.so")

HANDLE, HANDLE_OUT = c_void_p, POINTER(c_void_p)
ARGUMENTS = {
    (common, "doca_devinfo_"): {
        "create_list": [POINTER(HANDLE_OUT), POINTER(c_uint32)],
        "destroy_list": [HANDLE_OUT],
        "is_equal_pci_addr": [HANDLE, c_char_p, POINTER(c_uint8)],
        "rep_create_list": [HANDLE, c_int, POINTER(HANDLE_OUT), POINTER(c_uint32)],
        "rep_destroy_list": [HANDLE_OUT],
        "rep_is_equal_pci_addr": [HANDLE, c_char_p, POINTER(c_uint8)],
    },
    (common, "doca_dev_"): {
        "open": [HANDLE, HANDLE_OUT],
        "close": [HANDLE],
        "rep_open": [HANDLE, HANDLE_OUT],
        "rep_close": [HANDLE],
    },
    (lib, "doca_comm_channel_"): {
        "ep_create": [HANDLE_OUT],
        "ep_set_device": [HANDLE, HANDLE],
        "ep_set_device_rep": [HANDLE, HANDLE],
        "ep_set_max_msg_size": [HANDLE, c_uint16],
        "ep_set_send_queue_size": [HANDLE, c_uint16],
        "ep_set_recv_queue_size": [HANDLE, c_uint16],
        "ep_listen": [HANDLE, c_char_p],
        "ep_connect": [HANDLE, c_char_p, HANDLE_OUT],
        "ep_sendto": [HANDLE, c_char_p, c_size_t, c_int, HANDLE],
        "ep_recvfrom": [HANDLE, c_char_p, POINTER(c_size_t), c_int, HANDLE_OUT],
        "ep_disconnect": [HANDLE, HANDLE],
        "ep_destroy": [HANDLE],
        "peer_addr_update_info": [HANDLE],
        "peer_addr_get_send_messages": [HANDLE, POINTER(c_uint64)],
        "peer_addr_get_send_bytes": [HANDLE, POINTER(c_uint64)],
        "peer_addr_get_recv_messages": [HANDLE, POINTER(c_uint64)],
        "peer_addr_get_recv_bytes": [HANDLE, POINTER(c_uint64)],
        "peer_addr_get_send_in_flight_messages": [HANDLE, POINTER(c_uint64)],
    },
}
for (library, prefix), functions in ARGUMENTS.items():
    for name, types in functions.items():
        getattr(library, prefix + name).argtypes = types
common.doca_error_get_name.restype = c_char_p


class DocaError(Exception):
    """A call that failed; its argument is the code."""

    @property
    def name(self):
        return common.doca_error_get_name(self.args[0]).decode()


def check(result):
    if result != DOCA_SUCCESS:
        raise DocaError(result)


class Device:
    """A device by its PCI address, or a representor of one."""

    def __init__(self, pci_addr, parent=None):
        self.rep = "rep_" if parent else ""
        self.handle = c_void_p()
        before = [parent.handle, FILTER_ALL] if parent else []
        devinfos, count, equal = HANDLE_OUT(), c_uint32(), c_uint8()
        check(self.call("doca_devinfo_%screate_list", *before, byref(devinfos), byref(count)))
        result = DOCA_ERROR_NOT_FOUND
        for i in range(count.value):
            check(self.call("doca_devinfo_%sis_equal_pci_addr", devinfos[i], pci_addr.encode(), byref(equal)))
            if equal.value:
                result = self.call("doca_dev_%sopen", devinfos[i], byref(self.handle))
                break
        check(self.call("doca_devinfo_%sdestroy_list", devinfos))
        check(result)

    def call(self, name, *arguments):
        return getattr(common, name % self.rep)(*arguments)

    def close(self):
        check(self.call("doca_dev_%sclose", self.handle))


class Channel:
    """An endpoint and its one peer."""

    def __init__(self, dev, queue_size):
        self.ep, self.peer = c_void_p(), c_void_p()
        check(lib.doca_comm_channel_ep_create(byref(self.ep)))
        check(lib.doca_comm_channel_ep_set_device(self.ep, dev.handle))
        check(lib.doca_comm_channel_ep_set_max_msg_size(self.ep, MAX_MSG_SIZE))
        check(lib.doca_comm_channel_ep_set_send_queue_size(self.ep, queue_size))
        check(lib.doca_comm_channel_ep_set_recv_queue_size(self.ep, queue_size))

    def listen(self, rep, name):
        check(lib.doca_comm_channel_ep_set_device_rep(self.ep, rep.handle))
        check(lib.doca_comm_channel_ep_listen(self.ep, name.encode()))
        print("listening on", name, flush=True)

    def connect(self, name):
        check(lib.doca_comm_channel_ep_connect(self.ep, name.encode(), byref(self.peer)))
        self.retry(DOCA_ERROR_CONNECTION_INPROGRESS, lambda: lib.doca_comm_channel_peer_addr_update_info(self.peer))

    def retry(self, code, call):
        result = call()
        while result == code:
            time.sleep(1e-5)
            result = call()
        check(result)

    def show(self, what, msg):
        print("peer 1 %s %d bytes %s" % (what, len(msg), hashlib.sha256(msg).hexdigest()[:16]), flush=True)

    def send(self, msg):
        self.retry(DOCA_ERROR_AGAIN, lambda: lib.doca_comm_channel_ep_sendto(self.ep, msg, len(msg), 0, self.peer))
        self.show("sent", msg)

    def receive(self):
        buffer, length = create_string_buffer(MAX_MSG_SIZE), c_size_t()

        def try_once():
            length.value = MAX_MSG_SIZE            # in and out: to be set again before every try
            return lib.doca_comm_channel_ep_recvfrom(self.ep, buffer, byref(length), 0, byref(self.peer))

        self.retry(DOCA_ERROR_AGAIN, try_once)
        msg = buffer.raw[:length.value]
        self.show("received", msg)
        return msg

    def count(self, what):
        count = c_uint64()
        check(lib["doca_comm_channel_peer_addr_get_" + what](self.peer, byref(count)))
        return count.value

    def wait_delivered(self):
        check(lib.doca_comm_channel_peer_addr_update_info(self.peer))
        while self.count("send_in_flight_messages"):
            time.sleep(1e-5)
            check(lib.doca_comm_channel_peer_addr_update_info(self.peer))

    def show_statistics(self):
        check(lib.doca_comm_channel_peer_addr_update_info(self.peer))
        print("peer 1 statistics: sent %d messages %d bytes, received %d messages %d bytes"
              % tuple(self.count(what) for what in ("send_messages", "send_bytes", "recv_messages", "recv_bytes")))

    def close(self):
        check(lib.doca_comm_channel_ep_disconnect(self.ep, self.peer))
        check(lib.doca_comm_channel_ep_destroy(self.ep))


def ended(program, *arguments):
    """Run a program to its end and print the result; the exit status."""
    try:
        program(*arguments)
    except DocaError as error:
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0
