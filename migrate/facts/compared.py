"""Where a program compares or hashes values: operators, patterns, calls of Python's own, caches and enumerations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any, NamedTuple

from migrate.facts.forest import Forest, last_name
from migrate.python.values import (
    Bound,
    Class,
    Collection,
    External,
    Function,
    Instance,
    Partial,
    Plain,
    Token,
    Value,
    Values,
)

Side = frozenset[Value]

BY_ARGUMENT = frozenset({"get", "pop", "setdefault", "add", "discard", "index", "remove", "count", "move_to_end"})
BY_ARGUMENT |= {"unregister", "remove_done_callback", "__contains__", "__getitem__", "__setitem__"}
_EQUALITY = frozenset({"__eq__", "__ne__"})
_ORDERING = frozenset({"sorted", "min", "max", "sort", "heapify", "merge", "nlargest", "nsmallest", "groupby"})
_PUSHING = frozenset({"heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right", "bisect"})
_HASHING = frozenset({"set", "frozenset", "WeakSet", "Counter", "fromkeys", "update", "subtract", "union"})
_HASHING |= {"intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint", "mode"}
_HASHING |= {f"{name}_update" for name in ("intersection", "difference", "symmetric_difference")}
_BY_KEY = frozenset({"get", "pop", "setdefault", "__getitem__", "__setitem__"})  # of a list, by an index
SETS = frozenset({"set", "frozenset", "WeakSet", "union", "intersection", "difference", "symmetric_difference"})
_FILLED = SETS | {"update", "fromkeys"}  # the collection that is made or changed has all that is compared
_OF_SETS = (ast.BitOr, ast.BitAnd, ast.BitXor, ast.Sub)
_ASSERTED = frozenset({"Is", "IsNot", "In", "NotIn", "Equal", "NotEqual", "CountEqual", "SequenceEqual", "ListEqual"})
_ASSERTED |= {"TupleEqual", "SetEqual", "DictEqual", "Less", "LessEqual", "Greater", "GreaterEqual"}
_OPERATORS = ("eq", "ne", "lt", "le", "gt", "ge", "is_", "is_not", "contains", "countOf", "indexOf")
NUMBERING = frozenset({External("builtins.hash"), External("builtins.id")})
_COMPARING = frozenset(External(f"operator.{name}") for name in _OPERATORS)
_COMPARING |= {*NUMBERING, External("unittest.mock.call")}
_COMPARING |= {External(f"enum.{name}") for name in ("Enum", "IntEnum", "Flag", "IntFlag", "StrEnum")}  # by a call
_CACHES = frozenset({External("functools.lru_cache"), External("functools.cache")})
BY_ITEMS = _ORDERING | _PUSHING | _HASHING
_TABLES = frozenset({"vars", "asdict", "astuple"})
_COUNTED = External("builtins.next")


class Place(NamedTuple):
    """A place where values are compared, or hashed, and what is in them with them.

    is_paired: with each other alone. is_deep: else it is their identity that is asked for.
    """

    node: ast.AST
    sides: Sequence[Side]
    is_paired: bool = False
    is_deep: bool = True


def places(forest: Forest, values: Values) -> Iterator[Place]:
    """Yield every such place, but for what the keys of a dictionary or the items of a set are: `keyed`."""
    for kind, judge in _JUDGES.items():
        for _, node in forest.nodes(kind):
            yield from judge(node, forest, values)


def keyed(forest: Forest, values: Values) -> Iterator[tuple[Collection, Place]]:
    """Yield the collections whose items are found by their hashes, or ordered, with these."""
    for collection in values.collections:
        made = collection.node
        name = last_name(made.func) if isinstance(made, ast.Call) else ""
        if collection.kind == "dict" or isinstance(made, ast.Set | ast.SetComp) or name in SETS:
            yield collection, Place(made, [frozenset([item]) for item in values.iterated([collection])])
        elif name == "PriorityQueue":
            yield collection, Place(made, [_unnumbered(values.iterated([collection]), values)])


def _compare(node: ast.Compare, forest: Forest, values: Values) -> Iterator[Place]:
    for (left, right), operator in zip(pairwise([node.left, *node.comparators]), node.ops, strict=True):
        sides = values.of(left), values.of(right)
        if not isinstance(left, ast.Constant) and not isinstance(right, ast.Constant):
            yield Place(node, sides, is_deep=False)
        if isinstance(operator, ast.In | ast.NotIn):
            yield Place(node, (sides[0], values.iterated(sides[1])), is_paired=True)
        elif not isinstance(operator, ast.Is | ast.IsNot):
            yield Place(node, sides, is_paired=True)


def _subscript(node: ast.Subscript, forest: Forest, values: Values) -> Iterator[Place]:
    is_type = all(isinstance(owner, External | Class) for owner in values.of(node.value))  # dict[str, cc.Endpoint]
    if not is_type and not isinstance(node.slice, ast.Constant | ast.Slice):
        yield looked_for(node, values.of(node.slice), values.of(node.value), values, "__getitem__")


def looked_for(node: ast.expr, wanted: Side, owners: Side, values: Values, method: str) -> Place:
    """Return the place where a method looks for something: among keys, or among items of other collections than dicts.

    Only dictionaries have keys; where the method takes these, lists take indices.
    """
    by_key = method in _BY_KEY
    searched = [value for value in owners if isinstance(value, Collection) and (value.kind == "dict" or not by_key)]
    is_known = all(isinstance(value, Collection) for value in owners)
    if is_known and not searched:
        return Place(node, [wanted])
    unseen = frozenset[Value]() if is_known else frozenset({Plain.UNKNOWN})
    return Place(node, (wanted, values.iterated(searched) | unseen), is_paired=True)


def _joined(node: ast.BinOp | ast.AugAssign, forest: Forest, values: Values) -> Iterator[Place]:
    """Yield the operands of what may be an operator of sets."""
    left, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.target, node.value)
    if isinstance(node.op, _OF_SETS):
        yield Place(node, (values.iterated(values.of(left)), values.iterated(values.of(right))), is_paired=True)


def _pattern(node: ast.MatchValue, forest: Forest, values: Values) -> Iterator[Place]:
    yield Place(node, [values.of(node.value)])


def _mapping(node: ast.MatchMapping, forest: Forest, values: Values) -> Iterator[Place]:
    yield Place(node, [values.of(key) for key in node.keys])


def _call(node: ast.Call, forest: Forest, values: Values) -> Iterator[Place]:
    name, called = last_name(node.func), values.of(node.func)
    if called and all(map(is_of_the_program, called)):
        yield from _looked_up(node, called, values)
        return
    if name in _TABLES and node.args:
        yield from _fields(node, node.args[0], forest, values)
    given = [values.of(part) for part in node.args]
    is_method = isinstance(node.func, ast.Attribute)
    if isinstance(node.func, ast.Attribute) and name in _EQUALITY:
        yield Place(node, (values.of(node.func.value), *given[:1]), is_paired=True)
    elif isinstance(node.func, ast.Attribute) and name in BY_ARGUMENT:
        owners = values.of(node.func.value)
        yield from (looked_for(node, side, owners, values, name) for side in given[:1])
    elif name in _ORDERING:
        lists = [values.of(node.func.value)] if isinstance(node.func, ast.Attribute) and name == "sort" else []
        yield Place(node, list(_ordered(node, lists or given, values)))
    elif name in _PUSHING:
        yield Place(node, [_unnumbered(side, values) for side in given[1:]])
    elif name in _HASHING and not _is_followed(node, name, values):
        owner = [values.of(node.func.value)] if isinstance(node.func, ast.Attribute) else []
        yield Place(node, [values.iterated(side) for side in (*owner, *given)])
    elif is_method and name.removeprefix("assert") in _ASSERTED:
        yield Place(node, given[:2], is_paired=True)
    elif (is_method and name.startswith("assert_")) or not _COMPARING.isdisjoint(called.union(*given)):
        yield Place(node, given)  # a mock compares it with what it was called with
    elif not _CACHES.isdisjoint(values.of(node.func.func) if isinstance(node.func, ast.Call) else called):
        yield from _cached(node, [value for side in given for value in side], values)


def _attribute(node: ast.Attribute, forest: Forest, values: Values) -> Iterator[Place]:
    if node.attr == "__dict__":
        yield from _fields(node, node.value, forest, values)


def _fields(node: ast.expr, owner: ast.expr, forest: Forest, values: Values) -> Iterator[Place]:
    """Yield the fields of an object that become a dictionary, where this is compared or hashed."""
    above = takewhile(lambda outer: isinstance(outer, ast.expr), forest.above(node))
    if any(isinstance(outer, ast.Compare) or last_name(getattr(outer, "func", node)) == "hash" for outer in above):
        owners = {value.node for value in values.of(owner) if isinstance(value, Instance)}
        yield Place(node, [held for (kind, _), held in values.fields.items() if kind in owners])


def is_of_the_program(value: Value) -> bool:
    return isinstance(value, Function | Class) or (isinstance(value, Bound) and is_of_the_program(value.function))


def _is_followed(node: ast.Call, name: str, values: Values) -> bool:
    """Whether a call makes or changes collections of the program's, which `keyed` has with what is in them."""
    owners = values.of(node.func.value) if isinstance(node.func, ast.Attribute) else values.of(node)
    return name in _FILLED and bool(owners) and all(isinstance(owner, Collection) for owner in owners)


