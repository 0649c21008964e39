"""Where numbers of the old API are compared by `is`: result codes, states, counters and flags are members of enums now.

An old one is a small int, the same object as any equal int; a member is the same object as itself only.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeAlias

from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.references import Reference, References
from migrate.facts.tokens import Code, Symbol
from migrate.old_api._tables import MEMBERS
from migrate.python.values import Bound, External, Function, Plain, Token, Value, Values

Pair: TypeAlias = "tuple[ast.expr, ast.expr]"

_ASSERTED = frozenset({"assertIs", "assertIsNot"})
_CALLED = frozenset({External("operator.is_"), External("operator.is_not")})
# In the objects spelling these give members of enums, which were never the same object as an int.
_GIVING_MEMBERS = frozenset({"doca_ctx_get_state", "doca_ctx_start", "doca_ctx_stop", "doca_task_get_status"})


@dataclass
class Identity:
    """What a reference brings to comparisons by identity.

    equal: those that ask for the same by `==`, with the places of the operators that do. is_told: whether another
    place may tell the member from the number.
    """

    equal: dict[ast.Compare, set[int]] = field(default_factory=dict)
    is_told: bool = False


class Identities:
    """Finds the comparisons by identity of what changes with what does not; `of` has them by the references."""

    def __init__(
        self, forest: Forest, values: Values, api: OldApi, references: References, numbers: frozenset[str]
    ) -> None:
        """numbers: the constants that are shown as numbers, and stay such except where they are compared."""
        self._forest, self._values, self._numbers = forest, values, numbers
        self._members = any(
            call.function in _GIVING_MEMBERS and call.spelling == "objects" for call in references.calls.values()
        )
        self.of: dict[Reference, Identity] = {}
        places: dict[ast.Compare, set[int]] = {}
        found = [(pair, node, at) for pair, node, at in (*self._compared(), *self._given()) if self._differ(pair)]
        by_key = _by_key(references.found, api) if found else {}
        for pair, node, at in found:
            is_exact = isinstance(node, ast.Compare) and not self._is_inexact(pair)
            for reference in self._bringing(pair, by_key):
                identity = self.of.setdefault(reference, Identity())
                if isinstance(node, ast.Compare) and is_exact and forest.path(node) == reference.path:
                    identity.equal[node] = places.setdefault(node, set())
                    places[node].add(at)
                else:
                    identity.is_told = True

    def _compared(self) -> Iterator[tuple[Pair, ast.expr, int]]:
        """Yield the operands of every `is` and `is not`, with the place of the operator."""
        for _, node in self._forest.nodes(ast.Compare):
            pairs = pairwise([node.left, *node.comparators])
            for at, (pair, operator) in enumerate(zip(pairs, node.ops, strict=True)):
                if isinstance(operator, ast.Is | ast.IsNot):
                    yield pair, node, at

    def _given(self) -> Iterator[tuple[Pair, ast.expr, int]]:
        """Yield what calls compare so."""
        for _, call in self._forest.nodes(ast.Call):
            if len(call.args) > 1 and (last_name(call.func) in _ASSERTED or self._values.of(call.func) & _CALLED):
                yield (call.args[0], call.args[1]), call, 0

    def _differ(self, pair: Pair) -> bool:
        """Whether one operand may be a member of an enum now, and the other one something else that was equal."""
        sides = [self._in(node) for node in pair]
        if any(side == {Plain.NONE} or _is_no_number(node) for node, side in zip(pair, sides, strict=True)):
            return False
        if all(any(map(_is_object, side)) for side in sides):
            return False  # more likely it is about these, which are told apart as before
        changing = [[_is_changing(value) for value in side] for side in sides]
        numbers = any(_key(value) in self._numbers for side in sides for value in side)
        return any(map(any, changing)) and (numbers or not all(part and all(part) for part in changing))

    def _in(self, node: ast.expr) -> frozenset[Value]:
        """Return what an operand can be, and what it is calculated from: flags that are joined are flags."""
        operands = (operand for part in self._behind(node) for operand in _operands(part))
        return self._values.of(node).union(*map(self._values.of, operands))

    def _bringing(self, pair: Pair, by_key: Mapping[Hashable, Sequence[Reference]]) -> Iterator[Reference]:
        """Yield the references that bring what changes: an operand itself, or any that may be behind it."""
        for node in pair:
            keys = [node] if node in by_key else map(_key, filter(_is_changing, self._in(node)))
            for key in keys:
                yield from by_key.get(key, ())

    # ------------------------------------------------------------------ what `==` would not tell apart

    def _is_inexact(self, pair: Pair) -> bool:
        """Whether an operand may be equal to a number that it never was: a boolean, or a member of an enum."""
        return self._members or any(self._may_be_bool(node) or self._may_be_member(node) for node in pair)

    def _may_be_member(self, node: ast.expr) -> bool:
        """Whether an operand may be what an exception of the old API has as its code."""
        keys = map(_key, self._values.of(node))
        return any(isinstance(key, str) and key not in MEMBERS for key in keys)

    def _may_be_bool(self, node: ast.expr) -> bool:
        """Whether True or False is seen to be stored in a variable, or to be what a function returns."""
        return any(isinstance(part, ast.Constant) and isinstance(part.value, bool) for part in self._behind(node))

    def _behind(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield an operand, what is stored in it where it is a variable, and what a function returns that it calls."""
        yield node
        if isinstance(node, ast.Name):
            stores = (self._forest.parents[binding] for binding in self._forest.of(node).of[node].bindings)
            yield from (store.value for store in stores if isinstance(store, ast.Assign | ast.AugAssign))
        for value in self._values.of(node.func) if isinstance(node, ast.Call) else ():
            function = value.function if isinstance(value, Bound) else value
            if isinstance(function, Function):
                returns = (part for part in ast.walk(function.node) if isinstance(part, ast.Return))
                yield from (part.value for part in returns if part.value)


def _is_no_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is not int


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what an expression is calculated from, or itself."""
    if isinstance(node, ast.BinOp):
        yield from _operands(node.left)
        yield from _operands(node.right)
    else:
        yield node


def _is_object(value: Value) -> bool:
    """Whether a value is no number: a handle, a collection, an object of the program's own."""
    return not isinstance(value, Plain) and _key(value) is None


def _is_changing(value: Value) -> bool:
    """Whether a value was an int and is a member of an enum now."""
    key = _key(value)
    return isinstance(key, ast.expr) or key in MEMBERS


def _key(value: Value) -> ast.expr | str | None:
    """Return the call that gives a code, or the name of a constant or of an error with a code."""
    key = value.key if isinstance(value, Token) else None
    return key.node if isinstance(key, Code) else key.name if isinstance(key, Symbol) else None


def _by_key(references: Sequence[Reference], api: OldApi) -> Mapping[Hashable, Sequence[Reference]]:
    """Return references by their nodes, their calls and names; by a call of what is no name those of its function."""
    found: dict[Hashable, list[Reference]] = {}
    for reference in references:
        for key in (reference.node, reference.call.node if reference.call else reference.name):
            found.setdefault(key, []).append(reference)
    away: dict[Hashable, list[Reference]] = {}
    for called, sites in api.reached.items():
        for site in sites if isinstance(called, Symbol) else ():
            away.setdefault(site, []).extend(found.get(getattr(called, "name", ""), ()))
    return {**away, **found}
