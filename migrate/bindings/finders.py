"""Functions of a program that only find a function of C: `return getattr(lib, f"doca_cc_{self.side}_{name}")`."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from migrate.bindings.seen import is_seen
from migrate.bindings.tokens import Library, keys
from migrate.facts.forest import Forest
from migrate.python.values import Bound, External, Function, Values

_GETATTR = {External("builtins.getattr")}


class Found(NamedTuple):
    """What a call of a finder finds: by which function, in which library, and under which name.

    receiver: the object whose method it is, by what the method calls it; "" for none.
    """

    finder: ast.FunctionDef
    library: ast.expr
    name: ast.expr
    receiver: tuple[str, ast.expr] | None

    def is_own(self, part: ast.expr) -> bool:
        """Whether a part of the name is an attribute of the receiver, as the finder names it."""
        owner = part.value if isinstance(part, ast.Attribute) else None
        inside = any(part is node for node in ast.walk(self.finder))
        return inside and isinstance(owner, ast.Name) and self.receiver is not None and owner.id == self.receiver[0]

    def is_known(self, part: ast.expr, call: ast.expr) -> bool:
        """Whether a part of the name can be written where the call stands."""
        return self.is_own(part) or any(part is node for node in ast.walk(call))


class Finders:
    """Answers for one project."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def found(self, node: ast.Call) -> Found | None:
        """Return what a call finds, when all it does is seen."""
        finder = self._finder(node.func)
        call = _result(finder) if finder else None
        if finder is None or call is None or self._values.of(call.func) != _GETATTR or len(call.args) != 2:
            return None
        library, parameters = call.args[0], [parameter.arg for parameter in finder.args.args]
        receiver = None
        if isinstance(node.func, ast.Attribute) and self._is_method(finder):
            if not is_plain(node.func.value):
                return None
            receiver = parameters.pop(0), node.func.value
        given = dict(zip(parameters, node.args, strict=False))
        if node.keywords or len(node.args) != len(parameters) or not all(map(is_plain, node.args)):
            return None
        name = _filled(call.args[1], given)
        return Found(finder, library, name, receiver) if self._is_seen(library, node) else None

    def _finder(self, function: ast.expr) -> ast.FunctionDef | None:
        found = [value.function if isinstance(value, Bound) else value for value in self._values.of(function)]
        nodes = {value.node if isinstance(value, Function) else None for value in found}
        node = nodes.pop() if len(nodes) == 1 else None
        if not isinstance(node, ast.FunctionDef) or node.decorator_list:
            return None
        arguments = node.args
        others = (arguments.defaults, arguments.kwonlyargs, arguments.posonlyargs, arguments.vararg, arguments.kwarg)
        return None if any(others) else node

    def _is_method(self, function: ast.FunctionDef) -> bool:
        return isinstance(self._forest.parents[function], ast.ClassDef)

    def _is_seen(self, library: ast.expr, node: ast.expr) -> bool:
        """Whether the name of a library means that where a call stands, too."""
        if not isinstance(library, ast.Name) or not all(isinstance(key, Library) for key in self._keys(library)):
            return False
        return is_seen(library, node, self._forest, self._values)

    def _keys(self, library: ast.expr) -> list[object]:
        found = self._values.of(library)
        return [*keys(found)] if len([*keys(found)]) == len(found) else [None]


def _result(function: ast.FunctionDef) -> ast.Call | None:
    """Return the call that a function consists of."""
    body = [statement for statement in function.body if not _is_text(statement)]
    value = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    return value if isinstance(value, ast.Call) and not value.keywords else None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def is_plain(node: ast.expr) -> bool:
    """Whether an expression gives the same wherever it stands in its statement."""
    return isinstance(node, ast.Constant | ast.Name) or (isinstance(node, ast.Attribute) and is_plain(node.value))


def _filled(node: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """Return the name that a finder computes, with the arguments of a call in their places."""
    if isinstance(node, ast.Name):
        return given.get(node.id, node)
    if isinstance(node, ast.BinOp):
        return ast.BinOp(_filled(node.left, given), node.op, _filled(node.right, given))
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_filled(part, given) for part in node.elts])
    if isinstance(node, ast.JoinedStr):
        return ast.JoinedStr([_filled(part, given) for part in node.values])
    if isinstance(node, ast.FormattedValue):
        return ast.FormattedValue(_filled(node.value, given), node.conversion, node.format_spec)
    return node
