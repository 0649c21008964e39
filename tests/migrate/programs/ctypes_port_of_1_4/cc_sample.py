"""doca_comm_channel sample of DOCA 1.3, line by line from C."""
import sys
from ctypes import *
from ctypes.util import find_library

DOCA_SUCCESS = 0
DOCA_ERROR_AGAIN = 5
MAX_MSG_SIZE = 1024
CC_MAX_QUEUE_SIZE = 10

libcc = CDLL(find_library("doca_comm_channel") or "libdoca_comm_channel.so.2")
libdoca = CDLL("libdoca_common.so.2")
libdoca.doca_get_error_string.restype = c_char_p
libdoca.doca_get_error_string.argtypes = [c_int]


class doca_comm_channel_init_attr(Structure):
    _fields_ = [
        ("cookie", c_uint32),
        ("flags", c_uint32),
        ("maxmsgs", c_uint32),
        ("msgsize", c_uint32),
    ]


class doca_comm_channel_peer_addr_info(Structure):
    _fields_ = [
        ("vport", c_uint16),
        ("msgsize", c_uint32),
        ("maxmsgs", c_uint32),
        ("curmsgs", c_uint32),
        ("rx_msgs", c_uint64),
        ("tx_msgs", c_uint64),
        ("rx_bytes", c_uint64),
        ("tx_bytes", c_uint64),
    ]


def doca_get_error_string(res):
    return libdoca.doca_get_error_string(res).decode()


def create_secure_channel(server_name, is_server):
    ep = c_void_p()
    attr = doca_comm_channel_init_attr()
    attr.msgsize = MAX_MSG_SIZE
    attr.maxmsgs = CC_MAX_QUEUE_SIZE

    res = libcc.doca_comm_channel_ep_create(byref(attr), byref(ep))
    if res != DOCA_SUCCESS:
        print("Failed to create Comm Channel endpoint:", doca_get_error_string(res))
        return res

    if is_server:
        res = libcc.doca_comm_channel_ep_listen(ep, server_name)
        if res != DOCA_SUCCESS:
            print("Comm Channel server couldn't start listening:", doca_get_error_string(res))
            libcc.doca_comm_channel_ep_destroy(ep)
            return res
        print("Started Listening, waiting for new connection", flush=True)
        res = serve(ep)
    else:
        peer_addr = c_void_p()
        res = libcc.doca_comm_channel_ep_connect(ep, server_name, byref(peer_addr))
        if res != DOCA_SUCCESS:
            print("Couldn't establish a connection with the server node:", doca_get_error_string(res))
            libcc.doca_comm_channel_ep_destroy(ep)
            return res
        print("Connection to server was established successfully")
        res = talk(ep, peer_addr)

    destroyed = libcc.doca_comm_channel_ep_destroy(ep)
    if destroyed != DOCA_SUCCESS:
        print("Failed to destroy endpoint:", doca_get_error_string(destroyed))
    return res


def serve(ep):
    msg = create_string_buffer(MAX_MSG_SIZE)
    msg_len = c_size_t(MAX_MSG_SIZE)
    peer_addr = c_void_p()
    for _ in range(2):
        msg_len.value = MAX_MSG_SIZE
        res = libcc.doca_comm_channel_ep_recvfrom(ep, msg, byref(msg_len), 0, byref(peer_addr))
        if res != DOCA_SUCCESS:
            print("Message was not received:", doca_get_error_string(res))
            return res
        print("Received message:", msg.raw[:msg_len.value].decode())
        reply = b"Server got " + msg.raw[:msg_len.value]
        res = libcc.doca_comm_channel_ep_sendto(ep, reply, len(reply), 0, peer_addr)
        if res != DOCA_SUCCESS:
            print("Response was not sent successfully:", doca_get_error_string(res))
            return res
    info = doca_comm_channel_peer_addr_info()
    res = libcc.doca_comm_channel_peer_addr_info_get(peer_addr, byref(info))
    print("Peer: %d messages in, %d out, %d bytes in, at most %d" % (info.rx_msgs, info.tx_msgs, info.rx_bytes, info.msgsize))
    return libcc.doca_comm_channel_ep_disconnect(ep, peer_addr)


def talk(ep, peer_addr):
    msg = create_string_buffer(MAX_MSG_SIZE)
    msg_len = c_size_t()
    sender = c_void_p()
    for text in (b"Message 1 from client", b"Message 2 from client"):
        res = libcc.doca_comm_channel_ep_sendto(ep, text, len(text), 0, peer_addr)
        if res != DOCA_SUCCESS:
            print("Message was not sent:", doca_get_error_string(res))
            return res
        msg_len.value = MAX_MSG_SIZE
        res = libcc.doca_comm_channel_ep_recvfrom(ep, msg, byref(msg_len), 0, byref(sender))
        if res != DOCA_SUCCESS:
            print("Message was not received:", doca_get_error_string(res))
            return res
        print("Received response:", msg.value.decode() if msg_len.value < 10 else string_at(msg, msg_len.value).decode())
    msg_len.value = 4
    res = libcc.doca_comm_channel_ep_recvfrom(ep, msg, byref(msg_len), 1, byref(sender))
    print("No more:", res == DOCA_ERROR_AGAIN)
    return DOCA_SUCCESS


if __name__ == "__main__":
    sys.exit(create_secure_channel(b"secure_channel", len(sys.argv) > 1 and sys.argv[1] == "server"))
