"""cffi binding of the comm channel, as much of it as we need."""
from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef int doca_error_t;
struct doca_dev; struct doca_dev_rep; struct doca_devinfo; struct doca_devinfo_rep;
struct doca_comm_channel_ep_t;
struct doca_comm_channel_addr_t;
const char *doca_error_get_name(doca_error_t error);
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo, const char *addr, uint8_t *is_equal);
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***l, uint32_t *n);
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **l);
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *i, const char *addr, uint8_t *is_equal);
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);
doca_error_t doca_dev_close(struct doca_dev *dev);
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo, struct doca_dev_rep **dev_rep);
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev);
doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **ep);
doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *ep, struct doca_dev *device);
doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *ep, struct doca_dev_rep *rep);
doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *ep, uint16_t size);
doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *ep, const char *name);
doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                                          struct doca_comm_channel_addr_t **peer);
doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer);
doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *msg, size_t len, int flags,
                                         struct doca_comm_channel_addr_t *peer);
doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len, int flags,
                                           struct doca_comm_channel_addr_t **peer);
doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer);
doca_error_t doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer, uint64_t *bytes);
""")
common = ffi.dlopen("libdoca_common.so.2")
channel = ffi.dlopen("libdoca_comm_channel.so.2")

OK, AGAIN, IN_PROGRESS = 0, 5, 13
SIZE = 1024


class Failure(RuntimeError):
    def __init__(self, rc):
        self.rc = rc
        super().__init__(ffi.string(common.doca_error_get_name(rc)).decode())


def ok(rc):
    if rc != OK:
        raise Failure(rc)


def out(ctype, call, *args):
    """Call with a cell at the end, return what C put there."""
    cell = ffi.new(ctype + " *")
    ok(call(*args, cell))
    return cell[0]


def open_device(address):
    infos, n = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    ok(common.doca_devinfo_create_list(infos, n))
    try:
        for i in range(n[0]):
            if out("uint8_t", common.doca_devinfo_is_equal_pci_addr, infos[0][i], address.encode()):
                return out("struct doca_dev *", common.doca_dev_open, infos[0][i])
    finally:
        common.doca_devinfo_destroy_list(infos[0])
    raise LookupError(address)


def open_representor(dev, address):
    infos, n = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    ok(common.doca_devinfo_rep_create_list(dev, 0, infos, n))
    try:
        for i in range(n[0]):
            if out("uint8_t", common.doca_devinfo_rep_is_equal_pci_addr, infos[0][i], address.encode()):
                return out("struct doca_dev_rep *", common.doca_dev_rep_open, infos[0][i])
    finally:
        common.doca_devinfo_rep_destroy_list(infos[0])
    raise LookupError(address)


class Endpoint:
    def __init__(self, dev):
        self.handle = out("struct doca_comm_channel_ep_t *", channel.doca_comm_channel_ep_create)
        ok(channel.doca_comm_channel_ep_set_device(self.handle, dev))
        ok(channel.doca_comm_channel_ep_set_max_msg_size(self.handle, SIZE))
        self.buffer = ffi.new("uint8_t[]", SIZE)
        self.length = ffi.new("size_t *")
        self.sender = ffi.new("struct doca_comm_channel_addr_t **")

    def listen(self, rep, name):
        ok(channel.doca_comm_channel_ep_set_device_rep(self.handle, rep))
        ok(channel.doca_comm_channel_ep_listen(self.handle, name))

    def connect(self, name):
        return out("struct doca_comm_channel_addr_t *", channel.doca_comm_channel_ep_connect, self.handle, name)

    def send(self, data, peer):
        while (rc := channel.doca_comm_channel_ep_sendto(self.handle, data, len(data), 0, peer)) == AGAIN:
            pass
        ok(rc)

    def receive(self):
        while True:
            self.length[0] = SIZE
            rc = channel.doca_comm_channel_ep_recvfrom(self.handle, self.buffer, self.length, 0, self.sender)
            if rc != AGAIN:
                break
        ok(rc)
        return bytes(ffi.buffer(self.buffer, self.length[0])), self.sender[0]

    def close(self):
        ok(channel.doca_comm_channel_ep_destroy(self.handle))
