"""DPU: gives every line back in capitals. The library is used bare, with a prototype for each function."""
import ctypes
import sys
import time
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_void_p

libdoca = ctypes.CDLL("libdoca_common.so.2")
libcc = ctypes.CDLL("libdoca_comm_channel.so.2")

libdoca.doca_get_error_string.restype = c_char_p
libdoca.doca_devinfo_create_list.argtypes = [c_void_p, c_void_p]
libdoca.doca_dev_open.argtypes = [c_void_p, c_void_p]
libcc.doca_comm_channel_ep_sendto.argtypes = [c_void_p, c_void_p, c_size_t, c_int, c_void_p]
libcc.doca_comm_channel_ep_recvfrom.argtypes = [c_void_p, c_void_p, c_void_p, c_int, c_void_p]

AGAIN = 5


def check(rc):
    if rc:
        print("error:", libdoca.doca_get_error_string(rc).decode())
        sys.exit(rc)


def open_device(address):
    devices = ctypes.POINTER(c_void_p)()
    number = c_uint32()
    check(libdoca.doca_devinfo_create_list(byref(devices), byref(number)))
    device = c_void_p()
    for index in range(number.value):
        same = c_uint8()
        check(libdoca.doca_devinfo_is_equal_pci_addr(c_void_p(devices[index]), address, byref(same)))
        if same.value and not device:
            check(libdoca.doca_dev_open(c_void_p(devices[index]), byref(device)))
    check(libdoca.doca_devinfo_destroy_list(devices))
    return device


def open_representor(device):
    representors = ctypes.POINTER(c_void_p)()
    number = c_uint32(0)
    check(libdoca.doca_devinfo_rep_create_list(device, 0, byref(representors), byref(number)))
    representor = c_void_p()
    check(libdoca.doca_dev_rep_open(c_void_p(representors[0]), byref(representor)))
    check(libdoca.doca_devinfo_rep_destroy_list(representors))
    return representor


dev = open_device(b"03:00.0")
if not dev:
    sys.exit("no device")
rep = open_representor(dev)
ep = c_void_p()
check(libcc.doca_comm_channel_ep_create(byref(ep)))
check(libcc.doca_comm_channel_ep_set_device(ep, dev))
check(libcc.doca_comm_channel_ep_set_device_rep(ep, rep))
check(libcc.doca_comm_channel_ep_set_max_msg_size(ep, ctypes.c_uint16(512)))
check(libcc.doca_comm_channel_ep_set_send_queue_size(ep, ctypes.c_uint16(8)))
check(libcc.doca_comm_channel_ep_set_recv_queue_size(ep, ctypes.c_uint16(8)))
check(libcc.doca_comm_channel_ep_listen(ep, c_char_p(b"upper")))
print("listening", flush=True)

buffer = ctypes.create_string_buffer(512)
length = c_size_t()
peer = c_void_p()
while True:
    length.value = ctypes.sizeof(buffer)
    rc = libcc.doca_comm_channel_ep_recvfrom(ep, buffer, byref(length), 0, byref(peer))
    if rc == AGAIN:
        time.sleep(1e-5)
        continue
    check(rc)
    line = buffer.raw[:length.value]
    if line == b".":
        break
    answer = line.upper()
    while (rc := libcc.doca_comm_channel_ep_sendto(ep, answer, len(answer), 0, peer)) == AGAIN:
        time.sleep(1e-5)
    check(rc)
    print("%3d %s" % (length.value, line.decode()))
check(libcc.doca_comm_channel_ep_disconnect(ep, peer))
check(libcc.doca_comm_channel_ep_destroy(ep))
check(libdoca.doca_dev_rep_close(rep))
check(libdoca.doca_dev_close(dev))
