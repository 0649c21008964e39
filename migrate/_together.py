"""References that change together where the text of a file would not pass its check otherwise."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path

from migrate.facts.program import Reference
from migrate.python.scopes import Names, Variable
from migrate.text._uses import root_of
from migrate.text.imports import Old


class Together:
    """Joins, by what `of` has for them, what goes through an import that has a fallback, and then all of a file.

    The new module has no such fallback: where `cc = None` stays beside `import cc`, nothing may go through another
    name, which is not bound then.
    """

    def __init__(self, names: Mapping[Path, Names], old: Mapping[Path, Mapping[ast.alias, Old]]) -> None:
        self._names, self._old = names, old
        self.of: dict[Reference, tuple[Hashable, ...]] = {}

    def join(self, path: Path, references: Iterable[Reference]) -> bool:
        """Join more of a file's references, and return whether there are any."""
        fallbacks = self._fallbacks(path)
        through = {reference: self._variable(reference) for reference in references}
        found = {reference: variable for reference, variable in through.items() if variable in fallbacks}
        for keys in (found, dict.fromkeys(through, path)):
            fresh = {reference: key for reference, key in keys.items() if key not in self.of.get(reference, ())}
            if fresh:
                self.of |= {reference: (*self.of.get(reference, ()), key) for reference, key in fresh.items()}
                return True
        return False

    def _fallbacks(self, path: Path) -> set[Variable]:
        """Return the variables of a file that may have something else than what old imports bring."""
        old, names = self._old.get(path, {}), self._names[path]
        imported = {names.of[alias] for alias in old if alias in names.of}
        return {it for it in imported if any(binding not in old for binding in it.bindings)}

    def _variable(self, reference: Reference) -> Variable | None:
        root = root_of(reference.module or reference.node)
        return self._names[reference.path].of.get(root) if root else None
