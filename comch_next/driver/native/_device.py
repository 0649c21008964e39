"""Devices and representors (guide: DOCA Core Device Discovery)."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from comch_next import api
from comch_next._codes import ErrorCode, PciFuncType, RepFilter
from comch_next.driver.native._calls import Noun, call, collecting, text_call
from comch_next.driver.native._handle import Handle, Life, live
from comch_next.driver.native._library import Library, check, ffi
from comch_next.driver.protocol import Lock, WeakSet, new_lock, quoted, uninterrupted
from comch_next.errors import DocaError, InvalidValue

__all__ = ["Dev", "DevInfo", "DevRep", "Devices", "RepInfo", "is_supported"]

_SIZES = api.constants("core")  # bytes of texts, the NUL included


_LOCK = new_lock()  # of all devices, representors and lists: an open of a device may be one more of a known one


class _Owner(Handle):
    """A handle; `infos` are those of what is the library's as long as this is."""

    life: Life

    def __init__(self, pointer: Any, release: Callable[[], object], parents: Iterable[Life] = ()) -> None:
        self.infos: WeakSet[_Info] = WeakSet()
        self.live_as(pointer, Life(release, parents, _LOCK))

    def gone(self, fault: Callable[[str], DocaError] = InvalidValue) -> None:
        super().gone(fault)
        for info in list(self.infos):
            info.gone(fault)

    def end(self) -> None:
        """End with the device."""
        self.life.end()
        self.gone()


class _Info(Handle):
    """A handle; it keeps its owner."""

    def __init__(self, pointer: Any, owner: _Owner) -> None:
        self.owner = owner
        self.live_as(pointer, None)
        owner.infos.add(self)

    def __str__(self) -> str:
        return f"{type(self).__name__} of a {self.owner}"

    @property
    def lock(self) -> Lock:
        return self.owner.lock


class DevInfo(_Info, tag="doca_devinfo"):
    """A device as the list shows it, or as it is known once it is open."""


class RepInfo(_Info, tag="doca_devinfo_rep"):
    """A representor as its device's list shows it, or as it is known once it is open."""

    def __init__(self, pointer: Any, owner: _Owner, dev: "Dev") -> None:
        super().__init__(pointer, owner)
        self.dev = dev


class Dev(_Owner, tag="doca_dev"):
    """An open device. Every open of it, until the last close, returns this one handle; `opens` counts them."""

    def __init__(self, pointer: Any, close: Callable[[Any], object]) -> None:
        self.opens = [1]
        super().__init__(pointer, partial(_close_all, close, pointer, self.opens))

    def __str__(self) -> str:
        return "device"

    def end_parts(self) -> None:
        """End its lists and representors, which are no more when the library has closed it, unless that will refuse."""
        held = [(life, life.handle()) for life in list(self.life.children)]
        parts = [part for life, part in held if not life.is_over()]  # a finalizer may have ended it
        if all(isinstance(part, (DevRep, _List)) and not part.life.children for part in parts):
            for part in parts:
                part.end()


class DevRep(_Owner, tag="doca_dev_rep"):
    """An open representor. `ended_by_dev`: the last close of its device has closed it, and its own is still to come."""

    ended_by_dev = False

    def __init__(self, pointer: Any, close: Callable[[Any], object], dev: Dev) -> None:
        self.dev = dev
        super().__init__(pointer, partial(close, pointer), [dev.life])

    def __str__(self) -> str:
        return "representor"

    def end(self) -> None:
        super().end()
        self.ended_by_dev = True


class _List(_Owner):
    """A list of the library's, which is given back with the last handle of what is in it."""

    def __str__(self) -> str:
        return "list"


def _close_all(close: Callable[[Any], object], pointer: Any, opens: list[int]) -> None:
    for _ in range(opens[0]):
        close(pointer)


def is_supported(function: str) -> Any:
    """Make a method that asks whether a device can do something: a function that answers NOT_SUPPORTED if not."""

    def method(noun: Noun, devinfo: object) -> bool:
        with live(devinfo, DevInfo, function).lock:
            code = noun.library[function](live(devinfo, DevInfo, function).pointer)
        if code != ErrorCode.NOT_SUPPORTED:
            check(code, function)
        return not code

    return method


def _check_filter(wanted: object, name: str) -> None:
    """Raise InvalidValue unless these are bits of a representor filter, which C may not have room for."""
    known = int(RepFilter.NET | RepFilter.EMULATED)
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted & ~known:
        raise InvalidValue(f"{name} takes RepFilter bits, not {quoted(wanted)}")


