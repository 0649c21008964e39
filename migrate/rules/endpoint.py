"""Make a Server or a Client where the endpoint listens or connects."""

from __future__ import annotations

import ast

from migrate import _legacy
from migrate._edits import FOLD, FOLD_END, Edits, Template
from migrate._failed import Failed, is_about_a_peer
from migrate._rule import Context
from migrate._setup import SIZES, Plan, Planner, Unplannable

STARTS = {"Server": ("listen", ""), "Client": ("connect", "timeout=0")}


def rewrite(plan: Plan, planner: Planner, context: Context) -> Edits:
    """The edits of the whole set-up of one endpoint; fills `context.guarded`."""
    edits = Edits()
    early = _guard(plan, planner, context, edits)
    for statement in plan.statements:
        edits.statements[statement] = []
    if early:
        none = Template(f"{plan.variable.name} = None")
        edits.statements[planner.names.statement(plan.create.node)] = [none]
    _make(plan, planner, context, edits)
    for call in plan.setters.values():
        if call.name.endswith("max_msg_size"):
            edits.notes[call.node] = "CCM060"
        elif call.name.endswith("queue_size"):
            edits.notes[call.node] = "CCM062"
    return edits


def construction(plan: Plan) -> tuple[str, dict[str, ast.expr]]:
    """Function and arguments that make the new object, and their parts."""
    values = {what: list(call.arguments.values())[1] for what, call in plan.setters.items()}
    parts = {"device": values["device"], "name": plan.name}
    arguments = ["{device}", "{name}"]
    if plan.role == "Server":
        parts["device_rep"] = values["device_rep"]
        arguments.insert(1, "{device_rep}")
    sizes = [what for what in SIZES if what in values]
    parts |= {what: values[what] for what in sizes}
    named = ", ".join(f"{what}={{{what}}}" for what in sizes)
    return ", ".join(arguments) + (f", {FOLD}{named}" if named else "") + FOLD_END, parts


def _make(plan: Plan, planner: Planner, context: Context, edits: Edits) -> None:
    arguments, parts = construction(plan)
    name, make = plan.variable.name, f"{{comch}}.{plan.role}"
    function, options = STARTS[plan.role]
    plain = Template(f"{name} = {make}({FOLD}{arguments})", parts)
    for call in plan.starts:
        text = f"{{local_ep}}.{function}({options})"
        if call.flat:
            given = f", {options}" if options else ""
            tail = "" if call.signature.outputs or context.alone(call.node) else "[0]"
            text = f"{{comch}}.outcome({{local_ep}}.{function}{given}){tail}"
        edits.expressions[call.node] = Template(text, call.arguments)
    if plan.at_start and plan.create.flat:
        _make_by_code(plan, planner, context, edits)
    elif plan.place in plan.statements and plan.create.flat:
        code = planner.results.code_target(plan.place, _call_at(plan, planner))
        if not code:
            raise Unplannable("CCM037", plan.place)
        edits.statements[plan.place] = [
            Template(f"{code}, {name} = {{comch}}.outcome({FOLD}{make}, {arguments})", parts)
        ]
        for check in plan.statements[plan.statements.index(plan.place) + 1 :][:1]:
            edits.statements.pop(check, None)
    elif plan.place in plan.statements:
        edits.statements[plan.place] = [plain]
    else:
        edits.before[plan.place] = [plain]


def _call_at(plan: Plan, planner: Planner) -> _legacy.Call:
    return next(each for each in plan.setters.values() if planner.names.statement(each.node) is plan.place)


