"""Where a name is read, and what becomes of those places."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from itertools import chain

from migrate.python.scopes import Names, Variable
from migrate.text.code import Edits


def is_covered(node: ast.AST, names: Names, edits: Edits, *, itself: bool = True) -> bool:
    """Whether an edit replaces a node (itself), or a node around it without taking it over as a part."""
    passed: set[ast.AST] = set()
    for place in chain((node,), names.above(node)):
        template = edits.expressions.get(place) or edits.statements.get(place)  # type: ignore[call-overload]
        if template is not None and (itself or passed) and passed.isdisjoint(template.parts.values()):
            return True
        passed.add(place)
        if isinstance(place, ast.stmt):
            break
    return False


def is_read_by(names: Names, variable: Variable, nodes: Set[ast.AST]) -> bool:
    """Whether one of some nodes is a variable, or `variable.x.y`."""
    return any(node in nodes for load in variable.loads for node in _chain(names, load))


def is_guarded(names: Names, variable: Variable) -> bool:
    """Whether a module only tries to import what a variable has: one more import could end a program that goes on."""
    statements = [names.statement(binding) for binding in variable.bindings if isinstance(binding, ast.alias)]
    above = [place for statement in statements for place in names.above(statement)]
    tried = any(isinstance(place, ast.Try | ast.With) for place in above)
    return tried and all(isinstance(place, ast.Try | ast.With | ast.ExceptHandler | ast.Module) for place in above)


def shared_name(names: Names, node: ast.AST, wanted: Iterable[str]) -> str:
    """Return the first of some names that a node finds among the module's variables, "" if there is none."""
    visible = (name for name in wanted if names.scope(node).find(name).scope is names.module)
    return next((name for name in visible if names.module.variables[name].bindings), "")


def _chain(names: Names, load: ast.AST) -> Iterator[ast.AST]:
    """Iterate over `cc`, `cc.x`, `cc.x.y` around a name."""
    yield load
    for above in names.above(load):
        if not isinstance(above, ast.Attribute):
            return
        yield above


def quoted(names: Names, node: ast.AST, among: Set[Variable]) -> Variable | None:
    """Return the first of some variables that an annotation in quotes or a comment names."""
    words = re.findall(r"\w+", node.value) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()
    found = (names.scope(node).find(word) for word in words)
    return next((variable for variable in found if variable in among), None)


def root_of(node: ast.AST) -> ast.Name | None:
    """Return the name that an expression begins with."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute | ast.Expr):
            node = node.value
        else:
            return None
    return node
