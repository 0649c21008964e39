#!/usr/bin/env python3
"""Sweep over message sizes: sweep.py server | sweep.py client."""
import argparse
import ctypes as C

DONTWAIT = 1
NONBLOCK = 1
AGAIN = 5


class Attr(C.Structure):
    _fields_ = [(name, C.c_uint32) for name in ("cookie", "flags", "maxmsgs", "msgsize")]


class Info(C.Structure):
    _fields_ = [
        ("vport", C.c_uint16),
        ("msgsize", C.c_uint32),
        ("maxmsgs", C.c_uint32),
        ("curmsgs", C.c_uint32),
        ("rx_msgs", C.c_uint64),
        ("tx_msgs", C.c_uint64),
        ("rx_bytes", C.c_uint64),
        ("tx_bytes", C.c_uint64),
    ]


def server(lib, args):
    ep, peer = C.c_void_p(), C.c_void_p()
    attr = Attr(maxmsgs=args.depth, msgsize=args.largest)
    assert lib.doca_comm_channel_ep_create(C.byref(attr), C.byref(ep)) == 0
    assert lib.doca_comm_channel_ep_listen(ep, b"sweep") == 0
    print("listening", flush=True)
    buffer = C.create_string_buffer(args.largest)
    while True:
        size = C.c_size_t(args.largest)
        assert lib.doca_comm_channel_ep_recvfrom(ep, buffer, C.byref(size), 0, C.byref(peer)) == 0
        assert lib.doca_comm_channel_ep_sendto(ep, buffer, size, 0, peer) == 0
        if size.value == 3 and buffer.raw[:3] == b"end":
            break
    info = Info()
    assert lib.doca_comm_channel_peer_addr_info_get(peer, C.byref(info)) == 0
    print("rx", info.rx_msgs, info.rx_bytes, "tx", info.tx_msgs, info.tx_bytes)
    assert lib.doca_comm_channel_ep_destroy(ep) == 0


def client(lib, args):
    ep, peer = C.c_void_p(), C.c_void_p()
    attr = Attr(flags=NONBLOCK, maxmsgs=args.depth, msgsize=args.largest)
    assert lib.doca_comm_channel_ep_create(C.byref(attr), C.byref(ep)) == 0
    assert lib.doca_comm_channel_ep_connect(ep, b"sweep", C.byref(peer)) == 0
    buffer = C.create_string_buffer(args.largest)
    size = C.c_size_t()
    sizes = [1 << power for power in range(0, args.largest.bit_length(), 3)]
    for wanted in [*sizes, 3]:
        message = b"end" if wanted == 3 else b"m" * wanted
        for _ in range(1 if wanted == 3 else args.rounds):
            while True:
                rc = lib.doca_comm_channel_ep_sendto(ep, message, C.c_size_t(wanted), 0, peer)
                if rc != AGAIN:
                    break
            assert rc == 0, rc
            while True:
                size.value = args.largest
                rc = lib.doca_comm_channel_ep_recvfrom(ep, buffer, C.byref(size), 0, C.byref(peer))
                if rc != AGAIN:
                    break
            assert rc == 0, rc
            assert buffer.raw[: size.value] == message
        print("%6d bytes: %d" % (wanted, args.rounds if wanted != 3 else 1))
    size.value = args.largest
    print("empty", lib.doca_comm_channel_ep_recvfrom(ep, buffer, C.byref(size), 0, C.byref(peer)))
    assert lib.doca_comm_channel_ep_destroy(ep) == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["server", "client"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--largest", type=int, default=1024)
    parser.add_argument("--depth", type=int, default=16)
    args = parser.parse_args()
    lib = C.CDLL("libdoca_comm_channel.so.2")
    {"server": server, "client": client}[args.role](lib, args)


if __name__ == "__main__":
    main()