def _make_by_code(plan: Plan, planner: Planner, context: Context, edits: Edits) -> None:
    """Flat: make and start one after the other, with one result code for both."""
    start = plan.starts[0]
    if _is_conditional(start.node, plan.place, context):
        raise Unplannable("CCM037", start.node)
    arguments, parts = construction(plan)
    created, parent = planner.names.statement(plan.create.node), context.names.parents[start.node]
    code = planner.results.code_target(plan.place, start) or planner.results.code_target(created, plan.create)
    code = parent.target.id if isinstance(parent, ast.NamedExpr) else code
    peer = _peer_target(plan.place, start)
    success = "{comch}.ErrorCode.SUCCESS"
    if plan.role == "Server":
        begin = f"{code} = {{comch}}.outcome({plan.variable.name}.listen)[0]"
    else:
        begin = f"{code}, {peer or 'peer'} = {{comch}}.outcome({plan.variable.name}.connect, timeout=0)"
    lines = [
        Template(f"{code}, {plan.variable.name} = {{comch}}.outcome({FOLD}{{comch}}.{plan.role}, {arguments})", parts),
        Template(f"if {code} == {success}:"),
        Template(f"    {begin}"),
    ]
    if plan.role == "Client" and not _leaves(planner, plan.place, code):
        lines += [Template("else:"), Template(f"    {peer or 'peer'} = None")]
    if (
        isinstance(plan.place, ast.Assign)
        and plan.place.value is start.node
        and planner.results.code_target(plan.place, start)
    ):
        if plan.role == "Client" and not peer:
            raise Unplannable("CCM041", start.node)
        edits.statements[plan.place] = lines
    elif isinstance(parent, ast.Expr):
        edits.statements[plan.place] = [*lines[:2], _ignored(plan)]
    elif plan.role == "Server":
        edits.before[plan.place] = lines
        edits.expressions[parent if isinstance(parent, ast.NamedExpr) else start.node] = Template(code)
    else:
        raise Unplannable("CCM041", start.node)


def _ignored(plan: Plan) -> Template:
    """The start whose code and peer nobody takes."""
    function, options = STARTS[plan.role]
    return Template(f"    {{comch}}.outcome({plan.variable.name}.{function}{options and ', '}{options})")


def _peer_target(statement: ast.stmt, start: _legacy.Call) -> str:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
        peer = statement.targets[0].elts[-1]
        named = isinstance(peer, ast.Name | ast.Attribute) and bool(start.signature.outputs)
        return ast.unparse(peer) if named else ""
    return ""


def _is_conditional(node: ast.AST, statement: ast.stmt, context: Context) -> bool:
    """Whether an expression in a statement may not be evaluated, or not once."""
    doubtful = (ast.BoolOp, ast.IfExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    for each in context.names.above(node):
        if each is statement:
            return not isinstance(each, ast.Assign | ast.Expr | ast.If | ast.Return | ast.Assert)
        if isinstance(each, doubtful):
            return True
    return True


def _leaves(planner: Planner, statement: ast.stmt, code: str) -> bool:
    """Whether the next statement is a check of the code that leaves the function or loop."""
    block = planner.results.block(statement)
    following = block[block.index(statement) + 1 : block.index(statement) + 2]
    if not following or not planner.results.is_check(following[0], code) or not isinstance(following[0], ast.If):
        return False
    last = following[0].body[-1]
    called = last.value if isinstance(last, ast.Expr) else None
    leaving = isinstance(called, ast.Call) and ast.unparse(called.func) in ("sys.exit", "exit", "os._exit")
    return leaving or isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break)


def _unwinding(plan: Plan, planner: Planner) -> list[list[ast.stmt]]:
    """Handlers and finally around the place: they run although the object was never made."""
    found: list[list[ast.stmt]] = []
    inner: ast.AST = plan.place
    for outer in planner.names.above(plan.place):
        if isinstance(outer, ast.Try) and inner in outer.body:
            found += [*(each.body for each in outer.handlers), outer.finalbody]
        inner = outer
    return found


def _failed_checks(plan: Plan, planner: Planner) -> list[list[ast.stmt]]:
    """Flat: checks that fail before the object is made, and the one after it."""
    if not plan.create.flat:
        return []
    home = planner.results.block(planner.names.statement(plan.create.node))
    created = home.index(planner.names.statement(plan.create.node))
    between = [each for each in home[created:] if each.lineno < plan.place.lineno and each not in plan.statements]
    block = planner.results.block(plan.place)
    following = block[block.index(plan.place) + 1 : block.index(plan.place) + 2]
    return [between, [each for each in following if isinstance(each, ast.If)]]


