"""Devices, representors and what they can do (guide: DOCA Core Device Discovery; Comch: Device Support)."""

from typing import Literal

from comch_next._alone import alone
from comch_next._closable import Closable
from comch_next._codes import RepFilter
from comch_next._names import Hinted
from comch_next._pci import PciBdf
from comch_next._representor import RepInfo, Representor
from comch_next.arguments import text
from comch_next.driver import load, protocol
from comch_next.driver.protocol import Driver, quoted
from comch_next.errors import InvalidValue, NotFound, NotSupported

__all__ = ["DevInfo", "Device", "RepInfo", "Representor", "devices", "open_device"]


def devices(driver: str | None = None) -> list["DevInfo"]:
    """List the devices that this side sees (C: doca_devinfo_create_list)."""
    chosen = load(driver)
    return [DevInfo(chosen, handle) for handle in chosen.devices.create_list()]


def open_device(pci_addr: str | bytes, driver: str | None = None) -> "Device":
    """Open the device at a PCI address, given as BB:DD.F or DDDD:BB:DD.F.

    Raises NotFound if this side has no such device, InvalidValue for an invalid address.
    """
    pci_addr = text(pci_addr, "PCI address")
    found = devices(driver)
    for info in found:
        if info.is_equal_pci_addr(pci_addr):
            return info.open()
    known = ", ".join(info.pci_addr_str for info in found) or "none"
    raise NotFound(f"no device {pci_addr} here; there are: {known}")


class DevInfo(Hinted):
    """A device in the list of devices (C: struct doca_devinfo)."""

    def __init__(self, driver: Driver, handle: protocol.DevInfo) -> None:
        self._driver = driver
        self._handle = handle

    def __repr__(self) -> str:
        return f"DevInfo({self.pci_addr_str})"

    @property
    def pci_addr_str(self) -> str:
        """The PCI address, as DDDD:BB:DD.F."""
        return self._driver.devices.get_pci_addr_str(self._handle)

    @property
    def pci_addr(self) -> PciBdf:
        """The address in numbers, without the domain."""
        return PciBdf.of(self.pci_addr_str)

    def is_equal_pci_addr(self, pci_addr: str | bytes) -> bool:
        """Return whether this is the device at an address, in short or long form; InvalidValue for an invalid one."""
        return self._driver.devices.is_equal_pci_addr(self._handle, text(pci_addr, "PCI address"))

    @property
    def iface_name(self) -> str:
        """The network interface's name."""
        return self._driver.devices.get_iface_name(self._handle)

    @property
    def ibdev_name(self) -> str:
        """The RDMA device's name."""
        return self._driver.devices.get_ibdev_name(self._handle)

    def open(self) -> "Device":
        """Open the device, or count one more open of it (C: doca_dev_open).

        Raises NotConnected if it does not work, Initialization if it is open too often.
        """
        return Device(self._driver, self._driver.devices.open(self._handle))

    def cap_get_max_name_len(self) -> int:
        """Return the length of the longest server name, in bytes, its NUL included."""
        return self._driver.devices.cap_get_max_name_len(self._handle)

    def cap_get_max_msg_size(self) -> int:
        """Return the largest message size that can be configured, in bytes."""
        return self._driver.devices.cap_get_max_msg_size(self._handle)

    def cap_get_max_recv_queue_size(self) -> int:
        """Return the depth of the deepest receive queue that can be configured, in messages."""
        return self._driver.devices.cap_get_max_recv_queue_size(self._handle)

    def cap_get_max_clients(self) -> int:
        """Return the largest number of clients of one server; 0 means no limit."""
        return self._driver.devices.cap_get_max_clients(self._handle)

    def max_clients_of_service(self) -> int:
        """Return what `cap_get_max_clients` does. Raises NotSupported on a device where no server can run."""
        if not self.cap_server_is_supported():
            raise NotSupported(f"{self} cannot be a service; ask a device of the DPU")
        return self.cap_get_max_clients()

    def cap_get_max_send_tasks(self) -> int:
        """Return the largest number of send tasks of one context."""
        return self._driver.devices.cap_get_max_send_tasks(self._handle)

    def cap_server_is_supported(self) -> bool:
        """Return whether a server can run on the device."""
        return self._driver.devices.cap_server_is_supported(self._handle)

    def cap_client_is_supported(self) -> bool:
        """Return whether a client can run on the device."""
        return self._driver.devices.cap_client_is_supported(self._handle)

    def require(self, noun: Literal["server", "client", "producer", "consumer"]) -> None:
        """Raise NotSupported unless such a context can run on the device."""
        asked = {
            "server": self.cap_server_is_supported,
            "client": self.cap_client_is_supported,
            "producer": self.producer_cap_is_supported,
            "consumer": self.consumer_cap_is_supported,
        }
        if not isinstance(noun, str) or noun not in asked:
            raise InvalidValue(f"require takes {' or '.join(asked)}, not {quoted(noun)}")
        if not asked[noun]():
            raise NotSupported(f"{self} cannot be a {noun}")

    def rep_cap_is_filter_all_supported(self) -> bool:
        """Return whether representors can be listed. Raises NotSupported if there are none, as the next two."""
        return self._driver.devices.rep_cap_is_filter_supported(self._handle, RepFilter.ALL)

    def rep_cap_is_filter_net_supported(self) -> bool:
        """Return whether representors of network functions can be listed."""
        return self._driver.devices.rep_cap_is_filter_supported(self._handle, RepFilter.NET)

    def rep_cap_is_filter_emulated_supported(self) -> bool:
        """Return whether representors of emulated functions can be listed."""
        return self._driver.devices.rep_cap_is_filter_supported(self._handle, RepFilter.EMULATED)

    # The fast path

    def consumer_cap_is_supported(self) -> bool:
        """Return whether consumers can run on the device."""
        return self._driver.consumers.cap_is_supported(self._handle)

    def consumer_cap_get_max_num_tasks(self) -> int:
        """Return the largest number of receives that one consumer can have posted."""
        return self._driver.consumers.cap_get_max_num_tasks(self._handle)

    def consumer_cap_get_max_buf_size(self) -> int:
        """Return the length of the longest buffer in bytes. Raises NotSupported without consumers, as the next one."""
        return self._driver.consumers.cap_get_max_buf_size(self._handle)

    def consumer_cap_get_max_buf_list_len(self) -> int:
        """Return the number of buffers in the longest list: 1, as Comch takes no lists."""
        return self._driver.consumers.cap_get_max_buf_list_len(self._handle)

    def consumer_cap_get_max_consumers(self) -> int:
        """Return the largest number of consumers of one connection."""
        return self._driver.consumers.cap_get_max_consumers(self._handle)

    def consumer_cap_get_max_imm_data_len(self) -> int:
        """Return the length of the longest immediate data, in bytes."""
        return self._driver.consumers.cap_get_max_imm_data_len(self._handle)

    def producer_cap_is_supported(self) -> bool:
        """Return whether producers can run on the device."""
        return self._driver.producers.cap_is_supported(self._handle)

    def producer_cap_get_max_num_tasks(self) -> int:
        """Return the largest number of sends that one producer can have submitted."""
        return self._driver.producers.cap_get_max_num_tasks(self._handle)

    def producer_cap_get_max_buf_size(self) -> int:
        """Return the length of the longest buffer in bytes. Raises NotSupported without producers, as the next one."""
        return self._driver.producers.cap_get_max_buf_size(self._handle)

    def producer_cap_get_max_buf_list_len(self) -> int:
        """Return the number of buffers in the longest list: 1, as Comch takes no lists."""
        return self._driver.producers.cap_get_max_buf_list_len(self._handle)

    def producer_cap_get_max_producers(self) -> int:
        """Return the largest number of producers of one connection."""
        return self._driver.producers.cap_get_max_producers(self._handle)

    def mmap_cap_is_export_pci_supported(self) -> bool:
        """Return whether memory can be exported to the other side of the bus."""
        return self._driver.mmaps.cap_is_export_pci_supported(self._handle)

    def mmap_cap_is_create_from_export_pci_supported(self) -> bool:
        """Return whether memory that the other side exported can be imported."""
        return self._driver.mmaps.cap_is_create_from_export_pci_supported(self._handle)


