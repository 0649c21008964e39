"""Helpers that make a C value of a type that they are given: given the value instead, `get("uint8_t *", function)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from migrate.bindings.seen import is_seen
from migrate.bindings.tokens import Member, keys
from migrate.facts.forest import Forest
from migrate.python.values import Function, Values


class Hoisted(NamedTuple):
    """A call of `ffi.new` with a parameter, and what the callers give for that."""

    made: ast.Call
    parameter: ast.Name
    given: Sequence[ast.Constant]


class Hoisting:
    """Finds the helpers of one project whose callers are all seen, and write the type out."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def found(self) -> Iterator[Hoisted]:
        """Yield every call of `ffi.new` that may as well be made by the callers."""
        for _, node in self._forest.nodes(ast.Call):
            members = [key for key in keys(self._values.of(node.func)) if isinstance(key, Member)]
            kind = node.args[0] if len(node.args) == 1 and not node.keywords else None
            is_new = bool(members) and all(member.name == "new" for member in members)
            if is_new and isinstance(kind, ast.Name) and (given := self._given(node, kind)):
                yield Hoisted(node, kind, given)

    def _given(self, node: ast.Call, kind: ast.Name) -> Sequence[ast.Constant]:
        names = self._forest.of(node)
        variable, function = names.of[kind], names.function(node)
        plain = isinstance(function, ast.FunctionDef) and not function.decorator_list
        if (
            not plain
            or not isinstance(function, ast.FunctionDef)
            or function.args.defaults
            or function.args.posonlyargs
        ):
            return ()
        if len(variable.loads) != 1 or len(variable.bindings) != 1 or self._is_nested(function):
            return ()
        if variable.bindings[0] not in function.args.args or self._is_in_loop(node, function):
            return ()
        place = function.args.args.index(variable.bindings[0])
        calls = self._calls(function)
        given = [call.args[place] for call in calls or () if len(call.args) > place]
        written = [argument for argument in given if isinstance(argument, ast.Constant)]
        stars = any(isinstance(argument, ast.Starred) for call in calls or () for argument in call.args[:place])
        seen = calls and len(written) == len(calls) and not stars and all(self._is_seen(node.func, c) for c in calls)
        return written if seen else ()

    def _is_nested(self, function: ast.FunctionDef) -> bool:
        return not isinstance(self._forest.parents[function], ast.Module)

    def _is_in_loop(self, node: ast.expr, function: ast.AST) -> bool:
        """Whether one call of the helper may make several values."""
        loops = (ast.For, ast.While, ast.comprehension, ast.Lambda, ast.GeneratorExp, ast.ListComp)
        above = [*self._forest.above(node)]
        return any(isinstance(place, loops) for place in above[: above.index(function)])

    def _calls(self, function: ast.FunctionDef) -> list[ast.Call] | None:
        """Return every call of a function; None where it is used otherwise."""
        if self._values.is_called_from_outside(function):
            return None
        uses: list[ast.expr] = [node for _, node in self._forest.nodes(ast.Name) if isinstance(node.ctx, ast.Load)]
        uses += [node for _, node in self._forest.nodes(ast.Attribute)]
        calls = []
        for use in uses:
            found = self._values.of(use)
            if any(isinstance(value, Function) and value.node is function for value in found):
                call = self._forest.parents[use]
                if len(found) > 1 or not isinstance(call, ast.Call) or call.func is not use:
                    return None
                calls.append(call)
        return calls

    def _is_seen(self, new: ast.expr, call: ast.Call) -> bool:
        """Whether `ffi.new` means the same where a call stands."""
        owner = new.value if isinstance(new, ast.Attribute) else None
        return isinstance(owner, ast.Name) and is_seen(owner, call, self._forest, self._values)
