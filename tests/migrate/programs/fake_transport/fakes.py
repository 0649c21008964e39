"""A port without a device: a script of answers."""
from doca_comm_channel import DOCA_ERROR_AGAIN, DOCA_SUCCESS


class FakePort:
    def __init__(self, *, send=(), recv=(), state=()):
        self.scripts = {"send": list(send), "recv": list(recv), "state": list(state)}
        self.outbox = []
        self.closed = False

    def _next(self, what, otherwise):
        script = self.scripts[what]
        return script.pop(0) if script else otherwise

    def send(self, data, peer):
        rc = self._next("send", DOCA_SUCCESS)
        if rc == DOCA_SUCCESS:
            self.outbox.append((data, peer))
        return rc

    def recv(self):
        return self._next("recv", (DOCA_ERROR_AGAIN, None, 0, None))

    def state(self, peer):
        return self._next("state", DOCA_SUCCESS)

    def limit(self):
        return DOCA_SUCCESS, 64

    def close(self, peer=None):
        self.closed = True
        return DOCA_SUCCESS
