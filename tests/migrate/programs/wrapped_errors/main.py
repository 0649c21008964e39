import sys
import time

import doca_comm_channel as lib
from errors import ChannelError, Later, Mistake, Nobody, checked, translated


def again(call, *args):
    for _ in range(100000):
        try:
            return call(*args)
        except Later:
            time.sleep(1e-4)
    raise SystemExit("timeout")


class FlatClient:
    def __init__(self, device):
        self.ep = checked("create", lib.doca_comm_channel_ep_create())
        checked("set_device", lib.doca_comm_channel_ep_set_device(self.ep, device))
        self.peer = None

    def connect(self, name):
        self.peer = checked("connect", lib.doca_comm_channel_ep_connect(self.ep, name))

    def connected(self):
        checked("update_info", lib.doca_comm_channel_peer_addr_update_info(self.peer))

    def send(self, data):
        checked("send", lib.doca_comm_channel_ep_sendto(self.ep, data, len(data), 0, self.peer))

    def receive(self):
        return checked("receive", lib.doca_comm_channel_ep_recvfrom(self.ep, 100, 0))

    def close(self):
        if self.peer is not None:
            checked("disconnect", lib.doca_comm_channel_ep_disconnect(self.ep, self.peer))
        checked("destroy", lib.doca_comm_channel_ep_destroy(self.ep))


class ObjectServer:
    def __init__(self, device, rep):
        self.ep = lib.Endpoint()
        with translated("set-up"):
            self.ep.set_device(device)
            self.ep.set_device_rep(rep)
            self.ep.set_max_msg_size(100)
            self.ep.listen("wrapped")

    def receive(self):
        with translated("receive"):
            return self.ep.recvfrom(100)

    def send(self, data, peer):
        with translated("send"):
            self.ep.sendto(data, peer)


def main():
    with lib.open_device("03:00.0") as dpu, lib.open_device("b1:00.0") as host, dpu.open_representor("b1:00.0") as rep:
        client = FlatClient(host)
        try:
            client.connect("wrapped")
        except Nobody as error:
            print("before:", error, error.code == lib.DOCA_ERROR_CONNECTION_ABORTED)
        server = ObjectServer(dpu, rep)
        client.connect("wrapped")
        try:
            server.receive()
        except Later as error:
            print("let in:", error, type(error.__cause__).__name__)
        again(client.connected)
        client.send(b"request")
        data, peer = again(server.receive)
        server.send(data.upper(), peer)
        data, length, sender = again(client.receive)
        print(data, length, sender is client.peer)
        for call, args in ((client.send, (b"x" * 5000,)), (server.send, (b"x" * 101, peer))):
            try:
                call(*args)
            except ValueError as error:
                print(type(error).__name__, error, isinstance(error, Mistake))
        client.close()
        try:
            client.close()
        except ChannelError as error:
            print("twice:", error, int(error.code))
        server.ep.destroy()
    return 0


if __name__ == "__main__":
    sys.exit(main())
