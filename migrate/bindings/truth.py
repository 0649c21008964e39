"""Where a value of ctypes is tested for truth: a cell is true if its contents are, but a list of one item always is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import Data, Pointer, keys
from migrate.facts.forest import Forest
from migrate.python.values import Bound, External, Function, Plain, Token, Value, Values
from migrate.text.code import Template

_STATEMENTS = (ast.If, ast.While, ast.Assert, ast.IfExp)
_LOOKING = frozenset({"any", "all", "filter", "print", "repr", "str", "format", "sorted", "min", "max", "set", "hash"})


class Truth:
    """Answers for one project."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values
        self._asked: dict[ast.AST, bool] = {}

    def held(self, node: ast.expr) -> Template:
        """Return what is in a cell, for the cell; a template cannot hold the node whose place it takes."""
        found = self._values.of(node)
        others = {value for value in found if not any(isinstance(key, Data) for key in keys([value]))}
        if not re.fullmatch(r"[\w.]+", text := ast.unparse(node)) or not all(map(_is_handle, others)):
            raise NotUnderstood(node, USE)
        if others <= {Plain.NONE}:
            return Template(f"({text} and {text}[0])" if others else f"{text}[0]")
        return Template(f"({text}[0] if isinstance({text}, list) else {text})")

    def is_tested(self, node: ast.expr) -> bool:
        """Whether truth is all that is asked of an expression."""
        above = self._forest.parents[node]
        if isinstance(above, ast.BoolOp):
            return self.is_tested(above)
        if isinstance(above, ast.Lambda):
            return above.body is node and self._is_asked(above)
        if isinstance(above, ast.Return):
            return self._is_asked(self._forest.of(above).function(above))
        negated = isinstance(above, ast.UnaryOp) and isinstance(above.op, ast.Not)
        filtered = isinstance(above, ast.comprehension) and node in above.ifs
        if isinstance(above, ast.Call):
            return above.args == [node] and self._values.of(above.func) == {External("builtins.bool")}
        return negated or filtered or (isinstance(above, _STATEMENTS) and above.test is node)

    def looked_into(self) -> Iterator[tuple[ast.expr, Data]]:
        """Yield the values in what Python's own functions look through: `any([cell, other])`."""
        for _, call in self._forest.nodes(ast.Call):
            found = self._values.of(call.func)
            if any(isinstance(value, External) and value.name.removeprefix("builtins.") in _LOOKING for value in found):
                for argument in call.args:
                    inside = self._values.inside(self._values.of(argument))
                    yield from ((argument, key) for key in keys(inside) if isinstance(key, Data))

    def is_chosen_by(self, node: ast.expr) -> bool:
        """Whether `and` or `or` tests an expression, and may go on with its value."""
        above = self._forest.parents[node]
        return isinstance(above, ast.BoolOp) and above.values[-1] is not node and not self.is_tested(above)

    def is_answered(self, node: ast.expr) -> bool:
        """Whether an expression is the call of a function that is only asked for truth, and so gives what is held."""
        found = self._values.of(node.func) if isinstance(node, ast.Call) else frozenset()
        return bool(found) and all(
            isinstance(function := _function(value), Function) and self._is_asked(function.node) for value in found
        )

    def _is_asked(self, function: ast.AST) -> bool:
        """Whether every call of a function tests what it returns."""
        if function not in self._asked:
            self._asked[function] = False  # for a function that calls itself
            callers = self._values.callers(function)
            is_plain = isinstance(function, ast.Lambda) or (
                isinstance(function, ast.FunctionDef) and not function.decorator_list
            )
            known = is_plain and bool(callers) and not self._values.is_called_from_outside(function)
            self._asked[function] = known and all(self._asks(call, function) for call in callers)
        return self._asked[function]

    def _asks(self, call: ast.expr, function: ast.AST) -> bool:
        found = self._values.of(call.func) if isinstance(call, ast.Call) else frozenset()
        calls = any(isinstance(each := _function(value), Function) and each.node is function for value in found)
        return calls and self.is_tested(call)


def _function(value: Value) -> Value:
    return value.function if isinstance(value, Bound) else value


def _is_handle(value: Value) -> bool:
    return value is Plain.NONE or (isinstance(value, Token) and isinstance(value.key, Pointer))
