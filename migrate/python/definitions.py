"""What the top level of a file defines: which names each definition binds and mentions, and what imports bring.

Read off the syntax tree without resolving scopes: a local name that is spelled like one of the module counts as it, so
that no connection between definitions is missed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from migrate.python._children import children

_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMING = frozenset({"import_module", "__import__", "setattr", "delattr", "patch"})  # calls whose text names a module
STAR = "*"


@dataclass(frozen=True, eq=False)
class Definition:
    """One statement of a module, or one name that such a statement imports.

    binds: the names of the module that it makes. words: every name, attribute, and word of a text in it; of a name that
    an import brings what it is called at home, too. attributes: those of the words that stand behind a dot.
    """

    binds: frozenset[str]
    words: frozenset[str]
    attributes: frozenset[str]


class Definitions:
    """The definitions of a file.

    own: the names that it defines itself. imports: what a name that an import binds, anywhere in the file, can mean,
    as dotted names of modules or of names in them, relative ones with their dots; STAR for star imports.
    """

    def __init__(self, tree: ast.Module) -> None:
        parts = [part for statement in tree.body for part in _parts(statement)]
        self.imports: dict[str, set[str]] = {}
        for part in parts:
            for name, dotted in part.imports:
                self.imports.setdefault(name, set()).add(dotted)
        self.each = [self._definition(part) for part in parts]
        self.own = frozenset().union(*(part.binds for part in parts)) - self.imports.keys()

    def _definition(self, part: _Part) -> Definition:
        words = part.words | part.attributes
        homes = {dotted.rpartition(".")[2] for name in words & self.imports.keys() for dotted in self.imports[name]}
        return Definition(frozenset(part.binds), frozenset(words | homes), frozenset(part.attributes))


class _Part:
    """One walk through a part of the top level."""

    def __init__(self, top: ast.AST, home: str | None = None) -> None:
        self.binds: set[str] = set()
        self.words: set[str] = set()
        self.attributes: set[str] = set()
        self.imports: list[tuple[str, str]] = []
        self._is_inside = False  # of a definition, whose names are not the module's
        if isinstance(top, ast.alias):
            self._bring(top, home)
            return
        self._read(top)
        self._is_inside = isinstance(top, _DEFINING)
        todo = children(top)
        while todo:
            node = todo.pop()
            self._read(node)
            if not (isinstance(node, ast.Expr) and _is_silent(node.value)):
                todo += children(node)

    def _read(self, node: ast.AST) -> None:
        if reader := _READERS.get(type(node)):
            reader(self, node)

    def _name(self, node: ast.Name) -> None:
        self._mention(node.id, not isinstance(node.ctx, ast.Load))

    def _attribute(self, node: ast.Attribute) -> None:
        self.attributes.add(node.attr)

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._mention(node.name, True)

    def _global(self, node: ast.Global) -> None:
        self.binds.update(node.names)

    def _constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.words.update(_WORD.findall(node.value))

    def _call(self, node: ast.Call) -> None:
        """Take the module that a call names in a text for what the called function brings; a fixture binds its name."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called.endswith("fixture"):
            self.binds.update(str(word.value.value) for word in node.keywords
                              if word.arg == "name" and isinstance(word.value, ast.Constant))  # fmt: skip
        text = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if isinstance(text, str) and called in _NAMING:
            self.imports += [(called, dotted) for dotted in with_parents(text)]

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            self._bring(alias, _home(node))

    def _bring(self, alias: ast.alias, home: str | None) -> None:
        """Note what an alias brings, from a module unless it is one itself."""
        if alias.name == STAR:
            self.imports.append((STAR, home or ""))
            self.words.update(_WORD.findall(home or ""))
            return
        bound = alias.asname or (alias.name if home is not None else alias.name.partition(".")[0])
        dotted = [home, f"{home}{'' if home.endswith('.') else '.'}{alias.name}"] if home is not None else [alias.name]
        if home is None and not alias.asname:
            dotted = list(with_parents(alias.name))
        self.imports += [(bound, name) for name in dotted]
        self._mention(bound, True)
        self.words.update(_WORD.findall(f"{home or ''} {alias.name}"))

    def _mention(self, name: str, binds: bool) -> None:
        self.words.add(name)
        if binds and not self._is_inside:
            self.binds.add(name)


_READERS: dict[type[ast.AST], Any] = {
    ast.Name: _Part._name,
    ast.Attribute: _Part._attribute,
    ast.FunctionDef: _Part._defined,
    ast.AsyncFunctionDef: _Part._defined,
    ast.ClassDef: _Part._defined,
    ast.Global: _Part._global,
    ast.Constant: _Part._constant,
    ast.Call: _Part._call,
    ast.Import: _Part._import,
    ast.ImportFrom: _Part._import,
}


def _parts(statement: ast.stmt) -> Iterator[_Part]:
    if isinstance(statement, ast.Import | ast.ImportFrom):
        yield from (_Part(alias, _home(statement)) for alias in statement.names)
    else:
        yield _Part(statement)


def _home(node: ast.Import | ast.ImportFrom) -> str | None:
    """Return the module that a statement imports from, with the dots of a relative one; None for `import`."""
    return "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else None


def _is_silent(node: ast.expr) -> bool:
    """Whether a statement is a text that nothing reads: no doctest."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" not in node.value


def with_parents(dotted: str) -> Iterator[str]:
    """`import a.b` binds `a`, from which all of `a` can be reached."""
    parts = dotted.split(".")
    yield from (".".join(parts[:length]) for length in range(1, len(parts) + 1))
