# echo_client.c, line for line; `while True ... break` is its do { } while (0) with gotos
import sys
import time

from doca_comm_channel import *

MAX_MSG_SIZE = 4080
SERVER_NAME = "checked_echo"


def open_doca_device(pci_addr):
    res, infos, nb_devs = doca_devinfo_create_list()
    if res != DOCA_SUCCESS:
        return res, None
    i = 0
    while i < nb_devs:
        res, equal = doca_devinfo_is_equal_pci_addr(infos[i], pci_addr)
        if res == DOCA_SUCCESS and equal:
            res, dev = doca_dev_open(infos[i])
            doca_devinfo_destroy_list(infos)
            return res, dev
        i += 1
    doca_devinfo_destroy_list(infos)
    return DOCA_ERROR_NOT_FOUND, None


def client(texts):
    ep = dev = peer_addr = None
    result = DOCA_SUCCESS
    while True:
        result, ep = doca_comm_channel_ep_create()
        if result != DOCA_SUCCESS:
            break
        result, dev = open_doca_device("b1:00.0")
        if result != DOCA_SUCCESS:
            break
        result = doca_comm_channel_ep_set_device(ep, dev)
        if result != DOCA_SUCCESS:
            break
        result = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
        if result != DOCA_SUCCESS:
            break
        result, peer_addr = doca_comm_channel_ep_connect(ep, SERVER_NAME)
        if result != DOCA_SUCCESS:
            break
        turns = 1000000
        while (result := doca_comm_channel_peer_addr_update_info(peer_addr)) == DOCA_ERROR_CONNECTION_INPROGRESS:
            turns -= 1
            if turns == 0:
                break
            time.sleep(1e-5)
        if result != DOCA_SUCCESS:
            break
        for text in texts:
            result = doca_comm_channel_ep_sendto(ep, text, len(text), DOCA_CC_MSG_FLAG_NONE, peer_addr)
            if result != DOCA_SUCCESS:
                break
            if text == b"quit":
                continue
            turns = 1000000
            result, answer, length, sender = doca_comm_channel_ep_recvfrom(ep, MAX_MSG_SIZE, DOCA_CC_MSG_FLAG_NONE)
            while result == DOCA_ERROR_AGAIN and turns:
                turns -= 1
                time.sleep(1e-5)
                result, answer, length, sender = doca_comm_channel_ep_recvfrom(ep, MAX_MSG_SIZE, DOCA_CC_MSG_FLAG_NONE)
            if result != DOCA_SUCCESS:
                break
            print("answer", length, answer[:12], "from the service", sender is peer_addr)
        break
    print("result:", doca_error_get_name(result))
    if peer_addr:
        doca_comm_channel_ep_disconnect(ep, peer_addr)
    if ep:
        doca_comm_channel_ep_destroy(ep)
    if dev:
        doca_dev_close(dev)
    return result


if __name__ == "__main__":
    sys.exit(client([b"one", b"second message", b"3" * MAX_MSG_SIZE, b"quit"]))
