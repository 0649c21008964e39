# Port of cc_server_sample.c; names and flow kept, goto became numbered levels.
import signal
import sys
import time

from doca_comm_channel import *
from common import open_doca_device_with_pci, open_doca_device_rep_with_pci, doca_log_err, pci_of

MAX_MSG_SIZE = 4080
CC_MAX_QUEUE_SIZE = 10
SLEEP_IN_NANOS = 10 * 1000

end_sample = False


def signal_handler(signum, frame):
    global end_sample
    if signum == signal.SIGINT or signum == signal.SIGTERM:
        end_sample = True


def create_comm_channel_server(server_name, dev_pci_addr, rep_pci_addr, text):
    global end_sample
    cc_dev = [None]
    cc_dev_rep = [None]
    ep = None
    peer_addr = None
    rcv_buf = b""
    response_len = len(text)
    level = 0
    turns = 0

    signal.signal(signal.SIGINT, signal_handler)
    signal.signal(signal.SIGTERM, signal_handler)

    result, ep = doca_comm_channel_ep_create()
    if result != DOCA_SUCCESS:
        doca_log_err("Failed to create Comm Channel endpoint: %s", doca_error_get_name(result))
        return result
    while 1:
        level = 1  # destroy_cc
        result = open_doca_device_with_pci(dev_pci_addr, cc_dev)
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to open Comm Channel DOCA device based on PCI address: %s", dev_pci_addr)
            break
        level = 2  # dev_close
        result = open_doca_device_rep_with_pci(cc_dev[0], DOCA_DEVINFO_REP_FILTER_NET, rep_pci_addr, cc_dev_rep)
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to open DOCA representor %s: %s", rep_pci_addr, doca_error_get_name(result))
            break
        level = 3  # rep_dev_close

        result = doca_comm_channel_ep_set_device(ep, cc_dev[0])
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to set device property: %s", doca_error_get_name(result))
            break
        result = doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to set max_msg_size property: %s", doca_error_get_name(result))
            break
        result = doca_comm_channel_ep_set_send_queue_size(ep, CC_MAX_QUEUE_SIZE)
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to set snd_queue_size property: %s", doca_error_get_name(result))
            break
        result = doca_comm_channel_ep_set_recv_queue_size(ep, CC_MAX_QUEUE_SIZE)
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to set rcv_queue_size property: %s", doca_error_get_name(result))
            break
        result = doca_comm_channel_ep_set_device_rep(ep, cc_dev_rep[0])
        if result != DOCA_SUCCESS:
            doca_log_err("Failed to set DOCA device representor property: %s", doca_error_get_name(result))
            break

        result = doca_comm_channel_ep_listen(ep, server_name)
        if result != DOCA_SUCCESS:
            doca_log_err("Comm Channel server couldn't start listening: %s", doca_error_get_name(result))
            break
        print("INFO Started listening on %s for %s, waiting for new messages" % (pci_of(cc_dev[0]), rep_pci_addr))

        # wait for a message; the buffer's length is in and out
        msg_len = MAX_MSG_SIZE
        while True:
            result, rcv_buf, msg_len, peer_addr = doca_comm_channel_ep_recvfrom(ep, msg_len, DOCA_CC_MSG_FLAG_NONE)
            if result != DOCA_ERROR_AGAIN:
                break
            if end_sample:
                result = DOCA_ERROR_UNEXPECTED
                break
            turns += 1
            if turns > 3000000:
                result = DOCA_ERROR_TIME_OUT
                break
            time.sleep(SLEEP_IN_NANOS / 1e9)
            msg_len = MAX_MSG_SIZE
        if result != DOCA_SUCCESS:
            doca_log_err("Message was not received: %s", doca_error_get_name(result))
            break
        level = 4  # disconnect
        print("INFO Received message: %s" % rcv_buf[:msg_len].decode())

        # send the response
        while (result := doca_comm_channel_ep_sendto(ep, text, response_len, DOCA_CC_MSG_FLAG_NONE,
                                                     peer_addr)) == DOCA_ERROR_AGAIN:
            if end_sample:
                result = DOCA_ERROR_UNEXPECTED
                break
            time.sleep(SLEEP_IN_NANOS / 1e9)
        if result != DOCA_SUCCESS:
            doca_log_err("Response was not sent: %s", doca_error_get_name(result))
            break

        # everything arrived before we leave
        in_flight = 1
        while in_flight:
            if doca_comm_channel_peer_addr_update_info(peer_addr) != DOCA_SUCCESS:
                break
            result, in_flight = doca_comm_channel_peer_addr_get_send_in_flight_messages(peer_addr)
        break

    # the labels of the original, in its order
    if level >= 4:
        tmp_result = doca_comm_channel_ep_disconnect(ep, peer_addr)
        if tmp_result != DOCA_SUCCESS:
            doca_log_err("Failed to disconnect channel: %s", doca_error_get_name(tmp_result))
            result = DOCA_ERROR_PROPAGATE(result, tmp_result)
    if level >= 1:
        tmp_result = doca_comm_channel_ep_destroy(ep)
        if tmp_result != DOCA_SUCCESS:
            doca_log_err("Failed to destroy channel: %s", doca_error_get_name(tmp_result))
            result = DOCA_ERROR_PROPAGATE(result, tmp_result)
    if level >= 3:
        tmp_result = doca_dev_rep_close(cc_dev_rep[0])
        if tmp_result != DOCA_SUCCESS:
            doca_log_err("Failed to close DOCA device representor: %s", doca_error_get_name(tmp_result))
            result = DOCA_ERROR_PROPAGATE(result, tmp_result)
    if level >= 2:
        tmp_result = doca_dev_close(cc_dev[0])
        if tmp_result != DOCA_SUCCESS:
            doca_log_err("Failed to close device: %s", doca_error_get_name(tmp_result))
            result = DOCA_ERROR_PROPAGATE(result, tmp_result)
    return result


def main(argc, argv):
    text = b"Hi from the DPU" if argc < 2 else argv[1].encode()
    # what the argument parser of the original would refuse
    result = create_comm_channel_server("goto_cleanup", "0f:00.0", "b1:00.0", text)
    print("INFO first: %s" % doca_error_get_name(result))
    result = create_comm_channel_server("goto_cleanup", "03:00.0", "b1:00.7", text)
    print("INFO second: %s" % doca_error_get_name(result))
    result = create_comm_channel_server("goto_cleanup", "03:00.0", "b1:00.0", text)
    if result != DOCA_SUCCESS:
        doca_log_err("create_comm_channel_server() encountered errors: %s", doca_error_get_descr(result))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(len(sys.argv), sys.argv))
