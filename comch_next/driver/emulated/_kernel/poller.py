"""The rings that are read together, in order of arrival, and the buffer that their messages are copied into."""

from typing import Any, Generic, Protocol, TypeVar

from comch_next.driver.emulated._kernel.memory import ffi, lib

__all__ = ["Poller"]


class Readable(Protocol):
    """What has a ring to read: a connection."""

    @property
    def rx(self) -> Any: ...


_L = TypeVar("_L", bound=Readable)


class Poller(Generic[_L]):
    """One per engine, and one per port. `links` are the connections whose rings it reads."""

    def __init__(self) -> None:
        self.c: Any = ffi.new("comch_poller *")
        self.links: list[_L] = []
        self.size = 0
        self._grow(1)

    def _grow(self, size: int) -> None:
        if size > self.size:
            self.size = size
            self.scratch: Any = ffi.new("char[]", size)
            self.view: Any = ffi.buffer(self.scratch)

    def add(self, link: _L) -> None:
        """Read this connection's ring, too."""
        self._grow(link.rx.max_msg)
        self._set([*self.links, link])

    def remove(self, link: _L) -> None:
        """Stop reading the connection's ring. Idempotent."""
        if link in self.links:
            self._set([other for other in self.links if other is not link])

    def poll_now(self) -> None:
        """Let the next receive ask for the sockets to be polled, whenever they were last."""
        self.c.pace.next = 0

    def _set(self, links: list[_L]) -> None:
        self.links = links
        rings, slots = ffi.new("comch_rx *[]", [link.rx for link in links]), ffi.new("comch_slot[]", len(links))
        lib.comch_follow(self.c, rings, slots, len(links))
        self._followed = rings, slots  # which live as long as they are followed
