"""Devices and representors of the emulated pair (guide: DOCA Core Device Discovery)."""

from typing import NamedTuple

from comch_next._codes import PciFuncType, RepFilter
from comch_next.driver.emulated._checks import collecting, expect, says_no_memory
from comch_next.driver.emulated._fabric import topology
from comch_next.driver.emulated._guard import UNCONNECTED
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.protocol import WeakSet, counted, listed, quoted, refuse_kernel, them, uninterrupted
from comch_next.errors import Driver, Initialization, InUse, InvalidValue, NotConnected, NotSupported

__all__ = ["Dev", "DevInfo", "DevRep", "Devices", "RepInfo"]


class DevInfo(NamedTuple):
    """One device as the list shows it, with the topology it was found in."""

    row: topology.Device
    topology: topology.Topology

    def __repr__(self) -> str:
        return f"DevInfo({self.row.pci_addr})"  # in the text of a refusal, without the whole topology


class Dev:
    """An open device: every open of it, until the last close, returns this one handle.

    `opens` counts the opens that have not been closed, `users` are the contexts and maps that hold it, for as long as
    the program has them; `opened` has the open devices of this process.
    """

    def __init__(self, info: DevInfo, opened: dict[DevInfo, "Dev"]) -> None:
        self.info = info
        self.opens = 1
        self.users: WeakSet[object] = WeakSet()
        self.opened = opened
        opened[info] = self
        owned(self)

    def __str__(self) -> str:
        return f"device {self.info.row.pci_addr}"

    @property
    def open(self) -> bool:
        """Whether it has been opened more often than closed."""
        return self.opens > 0

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork. The child has opened none."""
        self.opened.clear()


class RepInfo(NamedTuple):
    """One representor as its device's list shows it."""

    row: topology.Representor
    dev: Dev

    def __repr__(self) -> str:
        return f"RepInfo({self.row.pci_addr})"


