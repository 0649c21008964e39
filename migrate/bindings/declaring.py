"""Loops that only declare functions to ctypes, evaluated: what each of them declares of which function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from migrate.bindings.libraries import Libraries
from migrate.bindings.tables import is_listed
from migrate.bindings.tokens import Library, keys
from migrate.facts.forest import Forest
from migrate.python.scopes import Variable
from migrate.python.values import External, Values

_SIGNATURE = ("argtypes", "restype")
_READING = frozenset({"items", "keys", "values"})
_ASKING: Mapping[str, Callable[[str, Any], bool]] = {"startswith": str.startswith, "endswith": str.endswith}
_MOST = 1000  # turns of loops; more declare no library

# What an expression can be: a text, a table (dict, tuple), a Library, a Taken, else the expression itself.
_Names = dict[Variable, Any]


class _Unknown(Exception):
    """A loop does something else."""


class Taken(NamedTuple):
    """A function of a library; by item: another object each time, which only setattr lets the library keep."""

    name: str
    by_item: bool


_Told = list[tuple[Taken, ast.expr]]  # functions, and what each is said to return


class _Table(NamedTuple):
    statement: ast.Assign
    fills: list[ast.stmt]
    content: Any


class Declaring:
    """Reads the loops of one project."""

    def __init__(self, forest: Forest, values: Values, libraries: Libraries) -> None:
        self._forest, self._values, self._libraries = forest, values, libraries
        self._tables: dict[Variable, _Table] = {}
        self._turns = 0
        self._kept: set[str] = set()  # functions that setattr has given their library

    def understood(self) -> dict[ast.For, list[tuple[str, ast.expr]]]:
        """Return the loops that only declare, with the functions and what each is said to return."""
        found = {}
        for _, loop in self._forest.nodes(ast.For):
            attributes = (part for part in ast.walk(loop) if isinstance(part, ast.Attribute))
            if any(part.attr in _SIGNATURE and isinstance(part.ctx, ast.Store) for part in attributes):
                try:
                    found[loop] = self._run(loop)
                except _Unknown:
                    continue
        return {loop: told for loop, told in found.items() if self._is_alone(loop, found)}

    def tables(self, loops: Mapping[ast.For, object]) -> Iterator[ast.stmt]:
        """Yield the statements that make and fill what only these loops read."""
        for variable, table in self._tables.items():
            is_read = all(self._is_in(load, [*loops, *table.fills]) for load in variable.loads)
            if variable.loads and is_read and not is_listed(variable, self._forest):
                yield from (table.statement, *table.fills)

    def _is_alone(self, loop: ast.For, others: Mapping[ast.For, object]) -> bool:
        """Whether nothing else needs what a loop binds, nor the tables that it reads."""
        inside = set(ast.walk(loop))
        names = self._forest.of(loop)
        bound = {names.of[part] for part in inside if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        read = {names.of[part] for part in inside if isinstance(part, ast.Name)} & self._tables.keys()
        return all(self._is_left(variable, loop, inside) for variable in bound) and all(
            self._is_in(load, [*others, *self._tables[table].fills]) for table in read for load in table.loads
        )

    def _is_left(self, variable: Variable, loop: ast.For, inside: set[ast.AST]) -> bool:
        """Whether every use of a variable outside of a loop finds what another one, or a later statement, stores."""
        others = [self._forest.statement(each) for each in variable.bindings if each not in inside]
        loops = [each for each in others if isinstance(each, ast.For)]
        later = [each for each in others if isinstance(each, ast.Assign) and each.lineno > loop.lineno]

        def is_stored_again(load: ast.AST) -> bool:
            above = [*self._forest.above(load)]
            line = getattr(load, "lineno", 0)
            passed = (each for each in later if self._forest.parents[each] in above and each.lineno < line)
            return any(each in above for each in loops) or any(passed)

        return all(load in inside or is_stored_again(load) for load in variable.loads)

    def _is_in(self, node: ast.AST, statements: list[ast.stmt]) -> bool:
        return any(above in statements for above in self._forest.above(node))

    # ------------------------------------------------------------------ statements

    def _run(self, loop: ast.For) -> list[tuple[str, ast.expr]]:
        told: _Told = []
        self._turns, self._kept = 0, set()
        self._do([loop], {}, told)
        return [(taken.name, returned) for taken, returned in told if not taken.by_item or taken.name in self._kept]

    def _do(self, body: list[ast.stmt], names: _Names, told: _Told) -> None:
        for statement in body:
            if isinstance(statement, ast.For) and not statement.orelse:
                for item in self._items(statement.iter, names):
                    self._store(statement.target, item, names, told)
                    self._do(statement.body, names, told)
            elif isinstance(statement, ast.If):
                self._do(statement.body if self._is_true(statement.test, names) else statement.orelse, names, told)
            elif isinstance(statement, ast.Assign):
                value = self._of(statement.value, names)
                for target in statement.targets:
                    self._store(target, value, names, told)
            elif not isinstance(statement, ast.Expr) or not self._is_kept(statement.value, names):
                raise _Unknown

    def _store(self, target: ast.expr, value: Any, names: _Names, told: _Told) -> None:
        if isinstance(target, ast.Name):
            names[self._forest.of(target).of[target]] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple) and len(value) == len(target.elts):
            for part, item in zip(target.elts, value, strict=True):
                self._store(part, item, names, told)
        elif isinstance(target, ast.Subscript) and isinstance(table := self._of(target.value, names), dict):
            table[self._key(target.slice, names)] = value
        elif isinstance(target, ast.Attribute) and isinstance(taken := self._of(target.value, names), Taken):
            if target.attr == "restype" and isinstance(value, ast.expr):
                told.append((taken, value))
            elif target.attr != "argtypes":
                raise _Unknown
        else:
            raise _Unknown

    def _is_kept(self, node: ast.expr, names: _Names) -> bool:
        """Whether an expression does nothing but to give a library its function: `setattr(lib, name, function)`."""
        if not isinstance(node, ast.Call) or self._values.of(node.func) != {External("builtins.setattr")}:
            return isinstance(node, ast.Constant)
        given = [self._of(argument, names) for argument in node.args]
        is_own = len(given) == 3 and isinstance(given[0], Library) and given[2] == Taken(given[1], by_item=True)
        self._kept.update(given[1:2] if is_own else ())
        return is_own

    def _is_true(self, node: ast.expr, names: _Names) -> bool:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return not self._is_true(node.operand, names)
        value = self._of(node, names)
        if not isinstance(value, bool):
            raise _Unknown
        return value

    # ------------------------------------------------------------------ expressions

    def _of(self, node: ast.expr, names: _Names) -> Any:
        reader = _READERS.get(type(node))
        return reader(self, node, names) if reader else node

    def _of_name(self, node: ast.Name, names: _Names) -> Any:
        variable = self._forest.of(node).of[node]
        if variable in names:
            return names[variable]
        found = [*keys(self._values.of(node))]
        if len(found) == 1 and isinstance(found[0], Library):
            return found[0]
        above = self._forest.parents[variable.bindings[0]] if len(variable.bindings) == 1 else None
        if not isinstance(above, ast.Assign) or not isinstance(above.value, ast.Dict | ast.List | ast.Tuple):
            return node
        return self._table(variable, above).content

    def _table(self, variable: Variable, statement: ast.Assign) -> _Table:
        if variable not in self._tables:
            if not self._libraries.is_plain(statement.value) or len(statement.targets) > 1:
                raise _Unknown
            table = _Table(statement, [], self._of(statement.value, {}))
            self._tables[variable] = table
            block: list[ast.stmt] = getattr(self._forest.parents[statement], "body", [])
            uses = [load for load in variable.loads if self._fills(load)]
            for other in block:
                if any(other in self._forest.above(use) for use in uses):
                    table.fills.append(other)
            try:
                self._do(table.fills, {}, [])
            except _Unknown:
                del self._tables[variable]
                raise
        return self._tables[variable]

    def _fills(self, load: ast.AST) -> bool:
        """Whether a use of a table stores something in it."""
        above = self._forest.parents[load]
        while isinstance(above, ast.Subscript) and above.value is load:
            if isinstance(above.ctx, ast.Store):
                return True
            load, above = above, self._forest.parents[above]
        return False

    def _of_constant(self, node: ast.Constant, names: _Names) -> Any:
        return node.value if isinstance(node.value, str) else node

    def _of_text(self, node: ast.JoinedStr, names: _Names) -> Any:
        parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        plain = all(part.format_spec is None and part.conversion == -1
                    for part in node.values if isinstance(part, ast.FormattedValue))  # fmt: skip
        return "".join(map(_text, (self._of(part, names) for part in parts))) if plain else node

    def _of_sum(self, node: ast.BinOp, names: _Names) -> Any:
        if not isinstance(node.op, ast.Add):
            return node
        return _text(self._of(node.left, names)) + _text(self._of(node.right, names))

    def _of_sequence(self, node: ast.Tuple | ast.List, names: _Names) -> Any:
        return tuple(self._of(part, names) for part in node.elts)

    def _of_dict(self, node: ast.Dict, names: _Names) -> Any:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            content = self._of(value, names)
            if key is not None:
                found[self._key(key, names)] = content
            elif isinstance(content, dict):
                found |= content
            else:
                raise _Unknown
        return found

    def _of_comprehension(self, node: ast.DictComp, names: _Names) -> Any:
        turns = self._turns_of(node.generators, dict(names))
        return {self._key(node.key, each): self._of(node.value, each) for each in turns}

    def _turns_of(self, generators: list[ast.comprehension], names: _Names) -> Iterator[_Names]:
        if not generators:
            yield names
            return
        first, *rest = generators
        for item in self._items(first.iter, names):
            self._store(first.target, item, names, [])
            if all(self._is_true(test, names) for test in first.ifs):
                yield from self._turns_of(rest, names)

    def _of_item(self, node: ast.Subscript, names: _Names) -> Any:
        owner = self._of(node.value, names)
        if isinstance(owner, ast.expr):
            return node
        key = self._key(node.slice, names)
        if isinstance(owner, Library) and isinstance(key, str):
            return Taken(key, by_item=True)
        if not isinstance(owner, dict) or key not in owner:
            raise _Unknown
        return owner[key]

    def _of_call(self, node: ast.Call, names: _Names) -> Any:
        given = [self._of(argument, names) for argument in node.args]
        if self._values.of(node.func) == {External("builtins.getattr")} and len(given) == 2:
            library, name = given
            return Taken(name, by_item=False) if isinstance(library, Library) and isinstance(name, str) else node
        if not isinstance(node.func, ast.Attribute) or node.keywords:
            return node
        owner = self._of(node.func.value, names)
        if isinstance(owner, dict) and node.func.attr in _READING and not given:
            return tuple(getattr(owner, node.func.attr)())
        asks = _ASKING.get(node.func.attr)
        return asks(owner, given[0]) if asks and isinstance(owner, str) and _is_text(given[0]) else node

    def _of_comparison(self, node: ast.Compare, names: _Names) -> Any:
        left, right = self._of(node.left, names), self._of(node.comparators[0], names)
        wanted = (right,) if isinstance(right, str) else right
        operator = node.ops[0]
        known = isinstance(left, str) and isinstance(wanted, tuple | dict) and len(node.ops) == 1
        if not known or isinstance(right, str) != isinstance(operator, ast.Eq | ast.NotEq):
            return node
        return (left in wanted) == isinstance(operator, ast.Eq | ast.In)

    def _key(self, node: ast.expr, names: _Names) -> Any:
        key = self._of(node, names)
        if not isinstance(key, str | Library):
            raise _Unknown
        return key

    def _items(self, node: ast.expr, names: _Names) -> Iterator[Any]:
        items = self._of(node, names)
        if not isinstance(items, tuple | dict):
            raise _Unknown
        for item in tuple(items):
            self._turns += 1
            if self._turns > _MOST:
                raise _Unknown
            yield item


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Unknown
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, tuple) and all(isinstance(each, str) for each in value))


_READERS: Mapping[type[ast.expr], Callable[..., Any]] = {
    ast.BinOp: Declaring._of_sum,
    ast.Call: Declaring._of_call,
    ast.Compare: Declaring._of_comparison,
    ast.Constant: Declaring._of_constant,
    ast.Dict: Declaring._of_dict,
    ast.DictComp: Declaring._of_comprehension,
    ast.JoinedStr: Declaring._of_text,
    ast.List: Declaring._of_sequence,
    ast.Name: Declaring._of_name,
    ast.Subscript: Declaring._of_item,
    ast.Tuple: Declaring._of_sequence,
}
