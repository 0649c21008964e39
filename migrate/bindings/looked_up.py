"""Functions of C that a program looks up by names which it computes so that migrate cannot see them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.bindings.analysis import Analysis
from migrate.bindings.prototypes import declares_only
from migrate.bindings.texts import Texts
from migrate.bindings.tokens import Library, keys
from migrate.facts.expressions import Expressions
from migrate.python.values import External

_GETATTR = {External("builtins.getattr")}


class LookedUp:
    """The look-ups of a project: `getattr(lib, name)`, `lib[name]`."""

    def __init__(self, analysis: Analysis) -> None:
        self._vocabulary, self._forest, self._values = analysis.vocabulary, analysis.forest, analysis.values
        expressions = Expressions(self._forest, self._values, frozenset(), self._vocabulary)
        self._texts = Texts(self._forest, self._values, expressions)

    def __iter__(self) -> Iterator[ast.Call | ast.Subscript]:
        """Yield the look-ups whose names cannot be seen, but for those that only declare a function."""
        for _, call in self._forest.nodes(ast.Call):
            if call.args[1:] and self._values.of(call.func) == _GETATTR and self._is_unseen(call, *call.args[:2]):
                yield call
        for _, item in self._forest.nodes(ast.Subscript):
            if self._is_unseen(item, item.value, item.slice):
                yield item

    def _is_unseen(self, node: ast.expr, library: ast.expr, name: ast.expr) -> bool:
        found = self._values.of(library)
        libraries = [key for key in keys(found) if isinstance(key, Library)]
        if not libraries or len(libraries) < len(found) or declares_only(node, self._forest):
            return False
        names = self._texts.of(name)
        return not names or not self._vocabulary.flat.keys() >= {*names}
