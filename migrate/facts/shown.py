"""Which handles the text of an expression shows: its own, and those in collections and records."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from migrate.facts.forest import Forest
from migrate.facts.handles import is_handle
from migrate.python.values import Bound, Collection, Function, Instance, Plain, Value, Values

SHOWN, MAY_BE_SHOWN = "CCM081", "CCM085"
_TAKING = frozenset({"pop", "popitem", "popleft", "clear", "remove", "discard"})


class Shown:
    """Finds the handles that a text shows, with the code for each."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values
        self._known: dict[Value, list[tuple[Value, bool]]] = {}
        owners = [node.value for _, node in forest.nodes(ast.Attribute) if node.attr in _TAKING]
        for _, statement in forest.nodes(ast.Delete):
            owners += [target.value for target in statement.targets if isinstance(target, ast.Subscript)]
        # Collections from which something is taken: what they hold may be gone.
        self._shrinking = frozenset[Value]().union(*map(values.of, owners))

    def by(self, node: ast.expr, place: ast.AST) -> Iterator[tuple[Value, ast.AST, str]]:
        """Yield the handles that the text of an expression shows, or may show, and the place to name.

        That is the argument of a call where a helper shows whatever it is given.
        """
        todo, seen = [(node, place)], {node}
        while todo:
            shown, where = todo.pop()
            handles = self._among(self._values.of(shown))
            for handle, maybe in handles:
                yield handle, where, MAY_BE_SHOWN if maybe else SHOWN
            if not handles:
                given = [argument for argument in self._given(shown) if argument not in seen]
                todo += [(argument, argument) for argument in given]
                seen.update(given)

    def _given(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield what calls of a function give for the parameter that an expression is."""
        name = node.value if isinstance(node, ast.Starred) else node
        variable = self._forest.of(name).of.get(name) if isinstance(name, ast.Name) else None
        for parameter in variable.bindings if variable else ():
            if isinstance(parameter, ast.arg):
                function = self._forest.of(parameter).function(parameter)
                for call in self._values.callers(function):
                    if isinstance(call, ast.Call) and self._calls(call, function):
                        yield from _arguments(call, function.args, parameter)  # type: ignore[attr-defined]

    def _calls(self, call: ast.Call, function: ast.AST) -> bool:
        """Whether a call calls a function itself, as no other function would do with its own arguments."""
        called = (value.function if isinstance(value, Bound) else value for value in self._values.of(call.func))
        return any(isinstance(value, Function) and value.node is function for value in called)

    def _is_one_kind(self, values: Set[Value]) -> bool:
        return all(is_handle(value) or isinstance(value, Collection | Instance) for value in values)

    def _among(self, values: frozenset[Value]) -> list[tuple[Value, bool]]:
        """Return the handles that some values show, and whether another of them shows none.

        Where anything else may stand as well, most likely values that a program keeps apart have met.
        """
        known = values - {Plain.NONE}
        if not self._is_one_kind(known):
            return []
        found = [self._in(value) for value in known]
        others = Plain.NONE in values or not all(found) or not self._shrinking.isdisjoint(known)
        return [(handle, maybe or others) for handles in found for handle, maybe in handles]

    def _in(self, value: Value) -> list[tuple[Value, bool]]:
        if not isinstance(value, Collection | Instance):
            return [(value, False)]
        if value not in self._known:
            self._known[value] = []  # of one that holds itself
            self._known[value] = [found for part in self._values.shown(value) for found in self._among(part)]
        return self._known[value]


def _arguments(call: ast.Call, parameters: ast.arguments, wanted: ast.arg) -> Iterator[ast.expr]:
    """Yield the arguments of a call that fill a parameter."""
    named = [*parameters.posonlyargs, *parameters.args]
    is_method = isinstance(call.func, ast.Attribute) and bool(named) and named[0].arg in ("self", "cls")
    places = named[is_method:]
    if wanted in places:
        yield from call.args[(index := places.index(wanted)) : index + 1]
    elif wanted is parameters.vararg:
        yield from call.args[len(places) :]
    by_name = wanted is parameters.kwarg
    yield from (word.value for word in call.keywords if word.arg == wanted.arg or by_name)
