"""Memory maps and buffers as C has them: addresses, a callback, buffers that end by their count."""

from __future__ import annotations

from typing import Any

from comch_next.arguments import span
from comch_next.capi._callbacks import Callbacks
from comch_next.capi.binding import Call
from comch_next.capi.handles import HANDLES
from comch_next.capi.seam import DRIVER
from comch_next.driver.protocol import Own, interruptible

__all__ = ["memory"]


def memory(ffi: Any, callbacks: Callbacks) -> dict[str, Call]:
    """The implementations that the driver's calls alone are not."""

    def set_memrange(mmap: Any, addr: int, length: int) -> None:
        DRIVER.mmaps.set_memrange(mmap, span(addr, length) if addr else b"")

    def set_free_cb(mmap: Any, free_cb: int, opaque: int) -> None:
        call = callbacks.at("doca_mmap_memrange_free_cb_t", free_cb)

        def freed(addr: int, length: int, _: object) -> None:
            interruptible(call, ffi.cast("char *", addr), length, ffi.cast("char *", opaque))

        DRIVER.mmaps.set_free_cb(mmap, Own(freed), None)

    def dec_refcount(buf: Any) -> int:
        elements, last = [buf], buf
        while (last := DRIVER.bufs.get_next_in_list(last)) is not None:
            elements.append(last)
        before = DRIVER.bufs.dec_refcount(buf)
        if before == 1:
            for element in elements:
                HANDLES.drop(HANDLES.of("doca_buf", element))
        return before

    def get_user_data(mmap: Any) -> int:
        return DRIVER.mmaps.get_user_data(mmap) or 0

    def inventory_get_user_data(inventory: Any) -> int:
        return DRIVER.buf_inventories.get_user_data(inventory) or 0

    return {
        "doca_mmap_set_memrange": set_memrange,
        "doca_mmap_set_free_cb": set_free_cb,
        "doca_mmap_get_user_data": get_user_data,
        "doca_buf_inventory_get_user_data": inventory_get_user_data,
        "doca_buf_dec_refcount": dec_refcount,
    }
