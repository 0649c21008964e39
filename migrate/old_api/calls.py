"""One old call, the same for every spelling."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from migrate.old_api.vocabulary import Function


@dataclass(frozen=True, eq=False)
class Call:
    """A call of an old function: `function` is its proper C name, arguments are by C parameter name.

    arguments: in the order of the source, the receiver first. results: the C names of its outputs, in order ("return"
    for a value that the C function returns); where `returns_code`, the result code stands before them.
    """

    node: ast.Call
    signature: Function
    spelling: str  # "objects" or "flat"
    arguments: Mapping[str, ast.expr]
    results: tuple[str, ...]
    problem: str = ""  # a code when the arguments cannot be sorted

    @property
    def function(self) -> str:
        """The proper C name."""
        return self.signature.name

    @property
    def returns_code(self) -> bool:
        """Whether its value is, or begins with, a result code."""
        return self.spelling == "flat" and self.signature.returns_code

    @property
    def kinds(self) -> Mapping[str, str]:
        """The arguments and results that are handles, by C name."""
        return self.signature.kinds

    @property
    def receiver(self) -> ast.expr | None:
        """The handle whose method it is in the objects spelling."""
        return self.arguments.get(self.signature.receiver)


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


def splats(node: ast.Call) -> list[ast.expr]:
    """Return what is given to a call as `*values` and `**values`."""
    starred = [argument.value for argument in node.args if isinstance(argument, ast.Starred)]
    return starred + [keyword.value for keyword in node.keywords if keyword.arg is None]
