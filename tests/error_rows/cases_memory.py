"""The provocations of memory maps, inventories and buffers."""

from __future__ import annotations

import comch_next as comch
from comch_next import AccessFlag, Mmap
from tests.control_path.pair import ignore
from tests.error_rows.world import SIZE, Answer, Key, Raises, World, with_topology


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


def _permit_both(world: World) -> None:
    world.mmap(start=False).set_permissions(AccessFlag.PCI_READ_ONLY | AccessFlag.PCI_READ_WRITE)


STARTED, LIES_IN_IT = "is started", "1 buffer or consumer still lies in the map"
NO_DEVICE, NO_ANSWER = "does not have this device", "driver does not answer"
OUT = "all 4 elements of the inventory are out"

CASES: dict[Key, Raises | Answer] = {
    # Maps
    ("doca_mmap_destroy", "NOT_PERMITTED"): Raises(_destroy_under_a_buf, LIES_IN_IT),
    ("doca_mmap_start", "INVALID_VALUE"): Raises(lambda w: w.mmap(memory=None), "lacks a range"),
    ("doca_mmap_start", "NOT_PERMITTED"): Raises(lambda w: w.imported.start(), "an import or has been exported"),
    ("doca_mmap_stop", "NOT_PERMITTED"): Raises(_stop_under_a_buf, LIES_IN_IT),
    ("doca_mmap_add_dev", "INVALID_VALUE"): Raises(
        lambda w: w.mmap(start=False).add_dev(None),  # type: ignore[arg-type]
        "a Device, not None",
    ),
    ("doca_mmap_dev_get_dpa_handle", "INVALID_VALUE"): Raises(
        lambda w: w.memory.dev_get_dpa_handle(None),  # type: ignore[arg-type]
        "a Device, not None",
    ),
    ("doca_mmap_dev_get_dpa_handle", "NOT_FOUND"): Raises(
        lambda w: w.memory.dev_get_dpa_handle(w.host), "does not have this device"
    ),
    ("doca_mmap_dev_get_dpa_handle", "NOT_PERMITTED"): Raises(
        lambda w: w.mmap(start=False).dev_get_dpa_handle(w.host), "not started"
    ),
    ("doca_mmap_add_dev", "NOT_PERMITTED"): Raises(lambda w: w.memory.add_dev(w.host), STARTED),
    ("doca_mmap_add_dev", "NO_MEMORY"): Raises(_one_device_too_many, "all 1 devices that it may have"),
    ("doca_mmap_add_dev", "ALREADY_EXIST"): Raises(
        lambda w: w.mmap(start=False).add_dev(w.dpu), "has this device already"
    ),
    ("doca_mmap_rm_dev", "INVALID_VALUE"): Raises(
        lambda w: w.mmap(start=False).rm_dev(None),  # type: ignore[arg-type]
        "a Device, not None",
    ),
    ("doca_mmap_rm_dev", "NOT_FOUND"): Raises(lambda w: w.mmap(start=False).rm_dev(w.host), NO_DEVICE),
    ("doca_mmap_rm_dev", "NOT_PERMITTED"): Raises(lambda w: w.memory.rm_dev(w.dpu), STARTED),
    ("doca_mmap_export_pci", "INVALID_VALUE"): Raises(
        lambda w: w.memory.export_pci(None),  # type: ignore[arg-type]
        "a Device, not None",
    ),
    ("doca_mmap_export_pci", "NOT_FOUND"): Raises(lambda w: w.memory.export_pci(w.host), NO_DEVICE),
    ("doca_mmap_export_pci", "NOT_PERMITTED"): Raises(lambda w: w.imported.export_pci(w.dpu), "no import"),
    ("doca_mmap_export_pci", "NOT_SUPPORTED"): Raises(with_topology("capable = false", _export_pci), "cannot export"),
    ("doca_mmap_export_pci", "DRIVER"): Raises(with_topology("answers = false", _export_pci), NO_ANSWER),
    ("doca_mmap_export_rdma", "INVALID_VALUE"): Raises(
        lambda w: w.memory.export_rdma(None),  # type: ignore[arg-type]
        "a Device, not None",
    ),
    ("doca_mmap_export_rdma", "NOT_FOUND"): Raises(
        lambda w: w.mmap(permissions=AccessFlag.RDMA_READ).export_rdma(w.host), NO_DEVICE
    ),
    ("doca_mmap_export_rdma", "NOT_PERMITTED"): Raises(lambda w: w.memory.export_rdma(w.dpu), "has permission for it"),
    ("doca_mmap_export_rdma", "NOT_SUPPORTED"): Raises(with_topology("", _export_rdma), "have no network"),
    ("doca_mmap_export_rdma", "DRIVER"): Raises(with_topology("answers = false", _export_rdma), NO_ANSWER),
    ("doca_mmap_create_from_export", "INVALID_VALUE"): Raises(
        lambda w: Mmap.create_from_export(b"what", w.dpu), "the descriptor that an export returned"
    ),
    ("doca_mmap_create_from_export", "NOT_SUPPORTED"): Raises(
        with_topology("capable = false", _import), "cannot import"
    ),
    ("doca_mmap_create_from_export", "DRIVER"): Raises(with_topology("answers = false", _import), NO_ANSWER),
    ("doca_mmap_set_memrange", "INVALID_VALUE"): Raises(
        lambda w: w.mmap(memory=None, start=False).set_memrange(2**64 - 10, 100), "100 bytes at .*, which no process"
    ),
    ("doca_mmap_set_memrange", "BAD_STATE"): Raises(lambda w: w.memory.set_memrange(bytearray(SIZE)), STARTED),
    ("doca_mmap_set_memrange", "NOT_PERMITTED"): Raises(
        lambda w: w.mmap(start=False).set_memrange(bytearray(SIZE)), "has a range already"
    ),
    ("doca_mmap_get_memrange", "BAD_STATE"): Raises(
        lambda w: w.mmap(memory=None, start=False).memrange, "has no range yet"
    ),
    ("doca_mmap_set_free_cb", "INVALID_VALUE"): Raises(
        lambda w: w.mmap(start=False).set_free_cb(None),  # type: ignore[arg-type]
        "a callback, not None",
    ),
    ("doca_mmap_set_free_cb", "BAD_STATE"): Raises(lambda w: w.memory.set_free_cb(ignore), STARTED),
    ("doca_mmap_set_max_num_devices", "INVALID_VALUE"): Raises(
        lambda w: setattr(w.mmap(start=False), "max_num_devices", 0), "from 1 to .*, not 0"
    ),
    ("doca_mmap_set_max_num_devices", "NOT_PERMITTED"): Raises(
        lambda w: setattr(w.memory, "max_num_devices", 4), "has been started before"
    ),
    ("doca_mmap_set_permissions", "INVALID_VALUE"): Raises(_permit_both, "only one of the two PCI ones"),
    ("doca_mmap_set_permissions", "BAD_STATE"): Raises(
        lambda w: w.memory.set_permissions(AccessFlag.PCI_READ_ONLY), STARTED
    ),
    ("doca_mmap_set_user_data", "BAD_STATE"): Raises(lambda w: setattr(w.memory, "user_data", 1), STARTED),
    ("doca_mmap_cap_is_export_pci_supported", "DRIVER"): Raises(
        with_topology("answers = false", lambda: comch.devices()[0].mmap_cap_is_export_pci_supported()), NO_ANSWER
    ),
    ("doca_mmap_cap_is_create_from_export_pci_supported", "DRIVER"): Raises(
        with_topology("answers = false", lambda: comch.devices()[0].mmap_cap_is_create_from_export_pci_supported()),
        NO_ANSWER,
    ),
    ("doca_mmap_enable_thread_safety", "NOT_PERMITTED"): Raises(lambda w: w.memory.enable_thread_safety(), STARTED),
    # Inventories
    ("doca_buf_inventory_create", "INVALID_VALUE"): Raises(lambda w: w.new_inventory(0), "from 1 to .*, not 0"),
    ("doca_buf_inventory_destroy", "IN_USE"): Raises(_destroy_with_one_out, "1 buffer is still out"),
    ("doca_buf_inventory_buf_get_by_args", "INVALID_VALUE"): Raises(
        lambda w: w.inventory.buf_get_by_args(w.memory, w.memory.addr, SIZE + 1, w.memory.addr, 0),
        "outside of the memory map",
    ),
    ("doca_buf_inventory_buf_get_by_args", "NO_MEMORY"): Raises(
        lambda w: w.inventory.buf_get_by_args(_none_left(w), w.memory.addr, 1, w.memory.addr, 1), OUT
    ),
    ("doca_buf_inventory_buf_get_by_addr", "NO_MEMORY"): Raises(
        lambda w: _get_one_too_many(w, "buf_get_by_addr", 1), OUT
    ),
    ("doca_buf_inventory_buf_get_by_data", "NO_MEMORY"): Raises(
        lambda w: _get_one_too_many(w, "buf_get_by_data", 1), OUT
    ),
    ("doca_buf_inventory_buf_dup", "INVALID_VALUE"): Raises(
        lambda w: w.inventory.buf_dup(None),  # type: ignore[arg-type]
        "a Buf, not None",
    ),
    ("doca_buf_inventory_buf_dup", "BAD_STATE"): Raises(_dup_into_one_not_started, "must be started first"),
    ("doca_buf_inventory_buf_dup", "NOT_PERMITTED"): Raises(
        lambda w: w.inventory.buf_dup(w.chained()[1]), "the head of a list"
    ),
    ("doca_buf_inventory_buf_dup", "NO_MEMORY"): Raises(_dup_too_long_a_list, "has 3 elements, fewer are free"),
    ("doca_buf_inventory_set_user_data", "BAD_STATE"): Raises(
        lambda w: setattr(w.new_inventory(), "user_data", 1), "is not started"
    ),
    ("doca_buf_inventory_expand", "INVALID_VALUE"): Raises(lambda w: w.inventory.expand(0), "from 1 to .*, not 0"),
    ("doca_buf_inventory_expand", "BAD_STATE"): Raises(lambda w: w.new_inventory().expand(1), "is not started"),
    # Buffers
    ("doca_buf_inc_refcount", "NOT_PERMITTED"): Raises(lambda w: w.chained()[1].inc_refcount(), "the head of a list"),
    ("doca_buf_inc_refcount", "TOO_BIG"): Raises(_count_up, "the count is 65535 already"),
    ("doca_buf_dec_refcount", "NOT_PERMITTED"): Raises(lambda w: w.chained()[1].dec_refcount(), "the head of a list"),
    ("doca_buf_dec_refcount", "BAD_STATE"): Raises(_count_below_0, "the count is 0 already"),
    ("doca_buf_get_list_len", "NOT_PERMITTED"): Raises(lambda w: w.chained()[1].list_len, "the head of a list"),
    ("doca_buf_chain_list", "NOT_PERMITTED"): Raises(
        lambda w: _chain_a_shared_one(w, by_tail=False), "the second list is shared"
    ),
    ("doca_buf_chain_list_tail", "NOT_PERMITTED"): Raises(
        lambda w: _chain_a_shared_one(w, by_tail=True), "the second list is shared"
    ),
    ("doca_buf_unchain_list", "INVALID_VALUE"): Raises(
        lambda w: w.buf().unchain_list(w.buf()), "not inside of the first"
    ),
}
