"""One old call, the same for every spelling."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, eq=False)
class Call:
    """A call of an old function: `function` is its proper C name, arguments are by C parameter name.

    arguments: in the order of the source, the receiver first. results: the C names of its outputs, in order; where
    `returns_code`, the result code stands before them.
    """

    node: ast.Call
    function: str
    spelling: str  # "objects" or "flat"
    arguments: Mapping[str, ast.expr]
    results: tuple[str, ...]
    problem: str = ""  # a code when the arguments cannot be sorted
    returns_code: bool = False
    kinds: Mapping[str, str] = field(default_factory=dict)  # the arguments and results that are handles


def sort(node: ast.Call, inputs: Mapping[str, str], optional: frozenset[str]) -> tuple[dict[str, ast.expr], str]:
    """The arguments of a call by C name, and a code when that cannot be done; inputs: keyword -> C name, in order."""
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    if starred or any(keyword.arg is None for keyword in node.keywords) or len(node.args) > len(inputs):
        return {}, "CCM038"
    arguments = dict(zip(inputs.values(), node.args, strict=False))
    for keyword in node.keywords:
        name = inputs.get(keyword.arg or "", "")
        if not name or name in arguments:
            return {}, "CCM038"
        arguments[name] = keyword.value
    return arguments, "" if set(inputs.values()) <= {*arguments, *optional} else "CCM038"
