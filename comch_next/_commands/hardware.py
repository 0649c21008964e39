"""``devices`` and ``caps``: what there is, and what it can do."""

from collections.abc import Mapping, Sequence
from typing import Any

from comch_next._commands.report import Report, Section
from comch_next.device import DevInfo
from comch_next.device import devices as list_devices
from comch_next.errors import DocaError, NotSupported

__all__ = ["caps", "devices"]

# Keys of a row (in JSON; most are the properties and methods that are asked) and their headings.
_DEVICE = {
    "pci_addr_str": "PCI address",
    "side": "Side",
    "iface_name": "Interface",
    "ibdev_name": "RDMA device",
}
_REPRESENTOR = {
    "device": "Device",
    "pci_addr_str": "PCI address",
    "pci_func_type": "Type",
    "vuid": "VUID",
    "iface_name": "Interface",
    "vhca_id": "vHCA",
    "is_hotplug": "Hotplug",
}
# Sections of `caps`: key, title, and the methods of DevInfo with their headings.
_CAPS = (
    (
        "caps",
        "Control path (name and message in bytes; clients 0: no limit)",
        {
            "cap_server_is_supported": "Server",
            "cap_client_is_supported": "Client",
            "cap_get_max_name_len": "Name",
            "cap_get_max_msg_size": "Message",
            "cap_get_max_recv_queue_size": "Queue",
            "cap_get_max_send_tasks": "Tasks",
            "cap_get_max_clients": "Clients",
        },
    ),
    (
        "consumers",
        "Consumers (buffer and immediate data in bytes)",
        {
            "consumer_cap_is_supported": "Consumer",
            "consumer_cap_get_max_num_tasks": "Tasks",
            "consumer_cap_get_max_buf_size": "Buffer",
            "consumer_cap_get_max_buf_list_len": "List",
            "consumer_cap_get_max_consumers": "Consumers",
            "consumer_cap_get_max_imm_data_len": "Immediate",
        },
    ),
    (
        "producers",
        "Producers (buffer in bytes)",
        {
            "producer_cap_is_supported": "Producer",
            "producer_cap_get_max_num_tasks": "Tasks",
            "producer_cap_get_max_buf_size": "Buffer",
            "producer_cap_get_max_buf_list_len": "List",
            "producer_cap_get_max_producers": "Producers",
        },
    ),
    (
        "memory",
        "Memory of the other side",
        {
            "mmap_cap_is_export_pci_supported": "Export",
            "mmap_cap_is_create_from_export_pci_supported": "Import",
        },
    ),
)


def devices() -> Report:
    """List the devices that this side sees, and their representors."""
    rows, representors, notes = [], [], []
    for info in list_devices():
        side, trouble = None, f"the side of {info.pci_addr_str} cannot be told"
        try:
            side = "dpu" if _has_representors(info) else "host"
            trouble = f"the representors of {info.pci_addr_str} cannot be listed"
            representors += _representors(info) if side == "dpu" else []
        except DocaError as error:
            notes.append(f"{trouble}: {error}")
        rows.append({"side": side, **_ask(info, "pci_addr_str", "iface_name", "ibdev_name")})
    sections = [
        Section("devices", "Devices", _DEVICE, rows),
        Section("representors", "Representors", _REPRESENTOR, representors),
    ]
    return Report(sections, notes)


def _ask(info: object, *properties: str) -> dict[str, Any]:
    return {name: getattr(info, name) for name in properties}


def _has_representors(info: DevInfo) -> bool:
    try:
        return info.rep_cap_is_filter_all_supported()
    except NotSupported:
        return False


def _representors(info: DevInfo) -> list[dict[str, Any]]:
    with info.open() as device:
        return [
            {
                "device": info.pci_addr_str,
                "pci_func_type": found.pci_func_type.name,
                **_ask(found, "pci_addr_str", "vuid", "iface_name", "vhca_id", "is_hotplug"),
            }
            for found in device.representors()
        ]


def caps() -> Report:
    """List the capabilities of each device, on the control path and the fast path (C: the calls with _cap_)."""
    found, failed = list_devices(), dict[str, DocaError]()
    sections = [_section(found, failed, *section) for section in _CAPS]
    notes = [f"not all capabilities of {address} can be told: {error}" for address, error in failed.items()]
    return Report(sections, notes)


def _section(
    found: Sequence[DevInfo], failed: dict[str, DocaError], key: str, title: str, calls: Mapping[str, str]
) -> Section:
    rows = [{**_ask(info, "pci_addr_str"), **{call: _limit(info, call, failed) for call in calls}} for info in found]
    return Section(key, title, {"pci_addr_str": "Device", **calls}, rows)


def _limit(info: DevInfo, call: str, failed: dict[str, DocaError]) -> bool | int | None:
    """What a capability says, None where what it is about is not supported, or fails: then note a device's first."""
    try:
        return getattr(info, call)()  # type: ignore[no-any-return]
    except NotSupported:
        return None
    except DocaError as error:
        failed.setdefault(info.pci_addr_str, error)
        return None
