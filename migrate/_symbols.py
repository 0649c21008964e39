"""Which names of a file are names of the old module, and what each import brings."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._scopes import Names, Variable
from migrate._shapes import Symbol


class Symbols:
    """The names that a file has from the old library."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.star, self._other_stars = self._stars()

    def _stars(self) -> tuple[bool, bool]:
        """Whether the file imports * from the old library, and whether it does so from anything else."""
        nodes = [node for node in ast.walk(self.names.tree) if isinstance(node, ast.ImportFrom)]
        stars = [self.imported(node.names[0]) is not None for node in nodes if node.names[0].name == "*"]
        return any(stars), not all(stars)

    def imported(self, alias: ast.alias) -> Symbol | None:
        """What an import brings, when it is from the old library."""
        node = self.names.parents[alias]
        if isinstance(node, ast.Import):
            root, _, rest = alias.name.partition(".")
            return Symbol("") if root in _legacy.MODULES and rest in ("", "flat") else None
        if isinstance(node, ast.ImportFrom) and node.level == 0:
            root, _, rest = (node.module or "").partition(".")
            if root in _legacy.MODULES and rest != "cc" and alias.name != "cc":
                return Symbol("" if alias.name == "flat" else alias.name)
        return None

    def symbol(self, node: ast.expr) -> Symbol | None:
        """The name of the old module that an expression spells: `cc`, `cc.Again`, `DOCA_SUCCESS`."""
        if isinstance(node, ast.Attribute):
            module = self.symbol(node.value)
            if module and not module.name:
                return Symbol("" if node.attr == "flat" else node.attr, module.sure)
            return None
        return self._origin(self.names.of[node]) if isinstance(node, ast.Name) else None

    def _origin(self, variable: Variable) -> Symbol | None:
        """What an import of the old library, or its star import, makes of a variable."""
        found = [self.imported(each) for each in variable.bindings if isinstance(each, ast.alias)]
        symbols = {each.name for each in found if each}
        if symbols:
            sure = len(symbols) == 1 and len([each for each in found if each]) == len(variable.bindings)
            return Symbol(min(symbols), sure)
        if not variable.bindings and self.star and variable.name in _legacy.EXPORTS:
            return Symbol(variable.name, _legacy.is_c_name(variable.name) or not self._other_stars)
        return None
