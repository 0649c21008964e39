"""Programs that look a function up to see which release of the library they run on."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Container, Iterator

from migrate.bindings.libraries import is_display
from migrate.bindings.refusal import FEATURE_TEST, NotUnderstood
from migrate.bindings.tokens import CFunction, Library, keys
from migrate.facts.forest import Forest
from migrate.old_api._tables import RENAMES
from migrate.python.values import Values
from migrate.text.code import Template

_CATCHING = frozenset({"AttributeError", "Exception", "BaseException"})


def _twins() -> dict[str, str]:
    """Return the functions that one release of generation 2 has and another one has under another name."""
    named: dict[str, list[str]] = defaultdict(list)
    for (generation, name), row in RENAMES.items():
        if generation == "cc":
            named[row.new].append(name)
    pairs = [(names[0], names[1]) for names in named.values() if len(names) == 2]
    return {old: new for first, second in pairs for old, new in ((first, second), (second, first))}


_TWINS = _twins()


class Releases:
    """Answers for one project whether the library has a function."""

    def __init__(self, forest: Forest, values: Values, names: Container[str]) -> None:
        """names: those of all old functions."""
        self._forest, self._values, self._names = forest, values, names

    def edits(self) -> Iterator[tuple[ast.expr, Template] | tuple[ast.stmt, Template] | NotUnderstood]:
        """Yield what takes the place of questions whether there is a function, and those without an answer."""
        for _, node in self._forest.nodes(ast.Attribute):
            names = [key.name for key in keys(self._values.of(node)) if isinstance(key, CFunction)]
            if len(names) == 1 and (handler := self._handler(node)):
                there = self._has(node, names[0])
                if there is None or (not there and handler.name):
                    yield NotUnderstood(node, FEATURE_TEST)
                else:
                    statement = self._forest.statement(node)
                    yield statement, Template("" if there else f'raise AttributeError("{names[0]}")')
        for _, call in self._forest.calls(("hasattr",)):
            asked = (
                [key for key in keys(self._values.of(call.args[0])) if isinstance(key, Library)] if call.args else []
            )
            if asked and isinstance(call.args[-1], ast.Constant) and str(call.args[-1].value) in self._names:
                there = self._has(call, str(call.args[-1].value))
                if there is None:
                    yield NotUnderstood(call, FEATURE_TEST)
                elif not there:
                    yield call, Template("False")

    def _handler(self, node: ast.expr) -> ast.ExceptHandler | None:
        """Return what catches the AttributeError of a look-up that a statement consists of."""
        statement = self._forest.parents[node]
        above = self._forest.parents.get(statement)
        if not isinstance(statement, ast.Expr) or not isinstance(above, ast.Try) or statement not in above.body:
            return None
        return next((handler for handler in above.handlers if _catches(handler)), None)

    def _has(self, node: ast.expr, name: str) -> bool | None:
        """Return whether the library has a function where it is looked up; None where that cannot be seen."""
        taken = {key.name for place in self._before(node) for key in keys(self._values.of(place))
                 if isinstance(key, CFunction)}  # fmt: skip
        if name not in _TWINS or name in taken:
            return True
        return False if _TWINS[name] in taken else None

    def _before(self, node: ast.expr) -> Iterator[ast.Attribute]:
        """Yield what a script has certainly taken before."""
        for place in self._forest.in_file(self._forest.path(node), ast.Attribute):
            if place.lineno < node.lineno and self._is_certain(place):
                yield place

    def _is_certain(self, place: ast.Attribute) -> bool:
        return all(
            (
                isinstance(above, ast.Module | ast.Assign | ast.Expr | ast.expr | ast.keyword)
                and not isinstance(above, ast.Lambda | ast.BoolOp | ast.IfExp | ast.ListComp | ast.GeneratorExp)
            )
            or (isinstance(above, ast.For) and is_display(above.iter))
            for above in self._forest.above(place)
        )


def _catches(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or any(
        isinstance(part, ast.Name) and part.id in _CATCHING for part in ast.walk(handler.type)
    )
