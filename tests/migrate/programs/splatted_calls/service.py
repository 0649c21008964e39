"""Calls put together beforehand: tuples and dicts of arguments, partial, a queue of calls. Flat."""
import functools
import sys
import time
from collections import deque

import doca_comm_channel as cc

NOTHING = cc.DOCA_CC_MSG_FLAG_NONE


def until(deadline, call, *args, **kwargs):
    while True:
        result = call(*args, **kwargs)
        rc = result if isinstance(result, int) else result[0]
        if rc != cc.DOCA_ERROR_AGAIN or time.time() > deadline:
            return result
        time.sleep(1e-4)


def invoke(job):
    function, *args = job
    return function(*args)


def main():
    deadline = time.time() + 60
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    rc, ep = cc.doca_comm_channel_ep_create()
    jobs = deque([
        (cc.doca_comm_channel_ep_set_device, ep, dev),
        (cc.doca_comm_channel_ep_set_device_rep, ep, rep),
        (cc.doca_comm_channel_ep_set_max_msg_size, ep, 600),
        (cc.doca_comm_channel_ep_listen, ep, "splatted"),
    ])
    codes = [invoke(jobs.popleft()) for _ in range(4)]
    if any(codes):
        print("set-up", [cc.doca_error_get_name(code) for code in codes if code])
        return 1
    print("listening")
    receive = functools.partial(cc.doca_comm_channel_ep_recvfrom, ep, 600, NOTHING)
    send = functools.partial(cc.doca_comm_channel_ep_sendto, ep)
    text = b""
    while text != b"end":
        rc, text, size, peer = until(deadline, receive)
        if rc:
            print("receive", cc.doca_error_get_name(rc))
            return 2
        tail = (NOTHING, peer)
        rc = until(deadline, send, text[::-1], size, *tail)
        print(text.decode(), size, rc)
    arguments = {"local_ep": ep, "msg": b"really the end", "len": 10, "flags": NOTHING, "peer_addr": peer}
    print("by keywords", cc.doca_comm_channel_ep_sendto(**arguments))
    for function in (cc.doca_comm_channel_ep_destroy, cc.doca_comm_channel_ep_destroy):
        print("destroy", cc.doca_error_get_name(function(ep)))
    rep.close()
    dev.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
