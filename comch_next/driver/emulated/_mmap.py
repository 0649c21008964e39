"""Memory maps: what buffers lie in, and how the two sides share it (guide: DOCA Core Memory Subsystem).

A map's memory is the library's own, in a memfd that can be handed to the other side, or the program's, which
cannot: what comes from the other side for it goes through a copy. See _mmaps for the calls, _sharing for exports.
"""

from collections.abc import Callable
from typing import Any

from comch_next._codes import AccessFlag
from comch_next.driver.emulated._checks import expect
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._dpa.handles import Instance, Named
from comch_next.driver.emulated._fabric.handshake import close_all
from comch_next.driver.emulated._guard import UNCONNECTED
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.emulated._remote import Remote, await_copies
from comch_next.driver.protocol import WeakSet, counted, them
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import InvalidValue, NotPermitted, NotSupported

__all__ = ["PCI", "Mmap", "check_device", "living_mmap"]

PCI = AccessFlag.PCI_READ_ONLY | AccessFlag.PCI_READ_WRITE
_MOST_DEVICES = 8


class Range(Protocol):
    """A buffer, as its map sees it: addresses, and bytes."""

    head: int
    len: int


class Mmap(Named, Handle, calls.BufOwner):
    """A handle. `base` is a `char *` once there is a range, which lives for as long as somebody has it. `fd` is -1 for
    memory of the program's, of which `notice` says where it is once it is exported. An import of such memory has
    `remote` and the exporter's addresses. `bufs` counts the buffers that lie in it.
    """

    lock = UNCONNECTED
    noun = "memory map"

    def __init__(self) -> None:
        self.devices: list[Dev] = []
        self.max_devices = _MOST_DEVICES
        self.permissions: int | None = None
        self.base: Any = None
        self.addr = 0
        self.size = 0
        self.fd = -1
        self.notice = -1
        self.remote: Remote | None = None
        self.consumers: WeakSet[object] = WeakSet()  # that lie in it
        self.given_up: set[Range] = set()  # posted buffers that the program has given back
        self.user_data: Any = None
        self.free_cb: Callable[..., object] | None = None
        self.free_data: Any = None
        self.started = False
        self.ever_started = False
        self.exported = False
        self.imported = False
        self.alive = True
        owned(self)

    def __str__(self) -> str:
        return "memory map"

    @property
    def users(self) -> int:
        """The number of buffers and consumers that use the map."""
        return self.bufs + self.consumers.size

    def check_unused(self, call: str) -> None:
        """Raise NotPermitted while something lies in it that the program has not dropped."""
        if users := self.users:
            who = counted(users, "buffer or consumer still lies", "buffers or consumers still lie")
            raise NotPermitted(f"{call}: {who} in the map; end {them(users)} first")

    def say_goodbye(self) -> None:
        if self.notice >= 0:
            await_copies(self.notice)

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork. The memory itself stays mapped."""
        fds = [fd for fd in (self.fd, self.notice) if fd >= 0]
        self.fd = self.notice = -1
        close_all(fds)

    def allows(self, flag: AccessFlag) -> bool:
        """Whether the permission has been given."""
        return bool((self.permissions or 0) & flag)

    def use(self, memory: Any, size: int, fd: int = -1) -> None:
        """Take this memory as the range."""
        addr = int(ffi.cast("uintptr_t", memory))
        self.base, self.addr, self.size, self.fd = memory, addr, size, fd

    def serves(self, dpa: Instance) -> bool:
        return self.started and dpa.dev in self.devices

    def view(self) -> memoryview:
        """The whole range; it keeps the memory alive. Read-only where the permissions say so."""
        if self.remote is not None:
            text = "the exporter allocated this memory itself, in its own process: only tasks reach it"
            raise NotSupported(f"mmap_get_view: {text}")
        found = memoryview(ffi.buffer(self.base, self.size))
        return found if self.writable() else found.toreadonly()

    def data(self, addr: int, length: int) -> tuple[Any, int]:
        """What keeps some of its bytes alive, and where they can be read. Raises IoFailed if the exporter has gone."""
        base, remote = self.base, self.remote
        if remote is not None:
            copied = remote.read(addr, length)
            return copied, int(ffi.cast("uintptr_t", copied))
        if base is None:
            raise InvalidValue("task_submit: the memory map of the buffer has been destroyed meanwhile; make another")
        return base, addr

    def writable(self) -> bool:
        """Whether this side may write: an import as far as the exporter lets it."""
        return not self.imported or self.allows(AccessFlag.PCI_READ_WRITE)

    def release(self) -> None:
        """Give the memory back, once views of it are gone, too."""
        self.say_goodbye()
        self.let_go()
        self.base = self.remote = None
        for device in self.devices:
            device.users.discard(self)
        self.devices = []
        self.alive = False


def living_mmap(mmap: object, call: str) -> Mmap:
    """The map behind the handle; one that has been destroyed is INVALID_VALUE, as NULL is."""
    found = expect(mmap, Mmap, call)
    if not found.alive:
        raise InvalidValue(f"{call}: the memory map has been destroyed; make another")
    return found


def check_device(mmap: Mmap, dev: Dev, call: str) -> None:
    """Raise InvalidValue unless the map's memory is registered with the device."""
    if dev not in mmap.devices:
        raise InvalidValue(f"{call} takes memory whose map has the connection's {dev}; add it before the map starts")
