"""channels: comm channels as context managers.

Everything here can be nested, stacked and used as a decorator; whatever was opened is closed in reverse order.
"""
from contextlib import AbstractContextManager, ContextDecorator, ExitStack, contextmanager, suppress
from time import monotonic, sleep

import doca_comm_channel as _dcc


class ChannelClosed(EOFError):
    pass


@contextmanager
def opened_device(address, representor=None):
    """The device, or the device and the representor."""
    with _dcc.open_device(address) as device:
        if representor is None:
            yield device
        else:
            with device.open_representor(representor) as rep:
                yield device, rep


@contextmanager
def endpoint(device, rep=None, **properties):
    ep = _dcc.Endpoint()
    try:
        ep.set_device(device)
        if rep is not None:
            ep.set_device_rep(rep)
        if "max_msg_size" in properties:
            ep.set_max_msg_size(properties["max_msg_size"])
        if "queues" in properties:
            ep.set_send_queue_size(properties["queues"])
            ep.set_recv_queue_size(properties["queues"])
        yield ep
    finally:
        ep.destroy()


class deadline(ContextDecorator):
    """Seconds for what is inside; `expired` may be asked by loops."""

    stack = []

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        self.end = monotonic() + self.seconds
        self.stack.append(self)
        return self

    def __exit__(self, kind, error, trace):
        self.stack.pop()
        return False

    @classmethod
    def expired(cls):
        return any(monotonic() > each.end for each in cls.stack)


def keep_trying(function, *args, busy=_dcc.Again):
    while not deadline.expired():
        with suppress(busy):
            return function(*args)
        sleep(5e-5)
    raise TimeoutError(getattr(function, "__name__", "call"))


class Session(AbstractContextManager):
    """A client's connection; leaves in order."""

    def __init__(self, address, service, **properties):
        self.address, self.service, self.properties = address, service, properties
        self._stack = ExitStack()
        self.sent = 0

    def __enter__(self):
        with ExitStack() as stack:
            device = stack.enter_context(opened_device(self.address))
            self.ep = stack.enter_context(endpoint(device, **self.properties))
            self.peer = self.ep.connect(self.service)
            stack.callback(self._leave)
            keep_trying(self.peer.update_info, busy=_dcc.ConnectionInprogress)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc):
        return self._stack.__exit__(*exc)

    def _leave(self):
        while True:
            self.peer.update_info()
            if not self.peer.get_send_in_flight_messages():
                break
        self.sent = self.peer.get_send_messages()
        self.ep.disconnect(self.peer)

    def send(self, text):
        keep_trying(self.ep.sendto, text.encode(), self.peer)

    def receive(self):
        data, sender = keep_trying(self.ep.recvfrom, 128)
        assert sender is self.peer
        if not data:
            raise ChannelClosed(self.service)
        return data.decode()


@contextmanager
def transaction(session, name):
    """begin, then commit or roll back."""
    session.send("begin " + name)
    if session.receive() != "ok":
        raise RuntimeError(f"{name} is taken")
    try:
        yield session
    except BaseException:
        session.send("rollback")
        session.receive()
        raise
    else:
        session.send("commit")
        session.receive()


class Service(AbstractContextManager):
    """A listening endpoint; iterating over it gives (peer, text)."""

    def __init__(self, address, representor, name):
        self.where = address, representor
        self.name = name

    def __enter__(self):
        self.exits = ExitStack()
        device, rep = self.exits.enter_context(opened_device(*self.where))
        self.ep = self.exits.enter_context(endpoint(device, rep, max_msg_size=128, queues=8))
        self.ep.listen(self.name)
        return self

    def __exit__(self, *exc):
        self.exits.close()

    def __iter__(self):
        while True:
            data, peer = keep_trying(self.ep.recvfrom, 128)
            yield peer, data.decode()

    def linger(self):
        """Stay until the last client has gone."""
        while not deadline.expired():
            self.ep.update_service_state_info()
            if not self.ep.get_peer_addr_list():
                return
            sleep(1e-3)

    def reply(self, peer, text=""):
        keep_trying(self.ep.sendto, text.encode(), peer)
