"""Buffers on the native driver: what its library is asked for them, and what it is not asked."""

from __future__ import annotations

from typing import Any

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.native._handle import address
from tests.native.conftest import Log


def test_a_range_to_receive_into_and_one_to_send(stub: Log) -> None:
    """The calls for these are in the header alone: the library has the general one."""
    library: Any = load().buf_inventories.library  # type: ignore[attr-defined]
    name = "doca_buf_inventory_buf_get_by_args"
    take, taken = library[name], list[tuple[int, ...]]()

    def noted(inventory: Any, mmap: Any, addr: Any, length: int, data: Any, data_len: int, cell: Any) -> int:
        taken.append((address(addr), length, address(data), data_len))
        return int(take(inventory, mmap, addr, length, data, data_len, cell))

    library[name] = noted
    inventory, mmap = comch.BufInventory(4), comch.Mmap(None, 4096)
    bufs = inventory.buf_get_by_addr(mmap, 0x5000, 64), inventory.buf_get_by_data(mmap, 0x6000, 32)
    assert taken == [(0x5000, 64, 0x5000, 0), (0x6000, 32, 0x6000, 32)]
    for buf in bufs:
        buf.dec_refcount()
