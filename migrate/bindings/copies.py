"""What a copy into a buffer becomes, `memmove(buffer, data, size)`: by what is copied, and how much of it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeGuard

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.sources import Sources
from migrate.bindings.tokens import Data, Shape, View, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.facts.reaching import Reaching
from migrate.python.values import External, Instance, Token, Value, Values

_OF_MEMORY = "{buffer}[:{size}] = memoryview({data})[:{size_2}]"
_OF_VIEW = "memoryview({buffer})[:{size}] = memoryview({data})[:{size_2}]"
_OF_BYTES = 'memoryview({buffer})[:{size}] = (bytes({data}) + b"\\0")[:{size_2}]'  # C may copy the NUL behind them
_OF_COUNTED = "memoryview({buffer})[:{size}] = bytes({data})[:{size_2}]"
_OF_OTHERS = "{buffer}[:{size}] = bytes({data})[:{size_2}]"
_MAKING = frozenset({"string", "string_at", "struct.Struct().pack", "unpack"})  # make bytes


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
        self._sources = Sources(forest, values, expressions)
        self._bytes: dict[ast.expr, bool] = {}

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
        if views == {False} or self._makes_bytes(self._expressions.only_value(data) or data):
            return _OF_BYTES
        is_object = any(isinstance(value, Token | Instance) for value in found)
        if within and not is_object:
            return _OF_OTHERS
        if self._is_bytes(data):
            return _OF_BYTES
        if is_object or not self._is_counted(size, data):
            raise NotUnderstood(node, USE)
        return _OF_COUNTED

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
        bound = self._bound_around(size)
        if bound is not None and isinstance(data, ast.Name) and len(self._forest.of(data).of[data].bindings) == 1:
            size = bound
        is_least = isinstance(size, ast.Call) and self._values.of(size.func) == {External("builtins.min")}
        parts = size.args if is_least and isinstance(size, ast.Call) else [size]
        return any(self.is_length(part, data) for part in parts)

    def _is_counted(self, size: ast.expr, data: ast.expr) -> bool:
        """Whether a size is the length that an attribute had before."""
        bound = self._bound_around(size)
        return bound is not None and isinstance(data, ast.Attribute) and self.is_length(bound, data)

    def _bound_around(self, size: ast.expr) -> ast.expr | None:
        """Return what a size is bound to in a block around its use."""
        bound = self._expressions.only_value(size)
        is_around = bound and self._forest.parents[self._forest.statement(bound)] in self._forest.above(size)
        return bound if is_around else None

    def _is_bytes(self, node: ast.expr) -> bool:
        """Whether an expression is certainly bytes: of Python's own, or copied out of a buffer before."""
        if node not in self._bytes:
            self._bytes[node] = False  # what has its value from itself
            sources = [node.value] if _is_slice(node) else self._sources.of(node)
            self._bytes[node] = self._makes_bytes(node) or (bool(sources) and all(map(self._is_bytes, sources)))
        return self._bytes[node]

    def _makes_bytes(self, node: ast.expr) -> bool:
        """Whether an expression is bytes by what is written there."""
        if isinstance(node, ast.Attribute):
            return node.attr in ("raw", "value") and self._is_memory(node.value)
        if _is_slice(node) and (self._is_memory(node.value) or self._makes_bytes(node.value)):
            return True
        functions = self._values.of(node.func) if isinstance(node, ast.Call) else frozenset()
        return self._expressions.is_bytes(node) or (bool(functions) and _MAKING.issuperset(map(_name, functions)))

    def _is_memory(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a buffer, or a view of one."""
        found = self._reaching.of(node)
        shapes = [key for key in keys(found) if isinstance(key, View) or getattr(key, "shape", None) is Shape.BUFFER]
        return 0 < len(shapes) == len(found)


def _is_slice(node: ast.expr) -> TypeGuard[ast.Subscript]:
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


def _name(function: Value) -> str:
    """Return the name of a function of Python's own, or of cffi and ctypes."""
    return str(getattr(function.key if isinstance(function, Token) else function, "name", ""))
