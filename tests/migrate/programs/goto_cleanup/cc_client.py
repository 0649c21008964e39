# Port of cc_client_sample.c.
import sys
import time

from common import open_doca_device_with_pci, doca_log_err, pci_of
from doca_comm_channel import *

MAX_MSG_SIZE = 4080
CC_MAX_QUEUE_SIZE = 10
(OK, BAD_ARGS, BAD_SETUP, BAD_CONNECT, BAD_SEND, BAD_RECV) = range(6)


def set_properties(ep, dev):
    result = doca_comm_channel_ep_set_device(ep, dev)
    if result != DOCA_SUCCESS:
        doca_log_err("Failed to set device property")
        return result
    result = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
    if result != DOCA_SUCCESS:
        doca_log_err("Failed to set max_msg_size property")
        return result
    result = doca_comm_channel_ep_set_send_queue_size(ep, CC_MAX_QUEUE_SIZE)
    if result != DOCA_SUCCESS:
        doca_log_err("Failed to set snd_queue_size property")
        return result
    result = doca_comm_channel_ep_set_recv_queue_size(ep, CC_MAX_QUEUE_SIZE)
    if result != DOCA_SUCCESS:
        doca_log_err("Failed to set rcv_queue_size property")
    return result


def create_comm_channel_client(server_name, dev_pci_addr, text):
    dev = [None]
    ep = peer = None
    status = OK
    connected = False

    result = open_doca_device_with_pci(dev_pci_addr, dev)
    if result != DOCA_SUCCESS:
        return BAD_ARGS
    result, ep = doca_comm_channel_ep_create()
    if result == DOCA_SUCCESS:
        result = set_properties(ep, dev[0])
    if result != DOCA_SUCCESS:
        status = BAD_SETUP
    if status == OK:
        # a name nobody listens on first
        result, peer = doca_comm_channel_ep_connect(ep, server_name + "?")
        print("INFO %s? on %s: %s, peer %s" % (server_name, pci_of(dev[0]), doca_error_get_name(result), peer))
        result, peer = doca_comm_channel_ep_connect(ep, server_name)
        if result != DOCA_SUCCESS:
            doca_log_err("Couldn't establish a connection with the server: %s", doca_error_get_name(result))
            status = BAD_CONNECT
    if status == OK:
        connected = True
        while True:
            result = doca_comm_channel_peer_addr_update_info(peer)
            if result != DOCA_ERROR_CONNECTION_INPROGRESS:
                break
            time.sleep(1e-5)
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to validate the connection with the DPU: %s", doca_error_get_name(result))
            status = BAD_CONNECT
    if status == OK:
        print("INFO Connection to server was established successfully")
        while True:
            result = doca_comm_channel_ep_sendto(ep, text, len(text), DOCA_CC_MSG_FLAG_NONE, peer)
            if result != DOCA_ERROR_AGAIN:
                break
            time.sleep(1e-5)
        if result != DOCA_SUCCESS:
            doca_log_err("Message was not sent: %s", doca_error_get_name(result))
            status = BAD_SEND
    if status == OK:
        size = 4
        while True:
            result, rcv_buf, msg_len, who = doca_comm_channel_ep_recvfrom(ep, size, DOCA_CC_MSG_FLAG_NONE)
            if result == DOCA_ERROR_INVALID_VALUE:
                print("INFO %d bytes do not fit in %d" % (msg_len, size))
                size = msg_len
            elif result != DOCA_ERROR_AGAIN:
                break
            time.sleep(1e-5)
        if result != DOCA_SUCCESS:
            doca_log_err("Message was not received: %s", doca_error_get_name(result))
            status = BAD_RECV
        else:
            print("INFO Received message: %s (%s)" % (rcv_buf.decode(), "of the server" if who is peer else "?"))
    if connected and doca_comm_channel_ep_disconnect(ep, peer) != DOCA_SUCCESS:
        doca_log_err("Failed to disconnect channel")
    if ep is not None and (result := doca_comm_channel_ep_destroy(ep)) != DOCA_SUCCESS:
        doca_log_err("Failed to destroy channel: %d", result)
    if doca_dev_close(dev[0]) != DOCA_SUCCESS:
        doca_log_err("Failed to close device")
    return status


if __name__ == "__main__":
    sys.exit(create_comm_channel_client("goto_cleanup", "b1:00.0", b" ".join(map(str.encode, sys.argv[1:])) or b"Hi"))