class Devices(Noun):
    """The noun Devices of the driver protocol."""

    def __init__(self, library: Library) -> None:
        super().__init__(library)
        self._open: WeakSet[Dev] = WeakSet()

    @uninterrupted
    def create_list(self) -> list[DevInfo]:
        rows, number = ffi.new("struct doca_devinfo ***"), ffi.new("uint32_t *")
        check(self.library["doca_devinfo_create_list"](rows, number), "doca_devinfo_create_list")
        owner = _List(rows[0], partial(self.library["doca_devinfo_destroy_list"], rows[0]))
        return [DevInfo(rows[0][place], owner) for place in range(number[0])]

    @uninterrupted
    def open(self, devinfo: object) -> Dev:
        cell = ffi.new("struct doca_dev **")
        with _LOCK:
            check(self.library["doca_dev_open"](live(devinfo, DevInfo, "doca_dev_open").pointer, cell), "doca_dev_open")
            for known in self._open:
                if known.pointer == cell[0]:
                    known.opens[0] += 1
                    return known
            device = Dev(cell[0], self.library["doca_dev_close"])
            self._open.add(device)
            return device

    @collecting
    @uninterrupted
    def close(self, dev: object) -> None:
        with _LOCK:
            device = live(dev, Dev, "doca_dev_close")
            if device.opens[0] == 1:
                device.end_parts()
            check(self.library["doca_dev_close"](device.pointer), "doca_dev_close")
            device.opens[0] -= 1
            if not device.opens[0]:
                self._open.discard(device)
                device.ended()

    def as_devinfo(self, dev: object) -> DevInfo:
        with _LOCK:
            device = live(dev, Dev, "doca_dev_as_devinfo")
            return DevInfo(self.library["doca_dev_as_devinfo"](device.pointer), device)

    get_pci_addr_str = text_call("doca_devinfo_get_pci_addr_str", _SIZES["DOCA_DEVINFO_PCI_ADDR_SIZE"], sized=False)
    is_equal_pci_addr = call("doca_devinfo_is_equal_pci_addr")
    get_iface_name = text_call("doca_devinfo_get_iface_name", _SIZES["DOCA_DEVINFO_IFACE_NAME_SIZE"])
    get_ibdev_name = text_call("doca_devinfo_get_ibdev_name", _SIZES["DOCA_DEVINFO_IBDEV_NAME_SIZE"])
    cap_get_max_name_len = call("doca_comch_cap_get_max_name_len")
    cap_get_max_msg_size = call("doca_comch_cap_get_max_msg_size")
    cap_get_max_recv_queue_size = call("doca_comch_cap_get_max_recv_queue_size")
    cap_get_max_clients = call("doca_comch_cap_get_max_clients")
    cap_get_max_send_tasks = call("doca_comch_cap_get_max_send_tasks")
    cap_server_is_supported = is_supported("doca_comch_cap_server_is_supported")
    cap_client_is_supported = is_supported("doca_comch_cap_client_is_supported")
    _filter_all = call("doca_devinfo_rep_cap_is_filter_all_supported")
    _filter_net = call("doca_devinfo_rep_cap_is_filter_net_supported")
    _filter_emulated = call("doca_devinfo_rep_cap_is_filter_emulated_supported")

    def rep_cap_is_filter_supported(self, devinfo: object, wanted: RepFilter) -> bool:
        _check_filter(wanted, "rep_cap_is_filter_supported")
        asked = {RepFilter.NET: self._filter_net, RepFilter.EMULATED: self._filter_emulated}
        chosen = [supported for bit, supported in asked.items() if wanted & bit] or [self._filter_all]
        return all(supported(devinfo) for supported in chosen)

    @uninterrupted
    def rep_create_list(self, dev: object, wanted: int) -> list[RepInfo]:
        name = "doca_devinfo_rep_create_list"
        rows, number = ffi.new("struct doca_devinfo_rep ***"), ffi.new("uint32_t *")
        _check_filter(wanted, name)
        with _LOCK:
            device = live(dev, Dev, name)
            check(self.library[name](device.pointer, wanted, rows, number), name)
            owner = _List(rows[0], partial(self.library["doca_devinfo_rep_destroy_list"], rows[0]), [device.life])
        return [RepInfo(rows[0][place], owner, device) for place in range(number[0])]

    @uninterrupted
    def rep_open(self, info: object) -> DevRep:
        name, cell = "doca_dev_rep_open", ffi.new("struct doca_dev_rep **")
        with _LOCK:
            found = live(info, RepInfo, name)
            device = live(found.dev, Dev, name)
            check(self.library[name](found.pointer, cell), name)
            return DevRep(cell[0], self.library["doca_dev_rep_close"], device)

    @collecting
    @uninterrupted
    def rep_close(self, rep: object) -> None:
        with _LOCK:
            if isinstance(rep, DevRep) and rep.ended_by_dev:
                rep.ended_by_dev = False
                return
            representor = live(rep, DevRep, "doca_dev_rep_close")
            check(self.library["doca_dev_rep_close"](representor.pointer), "doca_dev_rep_close")
            representor.ended()

    def rep_as_devinfo(self, rep: object) -> RepInfo:
        with _LOCK:
            representor = live(rep, DevRep, "doca_dev_rep_as_devinfo")
            return RepInfo(self.library["doca_dev_rep_as_devinfo"](representor.pointer), representor, representor.dev)

    rep_get_pci_addr_str = text_call(
        "doca_devinfo_rep_get_pci_addr_str", _SIZES["DOCA_DEVINFO_REP_PCI_ADDR_SIZE"], sized=False
    )
    rep_is_equal_pci_addr = call("doca_devinfo_rep_is_equal_pci_addr")
    rep_get_pci_func_type = call("doca_devinfo_rep_get_pci_func_type", PciFuncType)
    rep_get_vuid = text_call("doca_devinfo_rep_get_vuid", _SIZES["DOCA_DEVINFO_REP_VUID_SIZE"])
    rep_get_iface_name = text_call("doca_devinfo_rep_get_iface_name", _SIZES["DOCA_DEVINFO_IFACE_NAME_SIZE"])
    rep_get_vhca_id = call("doca_devinfo_rep_get_vhca_id")
    rep_get_is_hotplug = call("doca_devinfo_rep_get_is_hotplug")
