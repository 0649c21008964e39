"""An object wrapper with properties, mixins and cooperative inheritance."""
import time

from doca_comm_channel import Again, BadState, ConnectionInprogress, Endpoint, open_device


class Limits:
    """Sizes of the endpoint as properties."""

    @property
    def limit(self):
        return self._ep.get_max_msg_size()

    @limit.setter
    def limit(self, value):
        self._ep.set_max_msg_size(value)

    @property
    def queue(self):
        return self._ep.get_send_queue_size(), self._ep.get_recv_queue_size()

    @queue.setter
    def queue(self, sizes):
        send, recv = sizes
        self._ep.set_send_queue_size(send)
        self._ep.set_recv_queue_size(recv)


class Statistics:
    @property
    def tx(self):
        self.peer.update_info()
        return "%d/%d" % (self.peer.get_send_messages(), self.peer.get_send_bytes())

    @property
    def rx(self):
        self.peer.update_info()
        return "%d/%d" % (self.peer.get_recv_messages(), self.peer.get_recv_bytes())

    flying = property(lambda self: self.peer.get_send_in_flight_messages())


class Tagged:
    @property
    def tag(self):
        return self.peer.get_user_data() if self.peer else None

    @tag.setter
    def tag(self, value):
        self.peer.set_user_data(value)


class Wrapper(Limits, Statistics, Tagged):
    def __init__(self, device, name, **settings):
        self.name = name
        self.peer = None
        self.closed = False
        self._dev = open_device(device)
        self._ep = Endpoint()
        self._ep.set_device(self._dev)
        for key, value in settings.items():
            setattr(self, key, value)

    def __repr__(self):
        return "%s(name=%s, limit=%d, queue=%s)" % (type(self).__name__, self.name, self.limit, self.queue)

    def send(self, data):
        while True:
            try:
                return self._ep.sendto(data, self.peer)
            except Again:
                time.sleep(1e-4)

    def recv(self):
        while True:
            try:
                data, self.peer = self._ep.recvfrom(self.limit)
                return data
            except Again:
                time.sleep(1e-4)

    def close(self):
        if not self.closed:
            self._ep.destroy()
            self._dev.close()
            self.closed = True


class ClientMixin:
    def connect(self):
        self.peer = self._ep.connect(self.name)
        while True:
            try:
                self.peer.update_info()
                return self
            except ConnectionInprogress:
                time.sleep(1e-4)

    def close(self):
        if self.peer is not None:
            self._ep.disconnect(self.peer)
        super().close()


class ServiceMixin:
    def __init__(self, device, representor, name, **settings):
        super().__init__(device, name, **settings)
        self._rep = self._dev.open_representor(representor)
        self._ep.set_device_rep(self._rep)
        self._ep.listen(name)

    @property
    def peers(self):
        self._ep.update_service_state_info()
        return len(self._ep.get_peer_addr_list())

    @property
    def pending(self):
        return self._ep.get_pending_connections()

    def close(self):
        ep, rep = self._ep, self._rep
        if not self.closed:
            ep.destroy()
            rep.close()
            self._dev.close()
        self.closed = True


class EchoClient(ClientMixin, Wrapper):
    def frozen(self):
        try:
            self.limit = 1024
        except BadState as error:
            return type(error).__name__
        return None


class EchoService(ServiceMixin, Wrapper):
    pass
