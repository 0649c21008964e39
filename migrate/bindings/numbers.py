"""Numbers of C: what a type holds, which expressions are certainly numbers, and where one would not fit."""

from __future__ import annotations

import ast
import re

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import Data, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest, last_name
from migrate.python.values import External, Values

_BITS = {"byte": 8, "char": 8, "short": 16, "int": 32, "long": 64, "longlong": 64}
_BITS |= dict.fromkeys(("size", "ssize", "intptr", "uintptr"), 64)
_UNSIGNED = re.compile(r"\bunsigned\b|\bc?_?u(?!nsigned)|\bc?_?size")
_MAKING = frozenset({f"builtins.{name}" for name in ("len", "int", "ord", "abs", "sum", "round")})
_OF_NUMBERS = frozenset({"ArgumentError", "ArithmeticError", "OverflowError"})
_DEPTH = 10


def bounds(ctype: str) -> tuple[int, int] | None:
    """Return the smallest and the largest number of a type of C or ctypes; None if it is not a number."""
    words = [word for word in re.sub(r"\[1?\]|\*", " ", ctype).split() if word not in ("const", "signed")]
    name = words[-1].removeprefix("c_").removesuffix("_t") if words else ""
    if name.lower().strip("_") == "bool":
        return 0, 1
    sized = re.fullmatch(r"u?int(8|16|32|64)", name)
    bits = int(sized.group(1)) if sized else _BITS.get(name.removeprefix("u"), _BITS.get(name, 0))
    if not bits:
        return None
    return (0, 2**bits - 1) if _UNSIGNED.match(" ".join(words)) else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _is_within(value: object, limits: tuple[int, int]) -> bool:
    return not isinstance(value, int) or limits[0] <= value <= limits[1]


class Numbers:
    """Answers about numbers in one project."""

    def __init__(self, forest: Forest, values: Values, expressions: Expressions) -> None:
        self._forest, self._values, self._expressions = forest, values, expressions

    def check(self, node: ast.expr, ctype: str) -> None:
        """Refuse a number that a type does not hold: cffi raises OverflowError, ctypes cuts it.

        One that is not known, too, where the program catches that.
        """
        value, limits = self._expressions.constant(node), bounds(ctype)
        fits = limits is None or (not self._is_caught(node) if value is None else _is_within(value, limits))
        if not fits:
            raise NotUnderstood(node, USE)

    def is_null(self, node: ast.expr) -> bool:
        """Whether an expression is certainly the number 0, which is no handle."""
        value = self._expressions.constant(node)
        return isinstance(value, int) and value == 0

    def _is_caught(self, node: ast.expr) -> bool:
        """Whether a handler around an expression names what cffi raises for such a number, or ctypes for a value."""
        tried = (above for above in self._forest.above(node) if isinstance(above, ast.Try))
        kinds = [handler.type for above in tried for handler in above.handlers if handler.type]
        named = (part for kind in kinds for part in (kind.elts if isinstance(kind, ast.Tuple) else [kind]))
        return any(last_name(part) in _OF_NUMBERS for part in named)

    def is_number(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is certainly a whole number."""
        if isinstance(self._expressions.constant(node), int):
            return True
        if not depth:
            return False
        if isinstance(node, ast.BinOp):
            return all(self.is_number(side, depth - 1) for side in (node.left, node.right))
        if isinstance(node, ast.Call):
            found = self._values.of(node.func)
            return bool(found) and all(isinstance(value, External) and value.name in _MAKING for value in found)
        if isinstance(node, ast.Subscript | ast.Attribute):
            data = [*keys(self._values.of(node.value))]
            is_cell = bool(data) and all(isinstance(key, Data) and key.holds == "number" for key in data)
            return is_cell or (isinstance(node, ast.Attribute) and self._is_property(node.attr, depth))
        return isinstance(node, ast.Name) and self._is_bound_to_numbers(node, depth)

    def _is_property(self, name: str, depth: int) -> bool:
        """Whether what has a name is a function of the project that returns numbers only."""
        found = [node for _, node in self._forest.nodes(ast.FunctionDef) if node.name == name]
        stored = any(
            node.attr == name and isinstance(node.ctx, ast.Store) for _, node in self._forest.nodes(ast.Attribute)
        )
        inside = [part for node in found for part in ast.walk(node)]
        values = [part.value for part in inside if isinstance(part, ast.Return)]
        return bool(values) and not stored and all(value and self.is_number(value, depth - 1) for value in values)

    def _is_bound_to_numbers(self, node: ast.Name, depth: int) -> bool:
        bindings = self._forest.of(node).of[node].bindings
        return bool(bindings) and all(self._is_bound_to_number(binding, depth) for binding in bindings)

    def _is_bound_to_number(self, binding: ast.AST, depth: int) -> bool:
        if isinstance(binding, ast.arg):
            return isinstance(binding.annotation, ast.Name) and binding.annotation.id == "int"
        above = self._forest.parents[binding]
        if isinstance(above, ast.Tuple) and isinstance(binding, ast.expr):
            outer = self._forest.parents[above]
            value = outer.value if isinstance(outer, ast.Assign) and above in outer.targets else None
            if not isinstance(value, ast.Tuple) or len(value.elts) != len(above.elts):
                return False
            return self.is_number(value.elts[above.elts.index(binding)], depth - 1)
        whole = isinstance(above, ast.Assign) and binding in above.targets
        return whole and isinstance(above, ast.Assign) and self.is_number(above.value, depth - 1)
