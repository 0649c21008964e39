"""Whether a value is certainly no old handle: what a module of the standard library or a class of this file makes."""

from __future__ import annotations

import ast
import sys

from migrate._flow import Flow
from migrate._scopes import FUNCTIONS

_TELLING = ("sock", "udp", "transport", "datagram")  # names of sockets and the like
_DEPTH = 5  # assignments that are followed back


class Evidence:
    """Looks for the origin of an expression that the flow does not know."""

    def __init__(self, flow: Flow) -> None:
        self.names = flow.names
        self.flow = flow

    def is_something_else(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether what an expression gives is known to be no old handle."""
        judge = getattr(self, "_of_" + type(node).__name__, None)
        return depth > 0 and judge is not None and bool(judge(node, depth - 1))

    def _of_Name(self, node: ast.Name, depth: int) -> bool:  # noqa: N802
        if node.id in ("self", "cls") or self._tells(node.id):
            return True
        bindings = self.names.of[node].bindings
        return bool(bindings) and all(self._binding(each, depth) for each in bindings)

    def _of_Attribute(self, node: ast.Attribute, depth: int) -> bool:  # noqa: N802
        if self._tells(node.attr):
            return True
        own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if not own:
            return self.is_something_else(node.value, depth)
        values = []
        for each in ast.walk(self.names.tree):
            if isinstance(each, ast.Attribute) and each.attr == node.attr and isinstance(each.ctx, ast.Store):
                statement = self.names.parents[each]
                values.append(statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None)
        return bool(values) and all(each is not None and self.is_something_else(each, depth) for each in values)

    def _of_Call(self, node: ast.Call, depth: int) -> bool:  # noqa: N802
        if isinstance(node.func, ast.Name):
            made = self.names.of[node.func].bindings
            if made and all(isinstance(each, ast.ClassDef) for each in made):
                return not self.flow.inherits(node)
            return node.func.id == "super" or self._is_library(node.func)
        return self._is_library(node.func)

    def _of_Constant(self, node: ast.Constant, depth: int) -> bool:  # noqa: N802
        return True

    def _of_Subscript(self, node: ast.Subscript, depth: int) -> bool:  # noqa: N802
        return self._tells(ast.unparse(node.value))

    def _of_Await(self, node: ast.Await, depth: int) -> bool:  # noqa: N802
        return self.is_something_else(node.value, depth)

    def _tells(self, name: str) -> bool:
        return any(each in name.lower() for each in _TELLING)

    def _binding(self, node: ast.AST, depth: int) -> bool:
        """Whether what a name is bound by makes it something else."""
        if isinstance(node, ast.alias):
            return self._is_library_import(node)
        if isinstance(node, ast.arg):
            return node.annotation is not None and self._is_library(node.annotation)
        if isinstance(node, ast.ClassDef):
            return not self.flow.extended(node)
        if isinstance(node, FUNCTIONS):
            return True
        parent = self.names.parents[node]
        if isinstance(parent, ast.AnnAssign) and self._is_library(parent.annotation):
            return True
        if isinstance(parent, ast.Assign | ast.AnnAssign | ast.NamedExpr) and parent.value is not None:
            return self.is_something_else(parent.value, depth)
        if isinstance(parent, ast.withitem):
            return self.is_something_else(parent.context_expr, depth)
        if isinstance(parent, ast.For | ast.AsyncFor | ast.comprehension):
            return self._tells(ast.unparse(parent.iter))
        return False

    def _is_library(self, node: ast.expr) -> bool:
        """Whether an expression is a name of the standard library: `socket.socket`."""
        while isinstance(node, ast.Attribute):
            node = node.value
        bindings = self.names.of[node].bindings if isinstance(node, ast.Name) else []
        return bool(bindings) and all(
            isinstance(each, ast.alias) and self._is_library_import(each) for each in bindings
        )

    def _is_library_import(self, alias: ast.alias) -> bool:
        statement = self.names.parents[alias]
        if isinstance(statement, ast.ImportFrom):
            module = "" if statement.level else statement.module or ""
        else:
            module = alias.name
        return module.split(".")[0] in sys.stdlib_module_names
