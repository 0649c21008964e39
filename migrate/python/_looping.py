"""Names that a loop goes through, and what is put together of them: `for name in ("a", "b")`, `"set_" + name`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import product
from math import prod

from migrate.python.scopes import Names, Variable

MAX_DEPTH = 8  # names that are followed back
MAX_TEXTS = 256  # that one expression can be
_AS_THEY_ARE = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter"})
_VIEWS: dict[str, Callable[[ast.expr, ast.expr], ast.expr]] = {
    "keys": lambda key, value: key,
    "values": lambda key, value: value,
    "items": lambda key, value: ast.Tuple([key, value], ast.Load()),
}


def rows(name: ast.expr, names: Names) -> list[ast.expr]:
    """Return what the loops go through that bind a variable."""
    variable = names.of.get(name) if isinstance(name, ast.Name) else None
    above = [names.parents[binding] for binding in variable.bindings] if variable else []
    return [loop.iter for loop in above if isinstance(loop, ast.For | ast.comprehension)]


def constants(row: ast.expr) -> set[object]:
    """Return what stands in a row of constants."""
    items = row.elts if isinstance(row, ast.Tuple | ast.List | ast.Set) else []
    return {item.value for item in items if isinstance(item, ast.Constant)}


def keyed(node: ast.expr, names: Names) -> tuple[ast.expr, ast.AST | None] | None:
    """Return the mapping whose keys a variable goes through, and what gets its values; None for another expression.

    `for key in mapping`, `for key, value in mapping.items()`.
    """
    variable = names.of.get(node) if isinstance(node, ast.Name) else None
    if variable is None or len(variable.bindings) != 1:
        return None
    binding = target = variable.bindings[0]
    value, above = None, names.parents.get(binding)
    if isinstance(above, ast.Tuple) and len(above.elts) == 2 and above.elts[0] is binding:
        value, target, above = above.elts[1], above, names.parents.get(above)
    if not isinstance(above, ast.For | ast.comprehension) or above.target is not target:
        return None
    call, wanted = above.iter, "items" if value else "keys"
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == wanted:
        return call.func.value, value
    return None if value else (call, None)


def looped(
    node: ast.expr,
    names: Names,
    *,
    is_own: Callable[[Variable], bool] = lambda table: True,
    passed: Callable[[ast.Name], Sequence[ast.expr]] = lambda name: (),
) -> list[str]:
    """Return every text that an expression can be, nothing where one may be unseen.

    It is written, what loops over tables of texts bind, or put together of these: `"set_" + name`, f"set_{name}".
    is_own: whether a table of texts that has a name is changed by no other file. passed: what callers give for a
    parameter, nothing where one is unseen.
    """
    return list(dict.fromkeys(_Texts(names, is_own, passed).of(node) or ()))


class _Texts:
    """Follows texts back in one file. Answers are None where something is not written."""

    def __init__(
        self, names: Names, is_own: Callable[[Variable], bool], passed: Callable[[ast.Name], Sequence[ast.expr]]
    ) -> None:
        self._names, self._is_own, self._passed = names, is_own, passed
        self._known: dict[tuple[ast.expr, int], list[str] | None] = {}

    def of(self, node: ast.expr, depth: int = MAX_DEPTH) -> list[str] | None:
        """Return what an expression can be."""
        if (node, depth) not in self._known:
            found = self._of(node, depth)
            self._known[node, depth] = found if found and len(found) <= MAX_TEXTS else None
        return self._known[node, depth]

    def _of(self, node: ast.expr, depth: int) -> list[str] | None:
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            variable = self._names.of.get(node)
            bound = [self._bound(binding) for binding in variable.bindings] if variable and depth else [None]
            if bound == [None] and depth:
                bound = [list(self._passed(node)) or None]
            found = [self.of(item, depth - 1) for items in bound for item in items or ()]
            texts = dict.fromkeys(text for texts in found for text in texts or ())
            return None if None in bound or not all(found) else list(texts)
        parts = [part if isinstance(part, str) else self.of(part, depth - 1) for part in _parts(node) or ()]
        rows = [[part] if isinstance(part, str) else part for part in parts]
        if not depth or not rows or not all(rows) or prod(len(row or ()) for row in rows) > MAX_TEXTS:
            return None
        return ["".join(row) for row in product(*rows)]  # type: ignore[arg-type]

    def _bound(self, binding: ast.AST) -> list[ast.expr] | None:
        """Return the expressions that a binding gives to its name, one after the other."""
        inner, above = binding, self._names.parents.get(binding)
        path: list[int] = []
        while isinstance(above, ast.Tuple | ast.List):
            path.insert(0, above.elts.index(inner))  # type: ignore[arg-type]
            inner, above = above, self._names.parents.get(above)
        if isinstance(above, ast.For | ast.comprehension) and above.target is inner:
            found = self._items(above.iter)
        else:
            found = [above.value] if isinstance(above, ast.Assign) and inner in above.targets else None
        for index in path:
            rows = [row.elts if isinstance(row, ast.Tuple) else [] for row in found or ()]
            if any(len(row) <= index or any(isinstance(item, ast.Starred) for item in row) for row in rows):
                return None
            found = [row[index] for row in rows] if found else None
        return found

    def _items(self, iterable: ast.expr) -> list[ast.expr] | None:
        """Return what a loop goes through."""
        table = self._table(iterable)
        if isinstance(table, ast.Dict):
            return [key for key in table.keys if key]
        if isinstance(table, ast.Tuple | ast.List | ast.Set):
            return table.elts
        call = iterable if isinstance(iterable, ast.Call) else None
        name = call.func.id if call and isinstance(call.func, ast.Name) and self._is_builtin(call.func) else ""
        if call and name in _AS_THEY_ARE and len(call.args) == 1:
            return self._items(call.args[0])
        if call and name in ("zip", "enumerate"):
            columns = [self._items(part) for part in call.args[: 1 if name == "enumerate" else None]]
            numbers: list[ast.expr] = [ast.Constant(0)] if name == "enumerate" else []
            rows = zip(*columns, strict=False) if columns and all(columns) else ()
            return [ast.Tuple([*numbers, *row], ast.Load()) for row in rows] or None
        if call and isinstance(call.func, ast.Attribute) and not call.args:
            table = self._table(call.func.value)
            if isinstance(table, ast.Dict) and call.func.attr in _VIEWS:
                rows = zip(table.keys, table.values, strict=True)
                view = _VIEWS[call.func.attr]
                return [view(key, value) for key, value in rows if key]
        return None

    def _is_builtin(self, name: ast.Name) -> bool:
        return not self._names.of[name].bindings and not self._names.module.stars

    def _table(self, node: ast.expr) -> ast.expr | None:
        """Return the display that an expression is, itself or by a name that always stands for what it is given."""
        variable = self._names.of.get(node) if isinstance(node, ast.Name) else None
        if variable is not None and len(variable.bindings) == 1 and not variable.deletions:
            above = self._names.parents.get(variable.bindings[0])
            is_whole = isinstance(above, ast.Assign | ast.AnnAssign) and variable.bindings[0] is not above.value
            table = above.value if is_whole and not isinstance(variable.scope.node, ast.ClassDef) else None  # type: ignore[union-attr]
            targets = above.targets if isinstance(above, ast.Assign) else []
            if len(targets) > 1 or (targets and targets[0] is not variable.bindings[0]):
                return None
            is_fixed = isinstance(table, ast.Tuple) or all(map(self._is_read, variable.loads))
            return table if is_fixed and self._is_own(variable) and _is_written(table) else None
        return node if _is_written(node) else None

    def _is_read(self, load: ast.AST) -> bool:
        """Whether a table is gone through where its name stands, or something in it looked for."""
        above = self._names.parents.get(load)
        if isinstance(above, ast.Attribute):
            return above.attr in {*_VIEWS, "get", "index", "count"}
        if isinstance(above, ast.Subscript):
            return isinstance(above.ctx, ast.Load) and above.value is load
        if isinstance(above, ast.Call):
            is_builtin = isinstance(above.func, ast.Name) and self._is_builtin(above.func)
            return is_builtin and above.func.id in {*_AS_THEY_ARE, "zip", "enumerate", "len"}  # type: ignore[attr-defined]
        return isinstance(above, ast.For | ast.comprehension | ast.Compare)


def _is_written(table: ast.expr | None) -> bool:
    """Whether everything in a display is written there."""
    if isinstance(table, ast.Dict):
        return None not in table.keys
    return isinstance(table, ast.Tuple | ast.List | ast.Set) and not any(map(_is_star, table.elts))


def _is_star(node: ast.expr) -> bool:
    return isinstance(node, ast.Starred)


def _parts(node: ast.expr) -> list[str | ast.expr] | None:
    """Return what a text is put together of: `a + b`, f"{a}b", "a%s" % b."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [node.left, node.right]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        before, *after = str(node.left.value).split("%s")
        is_plain = len(after) == 1 and "%" not in before + after[0] and not isinstance(node.right, ast.Tuple)
        return [before, node.right, *after] if is_plain else None
    if isinstance(node, ast.JoinedStr):
        plain = all(isinstance(part, ast.Constant) or _is_plain(part) for part in node.values)
        return [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values] if plain else None
    return None


def _is_plain(part: ast.expr) -> bool:
    return isinstance(part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None


def beginning(node: ast.expr) -> tuple[str, ast.expr | None]:
    """Return the text that a computed one begins with, and what stands behind that if it is all the rest."""
    parts = _parts(node) or ()
    written = [part.value if isinstance(part, ast.Constant) else part for part in parts if part != ""]
    if len(written) == 2 and isinstance(written[0], str) and isinstance(written[1], ast.expr):
        return written[0], written[1]
    return "", None
