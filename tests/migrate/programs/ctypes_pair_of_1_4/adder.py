import sys

from doca14 import endpoint, lib, receive, send


def main():
    ep = endpoint()
    if lib.doca_comm_channel_ep_listen(ep, b"adder") != 0:
        return 1
    print("listening", flush=True)
    left, total = 2, 0
    while left:
        rc, data, peer = receive(ep)
        if rc != 0:
            print("recvfrom", rc)
            break
        if data == b"end":
            left -= 1
            assert send(ep, b"end", peer) == 0
        else:
            total += int(data)
            assert send(ep, str(int(data) * 2).encode(), peer) == 0
    print("total", total)
    return lib.doca_comm_channel_ep_destroy(ep)


sys.exit(main())
