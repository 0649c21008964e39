"""The texts that an expression can have, where a program computes the name of a C function or a type."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, product

from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.python.scopes import FUNCTIONS, Kind, Variable
from migrate.python.values import Bound, Class, Function, Instance, Values

_DEPTH = 12
_MOST = 64  # more are not a table of names
_READING = frozenset({"items", "keys", "values", "get"})


class _Unknown(Exception):
    """An expression may have texts that cannot be seen."""


class Texts:
    """Answers for one project."""

    def __init__(self, forest: Forest, values: Values, expressions: Expressions) -> None:
        self._forest, self._values, self._expressions = forest, values, expressions
        self._fixed: Mapping[ast.expr, str] = {}  # parts of what is asked for, each with one text
        self._stored: dict[str, list[ast.Attribute]] = {}
        for _, node in forest.nodes(ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                self._stored.setdefault(node.attr, []).append(node)

    def of(self, node: ast.expr) -> list[str]:
        """Return every text that an expression can have, in order; nothing when that cannot be seen."""
        try:
            found = list(dict.fromkeys(self._texts(node, _DEPTH)))
        except _Unknown:
            return []
        return found if len(found) <= _MOST else []

    def by_parts(self, node: ast.expr) -> tuple[list[ast.expr], dict[tuple[str, ...], str]]:
        """Return the parts of an expression that are computed, and its text for each of the texts that these have."""
        parts = [part for part in _parts(node) if self._expressions.constant(part) is None]
        rows = [*product(*(self.of(part) for part in parts))]
        found: dict[tuple[str, ...], str] = {}
        for row in rows if len(rows) <= _MOST else []:
            self._fixed = dict(zip(parts, row, strict=True))
            found[row] = self.of(node)[0]
        self._fixed = {}
        return parts, found

    def _texts(self, node: ast.expr, depth: int) -> list[str]:
        if node in self._fixed:
            return [self._fixed[node]]
        constant = self._expressions.constant(node)
        if isinstance(constant, str):
            return [constant]
        reader = _READERS.get(type(node))
        if reader is None or not depth:
            raise _Unknown
        return reader(self, node, depth - 1)

    def _of_operation(self, node: ast.BinOp, depth: int) -> list[str]:
        if isinstance(node.op, ast.Add):
            return self._joined([node.left, node.right], depth)
        if not isinstance(node.op, ast.Mod):
            raise _Unknown
        given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        rows = product(*(self._texts(part, depth) for part in given))
        try:
            return [form % row for form, row in product(self._texts(node.left, depth), list(rows))]
        except (TypeError, ValueError) as error:
            raise _Unknown from error

    def _joined(self, parts: Iterable[ast.expr], depth: int) -> list[str]:
        return ["".join(row) for row in product(*(self._texts(part, depth) for part in parts))]

    def _of_format(self, node: ast.JoinedStr, depth: int) -> list[str]:
        return self._joined(node.values, depth)

    def _of_part(self, node: ast.FormattedValue, depth: int) -> list[str]:
        if node.format_spec is not None or node.conversion != -1:
            raise _Unknown
        return self._texts(node.value, depth)

    def _of_choice(self, node: ast.IfExp, depth: int) -> list[str]:
        return [*self._texts(node.body, depth), *self._texts(node.orelse, depth)]

    # ------------------------------------------------------------------ names

    def _of_name(self, node: ast.Name, depth: int) -> list[str]:
        variable = self._forest.of(node).of[node]
        for loop in self._forest.above(node):
            bindings = [each for each in variable.bindings if loop in self._forest.above(each)]
            if bindings and isinstance(loop, ast.For):
                if len(bindings) == 1 and loop in (self._loop(bindings[0]),) and node not in ast.walk(loop.iter):
                    return self._of_binding(bindings[0], depth)
                break
        return self._of_variable(variable, depth)

    def _loop(self, binding: ast.AST) -> ast.AST:
        """Return the loop of which a binding is the target."""
        above = self._forest.parents[binding]
        return self._forest.parents[above] if isinstance(above, ast.Tuple) else above

    def _of_variable(self, variable: Variable, depth: int) -> list[str]:
        if not variable.bindings or (variable.name in self._stored and variable.scope.kind is Kind.MODULE):
            raise _Unknown
        return [text for binding in variable.bindings for text in self._of_binding(binding, depth)]

    def _of_binding(self, binding: ast.AST, depth: int) -> list[str]:
        if isinstance(binding, ast.arg):
            return self._of_parameter(binding, depth)
        above = self._forest.parents[binding]
        if isinstance(above, ast.Assign) and binding in above.targets:
            return self._texts(above.value, depth)
        place: int | None = None
        if isinstance(above, ast.Tuple) and isinstance(binding, ast.expr):
            place, binding = above.elts.index(binding), above
            above = self._forest.parents[binding]
        if isinstance(above, ast.Assign) and place is not None:
            values = above.value.elts if isinstance(above.value, ast.Tuple) else []
            if len(values) != len(binding.elts) or any(isinstance(value, ast.Starred) for value in values):  # type: ignore[attr-defined]
                raise _Unknown
            return self._texts(values[place], depth)
        if isinstance(above, ast.For | ast.comprehension) and above.target is binding:
            rows = self._rows(above.iter, depth)
            if place is None:
                return [text for row in rows for text in self._texts(row, depth)]
            return [text for row in rows for text in self._texts(_item(row, place), depth)]
        raise _Unknown

    def _rows(self, node: ast.expr, depth: int) -> list[ast.expr]:
        """Return what a loop goes through: the parts of a display, which may have a name."""
        is_items = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "items"
        if is_items and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            display = self._display(node.func.value, depth)
            if not isinstance(display, ast.Dict) or None in display.keys:
                raise _Unknown
            return [ast.Tuple([key, value]) for key, value in zip(display.keys, display.values, strict=True) if key]
        display = self._display(node, depth)
        parts = display.keys if isinstance(display, ast.Dict) else getattr(display, "elts", None)
        if not parts or None in parts or any(isinstance(part, ast.Starred) for part in parts):
            raise _Unknown
        return [part for part in parts if part]

    def _display(self, node: ast.expr, depth: int) -> ast.expr:
        """Return the display that a name stands for, when nothing changes what is in it."""
        if not isinstance(node, ast.Name) or not depth:
            return node
        variable = self._forest.of(node).of[node]
        above = self._forest.parents[variable.bindings[0]] if len(variable.bindings) == 1 else None
        if not isinstance(above, ast.Assign) or not all(map(self._only_reads, variable.loads)):
            raise _Unknown
        return self._display(above.value, depth - 1)

    def _only_reads(self, load: ast.AST) -> bool:
        above = self._forest.parents[load]
        if isinstance(above, ast.Subscript):
            return isinstance(above.ctx, ast.Load)
        if isinstance(above, ast.Attribute):
            return above.attr in _READING
        return isinstance(above, ast.For | ast.comprehension | ast.Compare)

    # ------------------------------------------------------------------ parameters and fields

    def _of_parameter(self, parameter: ast.arg, depth: int) -> list[str]:
        function = self._forest.of(parameter).function(parameter)
        if not isinstance(function, ast.FunctionDef) or self._values.is_called_from_outside(function):
            raise _Unknown
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        default = _defaults(function).get(parameter.arg)
        found: list[str] = []
        for call in self._values.callers(function):
            given = self._given(call, function, parameter.arg, names) or default
            if given is None:
                raise _Unknown
            found += self._texts(given, depth)
        if not found:
            raise _Unknown
        return found

    def _given(self, call: ast.AST, function: ast.FunctionDef, name: str, names: list[str]) -> ast.expr | None:
        """Return the argument of a call that a parameter gets, nothing for its default."""
        if not isinstance(call, ast.Call) or any(keyword.arg is None for keyword in call.keywords):
            raise _Unknown
        for keyword in call.keywords:
            if keyword.arg == name:
                return keyword.value
        kinds = {type(value) for value in self._values.of(call.func)}
        if len(kinds) != 1 or not kinds <= {Function, Bound, Class} or name not in names:
            if name in names or len(kinds) != 1:
                raise _Unknown
            return None
        place = names.index(name) - (kinds != {Function})
        if any(isinstance(argument, ast.Starred) for argument in call.args[: place + 1]):
            raise _Unknown
        return call.args[place] if place < len(call.args) else None

    def _of_field(self, node: ast.Attribute, depth: int) -> list[str]:
        """Return the texts that the objects which an expression can be have under a name, as far as these are seen."""
        found: list[str] = []
        owners = self._owners(node)
        for place in self._stored.get(node.attr, ()):
            found += self._of_binding(place, depth)
        for owner in owners:
            variable = self._forest.of(owner).scopes[owner].variables.get(node.attr)
            if variable is not None and variable.bindings:
                if any(isinstance(binding, FUNCTIONS) for binding in variable.bindings):
                    raise _Unknown
                found += [text for binding in variable.bindings for text in self._of_binding(binding, depth)]
        if not found:
            raise _Unknown
        return found

    def _owners(self, node: ast.Attribute) -> Iterator[ast.ClassDef]:
        """Yield the classes that an attribute can be found in: of what is never made, a base has it for others only."""
        objects = self._values.of(node.value)
        if not objects or not all(isinstance(value, Instance) for value in objects):
            yield from (owner for _, owner in self._forest.nodes(ast.ClassDef))
            return
        found = {}
        for value in objects:
            bases = self._values.bases(value.node) if isinstance(value, Instance) else ()
            named = (base.node for base in bases if isinstance(base, Class) and self._has(base.node, node.attr))
            found.update(dict.fromkeys(islice(named, 1)))
        yield from sorted(found, key=lambda owner: owner.lineno)

    def _has(self, owner: ast.ClassDef, name: str) -> bool:
        variable = self._forest.of(owner).scopes[owner].variables.get(name)
        return variable is not None and bool(variable.bindings)

    def _of_constant(self, node: ast.Constant, depth: int) -> list[str]:
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return [str(node.value)]
        raise _Unknown


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what a text is put together from."""
    if isinstance(node, ast.JoinedStr):
        for value in node.values:
            yield from _parts(value.value) if isinstance(value, ast.FormattedValue) else ()
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        yield from _parts(node.left)
        for right in node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]:
            yield from _parts(right)
    else:
        yield node


def _item(row: ast.expr, place: int) -> ast.expr:
    if isinstance(row, ast.Tuple | ast.List) and place < len(row.elts):
        return row.elts[place]
    raise _Unknown


def _defaults(function: ast.FunctionDef) -> Mapping[str, ast.expr]:
    """Return the default of each parameter that has one."""

    def pairs() -> Iterator[tuple[str, ast.expr]]:
        given = [*function.args.posonlyargs, *function.args.args]
        plain = given[len(given) - len(function.args.defaults) :]
        yield from ((parameter.arg, value) for parameter, value in zip(plain, function.args.defaults, strict=True))
        for parameter, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
            if value is not None:
                yield parameter.arg, value

    return dict(pairs())


_READERS: Mapping[type[ast.expr], Callable[..., list[str]]] = {
    ast.Attribute: Texts._of_field,
    ast.BinOp: Texts._of_operation,
    ast.Constant: Texts._of_constant,
    ast.FormattedValue: Texts._of_part,
    ast.IfExp: Texts._of_choice,
    ast.JoinedStr: Texts._of_format,
    ast.Name: Texts._of_name,
}
