"""Sends files to the DPU; `broken` is broken on its way, once."""
import struct
import sys

import doca_comm_channel as cc
from wire import (ACCEPT, DONE, END, OFFER, PIECE_KIND, REJECT, RESEND, TransferError, call, checksum, pieces, receive,
                  send, sized)

FILES = {
    "small": b"tiny",
    "pieces": bytes(range(256)) * 40,
    "exact": b"\xa5" * 3000,
    "broken": b"0123456789" * 250,
    "large": b"\0" * (1 << 17),
}
NAMES = {value: name for name, value in globals().items() if name in ("ACCEPT", "DONE", "END", "REJECT", "RESEND")}


def offer(ep, peer, name, data):
    send(ep, peer, OFFER, struct.pack("!HIQ", len(name), checksum(data), len(data)), name.encode())
    return receive(ep)[0]


def push(ep, peer, data, spoil=()):
    for number, piece in pieces(data):
        if number in spoil:
            piece = piece[:-1] + b"!"
        send(ep, peer, PIECE_KIND, struct.pack("!I", number), piece)
    return receive(ep)[0]


def copy(ep, peer, name, data):
    answers = [offer(ep, peer, name, data)]
    if answers[-1] == ACCEPT:
        answers.append(push(ep, peer, data, spoil={1} if name == "broken" else ()))
        while answers[-1] == RESEND:
            answers.append(push(ep, peer, data))
    return [NAMES[answer] for answer in answers]


def main():
    device = cc.open_device("b1:00.0")
    rc, ep = cc.doca_comm_channel_ep_create()
    if rc != cc.DOCA_SUCCESS:
        return rc
    peer = None
    try:
        call("device", cc.doca_comm_channel_ep_set_device, ep, device)
        sized(ep)
        peer, = call("connect", cc.doca_comm_channel_ep_connect, ep, "checksum_copy")
        call("handshake", cc.doca_comm_channel_peer_addr_update_info, peer)
        for name, data in FILES.items():
            print(name, *copy(ep, peer, name, data))
        send(ep, peer, END)
        print(NAMES[receive(ep)[0]])
    except TransferError as error:
        print(error)
        return 1
    finally:
        if peer:
            cc.doca_comm_channel_ep_disconnect(ep, peer)
        cc.doca_comm_channel_ep_destroy(ep)
        cc.doca_dev_close(device)


if __name__ == "__main__":
    sys.exit(main())
