"""Where a program asks of what type a handle is, by isinstance and issubclass."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Hashable, Mapping

from migrate.facts.forest import Forest
from migrate.facts.tokens import Handle, Symbol, handles_among, symbols
from migrate.python.values import Instance, Token, Values

TYPE_TESTS = frozenset({"isinstance", "issubclass"})


def tested_for(
    kind: ast.expr, forest: Forest, values: Values, classes: Container[str]
) -> tuple[frozenset[Hashable], bool]:
    """Return the origins of the handles of which isinstance asks whether they are of a class.

    And whether it asks that of an instance of a class of the program that extends one of the old classes.
    """
    call = forest.parents[kind]
    call = forest.parents[call] if isinstance(call, ast.Tuple) else call
    if not isinstance(call, ast.Call) or getattr(call.func, "id", "") != "isinstance":
        return frozenset(), False
    tested = values.of(call.args[0])
    keys = (value.key for value in tested if isinstance(value, Token))
    bases = (base for value in tested if isinstance(value, Instance) for base in values.bases(value.node))
    origins = frozenset(key.origin for key in keys if isinstance(key, Handle))
    extended = (base.key for base in bases if isinstance(base, Token))
    return origins, any(isinstance(key, Symbol) and key.name in classes for key in extended)


def tested_away(
    forest: Forest, values: Values, is_name: Callable[[ast.expr], bool]
) -> Mapping[str, frozenset[Hashable]]:
    """Return the old names that tests do not spell out but have from elsewhere, each with the origins that are tested.

    From a variable, a table, a parameter.
    """
    found: dict[str, frozenset[Hashable]] = {}
    for _, call in forest.calls(TYPE_TESTS):
        for kind in _kinds(call) if len(call.args) == 2 else ():
            if is_name(kind):
                continue
            own = values.of(kind)
            inside = values.inside(own)
            origins = frozenset(handle.origin for handle in handles_among(values.of(call.args[0])))
            for symbol in {*symbols(own), *symbols(inside), *symbols(values.inside(inside))}:
                found[symbol.name] = found.get(symbol.name, frozenset()) | origins
    return found


def _kinds(call: ast.Call) -> list[ast.expr]:
    kinds = call.args[1]
    return kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
