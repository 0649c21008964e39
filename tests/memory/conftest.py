"""A device for each test, and the proof that the test left nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from comch_next import AccessFlag, Buf, BufInventory, Device, Mmap, open_device
from tests.descriptors import collected_fds, open_fds

SIZE = 4096
READ_WRITE = AccessFlag.PCI_READ_WRITE


@pytest.fixture
def device() -> Iterator[Device]:
    """Closing it refuses while a map has it."""
    before = collected_fds()
    made = open_device("03:00.0")
    yield made
    made.close()
    assert open_fds() == before


@pytest.fixture
def mmap(device: Device) -> Iterator[Mmap]:
    """A started map; destroying it refuses while a buffer is out."""
    with Mmap(device, SIZE, READ_WRITE) as made:
        yield made


@pytest.fixture
def inventory() -> Iterator[BufInventory]:
    """A started inventory of eight; destroying it refuses while a buffer is out."""
    with BufInventory(8) as made:
        yield made


class Bufs:
    """Buffers of 16 bytes, one behind the other."""

    def __init__(self, inventory: BufInventory, mmap: Mmap) -> None:
        self.inventory, self.mmap = inventory, mmap
        self._next = mmap.addr

    def take(self, data: bytes = b"") -> Buf:
        """One that holds the data."""
        head, self._next = self._next, self._next + 16
        made = self.inventory.buf_get_by_addr(self.mmap, head, 16)
        made.data_len = len(data)
        made.view[:] = data
        return made


@pytest.fixture
def bufs(inventory: BufInventory, mmap: Mmap) -> Bufs:
    return Bufs(inventory, mmap)
