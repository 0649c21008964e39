"""A DPA instance: what its threads and message queues belong to, and the fatal error of its kernels."""

import threading
from typing import Any

from comch_next.driver.emulated._checks import collecting, expect, expect_number, says_no_memory
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._dpa.handles import living
from comch_next.driver.emulated._guard import UNCONNECTED, guard
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.memory import ffi
from comch_next.driver.protocol import WeakSet, counted, listed, them, uninterrupted
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import BadState, InUse, InvalidValue, NotSupported

__all__ = ["Dpa", "Dpas", "started_dpa"]

_MOST_MEMORY = 1 << 31  # bytes of an allocation


class User(Protocol):
    """A thread, a completion context or a message queue, as its instance sees it."""

    @property
    def active(self) -> bool: ...
    def dpa_failed(self) -> None: ...


class Dpa(Handle):
    """A handle. `turn` is held by device calls, and by the host while it begins or ends what kernels use."""

    lock = UNCONNECTED

    def __init__(self, dev: Dev) -> None:
        self.dev = dev
        self.app: Any = None
        self.started = False
        self.alive = True
        self.error: BaseException | None = None
        self.turn = threading.RLock()
        self.users: WeakSet[User] = WeakSet()
        self.memory: dict[int, Any] = {}  # that the program has allocated there, by address
        dev.users.add(self)
        owned(self)

    def __str__(self) -> str:
        return f"DPA of {self.dev}"

    def let_go(self) -> None:
        """In a forked child: threads are not inherited."""

    def fail(self, error: BaseException) -> None:
        """Note the first fatal error, and notify everything that belongs to the DPA. On the thread of a kernel."""
        with self.turn:
            if self.error is not None:
                return
            self.error = error
            users = list(self.users)
        for user in users:
            user.dpa_failed()

    def check_unused(self, call: str) -> None:
        """Raise InUse while threads, completions or queues of it are started."""
        if used := [str(user) for user in self.users if user.active]:
            raise InUse(f"{call}: the {self} still has {listed(sorted(used))}; stop {them(len(used))} first")

    def bytes_at(self, address: int, size: int, call: str) -> memoryview:
        """Its memory there. Raises InvalidValue for what lies in no allocation."""
        for begin, allocated in self.memory.items():
            if begin <= address and address + size <= begin + len(allocated):
                return memoryview(ffi.buffer(allocated))[address - begin : address - begin + size]
        text = f"{counted(size, 'byte lies', 'bytes lie')} in no memory that dpa_mem_alloc has returned"
        raise InvalidValue(f"{call}: at {address:#x}, {text}")


_living = living(Dpa)


def started_dpa(dpa: object, call: str) -> Dpa:
    """The instance behind a handle, which must be started and whole."""
    found = _living(dpa, call)
    if not found.started or found.error is not None:
        why = "has failed" if found.error is not None else "is not started"
        raise BadState(f"{call} was attempted with a {found} that {why}; it is legal once started") from found.error
    return found


_known = guard("dpa_", _living)


class Dpas:
    """The noun Dpas of the driver protocol."""

    def create(self, dev: object) -> Dpa:
        with UNCONNECTED:
            found = expect(dev, Dev, "dpa_create")
            if not found.open:
                raise InvalidValue("dpa_create takes a device that is open")
            if not found.info.row.capable:
                raise NotSupported(f"dpa_create: device {found.info.row.pci_addr} has no DPA")
            return Dpa(found)

    @_known
    def set_app(self, dpa: Dpa, app: object) -> None:
        if dpa.started:
            raise BadState("dpa_set_app was attempted on a DPA that is started; it is legal before")
        dpa.app = app

    @_known
    def start(self, dpa: Dpa) -> None:
        if dpa.started:
            raise BadState("dpa_start was attempted on a DPA that is started already; stop it first")
        dpa.started, dpa.error = True, None

    @_known
    def stop(self, dpa: Dpa) -> None:
        if not dpa.started:
            raise BadState("dpa_stop was attempted on a DPA that is not started; start it first")
        dpa.check_unused("dpa_stop")
        dpa.started = False
        dpa.memory.clear()

    @collecting(Dpa, lambda dpa: dpa.users.size)
    @_known
    @uninterrupted
    def destroy(self, dpa: Dpa) -> None:
        dpa.check_unused("dpa_destroy")
        if number := dpa.users.size:
            what = counted(number, "thread, completion or queue", "threads, completions or queues")
            there = "exists" if number == 1 else "exist"
            raise InUse(f"dpa_destroy: {what} of the {dpa} {there}; destroy {them(number)} first")
        dpa.started = dpa.alive = False
        dpa.dev.users.discard(dpa)

    @_known
    def peek_at_last_error(self, dpa: Dpa) -> BaseException | None:
        return dpa.error

    @says_no_memory
    @_known
    def mem_alloc(self, dpa: Dpa, size: int) -> int:
        started_dpa(dpa, "dpa_mem_alloc")
        allocated = ffi.new("char[]", expect_number(size, _MOST_MEMORY, "dpa_mem_alloc"))
        address = int(ffi.cast("uintptr_t", allocated))
        dpa.memory[address] = allocated
        return address

    @_known
    def mem_free(self, dpa: Dpa, dev_ptr: int) -> None:
        if dpa.memory.pop(dev_ptr, None) is None:
            raise InvalidValue(f"dpa_mem_free takes what dpa_mem_alloc has returned, not {dev_ptr:#x}")

    @_known
    def h2d_memcpy(self, dpa: Dpa, dst_ptr: int, src: Any) -> None:
        data = memoryview(src).cast("B")
        dpa.bytes_at(dst_ptr, len(data), "dpa_h2d_memcpy")[:] = data

    @_known
    def d2h_memcpy(self, dpa: Dpa, src_ptr: int, size: int) -> bytes:
        return bytes(dpa.bytes_at(src_ptr, size, "dpa_d2h_memcpy"))
