"""The channel itself; nothing else in this package knows the library."""
import time

from doca_comm_channel import Again, ConnectionInprogress, Endpoint, open_device

MAX_MSG_SIZE = 1024
PATIENCE_S = 60


class Transport:
    def __init__(self, device):
        self.device = device
        self.ep = Endpoint()
        self.ep.set_device(device)
        self.ep.set_max_msg_size(MAX_MSG_SIZE)
        self.peer = None

    @classmethod
    def on(cls, pci_addr):
        return cls(open_device(pci_addr))

    def send(self, message):
        self._retry(self.ep.sendto, message, self.peer)

    def receive(self):
        data, self.peer = self._retry(self.ep.recvfrom, MAX_MSG_SIZE)
        return data

    @staticmethod
    def _retry(call, *args, busy=Again):
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                return call(*args)
            except busy:
                if time.monotonic() > end:
                    raise TimeoutError("the peer is silent") from None
                time.sleep(1e-5)

    def close(self):
        self.ep.destroy()
        self.device.close()


class Listener(Transport):
    def listen(self, name, rep_pci):
        self.rep = self.device.open_representor(rep_pci)
        self.ep.set_device_rep(self.rep)
        self.ep.listen(name)

    def close(self):
        super().close()
        self.rep.close()


class Dialler(Transport):
    def dial(self, name):
        self.peer = self.ep.connect(name)
        self._retry(self.peer.update_info, busy=ConnectionInprogress)
