"""Memory maps, inventories and buffers as a face: each end has one map, which the other one imports."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import comch_next as comch
from comch_next import AccessFlag, DocaError
from tests.threads.face import DPU, HOST, Call, End, Face, give_back, then

__all__ = ["Memory"]

_SIZE = 4096


def _attributes(noun: str, *names: str) -> Call:
    """Ask for each of these, whatever another one was refused with."""

    def ask(end: Any) -> None:
        refusal = None
        for name in names:
            try:
                value = getattr(getattr(end, noun), name)
                if callable(value):
                    value()
            except DocaError as error:
                refusal = error
        if refusal is not None:
            raise refusal

    return ask


def _take(end: Any) -> None:
    buf = end.inventory.buf_get_by_data(end.mmap, end.mmap.addr, 64)
    buf.view[:] = bytes(64)
    buf.inc_refcount()
    buf.dec_refcount()
    buf.dec_refcount()


def _drop(end: Any) -> None:
    end.inventory.buf_get_by_addr(end.mmap, end.mmap.addr, 64)


def _list(end: Any) -> None:
    first = end.inventory.buf_get_by_data(end.mmap, end.mmap.addr, 64)
    second = end.inventory.buf_get_by_data(end.mmap, end.mmap.addr + 64, 64)
    first.chain_list(second)
    copy = end.inventory.buf_dup(first)
    assert (first.list_len, copy.list_len, first.is_in_list, first.next_in_list) == (2, 2, True, second)
    copy.unchain_list(copy.last_in_list)
    first.dec_refcount()


def _reuse(end: Any) -> None:
    end.inventory.buf_reuse_by_data(end.buf, end.mmap.addr, 32)
    end.inventory.buf_reuse_by_addr(end.buf, end.mmap.addr + 32, 32)
    end.buf.set_data(end.mmap.addr + 32, 8)


def _share(end: Any) -> None:
    end.buf.inc_refcount()
    end.buf.dec_refcount()


def _give_away(end: Any) -> None:
    end.buf.dec_refcount()


def _view(end: Any) -> object:
    return sum(end.mmap.view), sum(end.buf.view)


def _import(end: Any) -> None:
    with comch.Mmap.create_from_export(end.mmap.export_pci(end.device), end.device) as imported:
        imported.view[:8] = b"imported"


def _make(end: Any) -> None:
    with comch.Mmap(end.device, _SIZE, AccessFlag.LOCAL_READ_WRITE) as mmap, comch.BufInventory(4) as inventory:
        inventory.buf_get_by_addr(mmap, mmap.addr, 8).dec_refcount()


def _of(noun: str, call: str) -> Call:
    return lambda end: getattr(getattr(end, noun), call)()


def _configure(end: Any) -> None:
    end.mmap.user_data = end
    end.mmap.rm_dev(end.device)
    end.mmap.add_dev(end.device)


class Memory(Face):
    """The memory subsystem, which needs no connection."""

    calls: dict[str, Call] = {
        "take and give back": _take,
        "take and drop": _drop,
        "lists": _list,
        "reuse": _reuse,
        "share": _share,
        "give away": _give_away,
        "views": _view,
        "import": _import,
        "make": _make,
        "buf": _attributes(
            *("buf", "head", "data", "data_len", "view", "refcount", "next_in_list", "last_in_list", "list_len"),
            *("is_first_in_list", "is_last_in_list", "is_in_list", "reset_data_len"),
        ),
        "mmap": _attributes(
            "mmap", *("max_num_devices", "user_data", "memrange", "view", "num_bufs", "exported", "from_export")
        ),
        "inventory": _attributes("inventory", "num_elements", "num_free_elements", "user_data"),
        "expand": lambda end: end.inventory.expand(1),  # type: ignore[attr-defined]
        "mmap.configure": _configure,
        "mmap.start": _of("mmap", "start"),
        "inventory.start": _of("inventory", "start"),
    }
    ends: dict[str, Call] = {
        "mmap.stop": _of("mmap", "stop"),
        "mmap.destroy": then(_give_away, _of("mmap", "destroy")),
        "mmap, again": then(_give_away, _of("mmap", "stop"), _configure, _of("mmap", "start")),
        "inventory.stop": _of("inventory", "stop"),
        "inventory.destroy": then(_give_away, _of("inventory", "destroy")),
        "close": then(_give_away, _of("mmap", "destroy"), _of("inventory", "destroy"), _of("device", "close")),
    }

    def make(self, *, server: bool) -> End:
        end: Any = End(server=server)
        end.device = end.context = comch.open_device(DPU if server else HOST)
        end.mmap = comch.Mmap(end.device, _SIZE, AccessFlag.PCI_READ_WRITE)
        end.inventory = comch.BufInventory(16)
        made: End = end
        return made

    def open(self, end: Any) -> None:
        end.mmap.start()
        end.inventory.start()
        end.buf = end.inventory.buf_get_by_data(end.mmap, end.mmap.addr, 64)

    def move(self, end: End) -> None:
        _take(end)
        _import(end)

    def is_up(self, end: End) -> bool:
        return True

    def close(self, end: Any) -> None:
        while end.buf.refcount:
            with suppress(comch.BadState):  # another thread has just given it back
                end.buf.dec_refcount()
        end.mmap.destroy()
        end.inventory.destroy()
        give_back(end)
