"""An asyncio view of the comm channel (DOCA 2.x, first API): descriptors go to the loop, callers await."""
import asyncio
import sys

from cffi import FFI

ffi = FFI()
ffi.cdef("""
    typedef int doca_error_t;
    typedef int doca_event_channel_t;
    const char *doca_error_get_name(doca_error_t);
    doca_error_t doca_devinfo_create_list(struct doca_devinfo ***, uint32_t *);
    doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **);
    doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *, const char *, uint8_t *);
    doca_error_t doca_dev_open(struct doca_devinfo *, struct doca_dev **);
    doca_error_t doca_dev_close(struct doca_dev *);
    doca_error_t doca_devinfo_rep_create_list(struct doca_dev *, int, struct doca_devinfo_rep ***, uint32_t *);
    doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **);
    doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *, const char *, uint8_t *);
    doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *, struct doca_dev_rep **);
    doca_error_t doca_dev_rep_close(struct doca_dev_rep *);
    doca_error_t doca_comm_channel_ep_create(struct doca_comm_channel_ep_t **);
    doca_error_t doca_comm_channel_ep_destroy(struct doca_comm_channel_ep_t *);
    doca_error_t doca_comm_channel_ep_set_device(struct doca_comm_channel_ep_t *, struct doca_dev *);
    doca_error_t doca_comm_channel_ep_set_device_rep(struct doca_comm_channel_ep_t *, struct doca_dev_rep *);
    doca_error_t doca_comm_channel_ep_set_max_msg_size(struct doca_comm_channel_ep_t *, uint16_t);
    doca_error_t doca_comm_channel_ep_set_send_queue_size(struct doca_comm_channel_ep_t *, uint16_t);
    doca_error_t doca_comm_channel_ep_set_recv_queue_size(struct doca_comm_channel_ep_t *, uint16_t);
    doca_error_t doca_comm_channel_ep_listen(struct doca_comm_channel_ep_t *, const char *);
    doca_error_t doca_comm_channel_ep_connect(struct doca_comm_channel_ep_t *, const char *, struct doca_comm_channel_addr_t **);
    doca_error_t doca_comm_channel_ep_disconnect(struct doca_comm_channel_ep_t *, struct doca_comm_channel_addr_t *);
    doca_error_t doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *, const void *, size_t, int, struct doca_comm_channel_addr_t *);
    doca_error_t doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *, void *, size_t *, int, struct doca_comm_channel_addr_t **);
    doca_error_t doca_comm_channel_ep_get_event_channel(struct doca_comm_channel_ep_t *, doca_event_channel_t *, doca_event_channel_t *);
    doca_error_t doca_comm_channel_ep_event_handle_arm_recv(struct doca_comm_channel_ep_t *);
    doca_error_t doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *);
""")
core = ffi.dlopen("libdoca_common.so.2")
chan = ffi.dlopen("libdoca_comm_channel.so.2")
AGAIN, IN_PROGRESS = "DOCA_ERROR_AGAIN", "DOCA_ERROR_CONNECTION_INPROGRESS"


def name_of(rc):
    return ffi.string(core.doca_error_get_name(rc)).decode("ascii")


def ok(rc, *, also=()):
    name = name_of(rc)
    if rc and name not in also:
        raise OSError(rc, name)
    return name if rc else None


def open_device(pci):
    infos, count = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
    equal, handle = ffi.new("uint8_t *"), ffi.new("struct doca_dev **")
    ok(core.doca_devinfo_create_list(infos, count))
    try:
        for index in range(count[0]):
            ok(core.doca_devinfo_is_equal_pci_addr(infos[0][index], pci.encode(), equal))
            if equal[0]:
                ok(core.doca_dev_open(infos[0][index], handle))
                return handle[0]
    finally:
        ok(core.doca_devinfo_destroy_list(infos[0]))
    raise LookupError(pci)


def open_representor(device, pci):
    infos, count = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
    equal, handle = ffi.new("uint8_t *"), ffi.new("struct doca_dev_rep **")
    ok(core.doca_devinfo_rep_create_list(device, 2, infos, count))
    try:
        for index in range(count[0]):
            ok(core.doca_devinfo_rep_is_equal_pci_addr(infos[0][index], pci.encode(), equal))
            if equal[0]:
                ok(core.doca_dev_rep_open(infos[0][index], handle))
                return handle[0]
    finally:
        ok(core.doca_devinfo_rep_destroy_list(infos[0]))
    raise LookupError(pci)


