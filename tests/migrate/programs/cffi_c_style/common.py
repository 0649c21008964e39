# common.py - what cc_client.c and cc_server.c have in common, line by line
import signal
import sys

import cffi

MAX_TXT_SIZE = 4080
SLEEP_S = 10e-6
CC_MAX_QUEUE_SIZE = 10

ffi = cffi.FFI()
ffi.cdef('''
    enum {
        DOCA_SUCCESS = 0, DOCA_ERROR_AGAIN = 5, DOCA_ERROR_INVALID_VALUE = 6,
        DOCA_ERROR_CONNECTION_INPROGRESS = 13, DOCA_ERROR_NOT_FOUND = 16,
    };
    #define DOCA_CC_MSG_FLAG_NONE 0
    typedef int doca_error_t;
    const char *doca_get_error_string(doca_error_t error);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);
    doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *d, const char *addr, uint8_t *is_equal);
    doca_error_t doca_devinfo_rep_create_list(struct doca_dev *d, int filter, struct doca_devinfo_rep ***l, uint32_t *n);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **l);
    doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *d, const char *a, uint8_t *is_equal);
    doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);
    doca_error_t doca_dev_close(struct doca_dev *dev);
    doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);
    doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);
    doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
    doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep, struct doca_dev *device);
    doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep, uint16_t size);
    doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t size);
    doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t size);
    doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep *rep);
    doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *ep, const char *name);
    doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                                              struct doca_comm_channel_addr_t **peer);
    doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer);
    doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *msg, size_t len,
                                             int flags, struct doca_comm_channel_addr_t *peer);
    doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
                                               int flags, struct doca_comm_channel_addr_t **peer);
    doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_comm_channel_addr_t *peer);
    doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
''')
lib = ffi.dlopen('/opt/mellanox/doca/lib/x86_64-linux-gnu/libdoca_comm_channel.so.2')
lib_common = ffi.dlopen('/opt/mellanox/doca/lib/x86_64-linux-gnu/libdoca_common.so.2')

end_sample = False


def signal_handler(signum, frame):
    global end_sample
    if signum in (signal.SIGINT, signal.SIGTERM):
        end_sample = True


def DOCA_LOG_ERR(text, result):
    print(text + ':', ffi.string(lib_common.doca_get_error_string(result)).decode())


def open_doca_device_with_pci(value, retval):
    dev_list = ffi.new('struct doca_devinfo ***')
    nb_devs = ffi.new('uint32_t *')
    is_addr_equal = ffi.new('uint8_t *', 0)
    retval[0] = ffi.NULL
    res = lib_common.doca_devinfo_create_list(dev_list, nb_devs)
    if res != lib.DOCA_SUCCESS:
        DOCA_LOG_ERR('Failed to load doca devices list', res)
        return res
    i = 0
    while i < nb_devs[0]:
        res = lib_common.doca_devinfo_is_equal_pci_addr(dev_list[0][i], value, is_addr_equal)
        if res == lib.DOCA_SUCCESS and is_addr_equal[0]:
            res = lib_common.doca_dev_open(dev_list[0][i], retval)
            if res == lib.DOCA_SUCCESS:
                lib_common.doca_devinfo_destroy_list(dev_list[0])
                return res
        i += 1
    lib_common.doca_devinfo_destroy_list(dev_list[0])
    return lib.DOCA_ERROR_NOT_FOUND


def open_doca_device_rep_with_pci(local, pci_addr, retval):
    rep_list = ffi.new('struct doca_devinfo_rep ***')
    nb_rdevs = ffi.new('uint32_t *', 0)
    is_addr_equal = ffi.new('uint8_t *', 0)
    retval[0] = ffi.NULL
    result = lib_common.doca_devinfo_rep_create_list(local, 0, rep_list, nb_rdevs)
    if result != lib.DOCA_SUCCESS:
        DOCA_LOG_ERR('Failed to create devinfo representors list', result)
        return lib.DOCA_ERROR_INVALID_VALUE
    for i in range(nb_rdevs[0]):
        result = lib_common.doca_devinfo_rep_is_equal_pci_addr(rep_list[0][i], pci_addr, is_addr_equal)
        if (result == lib.DOCA_SUCCESS and is_addr_equal[0] == 1 and
                lib_common.doca_dev_rep_open(rep_list[0][i], retval) == lib.DOCA_SUCCESS):
            lib_common.doca_devinfo_rep_destroy_list(rep_list[0])
            return lib.DOCA_SUCCESS
    lib_common.doca_devinfo_rep_destroy_list(rep_list[0])
    return lib.DOCA_ERROR_NOT_FOUND


def set_endpoint_properties(ep, dev, rep=ffi.NULL):
    result = lib.doca_comm_channel_ep_set_device(ep, dev)
    if result != lib.DOCA_SUCCESS:
        DOCA_LOG_ERR('Failed to set device property', result)
        return result
    result = lib.doca_comm_channel_ep_set_max_msg_size(ep, MAX_TXT_SIZE)
    if result != lib.DOCA_SUCCESS:
        DOCA_LOG_ERR('Failed to set max_msg_size property', result)
        return result
    for setter in (lib.doca_comm_channel_ep_set_send_queue_size, lib.doca_comm_channel_ep_set_recv_queue_size):
        result = setter(ep, CC_MAX_QUEUE_SIZE)
        if result != lib.DOCA_SUCCESS:
            DOCA_LOG_ERR('Failed to set a queue size', result)
            return result
    if rep != ffi.NULL:
        result = lib.doca_comm_channel_ep_set_device_rep(ep, rep)
        if result != lib.DOCA_SUCCESS:
            DOCA_LOG_ERR('Failed to set DOCA device representor property', result)
    return result


def main(run, *args):
    signal.signal(signal.SIGINT, signal_handler)
    signal.signal(signal.SIGTERM, signal_handler)
    sys.exit(0 if run(*args) == lib.DOCA_SUCCESS else 1)
