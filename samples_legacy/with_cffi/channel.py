"""The comm channel through cffi: the library, and what every program here does with it."""
import hashlib
import time

from cffi import FFI

MAX_MSG_SIZE = 4080
FILTER_ALL = 0

ffi = FFI()
ffi.cdef("""
    typedef enum {
        DOCA_SUCCESS = 0,
        DOCA_ERROR_AGAIN = 5,
        DOCA_ERROR_CONNECTION_INPROGRESS = 13,
        DOCA_ERROR_NOT_FOUND = 16,
        DOCA_ERROR_IO_FAILED = 17,
        DOCA_ERROR_TOO_BIG = 27,
    } doca_error_t;
    typedef int doca_event_channel_t;
    struct doca_dev;
    struct doca_dev_rep;
    struct doca_devinfo;
    struct doca_devinfo_rep;
    struct doca_comm_channel_ep_t;
    struct doca_comm_channel_addr_t;

    const char *doca_error_get_name(doca_error_t error);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);
    doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo, const char *pci_addr_str,
                                                uint8_t *is_equal);
    doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter, struct doca_devinfo_rep ***list,
                                              uint32_t *nb);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **list);
    doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo,
                                                    const char *pci_addr_str, uint8_t *is_equal);
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
    doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *ep,
                                                        doca_event_channel_t *send, doca_event_channel_t *recv);
    doca_error_t doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *ep);
    doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *ep);
    doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *ep, const char *name);
    doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *ep, const char *name,
                                              struct doca_comm_channel_addr_t **peer_addr);
    doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *ep,
                                                 struct doca_comm_channel_addr_t *peer_addr);
    doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *msg, size_t len,
                                             int flags, struct doca_comm_channel_addr_t *peer_addr);
    doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
                                               int flags, struct doca_comm_channel_addr_t **peer_addr);
    doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *ep);
    doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer_addr);
    doca_error_t doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *, uint64_t *);
    doca_error_t doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *, uint64_t *);
    doca_error_t doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *, uint64_t *);
    doca_error_t doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *, uint64_t *);
    doca_error_t doca_comm_channel_peer_addr_get_send_in_flight_messages(const struct doca_comm_channel_addr_t *,
                                                                         uint64_t *);
""")
common = ffi.dlopen("libdoca_common.so.2")
lib = ffi.dlopen("libdoca_comm_channel.so.2")


class DocaError(Exception):
    """A call that failed; its argument is the code."""

    @property
    def name(self):
        return ffi.string(common.doca_error_get_name(self.args[0])).decode()


def check(result):
    if result != lib.DOCA_SUCCESS:
        raise DocaError(result)


def open_device(pci_addr):
    devinfos, count = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    equal, dev = ffi.new("uint8_t *"), ffi.new("struct doca_dev **")
    check(common.doca_devinfo_create_list(devinfos, count))
    result = lib.DOCA_ERROR_NOT_FOUND
    for i in range(count[0]):
        check(common.doca_devinfo_is_equal_pci_addr(devinfos[0][i], pci_addr.encode(), equal))
        if equal[0]:
            result = common.doca_dev_open(devinfos[0][i], dev)
            break
    check(common.doca_devinfo_destroy_list(devinfos[0]))
    check(result)
    return dev[0]


def open_representor(dev, pci_addr):
    devinfos, count = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    equal, rep = ffi.new("uint8_t *"), ffi.new("struct doca_dev_rep **")
    check(common.doca_devinfo_rep_create_list(dev, FILTER_ALL, devinfos, count))
    result = lib.DOCA_ERROR_NOT_FOUND
    for i in range(count[0]):
        check(common.doca_devinfo_rep_is_equal_pci_addr(devinfos[0][i], pci_addr.encode(), equal))
        if equal[0]:
            result = common.doca_dev_rep_open(devinfos[0][i], rep)
            break
    check(common.doca_devinfo_rep_destroy_list(devinfos[0]))
    check(result)
    return rep[0]


def create_endpoint(dev, queue_size):
    ep = ffi.new("struct doca_comm_channel_ep_t **")
    check(lib.doca_comm_channel_ep_create(ep))
    check(lib.doca_comm_channel_ep_set_device(ep[0], dev))
    check(lib.doca_comm_channel_ep_set_max_msg_size(ep[0], MAX_MSG_SIZE))
    check(lib.doca_comm_channel_ep_set_send_queue_size(ep[0], queue_size))
    check(lib.doca_comm_channel_ep_set_recv_queue_size(ep[0], queue_size))
    return ep[0]


def listen(ep, rep, name):
    check(lib.doca_comm_channel_ep_set_device_rep(ep, rep))
    check(lib.doca_comm_channel_ep_listen(ep, name.encode()))
    print("listening on", name, flush=True)


def connect(ep, name):
    peer = ffi.new("struct doca_comm_channel_addr_t **")
    check(lib.doca_comm_channel_ep_connect(ep, name.encode(), peer))
    result = lib.DOCA_ERROR_CONNECTION_INPROGRESS
    while result == lib.DOCA_ERROR_CONNECTION_INPROGRESS:
        time.sleep(1e-5)
        result = lib.doca_comm_channel_peer_addr_update_info(peer[0])
    check(result)
    return peer[0]


def shown(what, msg):
    return "peer 1 %s %d bytes %s" % (what, len(msg), hashlib.sha256(msg).hexdigest()[:16])


def try_send(ep, peer, msg):
    """False when the queue is full."""
    result = lib.doca_comm_channel_ep_sendto(ep, msg, len(msg), 0, peer)
    if result == lib.DOCA_ERROR_AGAIN:
        return False
    check(result)
    return True


def try_receive(ep):
    """A message and its peer, or None when there is none."""
    buffer, length = ffi.new("char[]", MAX_MSG_SIZE), ffi.new("size_t *", MAX_MSG_SIZE)
    peer = ffi.new("struct doca_comm_channel_addr_t **")
    result = lib.doca_comm_channel_ep_recvfrom(ep, buffer, length, 0, peer)
    if result == lib.DOCA_ERROR_AGAIN:
        return None
    check(result)
    return ffi.buffer(buffer, length[0])[:], peer[0]


def send(ep, peer, msg):
    while not try_send(ep, peer, msg):
        time.sleep(1e-5)
    print(shown("sent", msg), flush=True)


def receive(ep):
    while True:
        received = try_receive(ep)
        if received:
            print(shown("received", received[0]), flush=True)
            return received
        time.sleep(1e-5)


def count_of(peer, get):
    count = ffi.new("uint64_t *")
    check(get(peer, count))
    return count[0]


def show_statistics(peer):
    check(lib.doca_comm_channel_peer_addr_update_info(peer))
    print("peer 1 statistics: sent %d messages %d bytes, received %d messages %d bytes"
          % (count_of(peer, lib.doca_comm_channel_peer_addr_get_send_messages),
             count_of(peer, lib.doca_comm_channel_peer_addr_get_send_bytes),
             count_of(peer, lib.doca_comm_channel_peer_addr_get_recv_messages),
             count_of(peer, lib.doca_comm_channel_peer_addr_get_recv_bytes)))


def ended(program, *arguments):
    """Run a program to its end and print the result; the exit status."""
    try:
        program(*arguments)
    except DocaError as error:
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0
