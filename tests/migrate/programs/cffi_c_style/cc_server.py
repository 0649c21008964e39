#!/usr/bin/env python3
# create_comm_channel_server(), from cc_server.c
import sys
import time

import common
from common import DOCA_LOG_ERR, MAX_TXT_SIZE, SLEEP_S, ffi, lib, lib_common


def create_comm_channel_server(server_name, dev_pci_addr, rep_pci_addr, text):
    ep = ffi.new('struct doca_comm_channel_ep_t **', ffi.NULL)
    peer_addr = ffi.new('struct doca_comm_channel_addr_t **', ffi.NULL)
    cc_dev = ffi.new('struct doca_dev **', ffi.NULL)
    cc_dev_rep = ffi.new('struct doca_dev_rep **', ffi.NULL)
    rcv_buf = ffi.new('char[]', MAX_TXT_SIZE)
    msg_len = ffi.new('size_t *')
    msg = ffi.new('char[]', text)

    result = lib.doca_comm_channel_ep_create(ep)
    if result != lib.DOCA_SUCCESS:
        DOCA_LOG_ERR('Failed to create Comm Channel endpoint', result)
        return result
    try:
        result = common.open_doca_device_with_pci(dev_pci_addr, cc_dev)
        if result != lib.DOCA_SUCCESS:
            return result
        result = common.open_doca_device_rep_with_pci(cc_dev[0], rep_pci_addr, cc_dev_rep)
        if result != lib.DOCA_SUCCESS:
            return result
        result = common.set_endpoint_properties(ep[0], cc_dev[0], cc_dev_rep[0])
        if result != lib.DOCA_SUCCESS:
            return result
        result = lib.doca_comm_channel_ep_listen(ep[0], server_name)
        if result != lib.DOCA_SUCCESS:
            DOCA_LOG_ERR('Comm Channel server could not start listening', result)
            return result
        print('Server started listening, waiting for a new connection', flush=True)
        msg_len[0] = MAX_TXT_SIZE
        while True:
            result = lib.doca_comm_channel_ep_recvfrom(ep[0], rcv_buf, msg_len, lib.DOCA_CC_MSG_FLAG_NONE, peer_addr)
            if result != lib.DOCA_ERROR_AGAIN:
                break
            if common.end_sample:
                return result
            time.sleep(SLEEP_S)
            msg_len[0] = MAX_TXT_SIZE
        if result != lib.DOCA_SUCCESS:
            DOCA_LOG_ERR('Message was not received', result)
            return result
        rcv_buf[0:4] = b'The '
        print('Received:', ffi.string(rcv_buf, msg_len[0]).decode())
        while (result := lib.doca_comm_channel_ep_sendto(
                ep[0], msg, len(ffi.string(msg)),  # no NUL on the wire
                lib.DOCA_CC_MSG_FLAG_NONE, peer_addr[0])) == lib.DOCA_ERROR_AGAIN:
            if common.end_sample:
                break
            time.sleep(SLEEP_S)
        if result != lib.DOCA_SUCCESS:
            DOCA_LOG_ERR('Response was not sent', result)
        # the farewell tells that the response is there
        msg_len[0] = MAX_TXT_SIZE
        while lib.doca_comm_channel_ep_recvfrom(
                ep[0], rcv_buf, msg_len, 0, peer_addr) == lib.DOCA_ERROR_AGAIN and not common.end_sample:
            time.sleep(SLEEP_S)
            msg_len[0] = MAX_TXT_SIZE
        print('Farewell of', msg_len[0], 'bytes')
        return result
    finally:
        if peer_addr[0] != ffi.NULL:
            lib.doca_comm_channel_ep_disconnect(ep[0], peer_addr[0])
        res = lib.doca_comm_channel_ep_destroy(ep[0])
        print('destroyed' if res == 0 else 'not destroyed')
        if cc_dev_rep[0]:
            lib_common.doca_dev_rep_close(cc_dev_rep[0])
        if cc_dev[0]:
            lib_common.doca_dev_close(cc_dev[0])


if __name__ == '__main__':
    rep = sys.argv[1].encode() if len(sys.argv) > 1 else b'b1:00.0'
    common.main(create_comm_channel_server, b'cc_c_style', b'03:00.0', rep, b'I am the server')
