"""What a copy into a buffer becomes, `memmove(buffer, data, size)`: by what is copied, and how much of it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import Data, Shape, View, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.facts.reaching import Reaching
from migrate.python.values import External, Instance, Token, Value, Values

_OF_MEMORY = "{buffer}[:{size}] = memoryview({data})[:{size_2}]"
_OF_VIEW = "memoryview({buffer})[:{size}] = memoryview({data})[:{size_2}]"
_OF_BYTES = 'memoryview({buffer})[:{size}] = (bytes({data}) + b"\\0")[:{size_2}]'  # C may copy the NUL behind them
_OF_OTHERS = "{buffer}[:{size}] = bytes({data})[:{size_2}]"
_MAKING = frozenset({"string", "string_at", "struct.Struct().pack", "unpack"})  # make bytes
_DEPTH = 10


class Copies:
    """Judges copies. data_of: returns the shape of what an expression certainly is."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        reaching: Reaching,
        expressions: Expressions,
        data_of: Callable[[ast.expr], Data | None],
    ) -> None:
        self._forest, self._values, self._reaching = forest, values, reaching
        self._expressions, self._data_of = expressions, data_of

    def text(self, node: ast.Call) -> str:
        """Return the text of a copy. Refuse what is not certainly bytes, or may be shorter than C reads."""
        _, data, size = node.args
        within, memory, found = self._is_within(size, data), self._data_of(data), self._reaching.of(data)
        is_cell = memory is not None and memory.shape is not Shape.BUFFER
        if is_cell or any(isinstance(key, Data) for key in keys(self._reaching.of(size))):
            raise NotUnderstood(node, USE)
        if memory is not None or (within and self._expressions.is_bytes(data)):
            return _OF_MEMORY
        views = {key.is_buffer for key in keys(found) if isinstance(key, View)}
        if views == {True}:
            return _OF_VIEW
        if views == {False} or self._is_bytes(data):
            return _OF_BYTES
        if not within or any(isinstance(value, Token | Instance) for value in found):
            raise NotUnderstood(node, USE)
        return _OF_OTHERS

    def is_length(self, size: ast.expr, data: ast.expr) -> bool:
        """Whether a size is written as the length of some data."""
        if not isinstance(size, ast.Call) or self._values.of(size.func) != {External("builtins.len")}:
            return False
        return self._expressions.is_simple(data) and list(map(ast.dump, size.args)) == [ast.dump(data)]

    def _is_within(self, size: ast.expr, data: ast.expr) -> bool:
        """Whether a size is certainly at most the length of some data."""
        given, most = self._expressions.constant(size), self._expressions.constant(data)
        if isinstance(given, int) and isinstance(most, bytes):
            return given <= len(most)
        bound = self._expressions.only_value(size)
        if bound is not None and isinstance(data, ast.Name) and len(self._forest.of(data).of[data].bindings) == 1:
            is_around = self._forest.parents[self._forest.statement(bound)] in self._forest.above(size)
            size = bound if is_around else size
        is_least = isinstance(size, ast.Call) and self._values.of(size.func) == {External("builtins.min")}
        parts = size.args if is_least and isinstance(size, ast.Call) else [size]
        return any(self.is_length(part, data) for part in parts)

    def _is_bytes(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is certainly bytes: of Python's own, or copied out of a buffer before."""
        node = self._expressions.only_value(node) or node
        if isinstance(node, ast.Subscript) and depth:
            is_part = self._is_memory(node.value) or self._is_bytes(node.value, depth - 1)
            return isinstance(node.slice, ast.Slice) and is_part
        if isinstance(node, ast.Attribute):
            return node.attr in ("raw", "value") and self._is_memory(node.value)
        functions = self._values.of(node.func) if isinstance(node, ast.Call) else frozenset()
        return self._expressions.is_bytes(node) or (bool(functions) and _MAKING.issuperset(map(_name, functions)))

    def _is_memory(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a buffer, or a view of one."""
        found = self._reaching.of(node)
        shapes = [key for key in keys(found) if isinstance(key, View) or getattr(key, "shape", None) is Shape.BUFFER]
        return 0 < len(shapes) == len(found)


def _name(function: Value) -> str:
    """Return the name of a function of Python's own, or of cffi and ctypes."""
    return str(getattr(function.key if isinstance(function, Token) else function, "name", ""))
