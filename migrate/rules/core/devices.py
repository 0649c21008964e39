"""Find, open and close devices and representors; lists free themselves."""

from __future__ import annotations

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.old_api.generation_1 import OPEN_DEVICE, OPEN_REPRESENTOR
from migrate.rules._answers import Answer, Rule
from migrate.rules._ended import Ended
from migrate.rules._forms import Function, Method, Nothing, Property

_LONGEST = {"iface_name": 256, "ibdev_name": 64, "vuid": 128}  # bytes of the C buffers, the NUL included


def _sized(name: str) -> Rule:
    """A text that a flat call copies into a buffer: one that may be too small is a difference."""
    enough, doubtful = Property(name), Property(name, code="CCM072")

    def rule(call: Call, facts: Facts) -> Answer:
        size = call.arguments.get("size")
        known = facts.constant(size) if size is not None else _LONGEST[name]
        fits = isinstance(known, int) and known >= _LONGEST[name]
        return enough(call, facts) if fits else doubtful(call, facts)

    return rule


_ADDRESS = {"pci_addr_str": "pci_addr"}
_EQUAL = Method("is_equal_pci_addr", _ADDRESS, number=True)
_CLOSE = Ended("close", refused_in=("flat",))

RULES: dict[str, Rule] = {
    "doca_devinfo_get_pci_addr": Property("pci_addr"),
    "doca_devinfo_rep_get_pci_addr": Property("pci_addr"),
    "doca_devinfo_create_list": Function("devices"),
    OPEN_DEVICE: Function("open_device", {"pci_addr": "pci_addr"}),
    "doca_devinfo_rep_create_list": Method("representors", {"filter": "rep_filter"}),
    OPEN_REPRESENTOR: Method("open_representor", {"pci_addr": "pci_addr"}),
    "doca_devinfo_destroy_list": Nothing(),
    "doca_devinfo_rep_destroy_list": Nothing(),
    "doca_dev_open": Method("open"),
    "doca_dev_close": _CLOSE,
    "doca_dev_rep_open": Method("open"),
    "doca_dev_rep_close": _CLOSE,
    "doca_dev_as_devinfo": Property("devinfo"),
    "doca_dev_rep_as_devinfo": Property("devinfo_rep"),
    "doca_devinfo_get_pci_addr_str": Property("pci_addr_str"),
    "doca_devinfo_is_equal_pci_addr": _EQUAL,
    "doca_devinfo_get_iface_name": _sized("iface_name"),
    "doca_devinfo_get_ibdev_name": _sized("ibdev_name"),
    "doca_devinfo_rep_get_pci_addr_str": Property("pci_addr_str"),
    "doca_devinfo_rep_is_equal_pci_addr": _EQUAL,
    "doca_devinfo_rep_get_pci_func_type": Property("pci_func_type", number=True),
    "doca_devinfo_rep_get_vuid": _sized("vuid"),
    "doca_devinfo_rep_get_iface_name": _sized("iface_name"),
    "doca_devinfo_rep_get_vhca_id": Property("vhca_id"),
    "doca_devinfo_rep_get_is_hotplug": Property("is_hotplug", number=True),
}
