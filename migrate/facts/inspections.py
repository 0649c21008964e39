"""Where a program inspects a handle: calls that show, copy or change objects, or look up a name."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeAlias

from migrate.facts.comparisons import INSPECTED, with_items
from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.introspection import first_constant, key_of
from migrate.facts.references import References
from migrate.facts.shown import Shown
from migrate.facts.tokens import Handle, Method, Symbol, handles_among
from migrate.python._looping import beginning
from migrate.python.known_calls import LOOKING_UP, NAMESPACES, SHOWING
from migrate.python.values import Bound, Collection, External, Instance, Partial, Plain, Token, Value, Values

LOST, COMPUTED = "CCM033", "CCM005"
OF_METHODS = frozenset({"__qualname__", "__func__", "__self__"})
_CHANGING = frozenset({"setattr", "delattr", "object"})  # their first argument (mock.patch.object)
_INSPECTING = _CHANGING | {"vars", "dir", "copy", "deepcopy", "dump", "dumps", "WeakMethod"}
_INSPECTING |= {"signature", "getfullargspec", "getdoc", "getmembers", "ismethod", "isfunction", "isbuiltin"}
_BY_NAME = frozenset({External("operator.methodcaller"), External("operator.attrgetter")})
_GETATTR = External("builtins.getattr")
_LOOKED_AT = SHOWING | _INSPECTING

OF_MESSAGES = frozenset({"data", "connection", "reply"})  # attributes of a Message, which no tuple has

Inspected: TypeAlias = "tuple[Iterable[Hashable], ast.AST, str]"  # origins of handles, the place, the code of why


class Inspections:
    """Finds the handles that an expression looks into."""

    def __init__(self, forest: Forest, values: Values, api: OldApi, references: References, shown: Shown) -> None:
        self._forest, self._values, self._api, self._references = forest, values, api, references
        self._shown = shown

    def of(self, node: ast.Call | ast.FormattedValue | ast.BinOp) -> Iterator[Inspected]:
        """Yield the handles that a call, a place in an f-string or `%` looks into."""
        if isinstance(node, ast.Call):
            yield from self._namespace(node)
            yield from self._looked_up(node)
            yield from self._received(node)
            yield from self._stored(node)
            yield from self._given(node)
        elif isinstance(node, ast.FormattedValue):
            yield from self._show(node.value, node.value)
        elif isinstance(node.op, ast.Mod):
            for part in node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]:
                yield from self._show(part, part)

    def _namespace(self, node: ast.Call) -> Iterator[Inspected]:
        """Yield the handles of the variables that are looked up in globals(), or locals() with its own."""
        above = self._forest.parents[node]
        asks = last_name(node.func) in NAMESPACES and not node.args
        if not asks or not isinstance(above, ast.Subscript | ast.Attribute):
            return
        key = key_of(above, self._forest)
        prefix = beginning(key)[0] if key else ""
        names = self._forest.of(node)
        own = names.scope(node).variables if last_name(node.func) != "globals" else {}
        for name in {**names.module.variables, **own}:
            if name.startswith(prefix) and (not isinstance(key, ast.Constant) or key.value == name):
                yield _origins(named(node, name, self._forest, self._values)), node, COMPUTED

    def _looked_up(self, node: ast.Call) -> Iterator[Inspected]:
        """Yield the handles of which an attribute is looked up by a name, or the type is asked."""
        name = last_name(node.func)
        if not _BY_NAME.isdisjoint(self._values.of(node.func)):
            texts = {str(part.value).partition(".")[0] for part in node.args if isinstance(part, ast.Constant)}
            found = ((*self._having(text), *self._references.reached(Symbol(text))) for text in texts)
            yield [origin for origins in found for origin in origins], node, COMPUTED
        if any(map(self._is_partial, self._values.of(node.func))):
            yield from ((origins, node, COMPUTED) for origins in self._reached(node))
        if node in self._references.computed:
            return
        if not node.args or node in self._references.calls or name not in LOOKING_UP | {"type"}:
            return
        origins, asked = _origins(self._values.of(node.args[0])), first_constant(node.args[1:2])
        if name == "type":
            yield origins, node, INSPECTED
        elif asked in OF_METHODS | {"__name__"}:
            if asked != "__name__" and not self._forest.is_in_message(node):
                yield origins, node, INSPECTED
        else:
            yield from ((found, node, COMPUTED) for found in (origins, *self._reached(node)))

    def _reached(self, taken: ast.Call) -> Iterator[frozenset[Hashable]]:
        """Yield the origins of the handles that what a call gives is called with, or makes."""
        for value in self._values.of(taken):
            if isinstance(value, Token) and isinstance(value.key, Symbol | Method):
                yield self._references.reached(value.key)

    def _is_partial(self, function: Value) -> bool:
        """Whether a function is `functools.partial(getattr, ...)`."""
        made = function.node if isinstance(function, Partial) else None
        return isinstance(made, ast.Call) and bool(made.args) and _GETATTR in self._values.of(made.args[0])

    def _having(self, name: str) -> Iterator[Hashable]:
        """Yield the origins of all handles that have a method of some name."""
        keys = (token.key for token in self._values.tokens if isinstance(token.key, Handle))
        return (key.origin for key in keys if (key.kind, name) in self._api.vocabulary.methods)

    def _received(self, node: ast.Call) -> Iterator[Inspected]:
        """Yield the handles of a call of the objects spelling whose tuple is asked for its type or attributes."""
        asks = last_name(node.func) in LOOKING_UP | {"type"}
        for origins in self.messages(node.args[0]) if asks and node.args else ():
            yield origins, node, INSPECTED

    def messages(self, node: ast.expr) -> Iterator[Iterable[Hashable]]:
        """Yield the origins of the handles whose calls gave the tuple that an expression is, a Message now."""
        for value in self._values.of(node):
            made = value.node if isinstance(value, Collection) else None
            call = self._references.calls.get(made) if isinstance(made, ast.Call) else None
            if call is not None and not call.returns_code and "msg" in call.results:
                yield self._api.sites.get(call.node, ())

    def _stored(self, node: ast.Call) -> Iterator[Inspected]:
        """Yield the handles that are stored under names that are not written, so they cannot be followed."""
        given = _arguments(node)
        if isinstance(node.func, ast.Attribute) and getattr(node.func.value, "attr", "") == "__dict__":
            for part in given:
                yield _origins(held(part, self._values)), node, LOST
        if last_name(node.func) == "setattr" and first_constant(node.args[1:2]) is None and given:
            owners = self._values.of(node.args[0]) if node.args else frozenset()
            if not all(isinstance(owner, Instance | Collection) for owner in owners):
                yield _origins(held(given[-1], self._values)), node, LOST

    def _given(self, node: ast.Call) -> Iterator[Inspected]:
        """Yield the handles that one of Python's own functions shows, copies or changes."""
        name = last_name(node.func)
        if name not in _LOOKED_AT or node in self._references.calls:
            return
        if not all(map(_is_pythons, self._values.of(node.func))):
            return
        for part in _arguments(node)[: 1 if name in _CHANGING else None]:
            if name in SHOWING:
                yield from self._show(part, node)
            else:
                yield _origins(held(part, self._values)), node, INSPECTED

    def _show(self, shown: ast.expr, place: ast.AST) -> Iterator[Inspected]:
        """Yield the handles whose text an expression certainly is, or that it holds, and those that it may be."""
        for handle, where, code in self._shown.by(shown, place):
            yield _origins([handle]), where, code


def held(node: ast.expr, values: Values) -> frozenset[Value]:
    """Return what an expression can be, and what is in it when it is a collection; slices are not followed."""
    is_slice = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return frozenset() if is_slice else with_items(node, values)


def named(node: ast.AST, name: str, forest: Forest, values: Values) -> frozenset[Value]:
    """Return what a name means where a node stands."""
    bindings = forest.of(node).scope(node).find(name).bindings
    return values.of_target(bindings[0]) if bindings else frozenset()


def _is_pythons(function: Value) -> bool:
    """Whether a function is one of Python's own, or a method of what is."""
    called = function.function if isinstance(function, Bound) else function
    return isinstance(called, External | Plain)


def _arguments(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _origins(values: Iterable[Value]) -> list[Hashable]:
    return [handle.origin for handle in handles_among(values)]
