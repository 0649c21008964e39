"""Numbers that C fills in, which DOCA 2.5 made eight bytes wide: the cell becomes one of four."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CFFI, CFunction, Data, Null, keys
from migrate.facts.forest import Forest, last_name
from migrate.python.source import Source
from migrate.python.values import Plain, Token, Values
from migrate.successors.names import SUCCESSOR
from migrate.successors.references import Given
from migrate.successors.types import Types
from migrate.text.pieces import Change

LOGS = "CCM124"
_NARROW = frozenset({"c_uint32", "uint32_t *", "uint32_t[1]", "c_uint"})
_WIDE = re.compile(r"\b(?:size_t|uint64_t|unsigned long)\b")


class Cells:
    """The changes of cells in some files."""

    def __init__(self, sources: dict[Path, Source], forest: Forest, values: Values, types: Types) -> None:
        self._sources, self._forest, self._values, self._types = sources, forest, values, types

    def changes(self, given: Given) -> Iterator[tuple[Path, Change]]:
        """Yield the changes of the cells that one call gives; NotUnderstood where that cannot be seen."""
        for successor in given.successors:
            if successor.shows_log:
                raise NotUnderstood(given.call, LOGS)
            for at in successor.cells:
                if at >= len(given.arguments) or isinstance(given.arguments[at], ast.Starred):
                    raise NotUnderstood(given.call, LOGS)
                yield from self._of(given.arguments[at])

    def _of(self, argument: ast.expr) -> Iterator[tuple[Path, Change]]:
        found = [key for key in keys(self._values.of(argument)) if isinstance(key, Data)]
        if not found and not self._values.of(argument) <= {Plain.NONE, Token(Null())}:
            yield from self._of_compiled(argument)
        for data in found:
            if data.ctype in _NARROW:
                continue
            if self._is_shared(data):
                raise NotUnderstood(data.node, USE)
            yield self._narrowed(data)

    def _of_compiled(self, argument: ast.expr) -> Iterator[tuple[Path, Change]]:
        """Yield the change of a cell that the FFI object of a compiled module makes, where only such calls get it."""
        variable = self._forest.of(argument).of.get(argument)
        made = [self._forest.parents[binding] for binding in variable.bindings] if variable else []
        loads = [(load, self._forest.parents[load]) for load in variable.loads] if variable else []
        if not made or not all(_reads(load, above) for load, above in loads):
            raise NotUnderstood(argument, LOGS)
        for statement in made:
            value = statement.value if isinstance(statement, ast.Assign) else None
            if not isinstance(value, ast.Call) or last_name(value.func) != "new" or not value.args:
                raise NotUnderstood(argument, LOGS)
            yield self._of_cffi(value)

    def _is_shared(self, data: Data) -> bool:
        """Whether a function that fills in eight bytes is given the same cell."""
        for use in self._values.uses(Token(data)):
            call = next((above for above in self._forest.above(use) if isinstance(above, ast.Call)), None)
            functions = keys(self._values.of(call.func)) if call else ()
            for key in functions:
                if isinstance(key, CFunction) and not (key.name in SUCCESSOR and SUCCESSOR[key.name].cells):
                    return True
        return False

    def _narrowed(self, data: Data) -> tuple[Path, Change]:
        node, path = data.node, self._forest.path(data.node)
        source = self._sources[path]
        if not isinstance(node, ast.Call):
            raise NotUnderstood(node, LOGS)
        if data.spelling != CFFI:
            if not isinstance(node.func, ast.Name | ast.Attribute):
                raise NotUnderstood(node, LOGS)
            return path, Change(*source.span(node.func), self._types.spelled(path, "c_uint32"))
        return self._of_cffi(node)

    def _of_cffi(self, node: ast.Call) -> tuple[Path, Change]:
        path = self._forest.path(node)
        source = self._sources[path]
        start, end = source.span(node.args[0])
        match = _WIDE.search(source.text, start, end)
        if match is None:
            raise NotUnderstood(node, LOGS)
        return path, Change(*match.span(), "uint32_t")


def _reads(load: ast.AST, above: ast.AST) -> bool:
    """Whether a use of a cell reads it, or gives it to a function of which the cell has changed."""
    if isinstance(above, ast.Subscript):
        return above.value is load
    name = last_name(above.func) if isinstance(above, ast.Call) else ""
    return name in SUCCESSOR and bool(SUCCESSOR[name].cells)
