"""Remote procedures over the comm channel, by decorators.

    @remote                      @export
    def add(a: int, b: int):     def add(a, b):
        ...                          return a + b

The left one runs on the host and asks, the right one on the DPU and answers.
"""
import functools
import inspect
import itertools
import pickle
import threading
import time

import doca_comm_channel as cc

MAX = 2048
_exported = {}
_local = threading.local()


class RemoteError(Exception):
    """Raised on the host for what was raised on the DPU."""


def retrying(*busy, seconds=60):
    """A decorator: call again while one of these is raised."""
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            end = time.monotonic() + seconds
            while True:
                try:
                    return function(*args, **kwargs)
                except busy:
                    if time.monotonic() > end:
                        raise
                    time.sleep(1e-4)
        return wrapper
    return decorate


def export(function=None, *, name=None):
    if function is None:
        return functools.partial(export, name=name)
    _exported[name or function.__name__] = function
    return function


def remote(function):
    """The body is not run: name and arguments travel."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def stub(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return _local.caller.call(function.__name__, bound.args, bound.kwargs)

    return stub


@retrying(cc.Again)
def _send(endpoint, data, peer):
    endpoint.sendto(data, peer)


@retrying(cc.Again)
def _receive(endpoint):
    return endpoint.recvfrom(MAX)


@retrying(cc.ConnectionInprogress)
def _handshake(peer):
    peer.update_info()


def _endpoint(device):
    endpoint = cc.Endpoint()
    endpoint.set_device(device)
    endpoint.set_max_msg_size(MAX)
    return endpoint


class Caller:
    """The host's end of a thread."""

    def __init__(self, device, name):
        self.endpoint = _endpoint(device)
        self.peer = self.endpoint.connect(name)
        _handshake(self.peer)
        self.ids = itertools.count(1)

    def __enter__(self):
        _local.caller = self
        return self

    def __exit__(self, *exc):
        del _local.caller
        self.endpoint.disconnect(self.peer)
        self.endpoint.destroy()

    def call(self, name, args, kwargs):
        number = next(self.ids)
        _send(self.endpoint, pickle.dumps((number, name, args, kwargs)), self.peer)
        data, _ = _receive(self.endpoint)
        answered, result, error = pickle.loads(data)
        if answered != number:
            raise RemoteError(f"answer {answered} to {number}")
        if error is not None:
            raise RemoteError(error)
        return result


class Server:
    """The DPU's end; `stop` may be called by an exported function."""

    def __init__(self, device, representor, name):
        self.endpoint = _endpoint(device)
        self.endpoint.set_device_rep(representor)
        self.endpoint.listen(name)
        self.calls = {}
        self.running = True

    def stop(self):
        self.running = False
        return sum(self.calls.values())

    def serve(self):
        while self.running:
            request, peer = _receive(self.endpoint)
            answer = self.dispatch(*pickle.loads(request))
            _send(self.endpoint, pickle.dumps(answer), peer)
        self.endpoint.destroy()

    def dispatch(self, number, name, args, kwargs):
        self.calls[name] = self.calls.get(name, 0) + 1
        try:
            return number, _exported[name](*args, **kwargs), None
        except KeyError:
            return number, None, f"no {name}"
        except Exception as error:
            return number, None, f"{type(error).__name__}: {error}"
