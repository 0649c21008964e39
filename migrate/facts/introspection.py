"""What a program asks about its own text: the names and types of what it uses, and the source of its files."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Sequence
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.facts.handles import Method, OldApi, Symbol
from migrate.python.values import Token, Values

_NAMES = frozenset({"__name__", "__qualname__"})
_ASKED = _NAMES | {"__class__", "__module__"}
_READS_SOURCE = frozenset({"getsource", "getsourcelines", "findsource", "extract_tb", "extract_stack", "getlines"})
_OPENS = frozenset({"open", "read_text", "read_bytes"})
_READS_ANNOTATIONS = frozenset({"get_type_hints", "get_annotations"})
_COMPILED = frozenset({"__code__", "co_names", "co_consts", "co_code"})


class Introspection:
    """inspected: the old names of which the type or the name is asked. named: functions and methods whose `__name__`
    is asked. readers: the files that read source.
    """

    def __init__(self, forest: Forest, values: Values, api: OldApi) -> None:
        self._forest, self._values, self._errors = forest, values, api.vocabulary.errors
        self._classes = api.vocabulary.classes
        self._stars = {path for path, alias in forest.nodes(ast.alias) if alias.name == "*"}
        self._reads_types = any(node.attr == "type" for _, node in forest.nodes(ast.Attribute))  # of dataclass fields
        self.named: set[Hashable] = set()
        self.inspected = frozenset(self._inspected())
        self.readers = frozenset(self._readers())

    def _inspected(self) -> Iterator[Symbol]:
        for _, node in self._forest.nodes(ast.Attribute):
            if node.attr not in _ASKED or self._forest.is_in_message(node):
                continue
            if node.attr in _NAMES:
                yield from self._asked(node.value, node.attr)
            else:
                yield from self._symbols(node.value)
        for _, call in self._forest.nodes(ast.Call):
            name, asked = _last_name(call.func), first_constant(call.args[1:2])
            if name == "type" and len(call.args) == 1:
                yield from self._symbols(call.args[0])
            elif name == "getattr" and asked in _NAMES and not self._forest.is_in_message(call):
                yield from self._asked(call.args[0], str(asked))
            elif name in _READS_ANNOTATIONS or (name == "fields" and self._reads_types):
                yield from map(Symbol, self._classes)

    def _asked(self, node: ast.expr, attribute: str) -> Iterator[Symbol]:
        """Note the functions whose name is asked, which new ones can have; yield what else is asked for its name."""
        for token in (value for value in self._values.of(node) if isinstance(value, Token)):
            key = token.key
            is_function = isinstance(key, Method) or (isinstance(key, Symbol) and key.name not in self._classes)
            if attribute == "__name__" and is_function:
                self.named.add(key)
            elif isinstance(key, Symbol) and key.name and key.name not in self._errors:
                yield key  # error classes have the same names in both libraries

    def _symbols(self, node: ast.expr) -> Iterator[Symbol]:
        keys = (value.key for value in self._values.of(node) if isinstance(value, Token))
        return (key for key in keys if isinstance(key, Symbol) and key.name)

    def _readers(self) -> Iterator[Path]:
        for path, node in self._forest.nodes(ast.Attribute):
            if node.attr in _COMPILED:
                yield path
        for path, call in self._forest.nodes(ast.Call):
            name = _last_name(call.func)
            own = name in _OPENS and self._is_own_file(call)
            if name in _READS_SOURCE or own or (name == "dir" and not call.args and path in self._stars):
                yield path

    def _is_own_file(self, call: ast.Call) -> bool:
        """Whether what is opened is `__file__`, as it is or as a Path."""
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        opened = base if isinstance(base, ast.Call) else call
        return any(isinstance(given, ast.Name) and given.id == "__file__" for given in opened.args)


def first_constant(nodes: Sequence[ast.expr]) -> object:
    """Return the value of the first of some nodes, if it is written as a constant."""
    return nodes[0].value if nodes and isinstance(nodes[0], ast.Constant) else None


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
