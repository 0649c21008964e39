import json

from doca_comm_channel import Again, Endpoint, PeerAddr


class Context:
    """Where a question came from, and the way back."""

    def __init__(self, endpoint: Endpoint, peer: PeerAddr, name: str):
        self.endpoint = endpoint
        self.peer = peer
        self.name = name

    def reply(self, value, kind="ok", left=0):
        data = json.dumps({"kind": kind, "value": value, "left": left}).encode()
        while True:
            try:
                self.endpoint.sendto(data, self.peer)
            except Again:
                continue
            break

    def fail(self, why):
        print(self.name, "fails:", why)
        self.reply(why, kind="error")


class Plugin:
    registry = {}
    STOP = object()

    def __init_subclass__(cls, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Plugin.registry[name or cls.__name__.lower()] = cls

    def handle(self, context, **arguments):
        raise NotImplementedError

    def close(self):
        """Most have nothing to close."""
