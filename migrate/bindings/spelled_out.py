"""Programs that compute the names of C functions and types, with these names written out where they can be seen."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from migrate.bindings import shapes
from migrate.bindings.declarations import Declarations
from migrate.bindings.declaring import Declaring
from migrate.bindings.finders import Finders, Found
from migrate.bindings.knowledge import Bindings, new_type
from migrate.bindings.libraries import Libraries
from migrate.bindings.prototypes import declares_only, fits, maker, restype
from migrate.bindings.removing import without
from migrate.bindings.rows import Rows
from migrate.bindings.texts import Texts
from migrate.bindings.tokens import Library, Member, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.modules import Project
from migrate.python.source import Source
from migrate.python.values import External, Function, Values
from migrate.text.pieces import Change

_GETATTR = {External("builtins.getattr")}


class SpelledOut:
    """The changes of all files of a project. `declared`: functions that ctypes was told of there."""

    def __init__(self, sources: Mapping[Path, Source], project: Project, vocabulary: Vocabulary) -> None:
        self._sources, self._vocabulary = sources, vocabulary
        self.declared: set[str] = set()
        self._makers: set[ast.AST] = set()  # functions of which some call is replaced
        self._replaced: set[ast.AST] = set()
        self._forest = Forest({path: project.names(path) for path in sorted(sources)})
        self._values = Values(project, Bindings(vocabulary, Declarations(project.trees.values())))
        self._libraries = Libraries(self._forest, self._values, project)
        self._declaring = Declaring(self._forest, self._values, self._libraries)
        self._finders = Finders(self._forest, self._values)
        self._texts = Texts(
            self._forest, self._values, Expressions(self._forest, self._values, frozenset(), vocabulary)
        )

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file that has any."""
        found: dict[Path, list[Change]] = {}
        nodes: list[tuple[Path, ast.Call | ast.Subscript]] = [*self._forest.nodes(ast.Call)]
        for path, node in [*nodes, *self._forest.nodes(ast.Subscript)]:
            if text := self._text(node):
                self._replaced.add(node)
                found.setdefault(path, []).append(Change(*self._sources[path].span(node), text))
        functions = (function for _, function in self._forest.nodes(ast.FunctionDef) if function in self._makers)
        for statement in (*filter(self._is_left, functions), *self._loops()):
            path = self._forest.path(statement)
            found.setdefault(path, []).append(without(self._sources[path], self._forest, statement))
        for loop, target, call, rows in Rows(self._forest, self._values).loops():
            path = self._forest.path(loop)
            found.setdefault(path, []).extend(self._calls(loop, target, call, rows))
        return {path: _outermost(changes) for path, changes in found.items()}

    def _calls(self, loop: ast.For, target: ast.Name, call: ast.Call, rows: Sequence[ast.Tuple]) -> Iterator[Change]:
        """Yield the changes of a loop over functions with their arguments: what it goes through are calls."""
        source = self._sources[self._forest.path(loop)]
        if any("#" in source.slice(row) for row in rows):
            return
        yield Change(*source.span(loop.target), target.id)
        yield Change(*source.span(call), f"{target.id}()")
        for row in rows:
            function, *given = map(source.slice, row.elts)
            yield Change(*source.span(row), f"lambda: {function}({', '.join(given)})")

    def _text(self, node: ast.Call | ast.Subscript) -> str:
        """Return what takes the place of an expression, nothing for what stays."""
        if isinstance(node, ast.Subscript):
            return self._taken(node, node.value, node.slice)
        if self._values.of(node.func) == _GETATTR and len(node.args) == 2 and not node.keywords:
            return self._taken(node, node.args[0], node.args[1])
        if self._is_prototype(node):
            self.declared.update(self._names(node.args[1]))
            self._makers.update(value.node for value in self._values.of(node.func) if isinstance(value, Function))
            return self._taken(node, node.args[0], node.args[1])
        found = self._finders.found(node)
        if found and (text := self._taken(node, found.library, found.name, found)):
            self._makers.add(found.finder)
            return text
        members = [key for key in keys(self._values.of(node.func)) if isinstance(key, Member)]
        if members and all(member.name == "new" for member in members) and node.args and _is_computed(node):
            return self._made(node)
        return ""

    def _loops(self) -> Iterator[ast.stmt]:
        """Yield the loops that only declare functions as they are, and the tables of these."""
        loops = self._declaring.understood()
        fitting = {loop: told for loop, told in loops.items() if all(map(self._is_told, told))}
        self.declared.update(name for told in fitting.values() for name, _ in told)
        yield from fitting
        yield from self._declaring.tables(fitting)

    def _is_told(self, told: tuple[str, ast.expr]) -> bool:
        """Whether a function is of an old library, and returns what it is said to."""
        function = self._vocabulary.flat.get(told[0])
        return function is not None and self._fits(function.returns, told[1])

    def _is_left(self, function: ast.FunctionDef) -> bool:
        """Whether no call of a function is left, and no other use of it."""
        nodes: list[ast.Name | ast.Attribute] = [node for _, node in self._forest.nodes(ast.Name)]
        nodes += [node for _, node in self._forest.nodes(ast.Attribute)]
        uses = [node for node in nodes if isinstance(node.ctx, ast.Load) and self._is_named(node, function)]
        called = (self._forest.parents[use] for use in uses)
        imported = any(alias.name == function.name for _, alias in self._forest.nodes(ast.alias))
        return not imported and self._replaced.issuperset(called)

    def _is_named(self, node: ast.expr, function: ast.FunctionDef) -> bool:
        return any(isinstance(value, Function) and value.node is function for value in self._values.of(node))

    def _is_prototype(self, node: ast.Call) -> bool:
        """Whether a call declares one function of a library, which it returns: `prototype(lib, "name", ...)`."""
        found = self._values.of(node.func)
        functions = [value.node for value in found if isinstance(value, Function)]
        if len(functions) != 1 or len(found) != 1 or not isinstance(functions[0], ast.FunctionDef):
            return False
        if len(node.args) < 2 or not maker(functions[0]):
            return False
        declared, others = restype(functions[0], node), [*node.args[2:], *(word.value for word in node.keywords)]
        returned = {self._vocabulary.flat[name].returns for name in self._names(node.args[1])}
        fitting = all(self._fits(returns, declared) for returns in returned)
        return bool(returned) and fitting and all(map(self._libraries.is_plain, others))

    def _names(self, node: ast.expr) -> list[str]:
        """Return the functions of C that a text names, nothing when it may name anything else."""
        names = self._texts.of(node)
        return names if self._vocabulary.flat.keys() >= {*names} else []

    def _fits(self, returns: str, declared: ast.expr) -> bool:
        """Whether what a function is said to return shows that as it is."""
        found = self._values.of(declared)
        return bool(found) and all(fits(kind, returns, self._values) for kind in found)

    def _taken(self, node: ast.expr, library: ast.expr, name: ast.expr, finder: Found | None = None) -> str:
        """Return a function of a library by its name: `lib.f`, or `{"f": lib.f, "g": lib.g}[which]`."""
        found = self._values.of(library)
        if not found or not all(isinstance(key, Library) for key in keys(found)) or len([*keys(found)]) < len(found):
            return ""
        names = self._names(name)
        if not names or declares_only(node, self._forest):
            return ""
        owner = self._slice(library)
        if len(names) == 1:
            return f"{owner}.{names[0]}"
        parts, by_parts = self._texts.by_parts(name)
        if not by_parts or (finder and not all(finder.is_known(part, node) for part in parts)):
            return ""
        rows = (f"{_key(row)}: {owner}.{each}" for row, each in by_parts.items())
        return f"{{{', '.join(rows)}}}[{', '.join(self._part(part, finder) for part in parts)}]"

    def _part(self, node: ast.expr, finder: Found | None) -> str:
        """Return the text of a part of a name, which a method takes from its own object."""
        own = finder and isinstance(node, ast.Attribute) and finder.is_own(node)
        if finder and finder.receiver and own and isinstance(node, ast.Attribute):
            return f"{self._slice(finder.receiver[1])}.{node.attr}"
        return self._slice(node)

    def _made(self, node: ast.Call) -> str:
        """Return the call of `ffi.new` with the types that it can be called with."""
        kind, rest = node.args[0], "".join(f", {self._slice(argument)}" for argument in node.args[1:])
        groups: dict[object, list[str]] = {}
        for text in self._texts.of(kind):
            groups.setdefault(shapes.made(text), []).append(text)
        if not groups or None in groups:
            return ""
        calls = [f"{self._slice(node.func)}({json.dumps(group[0])}{rest})" for group in groups.values()]
        wanted: Sequence[list[str]] = [*groups.values()]
        text = calls[-1]
        for call, group in zip(calls[:-1], wanted, strict=False):
            text = (
                f"{call} if {self._slice(kind)} in ({''.join(f'{json.dumps(each)}, ' for each in group)}) else {text}"
            )
        return f"({text})" if len(calls) > 1 else text

    def _slice(self, node: ast.expr) -> str:
        return self._sources[self._forest.path(node)].slice(node)


def _is_computed(node: ast.Call) -> bool:
    """Whether `ffi.new` is called with a type that is put together from texts, not only from a length."""
    return not isinstance(node.args[0], ast.Constant) and shapes.made(new_type(node) or "") is None


def _key(texts: tuple[str, ...]) -> str:
    return json.dumps(texts[0]) if len(texts) == 1 else f"({', '.join(map(json.dumps, texts))})"


def _outermost(changes: list[Change]) -> list[Change]:
    """Return the changes that are in no other one."""

    def kept() -> Iterator[Change]:
        end = -1
        for change in sorted(changes, key=lambda change: (change.start, -change.end)):
            if change.start >= end:
                end = change.end
                yield change

    return list(kept())
