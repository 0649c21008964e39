"""How an endpoint is set up: where it is created, which calls set what, where it listens or connects.

The old endpoint got its role last; Server and Client take everything first. So the set-up calls must form one straight
piece of a function, and their arguments must still mean the same where the new object is made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from migrate import _legacy
from migrate._flow import Flow
from migrate._results import Results
from migrate._scopes import Names, Variable
from migrate._shapes import Handle

SIZES = {
    "max_msg_size": 65535,
    "send_queue_size": 8192,
    "recv_queue_size": 8192,
}  # the most that can be set anywhere
ROLES = {_legacy.EP + "listen": "Server", _legacy.EP + "connect": "Client"}
SETTERS = {_legacy.EP + "set_" + what: what for what in ("device", "device_rep", *SIZES)}


class Unplannable(Exception):
    """The set-up cannot be rewritten: a code, and the node that is in the way."""

    def __init__(self, code: str, node: ast.AST) -> None:
        super().__init__(code)
        self.code = code
        self.node = node


@dataclass
class Plan:
    """The set-up of one endpoint."""

    create: _legacy.Call
    role: str
    variable: Variable
    setters: dict[str, _legacy.Call]
    starts: list[_legacy.Call]  # listen or connect
    place: ast.stmt  # the new object is made here, or just before it
    at_start: bool  # `place` is the statement of the (only) start call
    statements: list[ast.stmt] = field(default_factory=list)  # of creation and set-up, checks included

    @property
    def name(self) -> ast.expr:
        return self.starts[0].arguments["name"]


class Planner:
    """Makes the plans of a file."""

    def __init__(self, flow: Flow, unsafe: bool) -> None:
        self.flow = flow
        self.names: Names = flow.names
        self.unsafe = unsafe
        self.results = Results(flow)

    def calls_of(self, site: ast.Call, names: dict[str, str]) -> list[_legacy.Call]:
        """The calls of some names that an endpoint made at `site` can receive."""
        found = []
        for call in self.flow.calls.values():
            if call.name in names and call.handles:
                shapes = self.flow.shapes(call.handles[0][0])
                if any(isinstance(each, Handle) and each.site is site for each in shapes):
                    found.append(call)
        return found

    def role(self, site: ast.Call) -> str:
        """Server, Client, or '' when it is both or neither."""
        found = {ROLES[each.name] for each in self.calls_of(site, ROLES)}
        return found.pop() if len(found) == 1 else ""

    def plan(self, create: _legacy.Call) -> Plan:
        """The plan for one creation; Unplannable when there is none."""
        site, role = create.node, self.role(create.node)
        if not role:
            raise Unplannable("CCM036", site)
        variable = self._variable(create)
        setters = self._setters(site, variable)
        needed = ["device", "device_rep"] if role == "Server" else ["device"]
        if any(each not in setters for each in needed):
            raise Unplannable("CCM037", site)
        starts = self.calls_of(site, ROLES)
        function = self.names.function(site)
        here = all(self.names.function(each.node) is function for each in starts)
        place, at_start = self._place_here(create, starts) if here else self._place_elsewhere(setters, starts)
        plan = Plan(create, role, variable, setters, starts, place, at_start)
        self._check_order(plan)
        self._check_values(plan)
        self._collect_statements(plan)
        return plan

    def _variable(self, create: _legacy.Call) -> Variable:
        statement = self.names.parents[create.node]
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if create.flat and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                code, target = target.elts
                if not isinstance(code, ast.Name):
                    raise Unplannable("CCM037", create.node)
            variable = self.names.variable(target)
            if variable is not None:
                stores = [each for each in variable.bindings if each is not target]
                if all(self._is_none(each) for each in stores):
                    return variable
        raise Unplannable("CCM037", create.node)

    def _is_none(self, binding: ast.AST) -> bool:
        statement = self.names.parents.get(binding)
        return (
            isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Constant)
            and statement.value.value is None
        )

    def _setters(self, site: ast.Call, variable: Variable) -> dict[str, _legacy.Call]:
        setters: dict[str, _legacy.Call] = {}
        for call in self.calls_of(site, SETTERS):
            receiver, what = call.handles[0][0], SETTERS[call.name]
            mine = self.names.variable(receiver) is variable
            same = self.names.function(call.node) is self.names.function(site)
            if not mine or not same or what in setters:
                raise Unplannable("CCM037", call.node)
            setters[what] = call
        return setters

    # ------------------------------------------------------------------ where

    def blocks(self, statement: ast.stmt) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
        """A statement with the list that holds it, then the same for the statement around it, and so on."""
        while True:
            parent = self.names.parents[statement]
            yield statement, self.results.block(statement)
            if not isinstance(parent, ast.stmt | ast.ExceptHandler | ast.match_case):
                return
            if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                return
            statement = self.names.statement(parent)

    def _place_here(self, create: _legacy.Call, starts: list[_legacy.Call]) -> tuple[ast.stmt, bool]:
        """Creation and start in one function: at the start call, or before the loop or branch that holds it."""
        home = self.results.block(self.names.statement(create.node))
        first = min(starts, key=lambda each: (each.node.lineno, each.node.col_offset))
        path = []
        for statement, block in self.blocks(self.names.statement(first.node)):
            path.append(statement)
            if block is home:
                break
        else:
            raise Unplannable("CCM037", create.node)
        for statement in reversed(path):
            descends = isinstance(statement, ast.Try | ast.With) and statement is not path[0]
            inner = path[path.index(statement) - 1]
            if not descends or inner not in getattr(statement, "body", []):
                return statement, statement is path[0] and len(starts) == 1
        raise Unplannable("CCM037", create.node)

    def _place_elsewhere(self, setters: dict[str, _legacy.Call], starts: list[_legacy.Call]) -> tuple[ast.stmt, bool]:
        """Created here, started elsewhere: at the last set-up call, when the service's name is a constant."""
        if any(not self.is_constant(each.arguments["name"]) for each in starts):
            raise Unplannable("CCM037", starts[0].node)
        last = max(setters.values(), key=lambda each: each.node.lineno)
        return self.names.statement(last.node), False

    # ------------------------------------------------------------------ whether

    def is_constant(self, node: ast.expr) -> bool:
        """Whether an expression means the same everywhere in the file."""
        return self.flow.constant(node) is not None

    def is_safe_size(self, what: str, node: ast.expr) -> bool:
        """Whether a size is known to be legal."""
        value = self.flow.constant(node)
        return isinstance(value, int) and 0 < value <= SIZES[what]

    def _check_order(self, plan: Plan) -> None:
        """Set-up calls stand after the creation and before the place, each in a block that leads to the place."""
        leading = [block for _, block in self.blocks(plan.place)]
        created = self.names.statement(plan.create.node)
        for call in plan.setters.values():
            statement = self.names.statement(call.node)
            if not any(block is self.results.block(statement) for block in leading):
                raise Unplannable("CCM037", call.node)
            if not created.lineno <= statement.lineno <= plan.place.lineno:
                raise Unplannable("CCM037", call.node)
        if len({ast.dump(each.arguments["name"]) for each in plan.starts}) > 1:
            raise Unplannable("CCM037", plan.starts[-1].node)

    def _check_values(self, plan: Plan) -> None:
        """Arguments must mean at the place what they meant in their own call."""
        values = [(call, self._argument(call)) for call in plan.setters.values()]
        if not plan.at_start:
            values += [(each, each.arguments["name"]) for each in plan.starts]
        for start in plan.starts:
            if self._varies(start, plan):
                raise Unplannable("CCM037", start.node)
        busy = self._is_busy(plan)
        for call, value in values:
            has_call = any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr) for each in ast.walk(value))
            if self._rebound(call, value, plan) or (has_call and busy):
                raise Unplannable("CCM037", call.node)
        for what in SIZES:
            risky = what in plan.setters and not self.is_safe_size(what, self._argument(plan.setters[what]))
            if risky and (plan.create.flat or busy) and not self.unsafe:
                raise Unplannable("CCM044", plan.setters[what].node)
        elsewhere = not plan.at_start or plan.variable in self.names.fields.values()
        if plan.create.flat and elsewhere and not self.is_constant(plan.name) and not self.unsafe:
            raise Unplannable("CCM044", plan.starts[0].node)

    def _argument(self, call: _legacy.Call) -> ast.expr:
        return list(call.arguments.values())[1]

    def _rebound(self, call: _legacy.Call, value: ast.expr, plan: Plan) -> bool:
        """Whether a name in a value is bound again between its call and the place (or after it, in a loop)."""
        lines = sorted((call.node.lineno, plan.place.lineno))
        end = plan.place.end_lineno or plan.place.lineno
        if not plan.at_start and self.names.statement(plan.starts[0].node) is not plan.place:
            lines[1] = max(lines[1], end)
        for variable in filter(None, map(self.names.variable, ast.walk(value))):
            for binding in variable.bindings:
                line = getattr(binding, "lineno", 0)
                if lines[0] < line <= lines[1] and self.names.function(binding) is self.names.function(call.node):
                    return True
        return False

    def _varies(self, start: _legacy.Call, plan: Plan) -> bool:
        """Whether the service's name is worked out in the statement that the new object is made before."""
        name = start.arguments["name"]
        if self.is_constant(name):
            return False
        parts = set(ast.walk(name))
        around = set(ast.walk(plan.place)) - parts
        variables = {each for each in map(self.names.variable, parts) if each is not None}
        if any(around.intersection(each.bindings) for each in variables):
            return True
        if plan.at_start:
            return False
        # From here on it was worked out at every turn of a loop, and is to be once, before the first.
        worked_out = any(isinstance(each, ast.Call | ast.Await | ast.NamedExpr) for each in parts)
        by_others = any(self._is_set_by_others(each, start) for each in variables)
        return worked_out or by_others or self._is_changed(parts, around)

    def _is_changed(self, parts: set[ast.AST], around: set[ast.AST]) -> bool:
        """Whether an attribute or item of a name is set, or its holder used otherwise, in the nodes around."""
        holders = {ast.unparse(each.value) for each in parts if isinstance(each, ast.Subscript)}
        attributes = {each.attr for each in parts if isinstance(each, ast.Attribute)}
        for each in around:
            if isinstance(each, ast.Name | ast.Attribute) and ast.unparse(each) in holders:
                return True
            if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store) and each.attr in attributes:
                return True
        return False

    def _is_set_by_others(self, variable: Variable, start: _legacy.Call) -> bool:
        """Whether functions that do not own a variable bind it: any call may be what sets it."""
        owner = variable.scope.node
        homes = {self.names.function(each) for each in variable.bindings} - {self.names.function(start.node)}
        if isinstance(owner, ast.ClassDef):
            return any(getattr(each, "name", "") != "__init__" for each in homes)
        return any(each is not owner for each in homes)

    def _is_busy(self, plan: Plan) -> bool:
        """Whether something else is called between the first set-up call and the place."""
        mine = {call.node for call in [*plan.setters.values(), plan.create, *plan.starts]}
        first = min(call.node.lineno for call in plan.setters.values())
        function = self.names.function(plan.create.node)
        checks = {id(each) for call in plan.setters.values() for each in self.results.with_check(call)}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and first <= node.lineno < plan.place.lineno and node not in mine:
                inside = {id(each) for each in self.names.above(node)}
                if not inside & checks and not inside & {id(each) for each in mine}:
                    return True
        return False

    # ------------------------------------------------------------------ what goes

    def _collect_statements(self, plan: Plan) -> None:
        """The statements that vanish; Unplannable when a result is used in some other way."""
        for call in [plan.create, *plan.setters.values()]:
            statement = self.names.statement(call.node)
            if not self.results.can_vanish(statement, call):
                raise Unplannable("CCM037", call.node)
            plan.statements += self.results.with_check(call)
