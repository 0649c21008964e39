"""Endpoints that know more: a subclass of the library's with counters, and one that must not be sent to."""
import doca_comm_channel as cc


class CountingEndpoint(cc.Endpoint):
    """Counts what it sends and receives, by size."""

    def __init__(self, device, label):
        super().__init__()
        self.set_device(device)
        self.label = label
        self.counts = {"sent": 0, "received": 0, "again": 0}

    def sendto(self, msg, peer, flags=0):
        super().sendto(msg, peer, flags)
        self.counts["sent"] += len(msg)

    def recvfrom(self, size=1000, flags=0):
        try:
            msg, peer = super().recvfrom(size, flags)
        except cc.Again:
            self.counts["again"] = 1
            raise
        self.counts["received"] += len(msg)
        return msg, peer

    def report(self):
        return f"{self.label}: sent {self.counts['sent']} received {self.counts['received']}"


class ReadOnlyEndpoint(CountingEndpoint):
    def sendto(self, msg, peer, flags=0):
        raise cc.NotPermitted(f"{self.label} only listens")
