"""Where values are told apart: by `==`, as keys and in sets, by the methods that they have."""

from __future__ import annotations

import ast
from collections.abc import Container, Hashable, Iterable, Iterator
from typing import NamedTuple

from migrate.facts.forest import Forest
from migrate.facts.tokens import Handle, Method, Symbol
from migrate.python.values import Class, External, Instance, Token, Value, Values

EQUAL_DEVICES, INSPECTED = "CCM086", "CCM082"
_LOOKING_UP = frozenset({"add", "setdefault", "get", "pop", "index", "remove", "count", "discard"})
_PROTOCOLS = frozenset({External("typing.Protocol"), External("typing_extensions.Protocol")})
_BY_METHODS = ("collections.abc.", "typing.", "contextlib.Abstract")  # classes that ask for methods, but for one:
_EVERYTHING = frozenset({External("collections.abc.Hashable"), External("typing.Hashable")})
_ENTERED = frozenset({"device", "representor"})
_REPEATING = (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.comprehension)


class Found(NamedTuple):
    """Handles that are told apart, with the code of what may differ."""

    values: Iterable[Value]
    node: ast.AST
    code: str


def is_told_apart(node: ast.expr, forest: Forest) -> bool:
    """Whether an expression is compared with something that is not written out, or is a key or an item of a set.

    In a tuple it is what the tuple is.
    """
    parent = forest.parents[node]
    if isinstance(parent, ast.Tuple):
        is_type = isinstance(forest.parents[parent], ast.Subscript)  # dict[str, cc.Endpoint]
        return not is_type and is_told_apart(parent, forest)
    if isinstance(parent, ast.Compare):
        return not any(isinstance(side, ast.Constant) for side in parent.comparators)
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Attribute) and parent.func.attr in _LOOKING_UP and parent.args[:1] == [node]
    places = (getattr(parent, "keys", ()), getattr(parent, "elts", ()) if isinstance(parent, ast.Set) else ())
    alone = (getattr(parent, "key", None), parent.elt if isinstance(parent, ast.SetComp) else None)
    return any(node in place for place in places) or node in (*alone, getattr(parent, "slice", None))


def are_told_apart(nodes: Iterable[ast.expr], forest: Forest) -> bool:
    """Whether a function in these places is told apart: not by the one row of a table that is gone through only."""
    told = [node for node in nodes if is_told_apart(node, forest)]
    return bool(told) and not (len(told) == 1 and _is_row(told[0], forest))


def _is_row(key: ast.expr, forest: Forest) -> bool:
    """Whether an expression is a key of a display of which nothing but `items` is asked, where it stands or by name."""
    table = forest.parents[key]
    if not isinstance(table, ast.Dict):
        return False
    above = forest.parents[table]
    if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name):
        variable = forest.of(above).of[above.targets[0]]
        is_local = isinstance(variable.scope.node, ast.FunctionDef | ast.AsyncFunctionDef)
        return is_local and all(_asks_for_items(load, forest) for load in variable.loads)
    return _asks_for_items(table, forest)


def _asks_for_items(table: ast.expr, forest: Forest) -> bool:
    asked = forest.parents[table]
    return isinstance(asked, ast.Attribute) and asked.attr == "items"


def found(forest: Forest, values: Values) -> Iterator[Found]:
    """Yield devices that were different objects and may be equal now, methods, and handles asked for a protocol."""
    for token in values.tokens:
        is_device = isinstance(token.key, Handle) and token.key.kind == "device"
        nodes = values.used(token) if is_device or isinstance(token.key, Method) else ()
        if not (any(is_told_apart(node, forest) for node in nodes) if is_device else are_told_apart(nodes, forest)):
            continue
        for node in values.uses(token):
            if is_told_apart(node, forest):
                met = _devices_met(node, forest, values) if is_device else [token]
                yield Found(met, node, EQUAL_DEVICES if is_device else INSPECTED)
    for _, compare in forest.nodes(ast.Compare):
        held = [_devices_in(side, values) for side in (compare.left, *compare.comparators)]
        origins = _opened({key.origin for devices in held for key in devices}, values)
        compares = all(held) and not all(isinstance(operator, ast.Is | ast.IsNot) for operator in compare.ops)
        if compares and not _are_apart(origins, forest):
            yield Found([Token(key) for devices in held for key in devices], compare, EQUAL_DEVICES)
    yield from _refused(forest, values)
    for _, call in forest.calls(("iter", "isinstance")):
        if getattr(call.func, "id", "") == "iter" and call.args:
            yield Found(values.of(call.args[0]), call, INSPECTED)
        asks = getattr(call.func, "id", "") == "isinstance" and len(call.args) == 2
        if asks and any(_asks_for_methods(kind, values) for kind in with_items(call.args[1], values)):
            yield Found(values.of(call.args[0]), call, INSPECTED)


def _refused(forest: Forest, values: Values) -> Iterator[Found]:
    """Yield the handles that are entered or gone through, which old ones refuse."""
    loops = [(loop.iter, frozenset[str]()) for _, loop in forest.nodes(ast.For)]
    loops += [(loop.iter, frozenset[str]()) for _, loop in forest.nodes(ast.comprehension)]
    entered = [(item.context_expr, _ENTERED) for _, item in forest.nodes(ast.withitem)]
    for node, allowed in (*loops, *entered):
        keys = [getattr(value, "key", None) for value in values.of(node)]
        if keys and all(isinstance(key, Handle) and key.kind not in allowed for key in keys):
            yield Found(values.of(node), node, INSPECTED)


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


def _devices_met(node: ast.expr, forest: Forest, values: Values) -> list[Token]:
    """Return the devices of which some may be one, opened twice, where an expression is told apart from others."""
    parent = forest.parents[node]
    sides = [part for part in getattr(parent, "keys", getattr(parent, "elts", [node])) if part is not None]
    if isinstance(parent, ast.Compare):
        if all(isinstance(operator, ast.Is | ast.IsNot) for operator in parent.ops):
            return []
        sides = [parent.left, *parent.comparators]
    devices = [[value for value in with_items(side, values) if _is_device(value)] for side in sides]
    missing = isinstance(parent, ast.Compare) and not all(devices)
    together = [value for side in devices for value in side if isinstance(value, Token)]
    origins = _opened({token.key.origin for token in together if isinstance(token.key, Handle)}, values)
    return [] if missing or _are_apart(origins, forest) else together


def _devices_in(node: ast.expr, values: Values) -> set[Handle]:
    """Return the devices in the records that an expression can be, which `==` compares."""
    records = [value for value in values.of(node) if isinstance(value, Instance)]
    parts = (part for record in records if not values.has_own(record, "__eq__") for part in values.shown(record))
    keys = (value.key for part in parts for value in part if isinstance(value, Token) and _is_device(value))
    return {key for key in keys if isinstance(key, Handle)}


def _is_device(value: Value) -> bool:
    return isinstance(value, Token) and isinstance(value.key, Handle) and value.key.kind == "device"


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
