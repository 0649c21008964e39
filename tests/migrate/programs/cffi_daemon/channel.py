"""A channel as an object: owns its FFI, its library and every pointer."""
import logging
import select

import cffi

log = logging.getLogger("channel")


class ChannelError(RuntimeError):
    def __init__(self, what, code):
        super().__init__(f"{what} failed with {code}")
        self.code = code


class NotConnected(ChannelError):
    pass


class Native:
    """The C library."""

    OK, AGAIN, RESET, INPROGRESS = 0, 5, 11, 13
    HEADER = """
        typedef int doca_event_channel_t;
        int doca_devinfo_create_list(struct doca_devinfo ***, uint32_t *);
        int doca_devinfo_destroy_list(struct doca_devinfo **);
        int doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *, const char *, uint8_t *);
        int doca_devinfo_rep_create_list(struct doca_dev *, int, struct doca_devinfo_rep ***, uint32_t *);
        int doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **);
        int doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *, const char *, uint8_t *);
        int doca_dev_open(struct doca_devinfo *, struct doca_dev **);
        int doca_dev_close(struct doca_dev *);
        int doca_dev_rep_open(struct doca_devinfo_rep *, struct doca_dev_rep **);
        int doca_dev_rep_close(struct doca_dev_rep *);
        int doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **);
        int doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *, struct doca_dev *);
        int doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *, struct doca_dev_rep *);
        int doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *, uint16_t);
        int doca_comm_channel_ep_get_max_msg_size(struct doca_comm_channel_ep_t *, uint16_t *);
        int doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *, uint16_t);
        int doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *, uint16_t);
        int doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *, int *, int *);
        int doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *);
        int doca_comm_channel_ep_event_handle_arm_send(struct doca_comm_channel_ep_t *);
        int doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *, const char *);
        int doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *, const char *,
                                         struct doca_comm_channel_addr_t **);
        int doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *);
        int doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *, uint64_t *);
        int doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *, const void *, size_t, int,
                                        struct doca_comm_channel_addr_t *);
        int doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *, void *, size_t *, int,
                                          struct doca_comm_channel_addr_t **);
        int doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *, struct doca_comm_channel_addr_t *);
        int doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *);
    """

    def __init__(self):
        self.ffi = cffi.FFI()
        self.ffi.cdef(self.HEADER)
        self.common = self.ffi.dlopen("libdoca_common.so.2")
        self.lib = self.ffi.dlopen("libdoca_comm_channel.so.2")

    def check(self, code, what):
        if code == self.RESET:
            raise NotConnected(what, code)
        if code != self.OK:
            raise ChannelError(what, code)


