"""Host: three lines to the DPU, and what it makes of them."""
import ctypes
import sys
import time
from ctypes import byref, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

libdoca = ctypes.CDLL("libdoca_common.so.2")
libcc = ctypes.CDLL("libdoca_comm_channel.so.2")
LINES = [b"the quick brown fox", b"jumps over", b"the lazy dog"]

devices, number = ctypes.POINTER(c_void_p)(), c_uint32()
assert libdoca.doca_devinfo_create_list(byref(devices), byref(number)) == 0
dev, same = c_void_p(), c_uint8()
for i in range(number.value):
    libdoca.doca_devinfo_is_equal_pci_addr(c_void_p(devices[i]), b"b1:00.0", byref(same))
    if same:
        assert libdoca.doca_dev_open(c_void_p(devices[i]), byref(dev)) == 0
        break
libdoca.doca_devinfo_destroy_list(devices)

ep, peer = c_void_p(), c_void_p()
rc = libcc.doca_comm_channel_ep_connect(ep, b"upper", byref(peer))
print("before there is an endpoint:", rc, peer.value)
assert libcc.doca_comm_channel_ep_create(byref(ep)) == 0
for rc in (
    libcc.doca_comm_channel_ep_set_device(ep, dev),
    libcc.doca_comm_channel_ep_set_max_msg_size(ep, 512),
    libcc.doca_comm_channel_ep_set_send_queue_size(ep, 8),
    libcc.doca_comm_channel_ep_set_recv_queue_size(ep, 8),
    libcc.doca_comm_channel_ep_connect(ep, b"upper", byref(peer)),
):
    if rc != 0:
        sys.exit("set up: %d" % rc)
while libcc.doca_comm_channel_peer_addr_update_info(peer) == 13:
    time.sleep(1e-5)

answer = ctypes.create_string_buffer(512)
for line in LINES:
    while libcc.doca_comm_channel_ep_sendto(ep, line, len(line), 0, peer) == 5:
        time.sleep(1e-5)
    size, source = c_size_t(4), c_void_p()
    while (rc := libcc.doca_comm_channel_ep_recvfrom(ep, answer, byref(size), 0, byref(source))) == 5:
        size.value = 4
        time.sleep(1e-5)
    if rc:
        print("4 bytes are too few:", rc, size.value, source.value)
        size = c_size_t(512)
        rc = libcc.doca_comm_channel_ep_recvfrom(ep, answer, byref(size), 0, byref(source))
    print(rc, answer[:size.value].decode(), answer.value[:3], len(answer))
sent = c_uint64()
libcc.doca_comm_channel_peer_addr_update_info(peer)
libcc.doca_comm_channel_peer_addr_get_send_bytes(peer, byref(sent))
print(sent.value, "bytes")
libcc.doca_comm_channel_ep_sendto(ep, b".", 1, 0, peer)
print(libcc.doca_comm_channel_ep_disconnect(ep, peer), libcc.doca_comm_channel_ep_destroy(ep), libdoca.doca_dev_close(dev))
