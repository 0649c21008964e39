"""One old call, the same for every spelling."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Call:
    """A call of an old function: `function` is its C name, arguments are by C parameter name.

    results: the C names of its outputs, in order; in a spelling that returns result codes the code stands before them.
    """

    node: ast.Call
    function: str
    spelling: str  # "objects" or "flat"
    arguments: Mapping[str, ast.expr]
    results: tuple[str, ...]
    problem: str = ""  # a code when the arguments cannot be sorted

    @property
    def returns_code(self) -> bool:
        """Whether its value is, or begins with, a result code."""
        return self.spelling == "flat"
