#!/usr/bin/env python3
# create_comm_channel_client(), from cc_client.c
import time

import common
from common import DOCA_LOG_ERR, MAX_TXT_SIZE, SLEEP_S, ffi, lib, lib_common


def create_comm_channel_client(server_name, dev_pci_addr, text):
    ep = ffi.new('struct doca_comm_channel_ep_t **')
    peer_addr = ffi.new('struct doca_comm_channel_addr_t **')
    cc_dev = ffi.new('struct doca_dev **')
    rcv_buf = ffi.new('char[%d]' % MAX_TXT_SIZE)
    msg_len = ffi.new('size_t *', len(text))

    result = lib.doca_comm_channel_ep_create(ep)
    if result != lib.DOCA_SUCCESS:
        DOCA_LOG_ERR('Failed to create Comm Channel endpoint', result)
        return result
    result = common.open_doca_device_with_pci(b'no:su.ch', cc_dev)
    print('a device that is not there:', result, cc_dev[0] == ffi.NULL)
    DOCA_LOG_ERR('a device that is not set', lib.doca_comm_channel_ep_set_device(ep[0], cc_dev[0]))
    result = common.open_doca_device_with_pci(dev_pci_addr, cc_dev)
    if result == lib.DOCA_SUCCESS:
        result = common.set_endpoint_properties(ep[0], cc_dev[0])
    if result == lib.DOCA_SUCCESS:
        result = lib.doca_comm_channel_ep_connect(ep[0], server_name, peer_addr)
    if result != lib.DOCA_SUCCESS:
        DOCA_LOG_ERR('Could not connect', result)
        lib.doca_comm_channel_ep_destroy(ep[0])
        return result
    while lib.doca_comm_channel_peer_addr_update_info(peer_addr[0]) == lib.DOCA_ERROR_CONNECTION_INPROGRESS:
        if common.end_sample:
            break
        time.sleep(SLEEP_S)
    # the sample sends once before the loop, and so do we
    result = lib.doca_comm_channel_ep_sendto(ep[0], text, msg_len[0], 0, peer_addr[0])
    while result == lib.DOCA_ERROR_AGAIN and not common.end_sample:
        time.sleep(SLEEP_S)
        result = lib.doca_comm_channel_ep_sendto(ep[0], text, msg_len[0], 0, peer_addr[0])
    msg_len[0] = MAX_TXT_SIZE
    while True:
        result = lib.doca_comm_channel_ep_recvfrom(ep[0], rcv_buf, msg_len, 0, peer_addr)
        if result != lib.DOCA_ERROR_AGAIN:
            break
        if common.end_sample:
            break
        time.sleep(SLEEP_S)
        msg_len[0] = MAX_TXT_SIZE
    print('Response:', ffi.string(rcv_buf).decode(), '/', ffi.unpack(rcv_buf, 4))
    print('too long a message:', lib.doca_comm_channel_ep_sendto(ep[0], text * 1000, len(text) * 1000, 0, peer_addr[0]))
    print('no message:', lib.doca_comm_channel_ep_sendto(ep[0], ffi.NULL, 0, 0, peer_addr[0]))
    lib.doca_comm_channel_ep_sendto(ep[0], b'bye', 3, 0, peer_addr[0])
    lib.doca_comm_channel_ep_disconnect(ep[0], peer_addr[0])
    lib.doca_comm_channel_ep_destroy(ep[0])
    lib_common.doca_dev_close(cc_dev[0])
    return lib.DOCA_SUCCESS if result == 0 else result


if __name__ == '__main__':
    common.main(create_comm_channel_client, b'cc_c_style', b'b1:00.0', b'Who client says hello')
