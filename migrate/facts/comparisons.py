"""Where a program distinguishes values: by `==`, as keys and in sets, by the methods that they have."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

from migrate.facts.class_tests import ClassTests
from migrate.facts.forest import Forest
from migrate.facts.tokens import Handle, Method, handles_among
from migrate.facts.told_apart import ToldApart
from migrate.facts.type_tests import type_of
from migrate.python.values import Class, External, Value, Values

EQUAL_DEVICES, INSPECTED = "CCM086", "CCM082"
_PROTOCOLS = frozenset({External("typing.Protocol"), External("typing_extensions.Protocol")})
_BY_METHODS = ("collections.abc.", "typing.", "contextlib.Abstract")  # classes that ask for methods, but for one:
_EVERYTHING = frozenset({External("collections.abc.Hashable"), External("typing.Hashable")})
_ENTERED = frozenset({"device", "representor"})
_REPEATING = (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.comprehension)


class Found(NamedTuple):
    """Handles that are distinguished, with the code of what may differ."""

    values: Iterable[Value]
    node: ast.AST
    code: str


def found(forest: Forest, values: Values, told: ToldApart, classes: Mapping[str, str]) -> Iterator[Found]:
    """Yield handles that were different objects and may be equal now, methods, and handles asked for a protocol.

    classes: the old ones, with the kinds of handles.
    """
    for token, nodes in told.names.items():
        for node in nodes if isinstance(token.key, Method) else ():
            yield Found([token], node, INSPECTED)
    for node, devices in told.devices:
        origins = _opened({handle.origin for handle in handles_among(devices)}, values)
        if not _are_apart(origins, forest):
            yield Found(devices, node, EQUAL_DEVICES)
    for node, handles in (*told.shown, *ClassTests(forest, values, told.views, classes).changing()):
        yield Found(handles, node, INSPECTED)
    yield from _refused(forest, values)
    for _, call in forest.calls(("iter", "isinstance")):
        if getattr(call.func, "id", "") == "iter" and call.args:
            yield Found(values.of(call.args[0]), call, INSPECTED)
        asks = getattr(call.func, "id", "") == "isinstance" and len(call.args) == 2
        kinds = with_items(call.args[1], values) if asks else ()
        if asks and (any(_asks_for_methods(kind, values) for kind in kinds) or _is_as(call.args[1], values)):
            yield Found(values.of(call.args[0]), call, INSPECTED)


def _is_as(kind: ast.expr, values: Values) -> bool:
    """Whether a class is that of a handle: `type(ep)`, which stays as it is."""
    owner = type_of(kind, values)
    return owner is not None and bool(handles_among(values.of(owner)))


def _refused(forest: Forest, values: Values) -> Iterator[Found]:
    """Yield the handles that are entered or gone through, which old ones refuse."""
    loops = [(loop.iter, frozenset[str]()) for _, loop in forest.nodes(ast.For)]
    loops += [(loop.iter, frozenset[str]()) for _, loop in forest.nodes(ast.comprehension)]
    entered = [(item.context_expr, _ENTERED) for _, item in forest.nodes(ast.withitem)]
    for node, allowed in (*loops, *entered):
        keys = [getattr(value, "key", None) for value in values.of(node)]
        if keys and all(isinstance(key, Handle) and key.kind not in allowed for key in keys):
            yield Found(values.of(node), node, INSPECTED)


def of_kind(kind: str | None, values: Values) -> set[Hashable]:
    """Return the origins of all handles of a kind."""
    keys = (token.key for token in values.tokens if isinstance(token.key, Handle))
    return {key.origin for key in keys if key.kind == kind}


def _opened(origins: set[Hashable], values: Values) -> set[Hashable]:
    """Return the origins of all devices in place of an endpoint, of which its device is asked."""
    endpoints = of_kind("endpoint", values)
    return origins if origins.isdisjoint(endpoints) else of_kind("device", values) - endpoints


def _are_apart(origins: set[Hashable], forest: Forest) -> bool:
    """Whether each of some devices is opened once, and under an address that no other of them has."""
    calls = [origin for origin in origins if isinstance(origin, ast.Call)]
    texts = [call.args[0] if call.args else None for call in calls]
    addresses = {str(text.value)[-7:].lower() for text in texts if isinstance(text, ast.Constant)}
    once = not any(isinstance(above, _REPEATING) for call in calls for above in forest.above(call))
    return once and len(calls) == len(origins) and len(origins) in (1, len(addresses))


def _asks_for_methods(kind: Value, values: Values) -> bool:
    """Whether a class decides by methods what its instances are."""
    if isinstance(kind, External):
        return kind.name.startswith(_BY_METHODS) and kind not in _EVERYTHING
    bases = values.bases(kind.node) if isinstance(kind, Class) else ()
    bodies = (part for base in bases if isinstance(base, Class) for part in base.node.body)
    hooks = (part for part in bodies if isinstance(part, ast.FunctionDef) and part.name == "__subclasshook__")
    return any(hooks) or not _PROTOCOLS.isdisjoint(bases)


def with_items(node: ast.expr, values: Values) -> frozenset[Value]:
    """Return what an expression can be, and what is in it."""
    own = values.of(node)
    return own | values.inside(own)
