"""What both ends share."""
import time

import doca_comm_channel


class Base:
    max_msg_size = 4080
    patience = 60
    ep = None
    peer = None

    def __init__(self, pci):
        self.dev = doca_comm_channel.open_device(pci)
        self.ep = doca_comm_channel.Endpoint()
        self.ep.set_device(self.dev)
        self.configure()

    def configure(self):
        """Subclasses add what they need."""
        self.ep.set_max_msg_size(self.max_msg_size)

    def attempt(self, what, *args, busy=doca_comm_channel.Again):
        end = time.monotonic() + self.patience
        while True:
            try:
                return what(*args)
            except busy:
                if time.monotonic() > end:
                    raise TimeoutError(what.__name__) from None
                time.sleep(1e-5)

    def send(self, data):
        self.attempt(self.ep.sendto, data, self.peer)

    def receive(self):
        data, self.peer = self.attempt(self.ep.recvfrom, self.max_msg_size)
        return data

    def close(self):
        if self.peer is not None:
            self.ep.disconnect(self.peer)
            self.peer = None
        self.ep.destroy()
        self.dev.close()
