"""Set-up as one chain of `or`; the first code that is not zero is the answer. Counts what is asked of it."""
import sys
import time

from doca_comm_channel import *

state = {"dev": None, "rep": None, "ep": None}


def open_all():
    try:
        state["dev"] = open_device("03:00.0")
        state["rep"] = state["dev"].open_representor("b1:00.0")
    except LookupError:
        return DOCA_ERROR_NOT_FOUND
    rc, state["ep"] = doca_comm_channel_ep_create()
    return rc


def set_all():
    ep = state["ep"]
    return (
        doca_comm_channel_ep_set_device(ep, state["dev"])
        or doca_comm_channel_ep_set_device_rep(ep, state["rep"])
        or doca_comm_channel_ep_set_max_msg_size(ep, 500)
        or doca_comm_channel_ep_set_send_queue_size(ep, 12)
        or doca_comm_channel_ep_set_recv_queue_size(ep, 12)
    )


def start(name):
    rc = open_all() or set_all() or doca_comm_channel_ep_listen(state["ep"], name)
    print("listening" if not rc else doca_error_get_name(rc))
    return rc


def serve():
    ep, count, idle = state["ep"], 0, 0
    while idle < 500000:
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, 500, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_ERROR_AGAIN:
            idle += 1
            time.sleep(1e-4)
            continue
        idle = 0
        count += 1
        ok = rc == DOCA_SUCCESS and doca_comm_channel_ep_sendto(ep, msg, length, 0, peer) == DOCA_SUCCESS
        print(count, length, ok)
        if not ok or msg == b"fin":
            return rc
    return DOCA_ERROR_TIME_OUT


def stop():
    ep, rep, dev = state["ep"], state["rep"], state["dev"]
    return (
        (ep and doca_comm_channel_ep_destroy(ep))
        or (rep and doca_dev_rep_close(rep))
        or (dev and doca_dev_close(dev))
    )


rc = start("or_chains") or serve()
print("served:", doca_error_get_name(rc))
print("stopped:", stop())
sys.exit(rc)
