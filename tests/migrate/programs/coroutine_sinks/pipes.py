"""Sources and sinks as generators."""
import time

from doca_comm_channel import *


def source(ep, size):
    """Yield (data, peer) for ever; stop on the first code that is not AGAIN."""
    rc = DOCA_SUCCESS
    while rc in (DOCA_SUCCESS, DOCA_ERROR_AGAIN):
        rc, data, length, peer = doca_comm_channel_ep_recvfrom(ep, size, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_SUCCESS:
            yield data[:length], peer
        else:
            time.sleep(0.0005)
    return rc


def sink(ep, peer):
    """A coroutine that sends what it is sent, and yields how often it had to wait."""
    waits = 0
    while True:
        data = yield waits
        while True:
            rc = doca_comm_channel_ep_sendto(ep, data, len(data), DOCA_CC_MSG_FLAG_NONE, peer)
            if rc == DOCA_SUCCESS:
                break
            elif rc == DOCA_ERROR_AGAIN:
                waits += 1
                time.sleep(0.0005)
            else:
                raise OSError(int(rc), doca_error_get_name(rc))


def prime(generator):
    next(generator)
    return generator


def endpoints(address, count, size):
    """Yield endpoints on one device, and give everything back at the end."""
    rc, infos, n = doca_devinfo_create_list()
    for i in range(n):
        rc, equal = doca_devinfo_is_equal_pci_addr(infos[i], address)
        if equal:
            rc, dev = doca_dev_open(infos[i])
    doca_devinfo_destroy_list(infos)
    made = []
    try:
        for _ in range(count):
            rc, ep = doca_comm_channel_ep_create()
            rc = doca_comm_channel_ep_set_device(ep, dev)
            if rc == DOCA_SUCCESS:
                rc = doca_comm_channel_ep_set_max_msg_size(ep, size)
            if rc != DOCA_SUCCESS:
                raise OSError(int(rc), doca_error_get_name(rc))
            made.append(ep)
            yield ep, dev
    finally:
        for ep in made:
            doca_comm_channel_ep_destroy(ep)
        doca_dev_close(dev)
