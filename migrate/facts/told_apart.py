"""Which tokens a program distinguishes: they, or what holds them, are compared, or found by their hashes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from migrate.facts.compared import Place, Side, keyed, places
from migrate.facts.forest import Forest
from migrate.facts.presumed import presumed
from migrate.facts.tokens import Handle, Method, Symbol
from migrate.facts.views import Views
from migrate.python.values import Collection, Plain, Token, Value, Values


class ToldApart:
    """Answers for functions, methods and classes of the old API, and for handles, which may be equal now."""

    def __init__(self, forest: Forest, values: Values, views: Views) -> None:
        self._forest, self._values, self.views = forest, values, views
        self._places = [*places(forest, values), *self._keyed()]

    @cached_property
    def names(self) -> Mapping[Token, list[ast.AST]]:
        """Where functions, methods and classes are distinguished."""
        found: dict[Token, list[ast.AST]] = {}
        for place in self._places:
            for token in self._told(place, _is_name):
                found.setdefault(token, []).append(self._node(place, token))
        return found

    @cached_property
    def compared(self) -> frozenset[Token]:
        """The same, and those that are only compared with what is not followed: `type(ep) in (Endpoint, Device)`."""
        sides = (self._within(side, place, _is_name) for place in self._places for side in place.sides)
        return frozenset(token for side in sides for token in side)

    @cached_property
    def devices(self) -> Sequence[tuple[ast.AST, Sequence[Token]]]:
        """Where devices are distinguished by what they are equal to, each with those that meet there."""
        told = ((place, list(self._told(place, _is_device))) for place in self._places if place.is_deep)
        return [(self._node(place, tokens[0]), tokens) for place, tokens in told if tokens]

    @cached_property
    def shown(self) -> Sequence[tuple[ast.AST, Sequence[Token]]]:
        """Where a context is distinguished from its client, or a task from what it is shown as, with what meets."""
        places = (*self._places, *presumed(self._forest, self._values)) if self.views.pairs else ()
        told = ((place, list(self._told(place, _is_any_handle))) for place in places)
        return [(self._node(place, tokens[0]), tokens) for place, tokens in told if self.views.meet(tokens)]

    def _node(self, place: Place, token: Token) -> ast.AST:
        """Return a node of the text: of a collection that Python makes by itself, where a token is named."""
        return place.node if place.node in self._forest.parents else self._values.uses(token)[0]

    def _told(self, place: Place, is_wanted: Callable[[Token], bool]) -> Iterable[Token]:
        """Return what is distinguished in a place: nothing if it is compared with something that certainly differs."""
        sides = [self._within(side, place, is_wanted) for side in place.sides]
        if place.is_paired and not all(map(_may_be_equal, sides, place.sides)):
            return ()
        return dict.fromkeys(token for side in sides for token in side)

    def _within(self, side: Side, place: Place, is_wanted: Callable[[Token], bool]) -> list[Token]:
        """Return the tokens that a side is, or that are in what it compares."""
        tokens = [value for value in side if isinstance(value, Token)]
        if place.is_deep:
            tokens += [token for value in side for token in self._values.held.get(value, ())]
        return list(filter(is_wanted, tokens))

    def _keyed(self) -> Iterator[Place]:
        """Yield the keys of dictionaries and items of sets: not those of a display that is gone through only."""
        for collection, place in keyed(self._forest, self._values):
            rows = len(place.sides)
            if rows != len(getattr(collection.node, "keys", ())) or not self._is_gone_through(collection):
                yield place

    def _is_gone_through(self, collection: Collection) -> bool:
        """Whether nothing but `items` is asked of a display, where it stands or by the name of a local variable."""
        table = collection.node
        if not isinstance(table, ast.Dict) or table not in self._forest.parents:
            return False
        above = self._forest.parents[table]
        if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name):
            variable = self._forest.of(above).of[above.targets[0]]
            is_local = isinstance(variable.scope.node, ast.FunctionDef | ast.AsyncFunctionDef)
            return is_local and all(self._asks_for_items(load) for load in variable.loads)
        return self._asks_for_items(table)

    def _asks_for_items(self, table: ast.AST) -> bool:
        asked = self._forest.parents[table]
        return isinstance(asked, ast.Attribute) and asked.attr == "items"


def _is_name(token: Token) -> bool:
    return isinstance(token.key, Method) or bool(isinstance(token.key, Symbol) and token.key.name)


def _is_any_handle(token: Token) -> bool:
    return isinstance(token.key, Handle)


def _is_device(token: Token) -> bool:
    return isinstance(token.key, Handle) and token.key.kind == "device"


def _may_be_equal(tokens: Iterable[Value], side: Side) -> bool:
    return bool(tokens) or not side or Plain.UNKNOWN in side
