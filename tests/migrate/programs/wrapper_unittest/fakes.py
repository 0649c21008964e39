"""Stand-ins: an endpoint and a peer that a script plays."""
import doca_comm_channel


class FakePeer:
    def __init__(self, inprogress=0):
        self.inprogress = inprogress

    def update_info(self):
        if self.inprogress:
            self.inprogress -= 1
            raise doca_comm_channel.ConnectionInprogress("fake")


class FakeEndpoint:
    """Answers of sendto and recvfrom come from lists; an exception in them is raised."""

    def __init__(self, incoming=(), refusals=(), peer=None):
        self.incoming = list(incoming)
        self.refusals = list(refusals)
        self.peer = peer or FakePeer()
        self.calls = []
        self.sent = []

    def __getattr__(self, name):
        if name.startswith("set_"):
            return lambda value: self.calls.append((name, value))
        raise AttributeError(name)

    def connect(self, name):
        self.calls.append(("connect", name))
        return self.peer

    def sendto(self, data, peer, flags=0):
        assert peer is self.peer, peer
        if self.refusals:
            raise self.refusals.pop(0)
        self.sent.append(data)

    def recvfrom(self, size, flags=0):
        if not self.incoming:
            raise doca_comm_channel.Again("fake")
        answer = self.incoming.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer, self.peer

    def disconnect(self, peer):
        self.calls.append(("disconnect", peer is self.peer))

    def destroy(self):
        self.calls.append(("destroy",))
