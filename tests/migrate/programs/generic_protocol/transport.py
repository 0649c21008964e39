"""Transports by protocol: anything that sends and receives bytes will do."""
from __future__ import annotations

import time
from abc import abstractmethod
from typing import TYPE_CHECKING, Callable, Generic, Iterator, Protocol, TypeVar, overload, runtime_checkable

import doca_comm_channel as cc

if TYPE_CHECKING:
    from doca_comm_channel import Device, Endpoint, PeerAddr, Representor

T = TypeVar("T")
S = TypeVar("S", bound="Sized")


class Codec(Protocol[T]):
    def encode(self, value: T) -> bytes: ...

    def decode(self, data: bytes) -> T: ...


@runtime_checkable
class Transport(Protocol):
    @abstractmethod
    def send(self, data: bytes) -> None: ...

    @abstractmethod
    def receive(self) -> bytes | None: ...

    def close(self) -> None: ...


class Loopback:
    """A transport without a channel."""

    def __init__(self) -> None:
        self.queue: list[bytes] = []

    def send(self, data: bytes) -> None:
        self.queue.append(data)

    def receive(self) -> bytes | None:
        return self.queue.pop(0) if self.queue else None

    def close(self) -> None:
        self.queue.clear()


class ChannelTransport:
    """A transport over a comm channel, either side."""

    def __init__(self, endpoint: Endpoint, peer: PeerAddr | None = None, size: int = 512) -> None:
        self._endpoint = endpoint
        self._peer = peer
        self._size = size

    @classmethod
    def dial(cls, device: Device, name: str) -> ChannelTransport:
        endpoint = cc.Endpoint()
        endpoint.set_device(device)
        peer = endpoint.connect(name)
        while True:
            try:
                peer.update_info()
            except cc.ConnectionInprogress:
                time.sleep(1e-4)
            else:
                return cls(endpoint, peer)

    @classmethod
    def accept(cls, device: Device, rep: Representor, name: str) -> ChannelTransport:
        endpoint = cc.Endpoint()
        endpoint.set_device(device)
        endpoint.set_device_rep(rep)
        endpoint.listen(name)
        return cls(endpoint)

    def send(self, data: bytes) -> None:
        assert self._peer is not None
        while True:
            try:
                return self._endpoint.sendto(data, self._peer)
            except cc.Again:
                time.sleep(1e-4)

    def receive(self) -> bytes | None:
        try:
            data, self._peer = self._endpoint.recvfrom(self._size)
        except cc.Again:
            return None
        return data

    def close(self) -> None:
        self._endpoint.destroy()


class Sized:
    """A transport that cuts what is longer."""

    def __init__(self, inner: Transport, limit: int) -> None:
        self.inner, self.limit = inner, limit
        self.cut = 0

    def send(self, data: bytes) -> None:
        self.cut += max(0, len(data) - self.limit)
        self.inner.send(data[: self.limit])

    def receive(self) -> bytes | None:
        return self.inner.receive()

    def close(self) -> None:
        self.inner.close()


class Channel(Generic[T]):
    """Values of one type over a transport."""

    def __init__(self, transport: Transport, codec: Codec[T]) -> None:
        self.transport = transport
        self.codec = codec

    def put(self, value: T) -> None:
        self.transport.send(self.codec.encode(value))

    @overload
    def get(self) -> T: ...

    @overload
    def get(self, default: S, seconds: float) -> T | S: ...

    def get(self, default=None, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            data = self.transport.receive()
            if data is not None:
                return self.codec.decode(data)
            time.sleep(1e-4)
        return default

    def map(self, function: Callable[[T], S], values: Iterator[T]) -> Iterator[S]:
        for value in values:
            self.put(value)
            yield function(self.get())

    def __enter__(self) -> Channel[T]:
        return self

    def __exit__(self, *exc: object) -> None:
        self.transport.close()
