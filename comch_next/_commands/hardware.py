"""``devices`` and ``caps``: what there is, and what it can do."""

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
    "vhca_id": "vHCA id",
    "is_hotplug": "Hotplug",
}
_CAP = {
    "cap_server_is_supported": "Server",
    "cap_client_is_supported": "Client",
    "cap_get_max_name_len": "Name (bytes)",
    "cap_get_max_msg_size": "Message (bytes)",
    "cap_get_max_recv_queue_size": "Receive queue",
    "cap_get_max_send_tasks": "Send tasks",
    "cap_get_max_clients": "Clients (0: any)",
}


def devices() -> Report:
    """The devices that this side sees, and the representors on them."""
    rows, representors, notes = [], [], []
    for info in list_devices():
        side = "dpu" if _has_representors(info) else "host"
        rows.append({"side": side, **_ask(info, "pci_addr_str", "iface_name", "ibdev_name")})
        try:
            representors += _representors(info) if side == "dpu" else []
        except DocaError as error:
            notes.append(f"the representors of {info.pci_addr_str} cannot be listed: {error}")
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
    """What Comch can do on each device, and its limits there (C: doca_comch_cap_*)."""
    columns = {"pci_addr_str": "Device", **_CAP}
    rows = [{**_ask(info, "pci_addr_str"), **{cap: getattr(info, cap)() for cap in _CAP}} for info in list_devices()]
    return Report([Section("caps", "Comch capabilities", columns, rows)])
