"""Where a value of Python's own is false, so that it has none of a handle's methods: `name and make(name)`."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from migrate.facts.forest import Forest
from migrate.facts.stores import stored_attributes
from migrate.python.scopes import Kind
from migrate.python.values import Class, External, Instance, Plain, Value, Values

_NOTHING: frozenset[ast.expr] = frozenset()


class Falsehood:
    """Follows names and fields to what is assigned to them; what may be filled in another way counts as true."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values
        self._stores: dict[str, list[ast.expr]] = {}
        for _, node in forest.nodes(ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                self._stores.setdefault(node.attr, []).append(node)
        self._stored = Counter(stored_attributes(forest))

    def is_false(self, node: ast.expr, seen: frozenset[ast.expr] = _NOTHING) -> bool:
        """Whether an expression is false wherever it is a value of Python's own."""
        if node in seen or Plain.OTHER not in self._values.of(node):
            return True
        if isinstance(node, ast.Constant):
            return not node.value
        sources = self._sources(node)
        return bool(sources) and all(part is not None and self.is_false(part, seen | {node}) for part in sources)

    def _sources(self, node: ast.expr) -> Sequence[ast.expr | None]:
        """Return the expressions that give what an expression may be, but for what is false; None for one unseen."""
        match node:
            case ast.BoolOp(op=ast.And(), values=[*_, last]):
                return [last]
            case ast.BoolOp(values=parts):
                return parts
            case ast.IfExp(body=body, orelse=orelse):
                return [body, orelse]
            case ast.Name():
                variable = self._forest.of(node).of[node]
                is_known = variable.scope.kind is Kind.FUNCTION or not self._stored.keys() & {variable.name, None}
                return [self._assigned(binding) for binding in variable.bindings] if is_known else []
            case ast.Attribute(value=owner, attr=name):
                stores = self._stores.get(name, [])
                is_known = self._stored[name] == len(stores) and None not in self._stored
                is_known &= not any(self._is_declared(value, name) for value in self._values.of(owner))
                return [self._assigned(store) for store in stores] if is_known else []
        return []

    def _is_declared(self, owner: Value, name: str) -> bool:
        """Whether an object may have a field from elsewhere than an assignment: from its class, or of no class seen."""
        if not isinstance(owner, Instance):
            return owner is not Plain.NONE
        bases = [base for base in self._values.bases(owner.node) if base != External("builtins.object")]
        return any(not isinstance(base, Class) or self._binds(base.node, name) for base in bases)

    def _binds(self, node: ast.ClassDef, name: str) -> bool:
        """Whether the body of a class binds a name."""
        variable = self._forest.of(node).scopes[node].variables.get(name)
        return variable is not None and bool(variable.bindings)

    def _assigned(self, target: ast.AST) -> ast.expr | None:
        """Return the expression whose value is assigned to a target as a whole."""
        parent = self._forest.parents.get(target)
        return parent.value if isinstance(parent, ast.Assign | ast.AnnAssign | ast.NamedExpr) else None
