"""Where a program looks at the texts of errors: compares them, takes them apart, or shows them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.relayed_texts import relayed_texts
from migrate.facts.shown import shown_values
from migrate.facts.tokens import Text
from migrate.python.known_calls import MATCHING, SEARCHING, WRITING
from migrate.python.values import Collection, Instance, Token, Value, Values

COMPARED, SHOWN = "text", "printed"
_METHODS = SEARCHING | {"splitlines", "removeprefix", "removesuffix", "__contains__", "__eq__"}
_FUNCTIONS = _METHODS | MATCHING | {"fnmatch", "fnmatchcase", "contains"}
_KEYED = frozenset({"get", "pop", "setdefault"})
_TRACING = frozenset({"print_exc", "exception"})
_EXPECTING = frozenset({"assertRaisesRegex"})
_PLACES = frozenset("^$\\(")  # what a regular expression may ask for a place in the text with


def looks_at_texts(forest: Forest, values: Values, api: OldApi) -> Iterator[tuple[str, Text]]:
    """Yield what is done with the text of an error, and which text it is."""
    for token in values.tokens:
        if isinstance(token.key, Text):
            ways = {_way(node, forest) for node in values.uses(token)} - {""}
            yield from ((way, token.key) for way in ways)
    for _, compare in forest.nodes(ast.Compare):
        for text in _compared(compare, values):
            yield COMPARED, text
    for text in _texts(_inside(shown_values(forest, values), values)):
        yield SHOWN, text
    for text in relayed_texts(forest, values, api):
        yield COMPARED, text
    for _, call in forest.calls(_EXPECTING, ("raises",)):
        for text in _expected(call, values, api):
            yield COMPARED, text
    for _, call in forest.calls(_TRACING, WRITING):
        for text in _traced(call, forest, values, api):
            yield SHOWN, text


def _way(node: ast.expr, forest: Forest) -> str:
    """Return what is done with a text where it stands."""
    parent = forest.parents[node]
    if isinstance(parent, ast.Attribute):
        return COMPARED if parent.attr in _METHODS else ""
    if isinstance(parent, ast.Subscript | ast.Match):
        return COMPARED
    if not isinstance(parent, ast.Call) or node is parent.func:
        return ""
    name = last_name(parent.func)
    measured = name == "len" and isinstance(forest.parents[parent], ast.Compare)
    keyed = name in _KEYED and isinstance(parent.func, ast.Attribute) and parent.args[0] is node
    if name in _FUNCTIONS or name.startswith("assert") or measured or keyed:
        return COMPARED
    return SHOWN if name in WRITING else ""


def _compared(compare: ast.Compare, values: Values) -> Iterator[Text]:
    """Yield the texts that a comparison looks at: those on its sides, and those in what it looks through."""
    sides = [compare.left, *compare.comparators]
    for left, operator, right in zip(sides, compare.ops, sides[1:], strict=False):
        if isinstance(operator, ast.Is | ast.IsNot) or any(_is_none(side) for side in (left, right)):
            continue
        held = values.of(left) | values.of(right)
        if isinstance(operator, ast.In | ast.NotIn):
            lists = (value for value in values.of(right) if isinstance(value, Collection) and value.kind != "dict")
            held = held.union(*map(values.elements, lists))
        else:
            held |= _inside(held, values)
        yield from _texts(held)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _inside(held: Iterable[Value], values: Values) -> frozenset[Value]:
    """Return what is in some values, and in that, as far as `==` compares it and their texts show it."""
    found: set[Value] = set()
    todo = list(held)
    while todo:
        value = todo.pop()
        parts = values.shown(value) if isinstance(value, Collection | Instance) else ()
        inner = frozenset[Value]().union(*parts)
        todo += inner - found
        found |= inner
    return frozenset(found)


def _texts(held: Iterable[Value]) -> Iterator[Text]:
    return (value.key for value in held if isinstance(value, Token) and isinstance(value.key, Text))


def _traced(call: ast.Call, forest: Forest, values: Values, api: OldApi) -> Iterator[Text]:
    """Yield the texts in a traceback that a call shows: of the errors that the clause around it catches."""
    if last_name(call.func) not in _TRACING and not any(word.arg == "exc_info" for word in call.keywords):
        return
    handler = next((above for above in forest.above(call) if isinstance(above, ast.ExceptHandler)), None)
    if handler is None:
        return
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    for kind in (value for node in kinds if node is not None for value in values.of(node)):
        yield from _texts(token for error in api.caught(kind) or () for token in api.text(error))


def _expected(call: ast.Call, values: Values, api: OldApi) -> Iterator[Text]:
    """Yield the texts that a test expects: of errors that are raised with a pattern."""
    patterns = [word.value for word in call.keywords if word.arg in ("match", "expected_regex")]
    patterns += call.args[1:2] if last_name(call.func) in _EXPECTING else []
    if not call.args or not patterns or all(map(_is_in_every_text, patterns)):
        return
    for kind in values.of(call.args[0]):
        for error in api.caught(kind) or ():
            yield from (text.key for text in api.text(error) if isinstance(text.key, Text))


def _is_in_every_text(pattern: ast.expr) -> bool:
    """Whether a regular expression matches nothing at all, which it finds at the beginning of every text."""
    text = pattern.value if isinstance(pattern, ast.Constant) else None
    if not isinstance(text, str) or not _PLACES.isdisjoint(text):
        return False
    try:
        return re.search(text, "") is not None
    except re.error:
        return False