class Channel:
    """One endpoint with a device of its own; `rep` makes it a service."""

    def __init__(self, native, address, rep=None):
        self._native = native
        self._ffi, self._lib = native.ffi, native.lib
        self._dev = self._rep = None
        self._peer = self._ffi.new("struct doca_comm_channel_addr_t **")
        self._ep = self._ffi.new("struct doca_comm_channel_ep_t **")
        self._size = self._ffi.new("size_t *")
        native.check(self._lib.doca_comm_channel_ep_create(self._ep), "create")
        self._dev = self._open(address.encode())
        native.check(self._lib.doca_comm_channel_ep_set_device(self._ep[0], self._dev), "set_device")
        native.check(self._lib.doca_comm_channel_ep_set_max_msg_size(self._ep[0], 2048), "set_max_msg_size")
        native.check(self._lib.doca_comm_channel_ep_set_send_queue_size(self._ep[0], 8), "set_send_queue_size")
        native.check(self._lib.doca_comm_channel_ep_set_recv_queue_size(self._ep[0], 8), "set_recv_queue_size")
        if rep is not None:
            self._rep = self._open_rep(rep.encode())
            native.check(self._lib.doca_comm_channel_ep_set_device_rep(self._ep[0], self._rep), "set_device_rep")
        self._buffer = self._ffi.new("uint8_t[]", self.max_msg_size)

    def _open(self, address):
        common, ffi = self._native.common, self._ffi
        infos, count, same = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *")
        dev = ffi.new("struct doca_dev **")
        self._native.check(common.doca_devinfo_create_list(infos, count), "create_list")
        try:
            for place in range(count[0]):
                self._native.check(common.doca_devinfo_is_equal_pci_addr(infos[0][place], address, same), "is_equal")
                if same[0]:
                    self._native.check(common.doca_dev_open(infos[0][place], dev), "open")
                    return dev[0]
        finally:
            common.doca_devinfo_destroy_list(infos[0])
        raise LookupError(address)

    def _open_rep(self, address):
        common, ffi = self._native.common, self._ffi
        infos, count, same = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *")
        rep = ffi.new("struct doca_dev_rep **")
        self._native.check(common.doca_devinfo_rep_create_list(self._dev, 0, infos, count), "rep_create_list")
        try:
            for place in range(count[0]):
                code = common.doca_devinfo_rep_is_equal_pci_addr(infos[0][place], address, same)
                self._native.check(code, "rep_is_equal")
                if same[0]:
                    self._native.check(common.doca_dev_rep_open(infos[0][place], rep), "rep_open")
                    return rep[0]
        finally:
            common.doca_devinfo_rep_destroy_list(infos[0])
        raise LookupError(address)

    @property
    def max_msg_size(self):
        size = self._ffi.new("uint16_t *")
        self._native.check(self._lib.doca_comm_channel_ep_get_max_msg_size(self._ep[0], size), "get_max_msg_size")
        return size[0]

    @property
    def received(self):
        count = self._ffi.new("uint64_t *")
        self._native.check(self._lib.doca_comm_channel_peer_addr_update_info(self._peer[0]), "update_info")
        self._native.check(self._lib.doca_comm_channel_peer_addr_get_recv_messages(self._peer[0], count), "get_recv")
        return count[0]

    def listen(self, name):
        self._native.check(self._lib.doca_comm_channel_ep_listen(self._ep[0], name.encode()), "listen")

    def connect(self, name):
        code = self._lib.doca_comm_channel_ep_connect(self._ep[0], name.encode(), self._peer)
        self._native.check(code, "connect")
        code = self._native.INPROGRESS
        while code == self._native.INPROGRESS:
            select.select([], [], [], 0.0001)
            code = self._lib.doca_comm_channel_peer_addr_update_info(self._peer[0])
        self._native.check(code, "update_info")

    def _wait(self, sending):
        ffi, lib = self._ffi, self._lib
        send_fd, recv_fd = ffi.new("doca_event_channel_t *"), ffi.new("doca_event_channel_t *")
        self._native.check(lib.doca_comm_channel_ep_get_event_channel(self._ep[0], send_fd, recv_fd), "fds")
        if sending:
            self._native.check(lib.doca_comm_channel_ep_event_handle_arm_send(self._ep[0]), "arm_send")
        else:
            self._native.check(lib.doca_comm_channel_ep_event_handle_arm_recv(self._ep[0]), "arm_recv")
        select.select([send_fd[0] if sending else recv_fd[0]], [], [], 0.05)

    def send(self, data):
        """Send all of it to the peer that was last heard of."""
        while True:
            code = self._lib.doca_comm_channel_ep_sendto(self._ep[0], data, len(data), 0, self._peer[0])
            if code != self._native.AGAIN:
                return self._native.check(code, "send")
            self._wait(sending=True)

    def receive(self):
        while True:
            self._size[0] = len(self._buffer)
            code = self._lib.doca_comm_channel_ep_recvfrom(self._ep[0], self._buffer, self._size, 0, self._peer)
            if code != self._native.AGAIN:
                self._native.check(code, "receive")
                return bytes(self._ffi.buffer(self._buffer, self._size[0]))
            self._wait(sending=False)

    def hang_up(self):
        if self._peer[0]:
            code = self._lib.doca_comm_channel_ep_disconnect(self._ep[0], self._peer[0])
            self._native.check(code, "disconnect")
            self._peer[0] = self._ffi.NULL

    def close(self):
        if self._ep is None:
            return
        self._native.check(self._lib.doca_comm_channel_ep_destroy(self._ep[0]), "destroy")
        self._ep = None
        if self._rep:
            self._native.check(self._native.common.doca_dev_rep_close(self._rep), "rep_close")
        self._native.check(self._native.common.doca_dev_close(self._dev), "dev_close")

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()
