"""Both ends in one process, through cffi; the functions of the channel by names whose prefix only a run shows."""

import sys

from cffi import FFI

PREFIX = sys.argv[1]
FILTER_ALL, SUCCESS = 0, 0
ffi = FFI()
ffi.cdef("""
    typedef int doca_error_t;
    struct doca_dev; struct doca_dev_rep; struct doca_devinfo; struct doca_devinfo_rep;
    struct doca_comm_channel_ep_t; struct doca_comm_channel_addr_t;
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***list, uint32_t *number);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **list);
    doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *info, const char *text, uint8_t *is_equal);
    doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list,
                                              uint32_t *number);
    doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *info, const char *text,
                                                    uint8_t *is_equal);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **list);
    doca_error_t doca_dev_open(struct doca_devinfo *info, struct doca_dev **dev);
    doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *info, struct doca_dev_rep **rep);
    doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
    doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep, struct doca_dev *device);
    doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep *rep);
    doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *ep, const char *name);
    doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                                              struct doca_comm_channel_addr_t **peer);
    doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *data, size_t size,
                                             int flags, struct doca_comm_channel_addr_t *peer);
    doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *data, size_t *size,
                                               int flags, struct doca_comm_channel_addr_t **peer);
    doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer);
    doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_comm_channel_addr_t *peer);
    doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
""")
common = ffi.dlopen("libdoca_common.so.2")
lib = ffi.dlopen("libdoca_comm_channel.so.2")


def call(name, *args):
    return getattr(lib, PREFIX + name)(*args)


def open_device(address):
    infos, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    dev, is_equal = ffi.new("struct doca_dev **"), ffi.new("uint8_t *")
    common.doca_devinfo_create_list(infos, number)
    for at in range(number[0]):
        common.doca_devinfo_is_equal_pci_addr(infos[0][at], address, is_equal)
        if is_equal[0]:
            common.doca_dev_open(infos[0][at], dev)
    common.doca_devinfo_destroy_list(infos[0])
    return dev[0]


def open_representor(dev, address):
    infos, number = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    rep, is_equal = ffi.new("struct doca_dev_rep **"), ffi.new("uint8_t *")
    common.doca_devinfo_rep_create_list(dev, FILTER_ALL, infos, number)
    for at in range(number[0]):
        common.doca_devinfo_rep_is_equal_pci_addr(infos[0][at], address, is_equal)
        if is_equal[0]:
            common.doca_dev_rep_open(infos[0][at], rep)
    common.doca_devinfo_rep_destroy_list(infos[0])
    return rep[0]


dpu, host = open_device(b"03:00.0"), open_device(b"b1:00.0")
service, client = ffi.new("struct doca_comm_channel_ep_t **"), ffi.new("struct doca_comm_channel_ep_t **")
peer, sender = ffi.new("struct doca_comm_channel_addr_t **"), ffi.new("struct doca_comm_channel_addr_t **")
data, size = ffi.new("char[]", 99), ffi.new("size_t *", 99)
print(call("ep_create", service), call("ep_create", client))
call("ep_set_device", service[0], dpu)
call("ep_set_device_rep", service[0], open_representor(dpu, b"b1:00.0"))
print(call("ep_listen", service[0], b"svc"), call("ep_set_device", client[0], host))
print(call("ep_connect", client[0], b"svc", peer))
while call("peer_addr_update_info", peer[0]) != SUCCESS:
    size[0] = 99
    call("ep_recvfrom", service[0], data, size, 0, sender)
for word in (b"one", b"three"):
    print(call("ep_sendto", client[0], word, len(word), 0, peer[0]))
for _ in range(3):
    size[0] = 99
    print(call("ep_recvfrom", service[0], data, size, 0, sender), ffi.buffer(data, size[0])[:5])
print(call("ep_disconnect", client[0], peer[0]), call("ep_destroy", client[0]), call("ep_destroy", service[0]))
