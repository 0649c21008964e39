"""The arguments of functions of doca_comch: counts in the place of their log2, and new arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

from migrate.bindings.refusal import NotUnderstood
from migrate.bindings.tokens import Data, Ffi, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest, last_name
from migrate.python.source import Source
from migrate.python.values import Values
from migrate.successors.references import LOST, Given
from migrate.text.pieces import Change

_OUT_OF_RANGE, _UNSEEN = "CCM111", "CCM110"
_MOST_LOG = 31  # of a count with 32 bits
_FFI = "ffi"  # as nearly every program calls it
_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.Subscript)

Put = Callable[[ast.AST, Change], None]


class Arguments:
    """The changes of the arguments that are given to functions."""

    def __init__(self, sources: dict[Path, Source], forest: Forest, values: Values, expressions: Expressions) -> None:
        self._sources, self._forest, self._values, self._expressions = sources, forest, values, expressions

    def changes(self, given: Given) -> Iterator[tuple[Path, Change]]:
        """Yield the changes of one call. Raises NotUnderstood where it is not certain what an argument is."""
        logs = {successor.log for successor in given.successors}
        inserted = {successor.inserted for successor in given.successors}
        if len(logs) > 1 or len(inserted) > 1:
            raise NotUnderstood(given.call, LOST)
        path = self._forest.path(given.call)
        for at in logs - {None}:
            assert at is not None
            yield path, self._counted(path, self._argument(given, at))
        for place in inserted - {None}:
            assert place is not None
            at, types = place
            end = self._sources[path].span(self._argument(given, at - 1))[1]
            values = (self._null(given.call) if "*" in ctype else "0" for ctype in types)
            yield path, Change(end, end, "".join(f", {value}" for value in values))

    def _argument(self, given: Given, at: int) -> ast.expr:
        before = given.arguments[: at + 1]
        if len(before) <= at or any(isinstance(argument, ast.Starred) for argument in before):
            raise NotUnderstood(given.call, LOST)
        return before[at]

    def _counted(self, path: Path, node: ast.expr) -> Change:
        """Return the change of a log2: the number itself where it is written, else its shift."""
        value = self._expressions.constant(node)
        if value is not None and (type(value) is not int or not 0 <= value <= _MOST_LOG):
            raise NotUnderstood(node, _OUT_OF_RANGE)
        is_cast = isinstance(node, ast.Call) and last_name(node.func) == "cast"
        if is_cast or any(isinstance(key, Data) for key in keys(self._values.of(node))):
            raise NotUnderstood(node, _UNSEEN)
        start, end = self._sources[path].span(node)
        if isinstance(node, ast.Constant):
            return Change(start, end, str(1 << int(node.value)))  # type: ignore[arg-type]
        text = self._sources[path].text[start:end]
        return Change(start, end, f"1 << {text}" if isinstance(node, _TIGHT) else f"1 << ({text})")

    def _null(self, call: ast.AST) -> str:
        """Return how a NULL pointer is written where a call stands."""
        if not self._has_cffi():
            return "None"
        names = self._forest.of(call)
        stars = (node for node in names.imports if isinstance(node, ast.ImportFrom) and node.names[0].name == "*")
        if _FFI in names.module.variables and (names.module.variables[_FFI].bindings or any(stars)):
            return f"{_FFI}.NULL"
        for name, variable in names.module.variables.items():
            bound = (self._values.of_target(binding) for binding in variable.bindings)
            if any(isinstance(key, Ffi) for values in bound for key in keys(values)):
                return f"{name}.NULL"
        raise NotUnderstood(call, LOST)

    def _has_cffi(self) -> bool:
        imports = (statement for names in self._forest.names.values() for statement in names.imports)
        return any("cffi" in ast.unparse(statement) for statement in imports)
