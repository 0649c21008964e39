"""What C programmers hand over: arrays, parts of buffers, structs; names and addresses as bytes."""
import array
import ctypes
import sys

from doca_comm_channel import *


class Header(ctypes.LittleEndianStructure):
    _pack_ = 1
    _fields_ = [("kind", ctypes.c_uint8), ("length", ctypes.c_uint32)]


def open_by_bytes(address):
    rc, infos, count = doca_devinfo_create_list()
    for i in range(count):
        rc, same = doca_devinfo_is_equal_pci_addr(infos[i], address)
        if rc == DOCA_SUCCESS and same:
            rc, dev = doca_dev_open(infos[i])
            doca_devinfo_destroy_list(infos)
            return dev
    raise SystemExit("no device")


def let_in(server, peer):
    rc, *_ = doca_comm_channel_ep_recvfrom(server, 64, DOCA_CC_MSG_FLAG_NONE)
    assert rc == DOCA_ERROR_AGAIN, rc
    return doca_comm_channel_peer_addr_update_info(peer)


def pass_on(client, server, peer, label, msg, len):
    """Named as in the header: msg and len."""
    rc = doca_comm_channel_ep_sendto(client, msg, len, DOCA_CC_MSG_FLAG_NONE, peer)
    if rc != DOCA_SUCCESS:
        print(label, doca_error_get_name(rc))
        return None
    message = bytearray(64)
    rc, data, message_len, _ = doca_comm_channel_ep_recvfrom(server, message.__len__(), DOCA_CC_MSG_FLAG_NONE)
    message[:message_len] = data
    print(label, message_len, bytes(message[:message_len]))
    return message


def main():
    dpu, host = open_by_bytes(b"03:00.0"), open_by_bytes("0000:b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    (rc, server), (rc2, client) = doca_comm_channel_ep_create(), doca_comm_channel_ep_create()
    assert rc == rc2 == DOCA_SUCCESS
    rc = doca_comm_channel_ep_set_device(server, dpu), doca_comm_channel_ep_set_device_rep(server, rep)
    assert DOCA_SUCCESS == rc[0] == rc[1]
    rc = doca_comm_channel_ep_listen(server, b"odd_buffers\0")
    print("listen", doca_error_get_name(rc))
    doca_comm_channel_ep_set_device(client, host)
    rc, peer = doca_comm_channel_ep_connect(client, "odd_buffers")
    print("connect", doca_error_get_name(rc or let_in(server, peer)))

    numbers = array.array("H", [1, 2, 3])
    header = Header(7, 513)
    text = bytearray(b"a buffer that is longer than the message")
    passed = (client, server, peer)
    pass_on(*passed, "array, all bytes:", numbers, 6)
    pass_on(*passed, "array, as many bytes as items:", numbers, len(numbers))
    pass_on(*passed, "struct:", header, ctypes.sizeof(header))
    kept = pass_on(*passed, "part:", text, text.index(b" that"))
    text[:] = b"changed"
    print("a copy was sent:", bytes(kept[:8]))
    pass_on(*passed, "view:", memoryview(b"0123456789")[3:6], 3)
    pass_on(*passed, "beyond the end:", text, 100)
    pass_on(*passed, "text:", "text", 4)
    pass_on(*passed, "empty:", b"", 0)
    pass_on(*passed, "nothing of it:", text, 0)
    back = Header.from_buffer(pass_on(*passed, "struct:", bytes(header), 5))
    print("struct again", back.kind, back.length)
    codes = (doca_comm_channel_ep_disconnect(client, peer), doca_comm_channel_ep_destroy(client),
             doca_comm_channel_ep_destroy(server), doca_dev_rep_close(rep), doca_dev_close(dpu), doca_dev_close(host))
    print("ended", sum(map(DOCA_IS_ERROR, codes)))
    return 0


if __name__ == "__main__":
    rc = doca_log_backend_create_standard()
    sys.exit(main() if rc == DOCA_SUCCESS else 1)
