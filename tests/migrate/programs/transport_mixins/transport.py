import abc
import collections
import time

import doca_comm_channel as cc


class Transport(abc.ABC):
    endpoint: cc.Endpoint
    peer: "cc.PeerAddr | None" = None
    message_size = 1500

    def __init__(self, name, **options):
        self.name = name
        self.device = cc.open_device(self.address)
        self.endpoint = cc.Endpoint()
        self.endpoint.set_device(self.device)
        self.endpoint.set_max_msg_size(options.get("message_size", self.message_size))
        self.establish()

    @property
    @abc.abstractmethod
    def address(self): ...

    @abc.abstractmethod
    def establish(self): ...

    def write(self, data):
        while True:
            try:
                return self.endpoint.sendto(data, self.peer)
            except cc.Again:
                self.on_busy()

    def read(self):
        while True:
            try:
                data, self.peer = self.endpoint.recvfrom(self.endpoint.get_max_msg_size())
                return data
            except cc.Again:
                self.on_busy()

    def on_busy(self):
        time.sleep(0.001)

    def close(self):
        if self.peer is not None:
            self.endpoint.disconnect(self.peer)
        self.endpoint.destroy()
        self.close_devices()

    def close_devices(self):
        self.device.close()


class StatisticsMixin:
    def statistics(self):
        self.peer.update_info()
        return {
            "tx": (self.peer.get_send_messages(), self.peer.get_send_bytes()),
            "rx": (self.peer.get_recv_messages(), self.peer.get_recv_bytes()),
        }

    def on_busy(self):
        self.__dict__.setdefault("busy", collections.Counter())["loops"] += 1
        super().on_busy()


class ChatterMixin:
    def write(self, data):
        print(">", data.decode())
        super().write(data)

    def read(self):
        data = super().read()
        print("<", data.decode())
        return data


class HostTransport(Transport):
    address = "b1:00.0"

    def establish(self):
        for _ in range(500):
            try:
                self.peer = self.endpoint.connect(self.name)
            except cc.ConnectionAborted:
                time.sleep(0.01)
            else:
                break
        while self.connecting():
            time.sleep(0.001)

    def connecting(self):
        try:
            self.peer.update_info()
        except cc.ConnectionInprogress:
            return True
        return False


class DpuTransport(Transport):
    address = "03:00.0"

    def establish(self):
        self.representor = self.device.open_representor("b1:00.0")
        self.endpoint.set_device_rep(self.representor)
        self.endpoint.listen(self.name)

    def close_devices(self):
        self.representor.close()
        super().close_devices()
