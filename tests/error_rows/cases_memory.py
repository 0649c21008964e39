"""The provocations of memory maps, inventories and buffers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import comch_next as comch
from comch_next import AccessFlag, Mmap
from tests.control_path.pair import ignore
from tests.error_rows.world import SIZE, Answer, Case, Key, World, with_topology


def _export(permissions: AccessFlag, call: str) -> None:
    with comch.devices()[0].open() as device, Mmap(device, SIZE, permissions) as mmap:
        getattr(mmap, call)(device)


def _export_pci() -> None:
    _export(AccessFlag.PCI_READ_ONLY, "export_pci")


def _export_rdma() -> None:
    _export(AccessFlag.RDMA_READ, "export_rdma")


def _import() -> None:
    with comch.devices()[0].open() as device:
        Mmap.create_from_export(b"", device)


def _destroy_under_a_buf(world: World) -> None:
    world.buf()
    world.memory.destroy()


def _stop_under_a_buf(world: World) -> None:
    world.buf()
    world.memory.stop()


def _destroy_with_one_out(world: World) -> None:
    world.buf()
    world.inventory.destroy()


def _one_device_too_many(world: World) -> None:
    mmap = world.mmap(start=False)
    mmap.max_num_devices = 1
    mmap.add_dev(world.host)


def _count_up(world: World) -> None:
    buf = world.buf()
    while True:
        buf.inc_refcount()


def _count_below_0(world: World) -> None:
    buf = world.buf()
    buf.dec_refcount()
    buf.dec_refcount()


def _none_left(world: World) -> Mmap:
    """A map, in which the inventory has no element for one more buffer."""
    for _ in range(world.inventory.num_free_elements):
        world.buf()
    return world.memory


def _get_one_too_many(world: World, call: str, *lengths: int) -> None:
    mmap = _none_left(world)
    getattr(world.inventory, call)(mmap, mmap.addr, *lengths)


def _dup_too_long_a_list(world: World) -> None:
    """Three elements, and one that is free."""
    first, _ = world.chained()
    first.chain_list(world.buf())
    world.inventory.buf_dup(first)


def _dup_into_one_not_started(world: World) -> None:
    world.new_inventory().buf_dup(world.buf())


def _chain_a_shared_one(world: World, *, by_tail: bool) -> None:
    first, second = world.buf(), world.buf()
    second.inc_refcount()
    if by_tail:
        first.chain_list_tail(first, second)
    else:
        first.chain_list(second)


CASES: dict[Key, Case | Answer] = {
    # Maps
    ("doca_mmap_destroy", "NOT_PERMITTED"): _destroy_under_a_buf,
    ("doca_mmap_start", "NOT_PERMITTED"): lambda w: w.imported.start(),
    ("doca_mmap_stop", "NOT_PERMITTED"): _stop_under_a_buf,
    ("doca_mmap_add_dev", "NOT_PERMITTED"): lambda w: w.memory.add_dev(w.host),
    ("doca_mmap_add_dev", "NO_MEMORY"): _one_device_too_many,
    ("doca_mmap_add_dev", "ALREADY_EXIST"): lambda w: w.mmap(start=False).add_dev(w.dpu),
    ("doca_mmap_rm_dev", "NOT_FOUND"): lambda w: w.mmap(start=False).rm_dev(w.host),
    ("doca_mmap_rm_dev", "NOT_PERMITTED"): lambda w: w.memory.rm_dev(w.dpu),
    ("doca_mmap_export_pci", "NOT_FOUND"): lambda w: w.memory.export_pci(w.host),
    ("doca_mmap_export_pci", "NOT_PERMITTED"): lambda w: w.imported.export_pci(w.dpu),
    ("doca_mmap_export_pci", "NOT_SUPPORTED"): with_topology("capable = false", _export_pci),
    ("doca_mmap_export_pci", "DRIVER"): with_topology("answers = false", _export_pci),
    ("doca_mmap_export_rdma", "NOT_FOUND"): lambda w: w.mmap(permissions=AccessFlag.RDMA_READ).export_rdma(w.host),
    ("doca_mmap_export_rdma", "NOT_PERMITTED"): lambda w: w.memory.export_rdma(w.dpu),
    ("doca_mmap_export_rdma", "NOT_SUPPORTED"): with_topology("", _export_rdma),
    ("doca_mmap_export_rdma", "DRIVER"): with_topology("answers = false", _export_rdma),
    ("doca_mmap_create_from_export", "INVALID_VALUE"): lambda w: Mmap.create_from_export(b"what", w.dpu),
    ("doca_mmap_create_from_export", "NOT_SUPPORTED"): with_topology("capable = false", _import),
    ("doca_mmap_create_from_export", "DRIVER"): with_topology("answers = false", _import),
    ("doca_mmap_set_memrange", "BAD_STATE"): lambda w: w.memory.set_memrange(bytearray(SIZE)),
    ("doca_mmap_set_memrange", "NOT_PERMITTED"): lambda w: w.mmap(start=False).set_memrange(bytearray(SIZE)),
    ("doca_mmap_get_memrange", "BAD_STATE"): lambda w: w.mmap(memory=None, start=False).memrange,
    ("doca_mmap_set_free_cb", "BAD_STATE"): lambda w: w.memory.set_free_cb(ignore),
    ("doca_mmap_set_max_num_devices", "NOT_PERMITTED"): lambda w: setattr(w.memory, "max_num_devices", 4),
    ("doca_mmap_set_permissions", "BAD_STATE"): lambda w: w.memory.set_permissions(AccessFlag.PCI_READ_ONLY),
    ("doca_mmap_set_user_data", "BAD_STATE"): lambda w: setattr(w.memory, "user_data", 1),
    ("doca_mmap_cap_is_export_pci_supported", "DRIVER"): with_topology(
        "answers = false", lambda: comch.devices()[0].mmap_cap_is_export_pci_supported()
    ),
    ("doca_mmap_cap_is_create_from_export_pci_supported", "DRIVER"): with_topology(
        "answers = false", lambda: comch.devices()[0].mmap_cap_is_create_from_export_pci_supported()
    ),
    ("doca_mmap_enable_thread_safety", "NOT_PERMITTED"): lambda w: w.memory.enable_thread_safety(),
    # Inventories
    ("doca_buf_inventory_create", "INVALID_VALUE"): lambda w: w.new_inventory(0),
    ("doca_buf_inventory_destroy", "IN_USE"): _destroy_with_one_out,
    ("doca_buf_inventory_buf_get_by_args", "INVALID_VALUE"): (
        lambda w: w.inventory.buf_get_by_args(w.memory, w.memory.addr, SIZE + 1, w.memory.addr, 0)
    ),
    ("doca_buf_inventory_buf_get_by_args", "NO_MEMORY"): lambda w: w.inventory.buf_get_by_args(
        _none_left(w), w.memory.addr, 1, w.memory.addr, 1
    ),
    ("doca_buf_inventory_buf_get_by_addr", "NO_MEMORY"): lambda w: _get_one_too_many(w, "buf_get_by_addr", 1),
    ("doca_buf_inventory_buf_get_by_data", "NO_MEMORY"): lambda w: _get_one_too_many(w, "buf_get_by_data", 1),
    ("doca_buf_inventory_buf_dup", "BAD_STATE"): _dup_into_one_not_started,
    ("doca_buf_inventory_buf_dup", "NOT_PERMITTED"): lambda w: w.inventory.buf_dup(w.chained()[1]),
    ("doca_buf_inventory_buf_dup", "NO_MEMORY"): _dup_too_long_a_list,
    ("doca_buf_inventory_set_user_data", "BAD_STATE"): lambda w: setattr(w.new_inventory(), "user_data", 1),
    ("doca_buf_inventory_expand", "BAD_STATE"): lambda w: w.new_inventory().expand(1),
    # Buffers
    ("doca_buf_inc_refcount", "NOT_PERMITTED"): lambda w: w.chained()[1].inc_refcount(),
    ("doca_buf_inc_refcount", "TOO_BIG"): _count_up,
    ("doca_buf_dec_refcount", "NOT_PERMITTED"): lambda w: w.chained()[1].dec_refcount(),
    ("doca_buf_dec_refcount", "BAD_STATE"): _count_below_0,
    ("doca_buf_get_last_in_list", "INVALID_VALUE"): lambda w: w.lib.bufs.get_last_in_list(None),
    ("doca_buf_get_list_len", "INVALID_VALUE"): lambda w: w.lib.bufs.get_list_len(None),
    ("doca_buf_get_list_len", "NOT_PERMITTED"): lambda w: w.chained()[1].list_len,
    ("doca_buf_chain_list", "NOT_PERMITTED"): lambda w: _chain_a_shared_one(w, by_tail=False),
    ("doca_buf_chain_list_tail", "NOT_PERMITTED"): lambda w: _chain_a_shared_one(w, by_tail=True),
    ("doca_buf_unchain_list", "INVALID_VALUE"): lambda w: w.buf().unchain_list(w.buf()),
}

# Calls that are given NULL, and the arguments that would be good.
_ON_NULL_MMAP: Mapping[str, tuple[Any, ...]] = {
    "destroy": (),
    "start": (),
    "stop": (),
    "add_dev": (None,),
    "rm_dev": (None,),
    "export_pci": (None,),
    "export_rdma": (None,),
    "set_memrange": (bytearray(1),),
    "get_memrange": (),
    "set_free_cb": (ignore, None),
    "get_user_data": (),
    "get_max_num_devices": (),
    "get_num_bufs": (),
    "get_exported": (),
    "get_from_export": (),
    "set_max_num_devices": (1,),
    "set_permissions": (0,),
    "set_user_data": (1,),
    "cap_is_export_pci_supported": (),
    "cap_is_create_from_export_pci_supported": (),
    "enable_thread_safety": (),
}
_ON_NULL_INVENTORY: Mapping[str, tuple[Any, ...]] = {
    "destroy": (),
    "start": (),
    "stop": (),
    "buf_dup": (None,),
    "set_user_data": (1,),
    "get_num_elements": (),
    "get_num_free_elements": (),
    "get_user_data": (),
    "expand": (1,),
}


def _on_null(noun: str, call: str, arguments: tuple[Any, ...]) -> Case:
    return lambda world: getattr(getattr(world.lib, noun), call)(None, *arguments)


for _prefix, _noun, _calls in (
    ("doca_mmap", "mmaps", _ON_NULL_MMAP),
    ("doca_buf_inventory", "buf_inventories", _ON_NULL_INVENTORY),
):
    for _call, _arguments in _calls.items():
        CASES[f"{_prefix}_{_call}", "INVALID_VALUE"] = _on_null(_noun, _call, _arguments)
