"""The old names: which module they come from, what a call takes and gives, in objects and flat alike."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NamedTuple

from migrate import _tables

MODULES = frozenset({"doca_comm_channel", "comm_channel_compat"})
SECOND_GENERATION_MODULES = frozenset({"doca_cc", "comm_channel_compat.cc"})

EP = "doca_comm_channel_ep_"
PEER = "doca_comm_channel_peer_addr_"
CAPABILITY = "doca_comm_channel_get_"

CLASSES = {
    "Endpoint": "endpoint",
    "PeerAddr": "peer",
    "Device": "device",
    "Representor": "representor",
    "DevInfo": "devinfo",
    "RepInfo": "repinfo",
}
ERRORS = frozenset({"DocaError", *_tables.ERROR_CLASSES.values()})
SAME_NAMES = ERRORS | {"ErrorCode", "code_name", "describe", "from_code", "outcome"}  # in comch_next too
# Calls that only the objects spelling has, under names of their own.
DEVICES, OPEN_DEVICE = "objects.devices", "objects.open_device"
REPRESENTORS, OPEN_REPRESENTOR = "objects.representors", "objects.open_representor"

# C functions that return no result code.
BARE = frozenset({"doca_error_get_name", "doca_error_get_descr", "doca_dev_as_devinfo", "doca_dev_rep_as_devinfo"})

_HANDLES = {
    "local_ep": "endpoint",
    "ep": "endpoint",
    "peer_addr": "peer",
    "peer_addr_array": "peer[]",
    "dev": "device",
    "device": "device",
    "device_rep": "representor",
    "dev_rep": "representor",
    "devinfo": "devinfo",
    "devinfo_rep": "repinfo",
    "dev_list": "devinfo[]",
    "dev_list_rep": "repinfo[]",
}
_ODD_HANDLES = {("doca_dev_rep_close", "dev"): "representor", ("doca_dev_rep_open", "devinfo"): "repinfo"}
_OBJECT_RESULTS = {"doca_dev_as_devinfo": "devinfo", "doca_dev_rep_as_devinfo": "repinfo"}


class Signature(NamedTuple):
    """Inputs and outputs of a call, by C parameter name; `handles` tells the kind of those that are handles."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    handles: dict[str, str]


def _signature(name: str, params: tuple[tuple[str, str], ...]) -> Signature:
    handles = {each: _ODD_HANDLES.get((name, each), _HANDLES.get(each, "")) for each, _ in params}
    return Signature(
        tuple(each for each, direction in params if "in" in direction.split(",")),
        tuple(each for each, direction in params if "out" in direction.split(",")),
        {each: kind for each, kind in handles.items() if kind},
    )


FUNCTIONS: dict[str, Signature] = {
    name: _signature(name, params)
    for (generation, name), params in _tables.PARAMS.items()
    if generation == "comm_channel"
    or (generation == "core" and name.startswith(("doca_dev", "doca_error", "doca_get")))
}
FUNCTIONS |= {
    DEVICES: Signature((), ("dev_list",), {"dev_list": "devinfo[]"}),
    OPEN_DEVICE: Signature(("pci_addr",), ("dev",), {"dev": "device"}),
    REPRESENTORS: Signature(("dev", "rep_filter"), ("dev_list_rep",), {"dev": "device", "dev_list_rep": "repinfo[]"}),
    OPEN_REPRESENTOR: Signature(("dev", "pci_addr"), ("dev_rep",), {"dev": "device", "dev_rep": "representor"}),
}

# What an objects call takes after its receiver, where that is not the C order without lengths and flags.
_OBJECT_INPUTS = {EP + "sendto": ("msg", "peer_addr"), EP + "recvfrom": ("len",)}


def proper(name: str) -> str:
    """The name that another spelling stands for."""
    return _tables.ALIASES.get(name, name)


def is_c_name(name: str) -> bool:
    """Whether a name can only be one of the C API (generation 1, 2, or the core calls that have changed)."""
    return name in C_NAMES or name.startswith(("doca_comm_channel_", "doca_cc_"))


def is_second_generation(name: str) -> bool:
    """Whether a C name belongs to doca_cc; a prefix alone does not tell (DOCA_CC_MSG_FLAG_NONE)."""
    return name.startswith("doca_cc_") or ("cc", name) in _tables.RENAMES


def _c_names() -> frozenset[str]:
    names = {name for generation, name in _tables.PARAMS if generation != "core"}
    names |= {old for generation, old in _tables.RENAMES if generation != "comch" and old.isidentifier()}
    names |= {name for name in _tables.CONSTANTS if name.startswith(("DOCA_SUCCESS", "DOCA_ERROR_", "DOCA_CC_"))}
    names |= {name for name in FUNCTIONS if name.isidentifier()} | set(_tables.ALIASES)
    return frozenset(name for name in names if name.lower().startswith("doca_") and "callback_func" not in name)


