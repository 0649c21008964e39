"""What a program asks about its own text: the names and types of what it uses, and the source of its files."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi, Symbol
from migrate.python.values import Token, Values

_NAMES = frozenset({"__name__", "__qualname__"})
_READS_SOURCE = frozenset({"getsource", "getsourcelines", "findsource", "extract_tb", "extract_stack", "getlines"})
_OPENS = frozenset({"open", "read_text", "read_bytes"})
_READS_ANNOTATIONS = frozenset({"get_type_hints", "get_annotations"})
_COMPILED = frozenset({"__code__", "co_names", "co_consts", "co_code"})


class Introspection:
    """`inspected`: the old names of which the type or the name is asked. `readers`: the files that read source."""

    def __init__(self, forest: Forest, values: Values, api: OldApi) -> None:
        self._forest, self._values, self._errors = forest, values, api.vocabulary.errors
        self._classes = api.vocabulary.classes
        self._stars = {path for path, alias in forest.nodes(ast.alias) if alias.name == "*"}
        self._reads_types = any(node.attr == "type" for _, node in forest.nodes(ast.Attribute))  # of dataclass fields
        self.inspected = frozenset(self._inspected())
        self.readers = frozenset(self._readers())

    def _inspected(self) -> Iterator[Symbol]:
        for _, node in self._forest.nodes(ast.Attribute):
            if self._forest.is_in_message(node):
                continue
            if node.attr in _NAMES:  # error classes have the same names in both libraries
                yield from (symbol for symbol in self._symbols(node.value) if symbol.name not in self._errors)
            elif node.attr in ("__class__", "__module__"):
                yield from self._symbols(node.value)
        for _, call in self._forest.nodes(ast.Call):
            name = last_name(call.func)
            if name == "type" and len(call.args) == 1:
                yield from self._symbols(call.args[0])
            elif name in _READS_ANNOTATIONS or (name == "fields" and self._reads_types):
                yield from map(Symbol, self._classes)

    def _symbols(self, node: ast.expr) -> Iterator[Symbol]:
        keys = (value.key for value in self._values.of(node) if isinstance(value, Token))
        return (key for key in keys if isinstance(key, Symbol) and key.name)

    def _readers(self) -> Iterator[Path]:
        for path, node in self._forest.nodes(ast.Attribute):
            if node.attr in _COMPILED:
                yield path
        for path, call in self._forest.nodes(ast.Call):
            name = last_name(call.func)
            own = name in _OPENS and self._is_own_file(call)
            if name in _READS_SOURCE or own or (name == "dir" and not call.args and path in self._stars):
                yield path

    def _is_own_file(self, call: ast.Call) -> bool:
        """Whether what is opened is `__file__`, as it is or as a Path."""
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        opened = base if isinstance(base, ast.Call) else call
        return any(isinstance(given, ast.Name) and given.id == "__file__" for given in opened.args)
