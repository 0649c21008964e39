"""The calls by which the two sides share memory maps: exports and imports (guide: Memory Subsystem)."""

import os
from typing import Any

from comch_next._codes import AccessFlag
from comch_next.driver.emulated._checks import expect, says_no_memory
from comch_next.driver.emulated._device import Dev, DevInfo, asked
from comch_next.driver.emulated._export import NOTICE, Export
from comch_next.driver.emulated._guard import guard
from comch_next.driver.emulated._kernel.memory import EXHAUSTED, map_shared, name_of
from comch_next.driver.emulated._mmap import PCI, Mmap, living_mmap
from comch_next.driver.emulated._remote import Remote, make_notice
from comch_next.driver.protocol import by_system, uninterrupted
from comch_next.errors import InvalidValue, NotFound, NotPermitted, NotSupported

__all__ = ["ALL", "Sharing"]

_ONE_PCI = (AccessFlag.PCI_READ_ONLY, AccessFlag.PCI_READ_WRITE)
_RDMA = AccessFlag.RDMA_READ | AccessFlag.RDMA_WRITE | AccessFlag.RDMA_ATOMIC
ALL = _RDMA | PCI | AccessFlag.LOCAL_READ_WRITE | AccessFlag.PCI_RELAXED_ORDERING

_living = guard("mmap_", living_mmap)


class Sharing:
    """What the noun Mmaps has for it."""

    def cap_is_export_pci_supported(self, devinfo: object) -> bool:
        call = "mmap_cap_is_export_pci_supported"
        return asked(expect(devinfo, DevInfo, call), call).capable

    def cap_is_create_from_export_pci_supported(self, devinfo: object) -> bool:
        call = "mmap_cap_is_create_from_export_pci_supported"
        return asked(expect(devinfo, DevInfo, call), call).capable

    @says_no_memory
    @_living
    @uninterrupted
    def export_pci(self, mmap: Mmap, dev: object) -> bytes:
        _check_exportable(mmap, dev, PCI, "mmap_export_pci")
        assert mmap.permissions is not None
        if mmap.fd < 0 > mmap.notice:
            mmap.notice = make_notice(mmap.addr, mmap.size, mmap.permissions)
        export = Export.of(max(mmap.fd, mmap.notice), mmap.permissions, mmap.size)
        mmap.exported = True
        return export.encode()

    @_living
    def export_rdma(self, mmap: Mmap, dev: object) -> bytes:
        _check_exportable(mmap, dev, _RDMA, "mmap_export_rdma")
        raise NotSupported("mmap_export_rdma: the emulated devices have no network")

    @says_no_memory
    @uninterrupted
    def create_from_export(self, user_data: object, export_desc: Any, dev: object) -> Mmap:
        call = "mmap_create_from_export"
        device = expect(dev, Dev, call)
        if not device.open:
            raise InvalidValue(f"{call} takes a device that is open")
        row = asked(device.info, call)
        if not row.capable:
            raise NotSupported(f"{call}: device {row.pci_addr} cannot import")
        export = Export.decode(export_desc)
        if export.permissions & ~int(ALL) or export.permissions & PCI not in _ONE_PCI:
            raise InvalidValue(f"{call}: no map that is exported has these permissions")
        mmap = Mmap()
        mmap.permissions, mmap.user_data = export.permissions, user_data
        _reach(mmap, export)
        mmap.devices.append(device)
        device.users.add(mmap)
        mmap.started = mmap.ever_started = mmap.imported = True
        return mmap


def _reach(mmap: Mmap, export: Export) -> None:
    """Map what is exported, or have it copied where it lies."""
    own = export.open()
    try:
        if name_of(own) == NOTICE:
            mmap.remote = Remote(export, own)
            mmap.addr, mmap.size = mmap.remote.addr, export.size
        else:
            mmap.use(_mapped(own, export.size), export.size, own)
    finally:
        if mmap.fd < 0:
            os.close(own)


def _mapped(fd: int, size: int) -> Any:
    try:
        return map_shared(fd, size, committed=True)
    except by_system(OSError) as error:  # of which the refusal of memory that can change is one
        if error.errno in EXHAUSTED:
            raise
        raise InvalidValue(f"mmap_create_from_export: the memory cannot be mapped: {error}") from error


def _check_exportable(mmap: Mmap, dev: object, wanted: AccessFlag, call: str) -> None:
    device = expect(dev, Dev, call)
    if mmap.imported or not mmap.started or not mmap.allows(wanted):
        raise NotPermitted(f"{call} takes a map that is started, no import, and has permission for it")
    if device not in mmap.devices:
        raise NotFound(f"{call}: the map does not have this device")
    row = asked(device.info, call)
    if not row.capable:
        raise NotSupported(f"{call}: device {row.pci_addr} cannot export")
