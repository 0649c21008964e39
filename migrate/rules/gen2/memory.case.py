# case: a map of another library
mmap.mmap(-1, 10).set_memrange(memory, 10)


# case: maps, inventories and buffers
import doca_cc as cc

memory = bytearray(4096)
mmap = cc.Mmap()
mmap.set_memrange(memory, 2048)
mmap.set_permissions(cc.DOCA_ACCESS_FLAG_PCI_READ_WRITE)
mmap.set_max_num_devices(1)
mmap.add_dev(cc.open_device("b1:00.0"))
mmap.set_user_data("map")
mmap.start()
base, size = mmap.get_memrange()
inventory = cc.BufInventory(4)
inventory.start()
buf = inventory.buf_get_by_addr(mmap, memory, 64)
other = inventory.buf_get_by_args(mmap=mmap, addr=base, len=64, data=base, data_len=8)
buf.set_data(base + 8, 8)
print(buf.get_len(), buf.get_data() - buf.get_head(), buf.get_data_len(), buf.is_in_list())
buf.dec_refcount()
exported = mmap.export_pci(cc.open_device("b1:00.0"))
there = cc.Mmap.create_from_export(None, exported, dev=cc.open_device("03:00.0"))
print(mmap.get_num_bufs(), mmap.get_exported(), inventory.get_num_free_elements())
inventory.destroy()
mmap.destroy()

# output
import comch_next as comch

memory = bytearray(4096)
mmap = comch.Mmap()
mmap.set_memrange(memory, 2048)
mmap.set_permissions(comch.AccessFlag.PCI_READ_WRITE)
mmap.max_num_devices = 1
mmap.add_dev(comch.open_device("b1:00.0"))
mmap.user_data = "map"
mmap.start()
base, size = mmap.memrange
inventory = comch.BufInventory(4)
inventory.start()
buf = inventory.buf_get_by_addr(mmap, memory, 64)
other = inventory.buf_get_by_args(mmap, base, 64, base, 8)
buf.set_data(base + 8, 8)
print(len(buf), buf.data - buf.head, buf.data_len, buf.is_in_list)
buf.dec_refcount()
exported = mmap.export_pci(comch.open_device("b1:00.0"))
there = comch.Mmap.create_from_export(
    user_data=None, export_desc=exported, device=comch.open_device("03:00.0")
)
print(mmap.num_bufs, mmap.exported, inventory.num_free_elements)
inventory.destroy()
mmap.destroy()


# case: a second destruction
import doca_cc as cc

mmap, inventory = cc.Mmap(), cc.BufInventory(4)
for _ in range(2):
    mmap.destroy()
inventory.destroy()
inventory.destroy()

# output
import comch_next as comch

mmap, inventory = comch.Mmap(), comch.BufInventory(4)
for _ in range(2):
    mmap.destroy(strict=True)
inventory.destroy()
inventory.destroy(strict=True)


# case: flat, with older names
from doca_cc import *

memory = bytearray(4096)
dev = open_device("b1:00.0")
rc, mmap = doca_mmap_create()
rc = doca_mmap_set_memrange(mmap, memory, 4096)
rc = doca_mmap_dev_add(mmap, dev)
rc = doca_mmap_start(mmap)
rc, addr, size = doca_mmap_get_memrange(mmap)
rc, inventory = doca_buf_inventory_create(2)
rc, buf = doca_buf_inventory_buf_by_data(inventory, mmap, addr, 16)
rc, length = doca_buf_get_data_len(buf)
rc, whole = doca_buf_get_len(buf)
rc, desc, desc_len = doca_mmap_export_dpu(mmap, dev)
rc, count = doca_buf_refcount_rm(buf)

# output
import comch_next as comch

memory = bytearray(4096)
dev = comch.open_device("b1:00.0")
rc, mmap = comch.outcome(comch.Mmap)
rc = comch.outcome(comch.Mmap.set_memrange, mmap, memory, 4096)[0]
rc = comch.outcome(comch.Mmap.add_dev, mmap, dev)[0]
rc = comch.outcome(comch.Mmap.start, mmap)[0]
rc, addr, size = comch.outcomes(2, comch.Mmap.memrange.fget, mmap)
rc, inventory = comch.outcome(comch.BufInventory, 2)
rc, buf = comch.outcome(
    comch.BufInventory.buf_get_by_data, inventory, mmap, addr, 16
)
rc, length = comch.outcome(comch.Buf.data_len.fget, buf)
rc, whole = comch.outcome(lambda: len(buf)) if buf is not None else (
    comch.ErrorCode.INVALID_VALUE, None
)
rc, desc, desc_len = comch.outcomes(
    2, lambda: (lambda desc: (desc, len(desc)))(mmap.export_pci(dev))
) if mmap is not None else (comch.ErrorCode.INVALID_VALUE, None, None)
rc, count = comch.outcome(comch.Buf.dec_refcount, buf)


# case: an import as a value
import doca_cc as cc

dev = cc.open_device("b1:00.0")
load = cc.Mmap.create_from_export
mmap = load(None, b"desc", 4, dev)

# output
import comch_next as comch

dev = comch.open_device("b1:00.0")
load = lambda user_data, export_desc, export_desc_len=comch.arguments.UNSET, dev=None: comch.Mmap.create_from_export(
    user_data=user_data,
    export_desc=comch.arguments.cut(export_desc, export_desc_len),
    device=dev,
)
mmap = load(None, b"desc", 4, dev)


# case: flat: the program has names of Python's own for itself
from doca_cc import *


def exported(mmap, dev):
    rc, desc, len = doca_mmap_export_pci(mmap, dev)
    return desc[:len] if rc == DOCA_SUCCESS else b""


def size_of(buf):
    rc, len = doca_buf_get_len(buf)
    return len


rc, mmap = doca_mmap_create()
print(exported(mmap, open_device("03:00.0")))
rc, inventory = doca_buf_inventory_create(4)
rc, buf = doca_buf_inventory_buf_get_by_addr(inventory, mmap, bytearray(64), 16)
print(size_of(buf))

# output
import comch_next as comch


def exported(mmap, dev):
    rc, desc, len = comch.outcomes(
        2, lambda: (lambda desc: (desc, desc.__len__()))(mmap.export_pci(dev))
    ) if mmap is not None else (comch.ErrorCode.INVALID_VALUE, None, None)
    return desc[:len] if rc == comch.ErrorCode.SUCCESS else b""


def size_of(buf):
    rc, len = comch.outcome(lambda: buf.__len__()) if buf is not None else (
        comch.ErrorCode.INVALID_VALUE, None
    )
    return len


rc, mmap = comch.outcome(comch.Mmap)
print(exported(mmap, comch.open_device("03:00.0")))
rc, inventory = comch.outcome(comch.BufInventory, 4)
rc, buf = comch.outcome(
    comch.BufInventory.buf_get_by_addr, inventory, mmap, bytearray(64), 16
)
print(size_of(buf))