def _ordered(node: ast.Call, given: Sequence[Side], values: Values) -> Iterator[Side]:
    """Yield what a call compares to order or to group: what it is given, or what a key makes of that."""
    keys = [word.value for word in node.keywords if word.arg == "key"]
    is_grouped = last_name(node.func) == "groupby"
    keys += node.args[1:] if is_grouped else []
    items = values.iterated(given[0]) if len(given) == 1 or is_grouped else frozenset[Value]().union(*given)
    functions = frozenset[Value]().union(*map(values.of, keys))
    if not keys or not all(isinstance(function, Function | Partial) for function in functions):
        yield _unnumbered(items, values)
    for function in functions:
        if isinstance(function, Function):
            yield from map(values.of, _results(function.node))
        elif isinstance(function, Partial):
            yield from _taken(function.node, items, values)


def _results(function: ast.AST) -> list[ast.expr]:
    if isinstance(function, ast.Lambda):
        return [function.body]
    return [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]


def _taken(key: ast.AST, items: Side, values: Values) -> Iterator[Side]:
    """Yield what `itemgetter(1)` takes of each item, all of it where that cannot be seen."""
    indices = [getattr(part, "value", None) for part in key.args] if isinstance(key, ast.Call) else [None]
    for item in items:
        for index in indices:
            known = isinstance(item, Collection) and isinstance(index, int)
            yield values.item(item, index) if known else frozenset([item])  # type: ignore[arg-type]


