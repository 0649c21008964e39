"""Programs that compute the names of C functions and types, with these names written out where they can be seen."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from migrate.bindings import shapes
from migrate.bindings.analysis import Analysis
from migrate.bindings.declaring import Declaring
from migrate.bindings.finders import Finders, Found, is_plain
from migrate.bindings.hoisted import Hoisted, Hoisting
from migrate.bindings.knowledge import new_type
from migrate.bindings.libraries import Libraries
from migrate.bindings.own_names import OwnNames
from migrate.bindings.prototypes import declares_only, fits, maker, restype
from migrate.bindings.removing import without
from migrate.bindings.rows import Rows
from migrate.bindings.tables import unbinding
from migrate.bindings.texts import Texts
from migrate.bindings.tokens import Library, Member, keys
from migrate.facts.expressions import Expressions
from migrate.python.values import External, Function
from migrate.text.builtin_names import spelled
from migrate.text.code import Template
from migrate.text.pieces import Change

_GETATTR = {External("builtins.getattr")}


class SpelledOut:
    """The changes of all files of a project. `declared`: functions that are declared to ctypes there."""

    def __init__(self, analysis: Analysis) -> None:
        self._sources, self._vocabulary = analysis.sources, analysis.vocabulary
        self.declared: set[str] = set()
        self._hoisted: set[ast.Call] = set()
        self._makers: set[ast.AST] = set()  # functions of which some call is replaced
        self._replaced: set[ast.AST] = set()
        self._forest, self._declared, self._values = analysis.forest, analysis.declarations, analysis.values
        self._libraries = Libraries(self._forest, self._values, analysis.project)
        self._declaring = Declaring(self._forest, self._values, self._libraries)
        self._own = OwnNames(analysis)
        self._finders = Finders(self._forest, self._values)
        self._texts = Texts(
            self._forest, self._values, Expressions(self._forest, self._values, frozenset(), self._vocabulary)
        )

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file that has any."""
        found: dict[Path, list[Change]] = {}
        for hoisted in Hoisting(self._forest, self._values).found():
            for node, text in self._moved(hoisted):
                path = self._forest.path(node)
                found.setdefault(path, []).append(Change(*self._sources[path].span(node), text))
        nodes: list[tuple[Path, ast.Call | ast.Subscript | ast.Attribute]] = [*self._forest.nodes(ast.Call)]
        for path, node in [*nodes, *self._forest.nodes(ast.Subscript), *self._forest.nodes(ast.Attribute)]:
            if text := self._text(node):
                self._replaced.add(node)
                found.setdefault(path, []).append(Change(*self._sources[path].span(node), text))
        functions = (function for _, function in self._forest.nodes(ast.FunctionDef) if function in self._makers)
        gone = [*filter(self._is_left, functions), *self._loops()]
        deletions = unbinding(self._forest, {*gone})
        for statement in (*gone, *(statement for statement, left in deletions if not left)):
            path = self._forest.path(statement)
            found.setdefault(path, []).append(without(self._sources[path], self._forest, statement))
        for statement, left in deletions:
            if left:
                source = self._sources[path := self._forest.path(statement)]
                text = "del " + ", ".join(map(source.slice, left))
                found.setdefault(path, []).append(Change(*source.span(statement), text))
        for loop, target, call, rows in Rows(self._forest, self._values).loops():
            path = self._forest.path(loop)
            found.setdefault(path, []).extend(self._calls(loop, target, call, rows))
        return {path: _outermost(changes) for path, changes in found.items()}

    def _moved(self, hoisted: Hoisted) -> Iterator[tuple[ast.expr, str]]:
        """Yield the changes of a helper and its callers, where it makes values of several shapes."""
        kinds = {argument: self._declared.written_out(str(argument.value)) for argument in hoisted.given}
        made = {shapes.made(kind) for kind in kinds.values()}
        if None in made or len(made) < 2:
            return
        self._hoisted.add(hoisted.made)
        yield hoisted.made, hoisted.parameter.id
        for argument, kind in kinds.items():
            yield argument, f"{self._slice(hoisted.made.func)}({json.dumps(kind)})"

    def _calls(self, loop: ast.For, target: ast.Name, call: ast.Call, rows: Sequence[ast.Tuple]) -> Iterator[Change]:
        """Yield the changes of a loop over functions with their arguments: what it goes through are calls."""
        source = self._sources[self._forest.path(loop)]
        if any("#" in source.slice(row) for row in rows):
            return
        calls = (list(map(source.slice, row.elts)) for row in rows)
        if len(loop.body) == 1 and isinstance(loop.body[0], ast.Expr) and not loop.orelse:
            body, inner = source.span(loop.body[0]), source.span(call)
            before, behind = source.text[body[0] : inner[0]], source.text[inner[1] : body[1]]
            lines = (f"{before}{function}({', '.join(given)}){behind}" for function, *given in calls)
            yield Change(*source.span(loop), f"\n{' ' * loop.col_offset}".join(lines))
            return
        yield Change(*source.span(loop.target), target.id)
        yield Change(*source.span(call), f"{target.id}()")
        for row, (function, *given) in zip(rows, calls, strict=True):
            yield Change(*source.span(row), f"lambda: {function}({', '.join(given)})")

    def _text(self, node: ast.Call | ast.Subscript | ast.Attribute) -> str:
        """Return what takes the place of an expression, nothing for what stays."""
        if isinstance(node, ast.Attribute):
            return self._constant(node)
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
        if self._is_member(node, "string"):
            return self._enumerated(node)
        if self._is_member(node, "new") and node.args and _is_computed(node) and node not in self._hoisted:
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
        names = self._texts.of(name)
        spelled = {each: text for each in names if (text := self._spelled(library, each))}
        if not names or not spelled.keys() >= {*names} or declares_only(node, self._forest):
            return ""
        if len(names) == 1:
            return spelled[names[0]]
        parts, by_parts = self._texts.by_parts(name)
        if not by_parts or (finder and not all(finder.is_known(part, node) for part in parts)):
            return ""
        rows = (f"{_key(row)}: {spelled[each]}" for row, each in by_parts.items())
        return f"{{{', '.join(rows)}}}[{', '.join(self._part(part, finder) for part in parts)}]"

    def _spelled(self, library: ast.expr, name: str) -> str:
        """Return what a library has under a name: a function, or the number that the program declares; else nothing."""
        if name in self._vocabulary.flat:
            return f"{self._slice(library)}.{name}"
        value = None if name in self._vocabulary.constants else self._declared.enums.constant(name)
        return "" if value is None else str(value)

    def _constant(self, node: ast.Attribute) -> str:
        """Return a constant that the program declares, for the expression that takes it from a library."""
        found = self._values.of(node.value)
        libraries = [key for key in keys(found) if isinstance(key, Library)]
        is_library = bool(libraries) and len(libraries) == len(found) and isinstance(node.ctx, ast.Load)
        return self._spelled(node.value, node.attr) if is_library and node.attr not in self._vocabulary.flat else ""

    def _enumerated(self, node: ast.Call) -> str:
        """Return the name of an enum's value: `ffi.string(ffi.cast("enum", value))`."""
        cast = node.args[0] if len(node.args) == 1 else None
        if not isinstance(cast, ast.Call) or len(cast.args) != 2 or not self._is_member(cast, "cast"):
            return ""
        kind, value = cast.args
        names = self._declared.enums.names(str(kind.value)) if isinstance(kind, ast.Constant) else {}
        if not names or not is_plain(value):
            return ""
        rows, text = (f"{number}: {json.dumps(name)}" for number, name in names.items()), self._slice(value)
        number = spelled(Template(f"str(int({text}))"), partial(self._own.is_hidden, node))
        return f"{{{', '.join(rows)}}}.get({text}, {number.text})" if number else ""

    def _is_member(self, node: ast.Call, name: str) -> bool:
        """Whether a call is that of a method of an FFI object."""
        members = [key for key in keys(self._values.of(node.func)) if isinstance(key, Member)]
        return bool(members) and all(member.name == name for member in members)

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
            groups.setdefault(shapes.made(self._declared.written_out(text)), []).append(text)
        if not groups or None in groups:
            return ""
        kinds = (json.dumps(self._declared.written_out(group[0])) for group in groups.values())
        calls = [f"{self._slice(node.func)}({kind}{rest})" for kind in kinds]
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
    """Whether `ffi.new` is called with a type that is put together from texts, or has a name of the program's own."""
    return shapes.made(new_type(node) or "") is None


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
