"""The comm channel with `with`, and with retries."""
import contextlib
import functools
import random
import time

import doca_comm_channel as dc
from doca_comm_channel import Again, ConnectionAborted, ConnectionInprogress, ConnectionReset


class Closed(Exception):
    """The other side has gone."""


class Exhausted(Exception):
    """A call was tried too often."""


def retry(*errors, attempts=20000, pause=0.0005, jitter=0.0001):
    """Have a function called again when it raises one of the errors."""
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for _ in range(attempts):
                try:
                    return function(*args, **kwargs)
                except errors:
                    time.sleep(pause + random.uniform(0, jitter))
            raise Exhausted(function.__name__)
        return wrapper
    return decorate


class closing_error(contextlib.ContextDecorator):
    """Make what says that the other side has gone a Closed."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is not None and issubclass(kind, (ConnectionReset, ConnectionAborted)):
            raise Closed(error.name) from error
        return False


class Channel:
    def __init__(self, ep, size):
        self._ep, self._size = ep, size

    @closing_error()
    @retry(Again)
    def send(self, data, peer):
        self._ep.sendto(data, peer)

    @closing_error()
    @retry(Again)
    def receive(self):
        return self._ep.recvfrom(self._size)

    @closing_error()
    @retry(Again, attempts=3, pause=0)
    def glance(self):
        return self._ep.recvfrom(self._size)

    @property
    def limits(self):
        return self._ep.get_max_msg_size(), self._ep.get_send_queue_size(), self._ep.get_recv_queue_size()


@retry(ConnectionInprogress)
def established(peer):
    peer.update_info()
    return peer


@retry(ConnectionAborted, attempts=5)
def dial(ep, name):
    return ep.connect(name)


@contextlib.contextmanager
def device(pci):
    dev = dc.open_device(pci)
    try:
        yield dev
    finally:
        dev.close()


@contextlib.contextmanager
def endpoint(dev, size, depth):
    ep = dc.Endpoint()
    try:
        ep.set_device(dev)
        ep.set_max_msg_size(size)
        ep.set_send_queue_size(depth)
        ep.set_recv_queue_size(depth)
        yield ep
    finally:
        ep.destroy()


@contextlib.contextmanager
def service(name, pci="03:00.0", rep_pci="b1:00.0", size=200, depth=20):
    with contextlib.ExitStack() as stack:
        dev = stack.enter_context(device(pci))
        rep = stack.enter_context(contextlib.closing(dev.open_representor(rep_pci)))
        ep = stack.enter_context(endpoint(dev, size, depth))
        ep.set_device_rep(rep)
        ep.listen(name)
        yield Channel(ep, size)


class connected:
    """with connected("name") as (channel, peer): ..."""

    def __init__(self, name, pci="b1:00.0", size=200, depth=20):
        self.name, self.pci, self.size, self.depth = name, pci, size, depth

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            dev = stack.enter_context(device(self.pci))
            self.ep = stack.enter_context(endpoint(dev, self.size, self.depth))
            self.peer = established(dial(self.ep, self.name))
            self._stack = stack.pop_all()
        return Channel(self.ep, self.size), self.peer

    def __exit__(self, *exc_info):
        with contextlib.suppress(dc.NotConnected):
            self.ep.disconnect(self.peer)
        return self._stack.__exit__(*exc_info)
