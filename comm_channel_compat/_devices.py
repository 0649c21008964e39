"""The devices of generation 1: comch_next's, with the C names of the time as methods (old headers: doca_dev.h).

Every class here wraps one object of comch_next, its attribute `modern`.
"""

from typing import TypeVar

import comch_next as comch
from comch_next import InvalidValue, NotSupported, PciBdf
from comch_next.arguments import instance, shown
from comm_channel_compat._old_calls import note_end, old_call

__all__ = ["DevInfo", "Device", "PciBdf", "RepInfo", "Representor", "devices", "is_dpu", "open_device"]

_Self = TypeVar("_Self", bound="_Opened")


@old_call("doca_devinfo_")
class DevInfo:
    """A device that can be opened: one entry of `devices()`."""

    __slots__ = ("modern",)

    def __init__(self, modern: comch.DevInfo) -> None:
        self.modern = modern

    @old_call("doca_dev_open")
    def open(self) -> "Device":
        """Open the device; each open needs a close."""
        return Device(self.modern.open())

    def get_pci_addr_str(self) -> str:
        """Return the PCI address in its long form: ``"0000:03:00.0"``."""
        return self.modern.pci_addr_str

    def get_pci_addr(self) -> PciBdf:
        """Return the PCI address in numbers, as DOCA 1.5 did."""
        return self.modern.pci_addr

    def is_equal_pci_addr(self, pci_addr: str) -> bool:
        """Return whether this device has the address, in short or long form."""
        return self.modern.is_equal_pci_addr(pci_addr)

    def get_iface_name(self) -> str:
        """The name of the network interface."""
        return self.modern.iface_name

    def get_ibdev_name(self) -> str:
        """Return the name of the InfiniBand device."""
        return self.modern.ibdev_name

    def rep_cap_is_filter_all_supported(self) -> bool:
        """Return whether representors of every kind can be listed; only a DPU device has representors."""
        return self.modern.rep_cap_is_filter_all_supported()

    def rep_cap_is_filter_net_supported(self) -> bool:
        """Return whether network representors can be listed; a service needs a device that returns True."""
        return self.modern.rep_cap_is_filter_net_supported()

    def rep_cap_is_filter_emulated_supported(self) -> bool:
        """Return whether representors of emulated functions can be listed."""
        return self.modern.rep_cap_is_filter_emulated_supported()

    def __repr__(self) -> str:
        return f"<DevInfo {self.modern.pci_addr_str}>"


@old_call("doca_devinfo_rep_")
class RepInfo:
    """A representor that can be opened: one entry of `device.representors()`."""

    __slots__ = ("modern",)

    def __init__(self, modern: comch.RepInfo) -> None:
        self.modern = modern

    @old_call("doca_dev_rep_open")
    def open(self) -> "Representor":
        """Open the representor; each open needs a close."""
        return Representor(self.modern.open())

    def get_vuid(self) -> str:
        """Return the unique identifier of the function."""
        return self.modern.vuid

    def get_pci_addr_str(self) -> str:
        """Return the host's address of the function in its long form."""
        return self.modern.pci_addr_str

    def get_pci_addr(self) -> PciBdf:
        """Return the host's address of the function in numbers, as DOCA 1.5 did."""
        return self.modern.pci_addr

    def get_pci_func_type(self) -> comch.PciFuncType:
        """Return the type of the function: PF, VF or SF."""
        return self.modern.pci_func_type

    def get_is_hotplug(self) -> bool:
        """Return whether the function was plugged in while the host ran."""
        return self.modern.is_hotplug

    def get_iface_name(self) -> str:
        """The name of the network interface."""
        return self.modern.iface_name

    def get_vhca_id(self) -> int:
        """Return the number of the hardware function."""
        return self.modern.vhca_id

    def is_equal_pci_addr(self, pci_addr: str) -> bool:
        """Return whether the function has the address, in short or long form."""
        return self.modern.is_equal_pci_addr(pci_addr)

    def __repr__(self) -> str:
        return f"<RepInfo {self.modern.pci_addr_str}>"


class _Opened:
    """What an open device and an open representor share: they are closed, and `with` closes them."""

    __slots__ = ()

    modern: comch.Device | comch.Representor

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.modern.__exit__(kind, error, trace)
        note_end(self)


@old_call("doca_dev_")
class Device(_Opened):
    """An open device."""

    __slots__ = ("modern",)

    modern: comch.Device

    def __init__(self, modern: comch.Device) -> None:
        self.modern = modern

    def as_devinfo(self) -> DevInfo:
        """Return its entry in the list of devices."""
        return DevInfo(self.modern.devinfo)

    @old_call("doca_devinfo_rep_create_list")
    def representors(self, rep_filter: int = comch.RepFilter.ALL) -> list[RepInfo]:
        """List the representors of the device. Raises NotSupported on a host device."""
        if instance(rep_filter, int, "filter") & ~sum(comch.RepFilter):
            raise InvalidValue(f"filter is {shown(rep_filter)}; legal are the DOCA_DEVINFO_REP_FILTER_* values")
        kinds = [kind for kind in comch.RepFilter if kind & rep_filter] or [comch.RepFilter.ALL]
        return [RepInfo(modern) for kind in kinds for modern in self.modern.representors(kind)]

    @old_call("doca_dev_rep_open")
    def open_representor(self, pci_addr: str) -> "Representor":
        """Open the representor of the host function with this address. Raises NotFound if there is none."""
        return Representor(self.modern.open_representor(pci_addr))

    def close(self) -> None:
        """Close the device. Raises InUse once an endpoint has listened or connected on it, until that has another."""
        self.modern.close()

    def __repr__(self) -> str:
        return f"<Device {self.modern.devinfo.pci_addr_str}>"


@old_call("doca_dev_rep_")
class Representor(_Opened):
    """An open representor of a host function, on which a service listens."""

    __slots__ = ("modern",)

    modern: comch.Representor

    def __init__(self, modern: comch.Representor) -> None:
        self.modern = modern

    def as_devinfo(self) -> RepInfo:
        """Return its entry in the list of representors."""
        return RepInfo(self.modern.devinfo_rep)

    def close(self) -> None:
        """Close the representor. Raises InUse while an endpoint listens on it."""
        self.modern.close()

    def __repr__(self) -> str:
        return f"<Representor {self.modern.devinfo_rep.pci_addr_str}>"


@old_call("doca_devinfo_create_list")
def devices() -> list[DevInfo]:
    """List the devices of this machine."""
    return [DevInfo(modern) for modern in comch.devices()]


@old_call("doca_dev_open")
def open_device(pci_addr: str) -> Device:
    """Open the device at an address in short or long form. Raises NotFound if there is none."""
    return Device(comch.open_device(pci_addr))


def is_dpu(device: Device) -> bool:
    """Return whether the device is on the DPU, which has the representors."""
    try:
        return device.modern.devinfo.rep_cap_is_filter_all_supported()
    except NotSupported:
        return False
