"""What a flat program does with a result code: where it goes, how it is checked, whether the check can go too."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._flow import Flow


class Results:
    """Looks at the statements around calls."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.names = flow.names

    def block(self, statement: ast.stmt) -> list[ast.stmt]:
        """The list of statements that holds a statement."""
        parent = self.names.parents[statement]
        for field_name in ("body", "orelse", "finalbody"):
            block = getattr(parent, field_name, None)
            if isinstance(block, list) and statement in block:
                return block
        return []

    def with_check(self, call: _legacy.Call) -> list[ast.stmt]:
        """The statements that set something: the call's own, and the check of its result code that follows."""
        statement = self.names.statement(call.node)
        found = [statement]
        block = self.block(statement)
        following = block[block.index(statement) + 1 : block.index(statement) + 2] if statement in block else []
        code = self.code_target(statement, call)
        if code and following and self.is_check(following[0], code):
            found += following
        return found

    def code_target(self, statement: ast.stmt, call: _legacy.Call) -> str:
        """The name that takes the result code of a flat call; '' if there is none."""
        if call.flat and isinstance(statement, ast.Assign) and statement.value is call.node:
            target = statement.targets[0]
            target = target.elts[0] if isinstance(target, ast.Tuple) else target
            return target.id if isinstance(target, ast.Name) else ""
        return ""

    def is_check(self, statement: ast.stmt, code: str) -> bool:
        """``if rc != DOCA_SUCCESS: ...`` or a checking function that is given rc."""
        if isinstance(statement, ast.If) and not statement.orelse:
            return self._compares(statement.test, code)
        given = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(given, ast.Call) or not self.is_checker(given.func):
            return False
        return bool(given.args) and isinstance(given.args[0], ast.Name) and given.args[0].id == code

    def _compares(self, test: ast.expr, code: str) -> bool:
        if isinstance(test, ast.Name):
            return test.id == code
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.NotEq):
            return False
        sides = [test.left, test.comparators[0]]
        named = [each for each in sides if isinstance(each, ast.Name) and each.id == code]
        return bool(named) and any(self.is_success(each) for each in sides if each not in named)

    def is_success(self, node: ast.expr) -> bool:
        """Whether an expression names DOCA_SUCCESS."""
        symbol = self.flow.symbol(node)
        rewritten = isinstance(node, ast.Attribute) and ast.unparse(node).endswith(".ErrorCode.SUCCESS")
        return rewritten or (symbol is not None and symbol.name == "DOCA_SUCCESS")

    def is_checker(self, node: ast.expr) -> bool:
        """A function of this file that does something only when its first argument is not DOCA_SUCCESS."""
        function = self.flow.function_of(node)
        if not isinstance(function, ast.FunctionDef) or not function.args.args:
            return False
        body = [each for each in function.body if not self._is_text(each)]
        test = body[0].test if len(body) == 1 and isinstance(body[0], ast.If) and not body[0].orelse else None
        return test is not None and self._compares(test, function.args.args[0].arg)

    def _is_text(self, statement: ast.stmt) -> bool:
        return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)

    def can_vanish(self, statement: ast.stmt, call: _legacy.Call) -> bool:
        parent = self.names.parents[call.node]
        if isinstance(parent, ast.Expr | ast.Assign):
            return True
        if isinstance(parent, ast.Call) and parent.args[:1] == [call.node] and self.is_checker(parent.func):
            return isinstance(self.names.parents[parent], ast.Expr)
        if isinstance(statement, ast.If) and not statement.orelse and isinstance(parent, ast.Compare):
            compared = isinstance(parent.ops[0], ast.NotEq) and len(parent.ops) == 1
            return statement.test is parent and compared and self.is_success(parent.comparators[0])
        if isinstance(statement, ast.Assert) and isinstance(parent, ast.Compare) and statement.test is parent:
            return isinstance(parent.ops[0], ast.Eq) and self.is_success(parent.comparators[0])
        return False
