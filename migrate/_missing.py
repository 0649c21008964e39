"""Whether the peer of a call may be None: the old calls answered NOT_CONNECTED to that, and None has no methods."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._flow import Flow
from migrate._scopes import Variable

_DEPTH = 4  # calls and assignments that are followed back
_LOOKS = (ast.If, ast.While, ast.Assert, ast.IfExp)


class Missing:
    """Looks for the peers of a file that may not be there."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.names = flow.names

    def code(self, call: _legacy.Call) -> str:
        """The code for the peer of a call: refused where the program says None, told where it did not look."""
        peer = call.arguments.get("peer_addr")
        if peer is None or call.name == _legacy.EP + "disconnect":
            return ""
        return self._of(peer, _DEPTH)

    def _of(self, node: ast.expr, depth: int) -> str:
        if self._is_none(node):
            return "CCM065"
        variable = self.names.variable(node)
        if variable is not None and depth:
            if self._is_looked_at(node, variable):
                return ""
            code = max((self._bound(each, variable, node, depth - 1) for each in variable.bindings), default="")
            # Which of its methods an object has gone through is not known: told, not refused.
            return "CCM064" if code and isinstance(variable.scope.node, ast.ClassDef) else code
        function = self.flow.function_of(node.func) if isinstance(node, ast.Call) else None
        if function is None or not depth:
            return ""
        inside = (each for each in ast.walk(function) if isinstance(each, ast.Return))
        given = [each.value for each in inside if self.names.function(each) is function]
        return max((self._of(each, depth - 1) for each in given if each is not None), default="")

    def _bound(self, binding: ast.AST, variable: Variable, load: ast.expr, depth: int) -> str:
        """What one binding of a variable says."""
        if isinstance(binding, ast.arg):
            passed = [value for target, value in self.flow.flows() if target is variable]
            return max((self._of(each, depth) for each in passed if isinstance(each, ast.expr)), default="")
        statement = self.names.parents[binding]
        if isinstance(statement, ast.Tuple):
            return self._taken(self.names.parents[statement], statement, load)
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            return ""
        code = self._of(statement.value, depth)
        return "" if code and self._is_set_next(statement, variable) else code

    def _taken(self, statement: ast.AST, target: ast.Tuple, load: ast.expr) -> str:
        """A peer beside a result code that nothing looks at before the peer is used."""
        value = statement.value if isinstance(statement, ast.Assign) else None
        call = self.flow.calls.get(value) if isinstance(value, ast.Call) else None
        code = self.names.variable(target.elts[0])
        if call is None or not call.flat or code is None:
            return ""
        here = self.names.function(load) is self.names.function(target)
        for each in code.loads:
            before = each.lineno <= load.lineno or load.lineno < target.lineno
            if target.lineno <= each.lineno and (before or not here):
                return ""
        return "CCM064"

    def _is_set_next(self, statement: ast.stmt, variable: Variable) -> bool:
        """Whether a statement after `variable = None`, beside it, binds the variable whatever happens."""
        return any(self._sets(each, variable) for each in self._beside(statement, after=True))

    def _sets(self, statement: ast.stmt, variable: Variable) -> bool:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or self._is_none(statement.value):
            return False
        call = self.flow.calls.get(statement.value) if isinstance(statement.value, ast.Call) else None
        flat = call is not None and call.flat  # what it gives is None when it fails
        return not flat and any(each in variable.bindings for each in ast.walk(statement))

    def _is_none(self, node: ast.expr | None) -> bool:
        return isinstance(node, ast.Constant) and node.value is None

    def _is_looked_at(self, load: ast.expr, variable: Variable) -> bool:
        """Whether a test around a use, or before it, is about the variable, or it is bound on the way."""
        for outer in [load, *self.names.above(load)]:
            if outer is not load and isinstance(outer, _LOOKS) and self._mentions(outer, variable):
                return True
            if isinstance(outer, ast.stmt) and any(
                self._sets(each, variable) or self._settles(each, variable) or self._is_checked(each, variable, load)
                for each in self._beside(outer, after=False)
            ):
                return True
            if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                return False
        return False

    def _is_checked(self, statement: ast.stmt, variable: Variable, load: ast.expr) -> bool:
        """Whether a statement binds the variable beside a result code that is looked at before a use."""
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        bound = isinstance(target, ast.Tuple) and any(each in variable.bindings for each in target.elts)
        return bound and isinstance(target, ast.Tuple) and not self._taken(statement, target, load)

    def _mentions(self, node: ast.AST, variable: Variable) -> bool:
        test = getattr(node, "test", None)
        return test is not None and any(load in variable.loads for load in ast.walk(test))

    def _settles(self, statement: ast.stmt, variable: Variable) -> bool:
        """Whether a statement before tests the variable, or tries to bind it and does not go on without."""
        if isinstance(statement, ast.If | ast.While | ast.Assert):
            endless = isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant)
            bound = any(each in variable.bindings for each in ast.walk(statement))
            return self._mentions(statement, variable) or (endless and bound)
        if isinstance(statement, ast.Try):
            leaving = (ast.Return, ast.Raise, ast.Continue, ast.Break)
            left = all(isinstance(each.body[-1], leaving) for each in statement.handlers)
            return left and any(self._sets(each, variable) for each in [*statement.body, *statement.orelse])
        return isinstance(statement, ast.With) and any(self._sets(each, variable) for each in statement.body)

    def _beside(self, statement: ast.stmt, after: bool) -> list[ast.stmt]:
        """The statements of the same block before or after one."""
        for name in ("body", "orelse", "finalbody"):
            block = getattr(self.names.parents.get(statement), name, None)
            if isinstance(block, list) and statement in block:
                at = block.index(statement)
                return block[at + 1 :] if after else block[:at]
        return []
