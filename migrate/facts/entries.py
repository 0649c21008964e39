"""How often a function may be entered, by calls that are written and by others: `with`, threads, what runs at exit."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest, last_name
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Bound, Class, Function, Instance, Value, Values

_LEAVING = ("__exit__", "__aexit__")
_ENTERING = ("enter_context", "enter_async_context", "push", "push_async_exit")  # of an ExitStack
_SIGNALS = frozenset({"signal", "add_signal_handler"})  # what they are given runs any number of times
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)
_ONCE, _AGAIN = 1, 2


class Entries:
    """Answers about the functions of a project."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def written(self, function: ast.AST) -> list[ast.Call]:
        """Return the calls that name a function, or the class that it makes objects of."""
        sites = self._values.callers(function)
        return [site for site in sites if isinstance(site, ast.Call) and self._is_called(site, function)]

    def unseen(self, function: ast.AST) -> int:
        """Return how often a function may be entered for one object by anything else, 2 for more than once."""
        if isinstance(function, ast.Module):
            return 0
        written = {*self.written(function)}
        others = [site for site in self._values.callers(function) if site not in written]
        count = sum(_AGAIN if last_name(getattr(site, "func", site)) in _SIGNALS else _ONCE for site in others)
        if self._values.is_called_by_python(function) or not (written or others):
            count += self._left(function) or _ONCE
        return min(count, _AGAIN)

    def _is_called(self, site: ast.Call, function: ast.AST) -> bool:
        is_made = getattr(function, "name", "") == "__init__"
        found = [value.function if isinstance(value, Bound) else value for value in self._values.of(site.func)]
        return any(value.node is function for value in found if isinstance(value, Function)) or (
            is_made and any(isinstance(value, Class) for value in found)
        )

    def _left(self, function: ast.AST) -> int:
        """Return how often `with` may leave one object by a function: once what is made for that."""
        if getattr(function, "name", "") not in _LEAVING:
            return 0
        owner = self._forest.parents[function]
        managers = [each for each in self._managers() if any(self._is_of(it, owner) for it in self._values.of(each))]
        kept = sum(_AGAIN if self._is_repeated(each) else _ONCE for each in managers if not self._is_made(each))
        return kept + any(map(self._is_made, managers))

    def _managers(self) -> Iterator[ast.expr]:
        for _, item in self._forest.nodes(ast.withitem):
            yield item.context_expr
        for _, call in self._forest.calls(_ENTERING):
            yield from call.args[:1]

    def _is_of(self, value: Value, owner: ast.AST) -> bool:
        bases = self._values.bases(value.node) if isinstance(value, Instance) else ()
        return any(base.node is owner for base in bases if isinstance(base, Class))

    def _is_made(self, manager: ast.expr) -> bool:
        """Whether an expression makes the object that it gives."""
        found = self._values.of(manager.func) if isinstance(manager, ast.Call) else ()
        return bool(found) and all(isinstance(value, Class) for value in found)

    def _is_repeated(self, manager: ast.expr) -> bool:
        """Whether an expression may be evaluated several times, in a loop or by several callers."""
        for above in self._forest.above(manager):
            if isinstance(above, FUNCTIONS):
                return len(self._values.callers(above)) > 1
            if isinstance(above, _LOOPS):
                return True
        return False
