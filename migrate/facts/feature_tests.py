"""`if hasattr(...)`: which statements choose between releases of the library."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest
from migrate.facts.texts import is_old_word
from migrate.facts.tokens import are_modules, modules, symbols
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.values import Values


class FeatureTests:
    """Finds the tests of all files."""

    def __init__(self, forest: Forest, values: Values, vocabulary: Vocabulary) -> None:
        self._forest, self._values, self._vocabulary = forest, values, vocabulary
        self._tests = {test for test in self._found() if isinstance(test, ast.If)}

    def code(self, node: ast.AST) -> str:
        """Return CCM006 when the place is a branch of `if hasattr(...)` that cannot be answered."""
        tested = self._tests and any(above in self._tests for above in self._forest.above(node))
        return "CCM006" if tested else ""

    def _found(self) -> Iterator[ast.stmt]:
        for _, call in self._forest.calls(("hasattr",)):
            if is_hasattr(call) and call.args:
                texts = [str(part.value) for part in call.args if isinstance(part, ast.Constant)]
                named = any(is_old_word(text) for text in texts)
                if (named or modules(self._values.of(call.args[0]))) and not self.is_answered(call):
                    yield self._forest.statement(call)

    def is_answered(self, call: ast.Call) -> bool:
        """Whether the old module is asked for what every release of it has, so that its answer never changes."""
        if not is_hasattr(call) or len(call.args) != 2:
            return False
        module, name = call.args
        values = self._values.of(module)
        asked = [symbol.package for symbol in symbols(values)]
        known = isinstance(name, ast.Constant) and all(
            name.value in self._vocabulary.modules[package, ""] for package in asked
        )
        return known and bool(asked) and are_modules(values)


def is_hasattr(call: ast.Call) -> bool:
    """Whether a call asks for an attribute by its name."""
    return isinstance(call.func, ast.Name) and call.func.id == "hasattr"
