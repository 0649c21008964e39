"""What a program writes down by functions that look at types: members of an enum are no numbers to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest
from migrate.python.values import External, Values

_BY_TYPE = frozenset(
    External(name)
    for name in (
        *("marshal.dump", "marshal.dumps", "msgpack.packb", "pickle.dump", "pickle.dumps", "xmlrpc.client.dumps"),
        *("yaml.dump", "yaml.safe_dump"),
    )
)


def is_by_type(call: ast.Call, values: Values) -> bool:
    """Whether a call writes down the types of what it is given."""
    return not _BY_TYPE.isdisjoint(values.of(call.func))


def serialized(forest: Forest, values: Values) -> Iterator[ast.expr]:
    """Yield what such calls are given."""
    for _, call in forest.nodes(ast.Call):
        if is_by_type(call, values):
            yield from call.args
