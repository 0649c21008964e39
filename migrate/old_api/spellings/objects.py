"""Classes with methods: one value or a tuple of the outputs, and an exception for every failure."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from migrate.old_api.calls import Call, sort
from migrate.old_api.vocabulary import Function

# Methods whose parameters are not the C inputs: keyword -> C name, after the receiver.
_INPUTS: Mapping[str, Mapping[str, str]] = {
    "doca_comm_channel_ep_sendto": {"msg": "msg", "peer": "peer_addr", "flags": "flags"},
    "doca_comm_channel_ep_recvfrom": {"size": "len", "flags": "flags"},
    "doca_devinfo_rep_create_list": {"rep_filter": "filter"},
    "doca_devinfo_is_equal_pci_addr": {"pci_addr": "pci_addr_str"},
    "doca_devinfo_rep_is_equal_pci_addr": {"pci_addr": "pci_addr_str"},
}
_OPTIONAL = frozenset({"flags", "filter"})
_SIZES = frozenset({"size"})  # of buffers, which Python has not


def read(node: ast.Call, function: Function, receiver: ast.expr | None = None) -> Call:
    """Sort the arguments of a call; without a receiver it is the first argument (`Endpoint.listen(ep, name)`)."""
    own = [name for name in function.inputs if name != function.receiver and name not in _SIZES]
    names = dict(_INPUTS.get(function.name) or zip(own, own, strict=True))
    given = {function.receiver: receiver} if receiver is not None else {}
    if function.receiver and receiver is None:
        names = {"self": function.receiver, **names}
    arguments, problem = sort(node, names, _OPTIONAL)
    if problem and not names and node.args and not function.receiver:
        problem = "CCM023"  # attributes, as before DOCA 1.5
    return Call(
        node, function.name, "objects", {**given, **arguments}, _results(function), problem, False, function.kinds
    )


def _results(function: Function) -> tuple[str, ...]:
    """The outputs without lengths: of what was received, and of a list."""
    lists = [name for name in function.results if function.kinds.get(name, "").endswith("[]")]
    if lists:
        return tuple(lists)
    inputs = frozenset(function.inputs)
    return tuple(name for name in function.results if name not in inputs)
