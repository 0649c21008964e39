"""Find, open and close devices and representors."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._edits import Edits, Template
from migrate._rule import Answer, Calls, Context, Gives, Reads, Refuses, Rule


def listing(function: str, arguments: str = "") -> Rule:
    """A list and its length: the length is counted, the list need not be freed."""
    inside = f"{function}, {arguments}" if arguments else function
    outcome = f"{{comch}}.outcome({inside})"

    def rule(call: _legacy.Call, context: Context) -> Answer:
        statement = context.names.parents[call.node]
        if isinstance(statement, ast.Expr):
            return Edits(expressions={call.node: Template(outcome, call.arguments)})
        if isinstance(statement, ast.Subscript):
            return _item(statement, outcome, call)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        names = targets[0].elts if len(targets) == 1 and isinstance(targets[0], ast.Tuple) else []
        if not isinstance(statement, ast.Assign) or len(names) != 3 or context.names.variable(names[1]) is None:
            return Refuses("CCM041")
        parts = dict(zip(("rc", "found", "count"), names, strict=True)) | call.arguments
        lines = [Template(f"{{rc}}, {{found}} = {outcome}", parts)]
        if not (isinstance(names[2], ast.Name) and names[2].id == "_"):
            lines.append(Template("{count} = len({found} or ())", parts))
        return Edits(statements={statement: lines})

    return rule


def _item(whole: ast.Subscript, outcome: str, call: _legacy.Call) -> Answer:
    """One of code, list and length."""
    index = whole.slice.value if isinstance(whole.slice, ast.Constant) else None
    items = {0: f"{outcome}[0]", 1: f"{outcome}[1]", 2: f"len({outcome}[1] or ())"}
    if not isinstance(index, int) or index not in items:
        return Refuses("CCM041")
    return Edits(expressions={whole: Template(items[index], call.arguments)})


def _forget(call: _legacy.Call, context: Context) -> Answer:
    """A list is freed by itself."""
    if context.alone(call.node):
        return Edits(statements={context.names.statement(call.node): []})
    return Gives("None")


def _representors(call: _legacy.Call, context: Context) -> Answer:
    return Calls("{dev}.representors", "{rep_filter}" if "rep_filter" in call.arguments else "")


RULES: dict[str, Rule] = {
    _legacy.DEVICES: Calls("{comch}.devices"),
    _legacy.OPEN_DEVICE: Calls("{comch}.open_device", "{pci_addr}"),
    _legacy.REPRESENTORS: _representors,
    _legacy.OPEN_REPRESENTOR: Calls("{dev}.open_representor", "{pci_addr}"),
    "doca_devinfo_create_list": listing("{comch}.devices"),
    "doca_devinfo_destroy_list": _forget,
    "doca_devinfo_rep_create_list": listing("{dev}.representors", "{filter}"),
    "doca_devinfo_rep_destroy_list": _forget,
    "doca_dev_open": Calls("{devinfo}.open"),
    "doca_dev_close": Calls("{dev}.close"),
    "doca_dev_rep_open": Calls("{devinfo}.open"),
    "doca_dev_rep_close": Calls("{dev}.close"),
    "doca_dev_as_devinfo": Reads("{dev}", "devinfo"),
    "doca_dev_rep_as_devinfo": Reads("{dev_rep}", "devinfo_rep"),
    "doca_devinfo_get_pci_addr_str": Reads("{devinfo}", "pci_addr_str"),
    "doca_devinfo_is_equal_pci_addr": Calls("{devinfo}.is_equal_pci_addr", "{pci_addr_str}"),
    "doca_devinfo_get_iface_name": Reads("{devinfo}", "iface_name"),
    "doca_devinfo_get_ibdev_name": Reads("{devinfo}", "ibdev_name"),
    "doca_devinfo_rep_get_pci_addr_str": Reads("{devinfo_rep}", "pci_addr_str"),
    "doca_devinfo_rep_is_equal_pci_addr": Calls("{devinfo_rep}.is_equal_pci_addr", "{pci_addr_str}"),
    "doca_devinfo_rep_get_pci_func_type": Reads("{devinfo_rep}", "pci_func_type"),
    "doca_devinfo_rep_get_vuid": Reads("{devinfo_rep}", "vuid"),
    "doca_devinfo_rep_get_iface_name": Reads("{devinfo_rep}", "iface_name"),
    "doca_devinfo_rep_get_vhca_id": Reads("{devinfo_rep}", "vhca_id"),
    "doca_devinfo_rep_get_is_hotplug": Reads("{devinfo_rep}", "is_hotplug"),
}
