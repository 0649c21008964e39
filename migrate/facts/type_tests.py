"""Where a program asks of what type a handle is: by isinstance and issubclass, patterns, `type` and `__class__`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Hashable, Mapping
from functools import cached_property

from migrate.facts.forest import Forest, last_name
from migrate.facts.tokens import Handle, Symbol, handles_among, symbols
from migrate.python.values import External, Instance, Token, Values

TYPE_TESTS = frozenset({"isinstance", "issubclass"})
_TYPE = External("builtins.type")
_ALTERNATIVES = (ast.MatchOr, ast.MatchAs)  # around patterns for the same object


class AskedTypes:
    """Knows the handles of which a program has the type as a value, to compare it with others."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def of_kind(self, kind: str | None) -> frozenset[Hashable]:
        """Return the origins of those handles of a kind."""
        return frozenset(handle.origin for handle in self._handles if handle.kind == kind)

    @cached_property
    def _handles(self) -> frozenset[Handle]:
        if any(self._is_given_on(call) for _, call in self._forest.nodes(ast.Call)):
            return frozenset(handles_among(self._values.tokens))
        asking = (node for kind in (ast.Attribute, ast.Call) for _, node in self._forest.nodes(kind))
        asked = (owner for node in asking if (owner := type_of(node, self._values)) is not None)
        return frozenset(handle for owner in asked for handle in handles_among(self._values.of(owner)))

    def _is_given_on(self, call: ast.Call) -> bool:
        """Whether a function is given `type` itself, which it may call: `map(type, handles)`."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        return last_name(call.func) not in TYPE_TESTS and any(_TYPE in self._values.of(part) for part in given)


def type_of(node: ast.expr, values: Values) -> ast.expr | None:
    """Return the expression of whose value an expression is the type, None for other expressions."""
    match node:
        case ast.Attribute(value=owner, attr="__class__"):
            return owner
        case ast.Call(func=ast.Name("getattr"), args=[owner, ast.Constant("__class__"), *_]):
            return owner
        case ast.Call(args=[owner]) if _TYPE in values.of(node.func):
            return owner
    return None


def tested_for(
    kind: ast.expr, forest: Forest, values: Values, classes: Container[str]
) -> tuple[frozenset[Hashable], bool]:
    """Return the origins of the handles of which isinstance or a pattern asks whether they are of a class.

    And whether it asks that of an instance of a class of the program that extends one of the old classes.
    """
    subject = _tested(kind, forest)
    if subject is None:
        return frozenset(), False
    tested = values.of(subject)
    keys = (value.key for value in tested if isinstance(value, Token))
    bases = (base for value in tested if isinstance(value, Instance) for base in values.bases(value.node))
    origins = frozenset(key.origin for key in keys if isinstance(key, Handle))
    extended = (base.key for base in bases if isinstance(base, Token))
    return origins, any(isinstance(key, Symbol) and key.name in classes for key in extended)


def _tested(kind: ast.expr, forest: Forest) -> ast.expr | None:
    """Return what isinstance, or a pattern for all of it, asks whether it is of a class."""
    test = forest.parents[kind]
    if isinstance(test, ast.MatchClass):
        match, is_part = matched(test, forest)
        return None if is_part else match.subject
    call = forest.parents[test] if isinstance(test, ast.Tuple) else test
    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "isinstance":
        return call.args[0]
    return None


def matched(pattern: ast.MatchClass, forest: Forest) -> tuple[ast.Match, bool]:
    """Return the statement of a pattern, and whether the pattern is for a part of its subject only."""
    around = next(above for above in forest.above(pattern) if not isinstance(above, _ALTERNATIVES))
    match = next(above for above in forest.above(pattern) if isinstance(above, ast.Match))
    return match, forest.parents[around] is not match


def is_part_of_pattern(kind: ast.expr, forest: Forest) -> bool:
    """Whether a pattern asks of a part of something whether it is of a class: `case [Endpoint(), _]`."""
    return isinstance(forest.parents[kind], ast.MatchClass) and _tested(kind, forest) is None


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
