# echo_server.c, line for line
import sys
import time

from doca_comm_channel import *

MAX_MSG_SIZE = 4080
CC_MAX_QUEUE_SIZE = 10
SERVER_NAME = "checked_echo"
MAX_TURNS = 1000000


class DocaFailure(Exception):
    pass


def CHECK(result, what="call"):
    """Python's idea of the macro: the out-parameter on success, a jump to the clean-up otherwise."""
    out = None
    rc = result
    if isinstance(result, tuple):
        rc, out = result[0], result[1]
    if rc != DOCA_SUCCESS:
        print("%s failed: %s" % (what, doca_error_get_name(rc)))
        raise DocaFailure(what)
    return out


def find_device(pci_addr):
    rc, devinfos, nb = doca_devinfo_create_list()
    if rc != DOCA_SUCCESS:
        return rc, None
    dev = None
    for i in range(nb):
        rc, is_equal = doca_devinfo_is_equal_pci_addr(devinfos[i], pci_addr)
        if rc == DOCA_SUCCESS and is_equal:
            rc, dev = doca_dev_open(devinfos[i])
            break
    else:
        rc = DOCA_ERROR_NOT_FOUND
    doca_devinfo_destroy_list(devinfos)
    return rc, dev


def find_representor(dev, pci_addr):
    rc, reps, nb = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL)
    if rc != DOCA_SUCCESS:
        return rc, None
    rep = None
    for i in range(nb):
        rc, is_equal = doca_devinfo_rep_is_equal_pci_addr(reps[i], pci_addr)
        if rc == DOCA_SUCCESS and is_equal:
            rc, rep = doca_dev_rep_open(reps[i])
            break
    else:
        rc = DOCA_ERROR_NOT_FOUND
    doca_devinfo_rep_destroy_list(reps)
    return rc, rep


def server():
    cc_dev = cc_dev_rep = ep = peer_addr = None
    exit_status = 1
    try:
        ep = CHECK(doca_comm_channel_ep_create(), "create")
        cc_dev = CHECK(find_device("03:00.0"), "device")
        cc_dev_rep = CHECK(find_representor(cc_dev, "b1:00.0"), "representor")
        CHECK(doca_comm_channel_ep_set_device(ep, cc_dev), "set device")
        CHECK(doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE))
        CHECK(doca_comm_channel_ep_set_send_queue_size(ep, CC_MAX_QUEUE_SIZE))
        CHECK(doca_comm_channel_ep_set_recv_queue_size(ep, CC_MAX_QUEUE_SIZE))
        CHECK(doca_comm_channel_ep_set_device_rep(ep, cc_dev_rep))
        CHECK(doca_comm_channel_ep_listen(ep, SERVER_NAME), "listen")
        print("listening")
        size = CHECK(doca_comm_channel_ep_get_send_queue_size(ep))
        print("send queue of", size)

        echoed = 0
        while True:
            turns = MAX_TURNS
            msg_len = MAX_MSG_SIZE
            result, msg, msg_len, peer_addr = doca_comm_channel_ep_recvfrom(ep, msg_len, DOCA_CC_MSG_FLAG_NONE)
            while result == DOCA_ERROR_AGAIN and turns > 0:
                turns -= 1
                time.sleep(1e-5)
                msg_len = MAX_MSG_SIZE
                result, msg, msg_len, peer_addr = doca_comm_channel_ep_recvfrom(ep, msg_len, DOCA_CC_MSG_FLAG_NONE)
            CHECK(result, "receive")
            if msg == b"quit":
                break
            CHECK(doca_comm_channel_ep_sendto(ep, msg, msg_len, DOCA_CC_MSG_FLAG_NONE, peer_addr), "send")
            echoed += 1
            print("echoed", msg_len, "bytes")
        print("echoed", echoed, "messages")
        exit_status = 0
    except DocaFailure:
        pass
    # clean_up:
    if peer_addr is not None:
        result = doca_comm_channel_ep_disconnect(ep, peer_addr)
        if result != DOCA_SUCCESS:
            print("disconnect:", doca_error_get_name(result))
    if ep is not None:
        result = doca_comm_channel_ep_destroy(ep)
        if result != DOCA_SUCCESS:
            print("destroy:", doca_error_get_name(result))
    if cc_dev_rep is not None:
        doca_dev_rep_close(cc_dev_rep)
    if cc_dev is not None:
        doca_dev_close(cc_dev)
    return exit_status


if __name__ == "__main__":
    sys.exit(server())