C_NAMES = _c_names()
CONSTANTS = frozenset(_tables.CONSTANTS)
EXPORTS = C_NAMES | CONSTANTS | frozenset(CLASSES) | SAME_NAMES | {"devices", "open_device"}
EXPORTS |= {name.removeprefix("doca_comm_channel_") for name in FUNCTIONS if name.startswith(CAPABILITY)}


def _methods() -> dict[tuple[str, str], str]:
    prefixes = (
        ("doca_devinfo_rep_cap_", "devinfo", "rep_cap_"),
        ("doca_devinfo_rep_", "repinfo", ""),
        ("doca_devinfo_", "devinfo", ""),
        ("doca_dev_rep_", "representor", ""),
        ("doca_dev_", "device", ""),
        (EP, "endpoint", ""),
        (PEER, "peer", ""),
    )
    found = {("device", "representors"): REPRESENTORS, ("device", "open_representor"): OPEN_REPRESENTOR}
    found |= {("devinfo", "open"): "doca_dev_open", ("repinfo", "open"): "doca_dev_rep_open"}
    for name in sorted({*FUNCTIONS, *_tables.ALIASES}):
        for prefix, kind, new_prefix in prefixes:
            if name.startswith(prefix):
                found[kind, new_prefix + name.removeprefix(prefix)] = proper(name)
                break
    return found


METHODS = _methods()
# Method names that are nobody else's: seen on an unknown object they are still the old API.
COMMON = frozenset({"listen", "connect", "sendto", "recvfrom", "disconnect", "destroy", "open", "close"})
COMMON |= {"open_representor", "representors", "get_iface_name", "create"}
MODERN_TOO = frozenset({"listen", "connect", "disconnect", "update_info"})  # comch_next has them under the same names
DISTINCT = frozenset(method for kind, method in METHODS if kind in ("endpoint", "peer")) - COMMON


def module_function(name: str) -> str | None:
    """The call behind a function of the old module: a C name, or a name of the objects spelling."""
    objects = {"devices": DEVICES, "open_device": OPEN_DEVICE, "Endpoint": EP + "create"}
    if name in objects:
        return objects[name]
    for candidate in (proper(name), "doca_comm_channel_" + name):
        if candidate in FUNCTIONS and (candidate == proper(name) or candidate.startswith(CAPABILITY)):
            return candidate
    return None


@dataclass(eq=False)
class Call:
    """One old call, the same for both spellings: `arguments` by C parameter name."""

    node: ast.Call
    name: str
    flat: bool
    arguments: dict[str, ast.expr]
    problem: str = ""

    @property
    def signature(self) -> Signature:
        return FUNCTIONS[self.name]

    @property
    def handles(self) -> list[tuple[ast.expr, str]]:
        """The arguments that are handles, each with its kind."""
        kinds = self.signature.handles
        return [(value, kinds[each]) for each, value in self.arguments.items() if each in kinds]

    @property
    def result(self) -> str:
        """Kind of the handle that an objects call gives, or of a bare C function's value; '' if none."""
        if self.name in BARE:
            return _OBJECT_RESULTS.get(self.name, "")
        kinds = [kind for each in self.signature.outputs if (kind := self.signature.handles.get(each, ""))]
        return kinds[0] if len(kinds) == 1 else ""


def read_call(node: ast.Call, name: str, flat: bool, receiver: ast.expr | None) -> Call:
    """Sort the arguments of a call by C parameter name; `problem` is a code when that cannot be done."""
    signature = FUNCTIONS[name]
    inputs = signature.inputs
    arguments: dict[str, ast.expr] = {}
    if receiver is not None:
        arguments[inputs[0]] = receiver
        inputs = inputs[1:]
    if not flat:
        inputs = _OBJECT_INPUTS.get(name, tuple(each for each in inputs if each != "size"))
    call = Call(node, name, flat, arguments)
    hidden = any(isinstance(each, ast.Starred) for each in node.args) or any(each.arg is None for each in node.keywords)
    if hidden or len(node.args) > len(inputs) or any(each.arg not in inputs for each in node.keywords):
        call.problem = "CCM023" if name == EP + "create" and not hidden else "CCM038"
        return call
    arguments |= dict(zip(inputs, node.args, strict=False))
    arguments |= {each.arg: each.value for each in node.keywords if each.arg}
    optional = {"rep_filter"} if name == REPRESENTORS else {"len"} if not flat and name == EP + "recvfrom" else set()
    if set(inputs) - set(arguments) - optional:
        call.problem = "CCM038"
    return call