def _unnumbered(items: Side, values: Values) -> Side:
    """Leave out the rows with a number of their own before anything else that may be equal: that is never compared."""
    return frozenset(item for item in items if not _is_numbered(getattr(item, "node", None), values))


def _is_numbered(row: ast.AST | None, values: Values) -> bool:
    for part in row.elts if isinstance(row, ast.Tuple) else []:
        if isinstance(part, ast.Call) and _COUNTED in values.of(part.func):
            return bool(part.args) and values.of(part.args[0]) == {Plain.OTHER}
        if _holds(values.of(part), values):
            return False
    return False


def _cached(node: ast.AST, functions: Sequence[Value], values: Values) -> Iterator[Place]:
    for function in functions:
        definition = function.node if isinstance(function, Function) else None
        if definition is not None:
            parameters = [part for part in ast.walk(definition.args) if isinstance(part, ast.arg)]
            yield Place(node, [values.of_target(parameter) for parameter in parameters])


def _function(node: ast.FunctionDef | ast.AsyncFunctionDef, forest: Forest, values: Values) -> Iterator[Place]:
    for decorator in node.decorator_list:
        if not _CACHES.isdisjoint(values.of(decorator.func if isinstance(decorator, ast.Call) else decorator)):
            yield from _cached(decorator, [Function(node)], values)


def _class(node: ast.ClassDef, forest: Forest, values: Values) -> Iterator[Place]:
    """Yield the values of two members of an enumeration: the later one is another name of the first if they are one."""
    members = [member for member in _members(node, values) if _holds(values.of(member), values)]
    for index, member in enumerate(members):
        for other in members[:index]:
            if not _differ(member, other):
                yield Place(node, [values.of(member), values.of(other)], is_paired=True)


def _holds(side: Side, values: Values) -> bool:
    return any(isinstance(value, Token) or value in values.held for value in side)


def _members(node: ast.AST, values: Values) -> list[ast.expr]:
    bases = values.bases(node) if isinstance(node, ast.ClassDef) else ()
    if not any(isinstance(base, External) and base.name.startswith("enum.") for base in bases):
        return []
    classes = [base.node for base in bases if isinstance(base, Class)]
    return [part.value for owner in classes for part in owner.body if isinstance(part, ast.Assign)]


def _differ(one: ast.expr, other: ast.expr) -> bool:
    """Whether two displays have other constants at some place."""
    rows = [part.elts if isinstance(part, ast.Tuple | ast.List) else [part] for part in (one, other)]
    pairs = zip(*rows, strict=False)
    constants = [pair for pair in pairs if all(isinstance(part, ast.Constant) for part in pair)]
    return len(rows[0]) != len(rows[1]) or any(ast.dump(left) != ast.dump(right) for left, right in constants)


def _looked_up(node: ast.Call, called: Side, values: Values) -> Iterator[Place]:
    """Yield what a member of an enumeration is looked up by, with the values of them all."""
    for kind in called:
        members = _members(kind.node, values) if isinstance(kind, Class) else []
        if members and node.args:
            of_all = frozenset[Value]().union(*map(values.of, members))
            yield Place(node, [frozenset[Value]().union(*map(values.of, node.args)), of_all], is_paired=True)


_JUDGES: dict[type[ast.AST], Callable[[Any, Forest, Values], Iterator[Place]]] = {
    ast.Compare: _compare,
    ast.Subscript: _subscript,
    ast.MatchValue: _pattern,
    ast.MatchMapping: _mapping,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _joined,
    ast.AugAssign: _joined,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
