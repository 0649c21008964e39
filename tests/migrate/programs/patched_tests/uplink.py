"""The code under test."""
import doca_comm_channel as cc


class Uplink:
    def __init__(self, pci="b1:00.0"):
        self.dev = cc.open_device(pci)
        self.ep = cc.Endpoint()
        self.ep.set_device(self.dev)
        self.peer = None

    def connect(self, name):
        try:
            self.peer = self.ep.connect(name)
            return True
        except cc.ConnectionAborted:
            return False

    def report(self, text):
        """False when it has to be tried again."""
        try:
            self.ep.sendto(text.encode(), self.peer)
        except cc.Again:
            return False
        return True

    def close(self):
        self.ep.destroy()
        self.dev.close()
