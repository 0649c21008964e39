"""Plugin on the host: allocates, writes and sums on the device; waits for an ack after every fourth piece."""
import struct
import sys
import time

import doca_comm_channel as doca

PIECE = 256
WINDOW = 4
HEADER = struct.Struct("!BIQ")
ALLOC, WRITE, SUM, EXIT = 1, 2, 3, 9

ok = doca.DOCA_SUCCESS
again = doca.DOCA_ERROR_AGAIN


def die(where, code):
    sys.stdout.write(f"{where}: {doca.doca_error_get_name(code)}\n")
    raise SystemExit(4)


class Remote:
    def __init__(self, ep, peer):
        self.ep, self.peer, self.acks = ep, peer, 0

    def put(self, data):
        spins = 0
        while True:
            code = doca.doca_comm_channel_ep_sendto(self.ep, data, len(data), doca.DOCA_CC_MSG_FLAG_NONE, self.peer)
            if code == ok:
                return
            if code != again or spins > 1000000:
                die("put", code)
            spins += 1

    def get(self):
        spins = 0
        while True:
            code, data, n, _ = doca.doca_comm_channel_ep_recvfrom(self.ep, PIECE, doca.DOCA_CC_MSG_FLAG_NONE)
            if code == ok:
                return data[:n]
            if code != again or spins > 1000000:
                die("get", code)
            spins += 1
            time.sleep(1e-5)

    def call(self, command, handle=0, size=0, payload=b""):
        self.put(HEADER.pack(command, handle, size))
        for number, offset in enumerate(range(0, len(payload), PIECE), 1):
            self.put(payload[offset:offset + PIECE])
            if number % WINDOW == 0:
                assert self.get() == bytes(16)
                self.acks += 1
        return HEADER.unpack(self.get())


def main():
    dev = doca.open_device("b1:00.0")
    code, ep = doca.doca_comm_channel_ep_create()
    if code != ok: die("create", code)
    code = doca.doca_comm_channel_ep_set_device(ep, dev)
    if code != ok: die("set_device", code)
    code = doca.doca_comm_channel_ep_set_max_msg_size(ep, PIECE)
    if code != ok: die("set_max_msg_size", code)
    code, peer = doca.doca_comm_channel_ep_connect(ep, "rpc_acks")
    if code != ok: die("connect", code)
    deadline = time.time() + 60
    while doca.doca_comm_channel_peer_addr_update_info(peer) == doca.DOCA_ERROR_CONNECTION_INPROGRESS:
        if time.time() > deadline: die("handshake", doca.DOCA_ERROR_TIME_OUT)
        time.sleep(1e-5)

    remote = Remote(ep, peer)
    payload = b"\x01\x02" * 1000
    print(remote.call(ALLOC, 7, len(payload)))
    print(remote.call(WRITE, 7, len(payload), payload))
    print(remote.call(SUM, 7))
    print(remote.call(EXIT), "acks", remote.acks)
    code = doca.doca_comm_channel_ep_disconnect(ep, peer) or doca.doca_comm_channel_ep_destroy(ep)
    dev.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
