"""Where it is asked of what class a handle is, and the answer changes: a context or task is its own client now."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from migrate.facts.dispatched import generics, registered
from migrate.facts.forest import Forest, last_name
from migrate.facts.tokens import Handle, handles_among, is_handle, symbols
from migrate.facts.type_tests import TYPE_TESTS, matched
from migrate.facts.views import Views
from migrate.python.values import Collection, External, Function, Instance, Token, Value, Values

_TESTS = frozenset(External(f"builtins.{name}") for name in TYPE_TESTS)


class _Test(NamedTuple):
    """A place where handles are asked whether they are of classes for some kinds."""

    node: ast.AST
    asked: Iterable[Handle]
    kinds: Set[str]


class ClassTests:
    """Finds isinstance and issubclass, patterns and functions that are chosen by a class."""

    def __init__(self, forest: Forest, values: Values, views: Views, classes: Mapping[str, str]) -> None:
        """classes: the old ones, with the kinds of handles."""
        self._forest, self._values, self._views, self._classes = forest, values, views, classes

    def changing(self) -> Iterator[tuple[ast.AST, Sequence[Token]]]:
        """Yield the tests of which the answer changes, each with the handles for which it does."""
        if not self._views.pairs:
            return
        for node, asked, kinds in (*self._called(), *self._patterns(), *self._dispatched()):
            found = [handle for handle in asked if self._changes(handle, kinds)]
            if found:
                yield node, [Token(handle) for handle in found]

    def _changes(self, handle: Handle, kinds: Set[str]) -> bool:
        return handle.kind not in kinds and not kinds.isdisjoint(self._views.others(handle))

    def _called(self) -> Iterator[_Test]:
        for _, call in self._forest.nodes(ast.Call):
            called = last_name(call.func)
            if len(call.args) == 2 and (called in TYPE_TESTS or not _TESTS.isdisjoint(self._values.of(call.func))):
                subject = self._values.of(call.args[0])
                of_classes = self._of_kinds(self._kinds(subject))
                yield _Test(call, [*handles_among(filter(is_handle, subject)), *of_classes], self._asked(call.args[1]))

    def _patterns(self) -> Iterator[_Test]:
        for _, pattern in self._forest.nodes(ast.MatchClass):
            match, is_part = matched(pattern, self._forest)
            subject = self._values.of(match.subject)
            asked = self._within(subject) if is_part else subject
            either = self._forest.parents[pattern]
            patterns = either.patterns if isinstance(either, ast.MatchOr) else [pattern]
            plain = [each for each in patterns if isinstance(each, ast.MatchClass) and not _has_parts(each)]
            kinds = frozenset[str]().union(*(self._asked(each.cls) for each in (pattern, *plain)))
            yield _Test(pattern, handles_among(filter(is_handle, asked)), kinds)

    def _dispatched(self) -> Iterator[_Test]:
        """Yield the classes for which functions of functools.singledispatch are registered."""
        kinds: dict[Value, set[str]] = {}
        places: dict[Value, list[ast.AST]] = {}
        for expression in (ast.Name, ast.Attribute):
            for _, node in self._forest.nodes(expression):
                own = self._kinds(self._values.of(node))
                for generic in generics(node, self._forest, self._values) if own else ():
                    kinds.setdefault(generic, set()).update(own)
                    places.setdefault(generic, []).append(node)
        for generic, nodes in places.items():
            for handle in handles_among(filter(is_handle, self._taken(generic))):
                # The function of a more special class comes first, even where the general one has its own.
                narrow = kinds[generic] - ({handle.kind} & self._views.shown)
                yield from (_Test(node, [handle], narrow) for node in nodes)

    def _taken(self, generic: Value) -> Iterator[Value]:
        """Yield what the functions of a generic one are called with."""
        for node in registered(generic, self._forest, self._values):
            for function in self._values.of(node) if isinstance(node, ast.expr) else [Function(node)]:
                parameters = ast.walk(function.node.args) if isinstance(function, Function) else ()
                for parameter in parameters:
                    yield from self._values.of_target(parameter) if isinstance(parameter, ast.arg) else ()

    # ------------------------------------------------------------------ kinds

    def _asked(self, classes: ast.expr) -> Set[str]:
        """Return the kinds of the classes that an expression is, or that are in it."""
        own = self._values.of(classes)
        inside = self._values.inside(own)
        parts = [part for node in ast.walk(classes) if isinstance(node, ast.BinOp) for part in (node.left, node.right)]
        joined = frozenset[Value]().union(*map(self._values.of, parts))
        return self._kinds(own | inside | self._values.inside(inside) | joined)

    def _kinds(self, values: Iterable[Value]) -> Set[str]:
        return {self._classes[symbol.name] for symbol in symbols(values) if symbol.name in self._classes}

    def _of_kinds(self, kinds: Set[str]) -> list[Handle]:
        handles = handles_among(filter(is_handle, self._values.tokens)) if kinds else []
        return [handle for handle in handles if handle.kind in kinds]

    def _within(self, values: Iterable[Value]) -> Set[Value]:
        """Return what is in collections and in fields of objects, and in what is in these."""
        found, todo = set[Value](), list(values)
        while todo:
            value = todo.pop()
            if value not in found:
                found.add(value)
                todo += self._values.elements(value) if isinstance(value, Collection) else ()
                fields = self._values.fields.items() if isinstance(value, Instance) else ()
                todo += [item for (owner, _), held in fields if owner is value.node for item in held]  # type: ignore[union-attr]
        return found


def _has_parts(pattern: ast.MatchClass) -> bool:
    return bool(pattern.patterns or pattern.kwd_patterns)
