"""Methods picked beforehand, and arguments that arrive in tuples and dicts. Objects."""
import functools
import operator
import sys
import time

import doca_comm_channel as cc


def patiently(call):
    @functools.wraps(call)
    def wrapped(*args, **kwargs):
        for _ in range(500000):
            try:
                return call(*args, **kwargs)
            except (cc.Again, cc.ConnectionInprogress):
                time.sleep(1e-4)
        raise TimeoutError(call)
    return wrapped


def configure(ep, **sizes):
    for name, value in sizes.items():
        {"messages": ep.set_max_msg_size, "sending": ep.set_send_queue_size}[name](value)


def main():
    device = cc.open_device("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(*[device])
    configure(ep, messages=600, sending=16)
    peer = ep.connect(**{"name": "splatted"})
    patiently(peer.update_info)()
    send, receive = map(patiently, (ep.sendto, ep.recvfrom))
    first = operator.itemgetter(0)
    for arguments in ((b"stressed", peer), (b"drawer", peer, 0), (b"end", peer)):
        send(*arguments)
        print(first(receive(600)).decode())
    print(first(receive(size=600)).decode())
    peer.update_info()
    counters = ("send", peer.get_send_messages()), ("recv", peer.get_recv_bytes())
    print(dict(counters))
    (ep.disconnect if peer else print)(peer)
    ep.destroy()
    device.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