class _Closed:
    """What a closed Device has in place of its handle, which another open of the device may still use."""

    def __init__(self, device: str) -> None:
        self._device = device

    def __repr__(self) -> str:
        return f"{self._device}, which has been closed; open it again"


class Device(Closable):
    """An open device (C: struct doca_dev).

    Two opens of one device are one device, as in C: they compare equal, and contexts, maps and exports made with
    either belong to both. Each open needs its close; the device stays open until the last one.
    """

    def __init__(self, driver: Driver, handle: protocol.Dev) -> None:
        super().__init__(driver, handle, driver.devices.close)
        self._identity = handle
        self._name = self.devinfo.pci_addr_str

    def __repr__(self) -> str:
        return f"Device({self._name})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and bool(self._identity == other._identity)

    def __hash__(self) -> int:
        return hash(self._identity)

    @alone
    def close(self, *, strict: bool = False) -> None:
        if strict:
            self._handle = self._identity  # C cannot tell one open of a device from another
        try:
            super().close(strict=strict)
        finally:
            if not self._open:
                self._handle = _Closed(repr(self))

    def __enter__(self) -> "Device":
        return self

    @property
    def devinfo(self) -> DevInfo:
        """Its entry in the list of devices (C: doca_dev_as_devinfo)."""
        return DevInfo(self._driver, self._driver.devices.as_devinfo(self._handle))

    def representors(self, rep_filter: RepFilter = RepFilter.ALL) -> list[RepInfo]:
        """List the representors of host functions (C: doca_devinfo_rep_create_list).

        rep_filter: RepFilter bits; those of any kind named are listed, ALL lists every kind. Raises InvalidValue for
        other bits, NotSupported on the host.
        """
        handles = self._driver.devices.rep_create_list(self._handle, rep_filter)
        return [RepInfo(self._driver, handle) for handle in handles]

    def open_representor(self, pci_addr: str | bytes) -> Representor:
        """Open the representor of the host function at that address. Raises NotFound if there is none."""
        pci_addr = text(pci_addr, "PCI address")
        found = self.representors()
        for info in found:
            if info.is_equal_pci_addr(pci_addr):
                return info.open()
        known = ", ".join(info.pci_addr_str for info in found) or "none"
        raise NotFound(f"no representor {pci_addr} on {self!r}; there are: {known}")
