"""What a program still does after the set-up of an endpoint failed: there is no new object then, and never was.

The old endpoint was there from its creation on, so whatever runs after a failure could use it, and destroy it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate._scopes import FUNCTIONS
from migrate._setup import Plan, Planner

# What the constructors of comch_next never raise: a handler of these has an object.
_LATER = {"Again", "ConnectionAborted", "ConnectionInprogress", "ConnectionReset", "KeyboardInterrupt", "SystemExit"}
_EXITS = ("sys.exit", "exit", "quit", "os._exit", "os.abort")
_JUMPS = (ast.Continue, ast.Break)


class Failed:
    """The places of one plan that a failed set-up leads to."""

    def __init__(self, plan: Plan, planner: Planner) -> None:
        self.plan = plan
        self.names, self.flow, self.results = planner.names, planner.flow, planner.results
        self.on = {id(node) for statement in self._goes_on() for node in ast.walk(statement)}

    def goes_on_after(self, node: ast.AST) -> bool:
        """Whether a node is reached after a failure that the program did not end with."""
        return id(node) in self.on

    def catches(self, handler: ast.ExceptHandler) -> bool:
        """Whether a handler can be entered without the new object."""
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        return any(each is None or self._error(each) not in _LATER for each in kinds)

    def _error(self, node: ast.expr) -> str:
        symbol = self.flow.symbol(node)
        return symbol.name if symbol else ast.unparse(node)

    # ------------------------------------------------------------------ where it leads

    def _goes_on(self) -> Iterator[ast.stmt]:
        """The statements after the place, from the first that does not take success for granted."""
        failed = jumped = False
        if self.plan.create.flat and (self.plan.at_start or self.plan.place in self.plan.statements):
            failed, jumped, own = self._after_code()
            yield from own
        inner: ast.AST = self.plan.place
        for outer in self.names.above(self.plan.place):
            if isinstance(outer, ast.Try) and inner in outer.body:
                ends = [self._end(each.body) for each in outer.handlers if self.catches(each)]
                yield from outer.orelse if failed else ()
                failed, jumped = failed or "" in ends, jumped or "jumps" in ends
            elif isinstance(outer, ast.With):
                failed = failed or any("suppress" in ast.unparse(each.context_expr) for each in outer.items)
            failed = failed or (jumped and isinstance(outer, ast.For | ast.While))
            if isinstance(outer, (*FUNCTIONS, ast.ClassDef, ast.Module)):
                return
            if failed and isinstance(outer, ast.stmt):
                yield from self._following(outer)
            inner = outer

    def _following(self, statement: ast.stmt) -> list[ast.stmt]:
        block = self.results.block(statement)
        return block[block.index(statement) + 1 :] if statement in block else []

    def _after_code(self) -> tuple[bool, bool, list[ast.stmt]]:
        """Flat: whether the function, or a loop in it, goes on after a failure, and with which statements."""
        found: list[ast.stmt] = []
        for statement in [self.plan.place, *self._following(self.plan.place)]:
            checked, fails = self._failing(statement)
            if checked:
                end = self._end(fails)
                found += fails
                if end:
                    return False, end == "jumps", found
            elif statement is not self.plan.place:
                found.append(statement)
        return True, False, found

    def _failing(self, statement: ast.stmt) -> tuple[bool, list[ast.stmt]]:
        """Whether a statement looks at the result code, and what it does on failure."""
        if isinstance(statement, ast.Assert):
            return self._side(statement.test) is True, [ast.Raise()]
        if isinstance(statement, ast.If):
            side = self._side(statement.test)
            return side is not None, statement.orelse if side else statement.body
        called = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(called, ast.Call) and called.args and self.results.is_checker(called.func):
            function = self.flow.function_of(called.func)
            checks = [each for each in getattr(function, "body", []) if isinstance(each, ast.If)]
            return self._is_code(called.args[0]), [each for check in checks for each in check.body]
        return False, []

    def _side(self, test: ast.expr) -> bool | None:
        """True for ``rc == DOCA_SUCCESS``, False for its opposite, None for any other test."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            side = self._side(test.operand)
            return None if side is None else not side
        if self._is_code(test):
            return False
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq | ast.NotEq):
            sides = [test.left, test.comparators[0]]
            if any(map(self._is_code, sides)) and any(map(self.results.is_success, sides)):
                return isinstance(test.ops[0], ast.Eq)
        return None

    def _is_code(self, node: ast.expr) -> bool:
        """Whether an expression is the result code of the start call."""
        start = self.plan.starts[0]
        if isinstance(node, ast.NamedExpr):
            return node.value is start.node
        if isinstance(node, ast.Name):
            assigned = self.names.parents[start.node]
            walrus = assigned.target.id if isinstance(assigned, ast.NamedExpr) else ""
            return node.id == (walrus or self._code_name())
        return node is start.node

    def _code_name(self) -> str:
        calls = [*self.plan.starts, *self.plan.setters.values(), self.plan.create]
        found = (self.results.code_target(self.plan.place, each) for each in calls)
        return next(filter(None, found), "")

    # ------------------------------------------------------------------ how a block ends

    def _end(self, block: list[ast.stmt]) -> str:
        """'leaves' the function or program, 'jumps' in a loop, or goes on: ''."""
        last = block[-1] if block else None
        if isinstance(last, ast.If) and last.orelse:
            ends = {self._end(last.body), self._end(last.orelse)}
            return "" if "" in ends else min(ends)
        if isinstance(last, ast.With):
            return self._end(last.body)
        if isinstance(last, _JUMPS):
            return "jumps"
        return "leaves" if isinstance(last, ast.Return | ast.Raise) or self._exits(last) else ""

    def _exits(self, statement: ast.stmt | None) -> bool:
        called = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(called, ast.Call):
            return False
        function = self.flow.function_of(called.func)
        last = function.body[-1] if isinstance(function, ast.FunctionDef) else None
        return ast.unparse(called.func) in _EXITS or isinstance(last, ast.Raise) or self._is_exit(last)

    def _is_exit(self, statement: ast.stmt | None) -> bool:
        called = statement.value if isinstance(statement, ast.Expr) else None
        return isinstance(called, ast.Call) and ast.unparse(called.func) in _EXITS


def is_about_a_peer(load: ast.AST, planner: Planner) -> bool:
    """Whether a test around a node is about a peer: with one, there is an endpoint."""
    inner = load
    for outer in planner.names.above(load):
        if isinstance(outer, ast.If | ast.While) and inner in outer.body:
            for each in ast.walk(outer.test):
                if isinstance(each, ast.expr) and any(
                    getattr(shape, "kind", "") == "peer" for shape in planner.flow.shapes(each)
                ):
                    return True
        inner = outer
    return False
