"""The types that are declared to ctypes: of arguments, of numbers that C fills in, and of the length of a message."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from migrate.bindings.refusal import NotUnderstood
from migrate.bindings.tokens import CTYPES, Name, keys
from migrate.facts.forest import Forest
from migrate.python.source import Source
from migrate.python.values import Values
from migrate.successors.names import MESSAGE, base
from migrate.successors.references import LOST, Told
from migrate.text.pieces import Change

_LENGTH = 3  # the place of the length among the arguments of CFUNCTYPE
_WIDE = frozenset({"c_size_t", "c_ulong", "c_uint64", "c_ulonglong", "c_ssize_t"})
_C = {"uint32_t": "c_uint32", "uint8_t *": "c_void_p"}


class Types:
    """The changes of types in some files."""

    def __init__(self, sources: dict[Path, Source], forest: Forest, values: Values) -> None:
        self._sources, self._forest, self._values = sources, forest, values
        self.missing: dict[Path, set[str]] = {}  # names that imports from ctypes have to bring, too

    def changes(self, told: Told) -> Iterator[tuple[Path, Change]]:
        """Yield the changes of the declarations of some functions to ctypes."""
        types = told.types
        for successor in told.successors:
            if len(types) != len(successor.before) or any(isinstance(node, ast.Starred) for node in types):
                raise NotUnderstood(told.place, LOST)
        first = told.successors[0]
        for at, new in first.retyped.items():
            yield from self._retyped(types[at], base(new), is_pointer=new.endswith("*"))
        if first.inserted is not None:
            at, after = first.inserted
            path = self._forest.path(types[at])
            start = self._sources[path].span(types[at])[0]
            yield path, Change(start, start, "".join(f"{self.spelled(path, _C[ctype])}, " for ctype in after))
        if (place := first.callback(MESSAGE)) is not None:
            yield from self._callback(types[place])

    def _retyped(self, node: ast.expr, new: str, *, is_pointer: bool) -> Iterator[tuple[Path, Change]]:
        path, name = self._forest.path(node), _C[new]
        if is_pointer and isinstance(node, ast.Call) and node.args:
            yield from self._retyped(node.args[0], new, is_pointer=False)
            return
        found = [key.name for key in keys(self._values.of(node)) if isinstance(key, Name) and key.package == CTYPES]
        if not found or (is_pointer and found[0] == "c_void_p") or found[0] in (name, "c_int"):
            return
        text = self.spelled(path, name)
        if is_pointer:
            text = f"{self.spelled(path, 'POINTER')}({text})"
        yield path, Change(*self._sources[path].span(node), text)

    def _callback(self, node: ast.expr) -> Iterator[tuple[Path, Change]]:
        """Change the length in the type of a function that gets messages, where that is made."""
        made = self._made(node)
        if made is None or len(made.args) != _LENGTH + 2:
            raise NotUnderstood(node, LOST)
        length = made.args[_LENGTH]
        if self._is_wide(length):
            path = self._forest.path(length)
            yield path, Change(*self._sources[path].span(length), self.spelled(path, "c_uint32"))

    def has_wide_callback(self) -> bool:
        """Whether the type of some function has a wide number where callbacks of messages have the length."""
        calls = (call for _, call in self._forest.calls(["CFUNCTYPE"]))
        return any(len(call.args) == _LENGTH + 2 and self._is_wide(call.args[_LENGTH]) for call in calls)

    def _is_wide(self, node: ast.expr) -> bool:
        return any(isinstance(key, Name) and key.name in _WIDE for key in keys(self._values.of(node)))

    def _made(self, node: ast.expr) -> ast.Call | None:
        """Return the call that makes the type of a function, here or where its name is bound."""
        if isinstance(node, ast.Call):
            return node
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        made = [
            statement.value
            for _, statement in self._forest.nodes(ast.Assign)
            if isinstance(statement.value, ast.Call)
            and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)
        ]
        return made[0] if len(made) == 1 else None

    def spelled(self, path: Path, name: str) -> str:
        """Return how a file writes a name of ctypes; what it does not import yet is added to an import."""
        statements = self._forest.names[path].imports
        for statement in statements:
            if isinstance(statement, ast.ImportFrom) and statement.module == CTYPES:
                for alias in statement.names:
                    if alias.name in (name, "*"):
                        return alias.asname or name
        for statement in statements:
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    if alias.name == CTYPES:
                        return f"{alias.asname or CTYPES}.{name}"
        if any(isinstance(statement, ast.ImportFrom) and statement.module == CTYPES for statement in statements):
            self.missing.setdefault(path, set()).add(name)
        return name

    def imports(self) -> Iterator[tuple[Path, Change]]:
        """Yield the additions to imports."""
        for path, names in self.missing.items():
            statement = next(node for node in self._forest.names[path].imports
                             if isinstance(node, ast.ImportFrom) and node.module == CTYPES)  # fmt: skip
            end = self._sources[path].span(statement.names[-1])[1]
            yield path, Change(end, end, "".join(f", {name}" for name in sorted(names)))
