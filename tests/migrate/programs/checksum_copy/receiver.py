"""Receives files on the DPU, into memory; asks again for what came broken."""
import hashlib
import struct
import sys

import doca_comm_channel as cc
import wire

LARGEST = 1 << 16


class Incoming(object):
    def __init__(self, name, crc, size):
        self.name, self.crc, self.size = name, crc, size
        self.buffer = bytearray(size)
        self.missing = set(range(-(-size // wire.CHUNK)))

    def put(self, number, piece):
        start = number * wire.CHUNK
        self.buffer[start:start + len(piece)] = piece
        self.missing.discard(number)

    def complete(self):
        return not self.missing

    def intact(self):
        return wire.checksum(self.buffer) == self.crc


def serve(ep):
    current = None
    status = 0
    while True:
        kind, rest, peer = wire.receive(ep)
        if kind == wire.END:
            wire.send(ep, peer, wire.END)
            return status
        if kind == wire.OFFER:
            name_len, crc, size = struct.unpack_from("!HIQ", rest)
            name = bytes(rest[14:14 + name_len]).decode()
            if size > LARGEST:
                print("too large:", name, size)
                wire.send(ep, peer, wire.REJECT)
                continue
            current = Incoming(name, crc, size)
            wire.send(ep, peer, wire.ACCEPT)
        elif kind == wire.PIECE_KIND:
            number, = struct.unpack_from("!I", rest)
            current.put(number, rest[4:])
        if current.complete():
            if current.intact():
                print(current.name, current.size, hashlib.sha256(current.buffer).hexdigest()[:16])
                wire.send(ep, peer, wire.DONE)
            else:
                print(current.name, "is broken")
                status = 3
                current = Incoming(current.name, current.crc, current.size)
                wire.send(ep, peer, wire.RESEND)


def main():
    device = cc.open_device("03:00.0")
    representor = device.open_representor("b1:00.0")
    rc, ep = cc.doca_comm_channel_ep_create()
    try:
        wire.call("device", cc.doca_comm_channel_ep_set_device, ep, device)
        wire.call("representor", cc.doca_comm_channel_ep_set_device_rep, ep, representor)
        wire.sized(ep)
        wire.call("listen", cc.doca_comm_channel_ep_listen, ep, "checksum_copy")
        print("listening")
        return serve(ep)
    except wire.TransferError as error:
        print(error)
        return 1
    finally:
        cc.doca_comm_channel_ep_destroy(ep)
        cc.doca_dev_rep_close(representor)
        cc.doca_dev_close(device)


if __name__ == "__main__":
    sys.exit(main())
