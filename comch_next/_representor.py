"""Representors: what stands on the DPU for a function of the host (guide: DOCA Core Representors Discovery)."""

from comch_next._closable import Closable
from comch_next._codes import PciFuncType
from comch_next._names import Hinted
from comch_next._pci import PciBdf
from comch_next.arguments import text
from comch_next.driver import protocol
from comch_next.driver.protocol import Driver

__all__ = ["RepInfo", "Representor"]


class RepInfo(Hinted):
    """A representor in the list of its device (C: struct doca_devinfo_rep)."""

    def __init__(self, driver: Driver, handle: protocol.RepInfo) -> None:
        self._driver = driver
        self._handle = handle

    def __repr__(self) -> str:
        return f"RepInfo({self.pci_addr_str})"

    @property
    def pci_addr_str(self) -> str:
        """The PCI address of its function on the host, DDDD:BB:DD.F."""
        return self._driver.devices.rep_get_pci_addr_str(self._handle)

    @property
    def pci_addr(self) -> PciBdf:
        """The PCI address of its function in numbers, without the domain."""
        return PciBdf.of(self.pci_addr_str)

    def is_equal_pci_addr(self, pci_addr: str | bytes) -> bool:
        """Whether it stands for the host function at that address."""
        return self._driver.devices.rep_is_equal_pci_addr(self._handle, text(pci_addr, "PCI address"))

    @property
    def pci_func_type(self) -> PciFuncType:
        """PF, VF or SF."""
        return self._driver.devices.rep_get_pci_func_type(self._handle)

    @property
    def vuid(self) -> str:
        """The vendor's unique identifier, a text."""
        return self._driver.devices.rep_get_vuid(self._handle)

    @property
    def iface_name(self) -> str:
        """The network interface's name."""
        return self._driver.devices.rep_get_iface_name(self._handle)

    @property
    def vhca_id(self) -> int:
        """The number of the hardware function."""
        return self._driver.devices.rep_get_vhca_id(self._handle)

    @property
    def is_hotplug(self) -> bool:
        """Whether it was plugged in at run time."""
        return self._driver.devices.rep_get_is_hotplug(self._handle)

    def open(self) -> "Representor":
        """Open the representor (C: doca_dev_rep_open)."""
        return Representor(self._driver, self._driver.devices.rep_open(self._handle))


class Representor(Closable):
    """An open representor (C: struct doca_dev_rep)."""

    def __init__(self, driver: Driver, handle: protocol.Rep) -> None:
        super().__init__(driver, handle, driver.devices.rep_close)
        self._name = self.devinfo_rep.pci_addr_str

    def __repr__(self) -> str:
        return f"Representor({self._name})"

    def __enter__(self) -> "Representor":
        return self

    @property
    def devinfo_rep(self) -> RepInfo:
        """Its entry in the list of representors (C: doca_dev_rep_as_devinfo)."""
        return RepInfo(self._driver, self._driver.devices.rep_as_devinfo(self._handle))
