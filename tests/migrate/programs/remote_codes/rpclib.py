"""Requests and responses over the channel; every result is a code."""
import json
import operator
import time

import doca_comm_channel as _c

# what to do about a result code
RETRY, FINE, LOST, FATAL = range(4)
VERDICT = {
    _c.DOCA_SUCCESS: FINE,
    _c.DOCA_ERROR_AGAIN: RETRY,
    _c.DOCA_ERROR_CONNECTION_INPROGRESS: RETRY,
    _c.DOCA_ERROR_CONNECTION_RESET: LOST,
    _c.DOCA_ERROR_CONNECTION_ABORTED: LOST,
    _c.DOCA_ERROR_NOT_CONNECTED: LOST,
}


class RpcError(Exception):
    def __init__(self, rc, where):
        super().__init__("%s in %s" % (_c.doca_error_get_name(rc), where))
        self.rc = rc


def verdict(rc):
    return VERDICT.get(rc, FATAL)


def settle(call, *args):
    """Call until the verdict is no longer RETRY; return what else it returned."""
    for _ in range(300_000):
        result = call(*args)
        rc, *rest = result if type(result) is tuple else (result,)
        v = verdict(rc)
        if v == RETRY:
            time.sleep(0.0002)
        elif v == FINE:
            return rest
        else:
            break
    raise RpcError(rc, call.__name__.removeprefix("doca_comm_channel_"))


def open_device(pci):
    infos, n = settle(_c.doca_devinfo_create_list)
    try:
        for info in infos:
            if settle(_c.doca_devinfo_is_equal_pci_addr, info, pci)[0]:
                return settle(_c.doca_dev_open, info)[0]
    finally:
        settle(_c.doca_devinfo_destroy_list, infos)
    raise RpcError(_c.DOCA_ERROR_NOT_FOUND, "open_device")


def open_rep(dev, pci):
    reps, n = settle(_c.doca_devinfo_rep_create_list, dev, _c.DOCA_DEVINFO_REP_FILTER_ALL)
    wanted = [r for r in reps if settle(_c.doca_devinfo_rep_get_pci_addr_str, r)[0].endswith(pci)]
    (rep,) = settle(_c.doca_dev_rep_open, wanted[0])
    settle(_c.doca_devinfo_rep_destroy_list, reps)
    return rep


def endpoint(dev, rep=None, **sizes):
    (ep,) = settle(_c.doca_comm_channel_ep_create)
    settle(_c.doca_comm_channel_ep_set_device, ep, dev)
    if rep is not None:
        settle(_c.doca_comm_channel_ep_set_device_rep, ep, rep)
    setters = {
        "msg": _c.doca_comm_channel_ep_set_max_msg_size,
        "send": _c.doca_comm_channel_ep_set_send_queue_size,
        "recv": _c.doca_comm_channel_ep_set_recv_queue_size,
    }
    for key, value in sizes.items():
        settle(setters[key], ep, value)
    return ep


def write(ep, peer, obj):
    data = json.dumps(obj).encode()
    settle(_c.doca_comm_channel_ep_sendto, ep, data, len(data), _c.DOCA_CC_MSG_FLAG_NONE, peer)


def read(ep):
    data, length, peer = settle(_c.doca_comm_channel_ep_recvfrom, ep, 4080, _c.DOCA_CC_MSG_FLAG_NONE)
    return json.loads(data[:length]), peer


ARITHMETIC = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
