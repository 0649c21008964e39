"""libdoca through cffi, as much of it as the halo exchange needs."""
from cffi import FFI

CDEF = """
typedef int doca_error_t;
struct doca_dev; struct doca_dev_rep; struct doca_devinfo; struct doca_devinfo_rep;
struct doca_comm_channel_ep_t; struct doca_comm_channel_addr_t;

const char *doca_get_error_string(doca_error_t error);
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr_str);
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***l, uint32_t *n);
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **l);
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo, char *pci_addr_str);
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);
doca_error_t doca_dev_close(struct doca_dev *dev);
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);

doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep, struct doca_dev *device);
doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep *rep);
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep, uint16_t max_msg_size);
doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t size);
doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *ep, uint16_t size);
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *ep, const char *name);
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer_addr);
doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *msg, size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer_addr);
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer_addr);
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *p);
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
"""
SUCCESS, AGAIN, INPROGRESS = 0, 5, 13

ffi = FFI()
ffi.cdef(CDEF)
core = ffi.dlopen("libdoca_common.so.2")
cc = ffi.dlopen("libdoca_comm_channel.so.2")


def must(rc, what):
    if rc != SUCCESS:
        text = ffi.string(core.doca_get_error_string(rc)).decode("utf-8")
        raise SystemExit("%s: %s (%d)" % (what, text, rc))


def find(wanted):
    lst, n = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    must(core.doca_devinfo_create_list(lst, n), "create_list")
    dev = ffi.new("struct doca_dev **")
    text = ffi.new("char[16]")
    for i in range(n[0]):
        must(core.doca_devinfo_get_pci_addr_str(lst[0][i], text), "pci_addr_str")
        if ffi.string(text).endswith(wanted) and dev[0] == ffi.NULL:
            must(core.doca_dev_open(lst[0][i], dev), "dev_open")
    must(core.doca_devinfo_destroy_list(lst[0]), "destroy_list")
    return dev[0]


def find_rep(dev, wanted):
    lst, n = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    must(core.doca_devinfo_rep_create_list(dev, 0, lst, n), "rep_create_list")
    rep = ffi.new("struct doca_dev_rep **")
    text = ffi.new("char[16]")
    for i in range(n[0]):
        must(core.doca_devinfo_rep_get_pci_addr_str(lst[0][i], text), "rep_pci_addr_str")
        if ffi.string(text).endswith(wanted) and rep[0] == ffi.NULL:
            must(core.doca_dev_rep_open(lst[0][i], rep), "dev_rep_open")
    must(core.doca_devinfo_rep_destroy_list(lst[0]), "rep_destroy_list")
    return rep[0]


def endpoint(dev):
    ep = ffi.new("struct doca_comm_channel_ep_t **")
    must(cc.doca_comm_channel_ep_create(ep), "ep_create")
    must(cc.doca_comm_channel_ep_set_device(ep[0], dev), "set_device")
    must(cc.doca_comm_channel_ep_set_max_msg_size(ep[0], 1024), "set_max_msg_size")
    must(cc.doca_comm_channel_ep_set_send_queue_size(ep[0], 16), "set_send_queue_size")
    must(cc.doca_comm_channel_ep_set_recv_queue_size(ep[0], 16), "set_recv_queue_size")
    return ep[0]
