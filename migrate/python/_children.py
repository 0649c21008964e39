"""The nodes below a node: what `ast.iter_child_nodes` yields, without operators and contexts, which trees share."""

from __future__ import annotations

import ast

_NO_NODES = {"ctx", "op", "ops", "id", "attr", "kind", "type_comment", "level", "module", "arg", "is_async", "simple"}
_MIXED = frozenset({"keys", "kw_defaults", "names", "kwd_attrs"})  # lists that hold None or texts, too


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that may hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _NO_NODES)
        return self.setdefault(kind, fields)


_FIELDS = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes below a node in the order of its fields."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if not value:
            continue
        if type(value) is list:
            found += [item for item in value if isinstance(item, ast.AST)] if name in _MIXED else value
        elif isinstance(value, ast.AST):
            found.append(value)
    return found