def _guard(plan: Plan, planner: Planner, context: Context, edits: Edits) -> bool:
    """Mark the calls that close what may not be there; True when the name must be bound before it is made."""
    failed, flat = Failed(plan, planner), plan.create.flat
    unwinding, checks = _nodes(_unwinding(plan, planner)), _nodes(_failed_checks(plan, planner))
    early = False
    _check_methods(plan, planner, unwinding | checks | failed.on)
    for load in plan.variable.loads:
        between, goes_on = _is_between(load, plan, planner), failed.goes_on_after(load)
        outside = _is_outside(load, plan, planner)
        if not (between or goes_on or outside or id(load) in unwinding | checks) or load in _own_loads(plan):
            continue
        call = next((each for each in planner.flow.calls.values() if each.handles and each.handles[0][0] is load), None)
        if call is not None and call.name == _legacy.EP + "destroy":
            context.guarded.add(call.node)
        elif outside:
            continue
        elif between and not _is_tested(planner.names.parents[load]):
            raise Unplannable("CCM037", load)
        elif goes_on or _may_miss(load, plan, planner, failed):
            _use(load, plan, planner, edits)
        elif (call is None or not _after(load, plan)) and not _is_tested(planner.names.parents[load]):
            raise Unplannable("CCM037", load)
        elif between and planner.names.statement(load) in planner.results.block(plan.place):
            raise Unplannable("CCM037", load)  # the endpoint was there by then, and the new object is not
        early = early or id(load) in unwinding or not _after(load, plan) or ((goes_on or outside) and not flat)
    return early


def _use(load: ast.expr, plan: Plan, planner: Planner, edits: Edits) -> None:
    """A use after a failure: told in a flat program, which may know by its codes; refused otherwise."""
    parent = planner.names.parents[load]
    if _is_tested(parent) or is_about_a_peer(load, planner):
        return
    above = planner.names.parents[parent] if isinstance(parent, ast.Tuple) else parent
    if not plan.create.flat or isinstance(above, ast.Return):
        raise Unplannable("CCM037", load)
    edits.notes.setdefault(load, "CCM064")


def _may_miss(load: ast.expr, plan: Plan, planner: Planner, failed: Failed) -> bool:
    """Whether a handler that the constructor can lead to uses the endpoint, other than to disconnect."""
    call = planner.names.parents[load]
    if isinstance(call, ast.Attribute) and call.attr == "disconnect":
        return False
    return not plan.create.flat and any(
        isinstance(each, ast.ExceptHandler)
        and plan.place in ast.walk(planner.names.parents[each])
        and plan.place not in ast.walk(each)
        and failed.catches(each)
        for each in planner.names.above(load)
    )


def _is_outside(load: ast.expr, plan: Plan, planner: Planner) -> bool:
    """Whether another function reads the name, which may be called after a failure."""
    home = planner.names.function(plan.place)
    if plan.variable.scope.node is home or getattr(home, "name", "__init__") == "__init__" or not plan.at_start:
        return False
    return planner.names.function(load) is not home


def _check_methods(plan: Plan, planner: Planner, doubtful: set[int]) -> None:
    """Unplannable where another function that uses the endpoint may run before the new object is there."""
    names, is_field = planner.names, plan.variable in planner.names.fields.values()
    users = {names.function(load) for load in plan.variable.loads} - {names.function(plan.place)}
    for call in (each for each in ast.walk(names.function(plan.place)) if isinstance(each, ast.Call)):
        if _is_between(call, plan, planner) or id(call) in doubtful:
            method = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "self"
            if (is_field and method) or planner.flow.function_of(call.func) in users:
                raise Unplannable("CCM037", call)


def _is_tested(parent: ast.AST) -> bool:
    return isinstance(parent, ast.Compare | ast.If | ast.UnaryOp | ast.BoolOp)


def _nodes(blocks: list[list[ast.stmt]]) -> set[int]:
    return {id(node) for block in blocks for statement in block for node in ast.walk(statement)}


def _is_between(load: ast.AST, plan: Plan, planner: Planner) -> bool:
    """Whether the endpoint is used where it had been created and the new object has not been made."""
    created = planner.names.statement(plan.create.node)
    here = planner.names.function(load) is planner.names.function(plan.place)
    return here and (created.end_lineno or created.lineno) < getattr(load, "lineno", 0) < plan.place.lineno


def _after(load: ast.expr, plan: Plan) -> bool:
    return load.lineno > plan.place.lineno


def _own_loads(plan: Plan) -> set[ast.expr]:
    return {call.handles[0][0] for call in [*plan.setters.values(), *plan.starts]}
