"""Classes with methods: one value or a tuple of the outputs, and an exception for every failure."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from migrate.old_api.calls import Call, sort
from migrate.old_api.generations import VOCABULARY
from migrate.old_api.vocabulary import Function
from migrate.python.values import Arguments

# Methods whose parameters are not the C inputs: keyword -> C name, after the receiver.
_INPUTS: Mapping[str, Mapping[str, str]] = {
    "doca_comm_channel_ep_sendto": {"msg": "msg", "peer": "peer_addr", "flags": "flags"},
    "doca_comm_channel_ep_recvfrom": {"size": "len", "flags": "flags"},
    "doca_devinfo_rep_create_list": {"rep_filter": "filter"},
    "doca_devinfo_is_equal_pci_addr": {"pci_addr": "pci_addr_str"},
    "doca_devinfo_rep_is_equal_pci_addr": {"pci_addr": "pci_addr_str"},
}
_DEFAULTS = {"flags": "0", "filter": "0"}
_UNSET = "{comch}.arguments.UNSET"  # all bytes
_OPTIONAL = {f"doca_cc_{side}_{call}_alloc_init": {"len": _UNSET}
             for side in ("server", "client") for call in ("task_send", "send_task")}  # fmt: skip
_OPTIONAL["doca_mmap_create_from_export"] = {"export_desc_len": _UNSET, "dev": "None"}
_TEXT = "char *"  # that a function fills, in a buffer of a size that Python has not


class Parameter(NamedTuple):
    """A parameter of a Python method; default: its text, "" for none."""

    name: str
    c_name: str
    default: str = ""


@cache
def parameters(function: Function) -> list[Parameter]:
    """The parameters of a function of the module, or of a method with its receiver first."""
    filled = any(parameter.is_output and parameter.ctype == _TEXT for parameter in function.parameters)
    left_out = {function.receiver, "size" if filled else ""}
    own = [name for name in function.inputs if name not in left_out]
    names = _INPUTS.get(function.name) or dict(zip(own, own, strict=True))
    defaults = _OPTIONAL.get(function.name, _DEFAULTS)
    name = "self" if function.name in VOCABULARY.by_method else function.receiver
    receiver = [Parameter(name, function.receiver)] if function.receiver else []
    return receiver + [Parameter(name, c_name, defaults.get(c_name, "")) for name, c_name in names.items()]


def may_be_filled(function: Function, name: str, given: Arguments, *, is_bound: bool) -> bool:
    """Whether a call may give a parameter a value; the receiver of a bound method is not among its arguments."""
    places = [parameter.name for parameter in parameters(function)][is_bound:]
    return name in places and (name in given.keywords or given.most > places.index(name))


def read(node: ast.Call, function: Function, receiver: ast.expr | None = None) -> Call:
    """Sort the arguments of a call; without a receiver it is the first argument (`Endpoint.listen(ep, name)`)."""
    taken = parameters(function)[1 if receiver else 0 :]
    given = {function.receiver: receiver} if receiver else {}
    optional = frozenset(parameter.c_name for parameter in taken if parameter.default)
    arguments, problem = sort(node, {parameter.name: parameter.c_name for parameter in taken}, optional)
    if problem and not function.inputs and node.args:
        problem = "CCM023"  # attributes, as before DOCA 1.5
    return Call(node, function, "objects", {**given, **arguments}, results(function), problem)


@cache
def results(function: Function) -> tuple[str, ...]:
    """The outputs without lengths: of what was received, of what is exported, and of a list."""
    lists = [name for name in function.results if function.kinds.get(name, "").endswith("[]")]
    if lists:
        return tuple(lists)
    inputs, outputs = frozenset(function.inputs), frozenset(function.results)
    lengths = {name for name in outputs if name.endswith("_len") and name.removesuffix("_len") in outputs}
    return tuple(name for name in function.results if name not in inputs | lengths)