class Endpoint:
    SIZE = 1024

    def __init__(self, device, representor=None):
        self._loop = asyncio.get_running_loop()
        cell = ffi.new("struct doca_comm_channel_ep_t **")
        ok(chan.doca_comm_channel_ep_create(cell))
        self._ep = cell[0]
        ok(chan.doca_comm_channel_ep_set_device(self._ep, device))
        if representor is not None:
            ok(chan.doca_comm_channel_ep_set_device_rep(self._ep, representor))
        ok(chan.doca_comm_channel_ep_set_max_msg_size(self._ep, self.SIZE))
        ok(chan.doca_comm_channel_ep_set_send_queue_size(self._ep, 16))
        ok(chan.doca_comm_channel_ep_set_recv_queue_size(self._ep, 16))

    def _channels(self):
        send, recv = ffi.new("doca_event_channel_t *"), ffi.new("doca_event_channel_t *")
        ok(chan.doca_comm_channel_ep_get_event_channel(self._ep, send, recv))
        self._recv_fd = recv[0]

    def listen(self, name):
        ok(chan.doca_comm_channel_ep_listen(self._ep, name.encode()))
        self._channels()

    async def connect(self, name):
        peer = ffi.new("struct doca_comm_channel_addr_t **")
        ok(chan.doca_comm_channel_ep_connect(self._ep, name.encode(), peer))
        self._channels()
        while ok(chan.doca_comm_channel_peer_addr_update_info(peer[0]), also=(IN_PROGRESS,)):
            await asyncio.sleep(0.001)
        return peer[0]

    async def receive(self):
        buf, size = ffi.new("char[]", self.SIZE), ffi.new("size_t *")
        peer = ffi.new("struct doca_comm_channel_addr_t **")
        while True:
            size[0] = self.SIZE
            if not ok(chan.doca_comm_channel_ep_recvfrom(self._ep, buf, size, 0, peer), also=(AGAIN,)):
                return ffi.buffer(buf, size[0])[:], peer[0]
            ok(chan.doca_comm_channel_ep_event_handle_arm_recv(self._ep))
            ready = self._loop.create_future()
            self._loop.add_reader(self._recv_fd, ready.set_result, None)
            try:
                await ready
            finally:
                self._loop.remove_reader(self._recv_fd)

    async def send(self, data, peer):
        while ok(chan.doca_comm_channel_ep_sendto(self._ep, data, len(data), 0, peer), also=(AGAIN,)):
            await asyncio.sleep(0)

    def close(self, peer=None):
        if peer is not None:
            ok(chan.doca_comm_channel_ep_disconnect(self._ep, peer))
        ok(chan.doca_comm_channel_ep_destroy(self._ep))


async def serve():
    device = open_device("03:00.0")
    representor = open_representor(device, "b1:00.0")
    end = Endpoint(device, representor)
    end.listen("bridge")
    print("listening", flush=True)
    done, words = 0, []
    while done < 2:
        data, peer = await end.receive()
        if data == b"bye":
            done += 1
        else:
            words.append(data.decode())
        await end.send(data.upper(), peer)
    print(sorted(words))
    await asyncio.sleep(0.05)
    end.close()
    ok(core.doca_dev_rep_close(representor))
    ok(core.doca_dev_close(device))


async def client(number, device):
    end = Endpoint(device)
    peer = await end.connect("bridge")
    answers = []
    for word in ("one", "two", "bye"):
        await end.send((word if word == "bye" else f"{word}{number}").encode(), peer)
        data, sender = await end.receive()
        answers.append((data.decode(), sender == peer))
    end.close(peer)
    return answers


async def talk():
    device = open_device("b1:00.0")
    for answers in await asyncio.gather(*(client(number, device) for number in range(2))):
        print(answers)
    ok(core.doca_dev_close(device))


if __name__ == "__main__":
    asyncio.run(serve() if "serve" in sys.argv else talk())
