"""Expressions that stand for a value as long as nobody gives another."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property

from migrate.facts.forest import Forest


class Defaults:
    """Knows the defaults of parameters and fields, and the attributes that several classes have."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest

    def is_default(self, node: ast.expr) -> bool:
        """Whether an expression is what a parameter or a field is, or an attribute that another class has, too."""
        outer = self._forest.parents[node]
        of_class = isinstance(self._forest.parents.get(outer), ast.ClassDef)
        match outer:
            case ast.keyword():
                return outer.arg == "default"
            case ast.arguments():
                return node in [*outer.defaults, *outer.kw_defaults]
            case ast.AnnAssign():
                return of_class and outer.value is node
            case ast.Assign(targets=[ast.Name(id=name)]):
                return of_class and self._in_classes[name] > 1
        return False

    @cached_property
    def _in_classes(self) -> Counter[str]:
        """How often each name is assigned in the bodies of classes."""
        statements = (part for _, node in self._forest.nodes(ast.ClassDef) for part in node.body)
        targets = (target for part in statements if isinstance(part, ast.Assign) for target in part.targets)
        return Counter(target.id for target in targets if isinstance(target, ast.Name))