class DevRep:
    """An open representor; `users` are the servers that hold it, for as long as the program has them."""

    def __init__(self, info: RepInfo) -> None:
        self.info = info
        self.users: WeakSet[object] = WeakSet()
        self.open = True
        owned(self)

    def __str__(self) -> str:
        return f"representor {self.info.row.pci_addr}"

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork. It has nothing to close."""


def asked(info: DevInfo, call: str) -> topology.Device:
    """What the kernel driver knows of a device, or DRIVER where it fails."""
    if not info.row.answers:
        raise Driver(f"{call}: the kernel driver does not answer for device {info.row.pci_addr}")
    return info.row


def limits(info: object, call: str) -> topology.Limits:
    """The limits of a devinfo, or INVALID_VALUE."""
    return asked(expect(info, DevInfo, call), call).limits


_FILTER_CALLS: dict[object, str] = {
    bits: f"rep_cap_is_filter_{name}_supported"
    for bits, name in ((RepFilter.ALL, "all"), (RepFilter.NET, "net"), (RepFilter.EMULATED, "emulated"))
}


def _filter_bits(wanted: object, call: str) -> int:
    """The bits of a representor filter, 0 for all; INVALID_VALUE for others."""
    known = int(RepFilter.NET | RepFilter.EMULATED)
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted & ~known:
        raise InvalidValue(f"{call} takes RepFilter bits, not {quoted(wanted)}")
    return int(wanted)


class Devices:
    """The noun Devices of the driver protocol."""

    def __init__(self) -> None:
        self._open: dict[DevInfo, Dev] = {}

    @says_no_memory
    def create_list(self) -> list[DevInfo]:
        refuse_kernel("devinfo_create_list")
        found = topology.current()
        return [DevInfo(row, found) for row in found.visible()]

    @says_no_memory
    @uninterrupted
    def open(self, devinfo: object) -> Dev:
        info = expect(devinfo, DevInfo, "dev_open")
        row = info.row
        if not row.working:
            raise NotConnected(f"device {row.pci_addr} is marked as not working and cannot be opened")
        with UNCONNECTED:  # two threads that open it have one handle
            device = self._open.get(info)
            if device is None:
                return Dev(info, self._open)
            if device.opens >= row.limits.max_open:
                raise Initialization(
                    f"device {row.pci_addr} is open {counted(row.limits.max_open, 'time')}; close one first"
                )
            device.opens += 1
            return device

    @uninterrupted
    @collecting(Dev, lambda device: device.opens == 1 and device.users.size)
    def close(self, dev: object) -> None:
        with UNCONNECTED:
            device = self._living(dev, "dev_close")
            if device.opens == 1 and (users := device.users.size):
                who = counted(users, "context or memory map still uses", "contexts or memory maps still use")
                text = f"{who} {self._name(device)} ({listed([*map(str, device.users)])}); destroy {them(users)} first"
                raise InUse(f"dev_close: {text}")
            device.opens -= 1
            if not device.opens and self._open.get(device.info) is device:
                del self._open[device.info]

    def _living(self, dev: object, call: str) -> Dev:
        device = expect(dev, Dev, call)
        if not device.open:
            raise InvalidValue(f"{call}: the device {self._name(device)} has been closed")
        return device

    def _name(self, dev: Dev) -> str:
        return dev.info.row.pci_addr

    def as_devinfo(self, dev: object) -> DevInfo:
        return expect(dev, Dev, "dev_as_devinfo").info

    def get_pci_addr_str(self, devinfo: object) -> str:
        return expect(devinfo, DevInfo, "devinfo_get_pci_addr_str").row.pci_addr

    def is_equal_pci_addr(self, devinfo: object, pci_addr: object) -> bool:
        return self._same(self.get_pci_addr_str(devinfo), pci_addr)

    def _same(self, own: str, text: object) -> bool:
        given = topology.long_form(text)
        if given is None:
            raise InvalidValue(f"{quoted(text)} is not a PCI address; legal are BB:DD.F and DDDD:BB:DD.F")
        return own == given

    def get_iface_name(self, devinfo: object) -> str:
        return "p" + self.get_pci_addr_str(devinfo).replace(":", "").replace(".", "f")

    def get_ibdev_name(self, devinfo: object) -> str:
        return "mlx5_" + self.get_pci_addr_str(devinfo).replace(":", "").replace(".", "f")

    def cap_get_max_name_len(self, devinfo: object) -> int:
        return limits(devinfo, "cap_get_max_name_len").max_name_len

    def cap_get_max_msg_size(self, devinfo: object) -> int:
        return limits(devinfo, "cap_get_max_msg_size").max_msg_size

    def cap_get_max_recv_queue_size(self, devinfo: object) -> int:
        return limits(devinfo, "cap_get_max_recv_queue_size").max_queue_size

    def cap_get_max_clients(self, devinfo: object) -> int:
        return limits(devinfo, "cap_get_max_clients").max_clients

    def cap_get_max_send_tasks(self, devinfo: object) -> int:
        return limits(devinfo, "cap_get_max_send_tasks").max_send_tasks

    def cap_server_is_supported(self, devinfo: object) -> bool:
        row = asked(expect(devinfo, DevInfo, "cap_server_is_supported"), "cap_server_is_supported")
        return row.capable and row.side == "dpu"

    def cap_client_is_supported(self, devinfo: object) -> bool:
        row = asked(expect(devinfo, DevInfo, "cap_client_is_supported"), "cap_client_is_supported")
        return row.capable and row.side == "host"

    def rep_cap_is_filter_supported(self, devinfo: object, wanted: RepFilter) -> bool:
        call = _FILTER_CALLS.get(wanted, "rep_cap_is_filter_supported")
        row = asked(expect(devinfo, DevInfo, call), call)
        if row.side != "dpu":
            raise NotSupported(f"device {row.pci_addr} has no representors: they stand on the DPU's devices")
        return not _filter_bits(wanted, call) & RepFilter.EMULATED

    @says_no_memory
    def rep_create_list(self, dev: object, wanted: object) -> list[RepInfo]:
        device = self._living(dev, "devinfo_rep_create_list")
        bits = _filter_bits(wanted, "devinfo_rep_create_list")
        row = asked(device.info, "devinfo_rep_create_list")
        if row.side != "dpu":
            raise NotSupported(f"device {row.pci_addr} has no representors: they stand on the DPU's devices")
        if bits and not bits & RepFilter.NET:
            return []  # the functions of an emulated host are all network functions
        return [RepInfo(rep, device) for rep in row.representors]

    @says_no_memory
    def rep_open(self, info: object) -> DevRep:
        row = expect(info, RepInfo, "dev_rep_open")
        self._living(row.dev, "dev_rep_open")
        return DevRep(row)

    @collecting(DevRep, lambda representor: representor.users.size)
    def rep_close(self, rep: object) -> None:
        representor = expect(rep, DevRep, "dev_rep_close")
        with UNCONNECTED:
            if not representor.open:
                raise InvalidValue("dev_rep_close: the representor has been closed")
            if users := representor.users.size:
                who = counted(users, "server still uses", "servers still use")
                raise InUse(f"dev_rep_close: {who} it; destroy {them(users)} first")
            representor.open = False

    def rep_as_devinfo(self, rep: object) -> RepInfo:
        return expect(rep, DevRep, "dev_rep_as_devinfo").info

    def rep_get_pci_addr_str(self, info: object) -> str:
        return expect(info, RepInfo, "devinfo_rep_get_pci_addr_str").row.pci_addr

    def rep_is_equal_pci_addr(self, info: object, pci_addr: object) -> bool:
        return self._same(self.rep_get_pci_addr_str(info), pci_addr)

    def rep_get_pci_func_type(self, info: object) -> PciFuncType:
        return expect(info, RepInfo, "devinfo_rep_get_pci_func_type").row.func_type

    def rep_get_vuid(self, info: object) -> str:
        return expect(info, RepInfo, "devinfo_rep_get_vuid").row.vuid

    def rep_get_iface_name(self, info: object) -> str:
        return "r" + self.rep_get_pci_addr_str(info).replace(":", "").replace(".", "f")

    def rep_get_vhca_id(self, info: object) -> int:
        return expect(info, RepInfo, "devinfo_rep_get_vhca_id").row.vhca_id

    def rep_get_is_hotplug(self, info: object) -> bool:
        expect(info, RepInfo, "devinfo_rep_get_is_hotplug")
        return False
