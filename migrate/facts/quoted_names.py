"""Types in quotes: which texts are such, and what a name in one means where it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.tokens import Symbol, symbols
from migrate.python.modules import Project
from migrate.python.values import Class, External, Module, Token, Value, Values

# The arguments of typing's functions that are types.
_TYPES = {"cast": slice(1), "assert_type": slice(1, 2), "NewType": slice(1, 2), "TypeVar": slice(1, None)}
_TYPES |= {"ForwardRef": slice(1), "NamedTuple": slice(1, 2), "TypedDict": slice(1, 2), "TypeAliasType": slice(1, 2)}
_NAMES_OF_TYPES = frozenset({"typ", "tp", "bound", "default", "arg", "fields", "value"})
_OF_TYPES = frozenset(
    {"typing", "typing_extensions", "builtins", "collections", "types", "asyncio", "queue", "weakref"}
)
_OF_TYPES |= {"contextlib", "concurrent", "dataclasses", "multiprocessing"}


class QuotedNames:
    """Finds the old names of all files in texts that are expressions."""

    def __init__(self, forest: Forest, values: Values, api: OldApi, project: Project) -> None:
        self._forest, self._values, self._api, self._project = forest, values, api, project

    def old_name(self, place: ast.AST, part: ast.expr) -> str | None:
        """Return the old name that a name in a text at a place means, "" for the old module; None for another one."""
        return next((symbol.name for symbol in symbols(self._of(place, part))), None)

    def first(self, place: ast.AST, text: str) -> str:
        """Return the first old name in an expression, "" where there is none."""
        return next(self.names(place, text), "")

    def names(self, place: ast.AST, text: str) -> Iterator[str]:
        """Yield the old names in an expression."""
        try:
            parts = ast.walk(ast.parse(text, mode="eval"))
        except SyntaxError:
            return
        yield from (name for part in parts if isinstance(part, ast.expr) if (name := self.old_name(place, part)))

    def is_type(self, node: ast.AST) -> bool:
        """Whether a text is a type, or a part of one, that is no annotation: Python or a type checker reads it."""
        inner = node
        for above in self._forest.above(node):
            if isinstance(above, ast.Subscript) and inner is above.slice:
                return not is_literal(above) and self._is_generic(above.value)
            if isinstance(above, ast.keyword):
                continue
            if isinstance(above, ast.Call):
                return self._takes_type(above, inner) and not _is_name_of_field(above, node)
            if isinstance(above, ast.AnnAssign):
                return inner is above.value and ast.unparse(above.annotation).strip("'").endswith("TypeAlias")
            if isinstance(above, ast.stmt) or (isinstance(above, ast.Dict) and inner in above.keys):
                return type(above).__name__ == "TypeAlias"
            inner = above
        return False

    def _is_generic(self, node: ast.expr) -> bool:
        """Whether an expression is what has types in brackets behind it, and not keys."""
        values = self._values.of(node)
        return bool(values) and all(map(self._takes_types, values))

    def _takes_types(self, value: Value) -> bool:
        if isinstance(value, External):
            return _is_generic_of_python(value.name)
        if not isinstance(value, Class):
            return False
        bases = self._values.bases(value.node)
        own = [base.node for base in bases if isinstance(base, Class)]
        if any(word.arg == "metaclass" for node in own for word in node.keywords):
            return False
        others = [base.name for base in bases if isinstance(base, External)]
        if any(name.startswith("enum.") for name in others):
            return False
        if any(getattr(part, "name", "") == "__class_getitem__" for node in own for part in node.body):
            return False
        return any(getattr(node, "type_params", ()) for node in own) or any(map(_is_generic_of_python, others))

    def _takes_type(self, call: ast.Call, argument: ast.AST) -> bool:
        """Whether a call of a function of typing reads an argument as a type."""
        names = [value.name for value in self._values.of(call.func) if isinstance(value, External)]
        known = [name.rpartition(".")[2] for name in names if name.startswith("typing")]
        named = any(word.value is argument and word.arg in _NAMES_OF_TYPES for word in call.keywords)
        return any(argument in call.args[_TYPES[name]] or named for name in known if name in _TYPES)

    def _of(self, place: ast.AST, part: ast.expr) -> frozenset[Value]:
        """Return what a name in a text can be."""
        found: Iterable[frozenset[Value]] = ()
        if isinstance(part, ast.Attribute):
            found = (self._taken(owner, part.attr) for owner in self._of(place, part.value))
        elif isinstance(part, ast.Name):
            variable = self._forest.of(place).scope(place).find(part.id)
            found = map(self._values.of_target, variable.bindings)
            if not variable.bindings:
                found = self._starred(self._forest.path(place), part.id, frozenset())
        return frozenset[Value]().union(*found)

    def _taken(self, owner: Value, name: str) -> frozenset[Value]:
        """Return what a module has under a name."""
        if isinstance(owner, Module) and owner.path in self._project.trees and owner.path is not None:
            inner = self._project.submodule(owner.path, name)
            found = frozenset[Value]().union(*self._of_module(owner.path, name, frozenset()))
            return found | {Module("", inner)} if inner else found
        key = owner.key if isinstance(owner, Token) else None
        is_inside = isinstance(key, Symbol) and not key.name and name in self._api.vocabulary.exports
        return frozenset({Token(Symbol(name))}) if is_inside else frozenset()

    def _of_module(self, path: Path, name: str, around: frozenset[Path]) -> Iterator[frozenset[Value]]:
        variable = self._project.names(path).module.variables.get(name)
        if variable is not None and variable.bindings:
            yield from map(self._values.of_target, variable.bindings)
        else:
            yield from self._starred(path, name, around)

    def _starred(self, path: Path, name: str, around: frozenset[Path]) -> Iterator[frozenset[Value]]:
        """Yield what star imports bring to a file under a name."""
        for star in self._project.stars(path):
            home = self._project.home(path, star)
            if home in self._project.trees and home is not None and home not in around:
                yield from self._of_module(home, name, around | {path})
            elif home is None and not star.level and (module := self._api.module(star.module or "")):
                yield self._taken(module, name)


def is_literal(node: ast.Subscript) -> bool:
    """Whether a type has values in its brackets, such as texts."""
    return last_name(node.value) == "Literal"


def _is_name_of_field(call: ast.Call, node: ast.AST) -> bool:
    """Whether a text is the name in front of the type of a field, in a call of NamedTuple."""
    pairs = (pair for argument in call.args for pair in getattr(argument, "elts", ()))
    return any(isinstance(pair, ast.Tuple) and pair.elts[:1] == [node] for pair in pairs)


def _is_generic_of_python(name: str) -> bool:
    module, _, rest = name.partition(".")
    if module == "builtins":
        return rest in ("list", "dict", "set", "frozenset", "tuple", "type")
    return module in _OF_TYPES and "__" not in rest
