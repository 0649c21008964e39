"""Which handles belong together, and which of these groups stay: a group changes as a whole or not at all."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from migrate import _legacy
from migrate._flow import ITERATED, Flow, spawned
from migrate._scopes import Variable
from migrate._shapes import Handle, Other, handles

BUILTINS = ITERATED | {"len", "enumerate", "bool", "id"}


@dataclass(frozen=True)
class Problem:
    """Why a group is refused, and where."""

    node: ast.AST
    code: str


class Groups:
    """Joins what a handle flows through (variables, functions, calls), and collects the problems of each group."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.names = flow.names
        self._up: dict[Hashable, Hashable] = {}
        self._problems: list[tuple[Hashable, Problem]] = []
        self._join_all()
        self._look_for_problems()

    # ------------------------------------------------------------------ union and find

    def root(self, anchor: Hashable) -> Hashable:
        """The one that stands for a group."""
        while anchor in self._up:
            anchor = self._up[anchor]
        return anchor

    def join(self, anchors: list[Hashable]) -> None:
        """Make one group of several."""
        roots = list(dict.fromkeys(map(self.root, anchors)))
        for each in roots[1:]:
            self._up[each] = roots[0]

    def refuse(self, anchors: list[Hashable], node: ast.AST, code: str) -> None:
        """Record why the groups of some anchors cannot be rewritten."""
        for anchor in anchors:
            self._problems.append((anchor, Problem(node, code)))

    def refused(self) -> dict[Hashable, list[Problem]]:
        """The problems of every group that has some."""
        found: dict[Hashable, list[Problem]] = {}
        for anchor, problem in self._problems:
            found.setdefault(self.root(anchor), []).append(problem)
        return found

    # ------------------------------------------------------------------ what flows together

    def anchors(self, node: ast.expr | None) -> list[Hashable]:
        """The variables, functions and calls that the handles of an expression come through."""
        if node is None or not any(handles(self.flow.shapes(node))):
            return []
        variable = self.names.variable(node)
        if variable is not None:
            return [variable]
        if isinstance(node, ast.Attribute):
            return [("field", node.attr)]
        if isinstance(node, ast.Call) and node not in self.flow.calls:
            function = self.flow.function_of(node.func)
            return [function] if function else [node, *(each for arg in node.args for each in self.anchors(arg))]
        if isinstance(node, ast.Call):
            return [node]
        children = (each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr))
        return [anchor for child in children for anchor in self.anchors(child)]

    def _join_all(self) -> None:
        for target, value in self.flow.flows():
            source = value[1] if isinstance(value, tuple) else value
            if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "enumerate":
                source = source.args[0] if source.args else source
            self._join_flow(target, source)
        for call in self.flow.calls.values():
            self.join([call.node, *(anchor for value, _ in call.handles for anchor in self.anchors(value))])

    def _join_flow(self, target: object, source: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(source, ast.Tuple) and len(target.elts) == len(source.elts):
            for each, value in zip(target.elts, source.elts, strict=True):
                self._join_flow(each, value)
            return
        reached = self._reached(target)
        anchors = self.anchors(source)
        if reached and anchors:
            self.join([*reached, *anchors])

    def _reached(self, target: object) -> list[Hashable]:
        if isinstance(target, Variable):
            return [target]
        variable = self.names.variable(target) if isinstance(target, ast.expr) else None
        if variable is not None:
            return [variable] if any(handles(self.flow.variables.get(variable, frozenset()))) else []
        if isinstance(target, ast.Attribute):
            return [("field", target.attr)]
        if isinstance(target, ast.Tuple | ast.List):
            return [each for item in target.elts for each in self._reached(item)]
        return [target] if isinstance(target, ast.AST) and not isinstance(target, ast.expr) else []

    def share(self, names: frozenset[str]) -> None:
        """Refuse the handles that other files take from this one."""
        for name, variable in self.names.module.variables.items():
            if name not in names and "*" not in names:
                continue
            held = any(handles(self.flow.variables.get(variable, frozenset())))
            for binding in variable.bindings:
                self.refuse([variable] if held else [], binding, "CCM049")
                fields = {each for each in self.names.fields.values() if each.scope.node is binding}
                self.refuse([each for each in fields if each in self.flow.variables], binding, "CCM049")
                if isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef):
                    self.refuse(self._of_function(binding), binding, "CCM049")

    # ------------------------------------------------------------------ problems

    def _look_for_problems(self) -> None:
        for node in ast.walk(self.names.tree):
            if isinstance(node, ast.expr) and not isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
                anchors = self.anchors(node)
                code = self._misuse(node) if anchors else ""
                if code:
                    self.refuse(anchors, node, code)
        for variable, shapes in self.flow.variables.items():
            kinds = {each.kind for each in handles(shapes)}
            direct = {each.kind for each in shapes if isinstance(each, Handle)}
            # A tuple in one place and something else in another is judged where it is taken apart.
            if direct and (Other() in shapes or len(kinds) > 1):
                self._refuse_variable(variable)
        for call in self.flow.calls.values():
            self._check_call(call)
        for node in ast.walk(self.names.tree):
            if isinstance(node, ast.Call) and node not in self.flow.calls and self.flow.inherits(node):
                self.refuse([node], node, "CCM039")
        passed = {target for target, _ in self.flow.flows()}
        for variable, argument in self.flow.annotated.items():
            if variable not in passed:
                self.refuse([variable], argument, "CCM034")
        self._check_functions()

    def _refuse_variable(self, variable: Variable) -> None:
        where = next((each for each in variable.bindings if isinstance(each, ast.Name)), None)
        self.refuse([variable], where or variable.bindings[0], "CCM035")

    def _check_call(self, call: _legacy.Call) -> None:
        if call.problem:
            self.refuse([call.node], call.node, call.problem)
        for value, kind in call.handles:
            found = [each for each in handles(self.flow.shapes(value)) if each.kind == kind]
            sited = kind != "endpoint" or all(each.site is not None for each in found)
            if not found or not sited:
                self.refuse([call.node, *self.anchors(value)], call.node, "CCM034")

    def _check_functions(self) -> None:
        """A function that takes or gives handles must be called by name only, for what it is."""
        for function in ast.walk(self.names.tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            anchors = self._of_function(function)
            for load in self._value_uses(function) if anchors else ():
                self.refuse(anchors, load, "CCM033")

    def _of_function(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[Hashable]:
        """The parameters of a function that are handles, and itself when it returns one."""
        variables = self.names.scopes[function].variables.values()
        anchors: list[Hashable] = [each for each in variables if self._is_parameter(each)]
        return [*anchors, function] if any(handles(self.flow.returns.get(function, frozenset()))) else anchors

    def _is_parameter(self, variable: Variable) -> bool:
        bound = any(isinstance(each, ast.arg) for each in variable.bindings)
        return bound and any(handles(self.flow.variables.get(variable, frozenset())))

    def _value_uses(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
        variable = self.names.scope(function).variables.get(function.name)
        for load in variable.loads if variable else ():
            parent = self.names.parents[load]
            call = self.names.parents.get(parent)
            threaded = isinstance(parent, ast.keyword) and isinstance(call, ast.Call) and spawned(call) is not None
            if not (isinstance(parent, ast.Call) and parent.func is load) and not threaded:
                yield load

    # ------------------------------------------------------------------ where a handle may stand

    def _misuse(self, node: ast.expr) -> str:
        """The code of what is wrong with the place of a handle; '' when nothing is."""
        parent = self.names.parents[node]
        judge = getattr(self, "_in_" + type(parent).__name__, None)
        if judge is not None:
            return str(judge(parent, node))
        fine = (
            ast.Compare,
            ast.If,
            ast.While,
            ast.Assert,
            ast.UnaryOp,
            ast.BoolOp,
            ast.IfExp,
            ast.Expr,
            ast.NamedExpr,
        )
        return "" if isinstance(parent, fine) else "CCM033"

    def _in_Attribute(self, parent: ast.Attribute, node: ast.expr) -> str:  # noqa: N802
        above = self.names.parents[parent]
        if isinstance(above, ast.Call) and above.func is parent and above in self.flow.calls:
            return ""
        kinds = {each.kind for each in handles(self.flow.shapes(node))}
        return "CCM038" if any((kind, parent.attr) in _legacy.METHODS for kind in kinds) else "CCM022"

    def _in_Call(self, parent: ast.Call, node: ast.expr) -> str:  # noqa: N802
        if parent in self.flow.calls:
            call = self.flow.calls[parent]
            expected = call.problem or any(value is node for value, _ in call.handles)
            return "" if expected else "CCM033"
        if isinstance(parent.func, ast.Name) and parent.func.id in BUILTINS and parent.func is not node:
            return ""
        return "" if self._is_passed(parent, node) else "CCM033"

    def _in_keyword(self, parent: ast.keyword, node: ast.expr) -> str:
        call = self.names.parents[parent]
        return self._in_Call(call, node) if isinstance(call, ast.Call) else "CCM033"

    def _is_passed(self, call: ast.Call, node: ast.expr) -> bool:
        indirect = spawned(call)
        inside = indirect is not None and isinstance(node, ast.Tuple) and self.flow.function_of(indirect[0]) is not None
        return inside or any(value is node for _, value in self.flow.passed(call))

    def _in_Tuple(self, parent: ast.Tuple, node: ast.expr) -> str:  # noqa: N802
        return ""  # the tuple is judged where it stands

    def _in_List(self, parent: ast.List, node: ast.expr) -> str:  # noqa: N802
        return "CCM032"

    _in_Set = _in_Dict = _in_ListComp = _in_SetComp = _in_DictComp = _in_GeneratorExp = _in_List  # noqa: N815

    def _in_Starred(self, parent: ast.Starred, node: ast.expr) -> str:  # noqa: N802
        return "CCM038"

    def _in_Assign(self, parent: ast.Assign, node: ast.expr) -> str:  # noqa: N802
        worst = [self._target(each) for each in parent.targets]
        return next((code for code in worst if code), "")

    def _in_AnnAssign(self, parent: ast.AnnAssign, node: ast.expr) -> str:  # noqa: N802
        return self._target(parent.target)

    def _target(self, target: ast.expr) -> str:
        if isinstance(target, ast.Tuple | ast.List):
            return next((code for code in map(self._target, target.elts) if code), "")
        if self.names.variable(target) is not None:
            return ""
        kinds: dict[type, str] = {ast.Attribute: "CCM031", ast.Subscript: "CCM032", ast.Starred: "CCM032"}
        return kinds.get(type(target), "")

    def _in_Return(self, parent: ast.Return, node: ast.expr) -> str:  # noqa: N802
        function = self.names.function(parent)
        around = self.names.parents.get(function)
        plain = isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and not function.decorator_list
        return "" if plain and not isinstance(around, ast.ClassDef) else "CCM033"

    def _in_Await(self, parent: ast.Await, node: ast.expr) -> str:  # noqa: N802
        return ""

    def _in_For(self, parent: ast.For | ast.AsyncFor | ast.comprehension, node: ast.expr) -> str:  # noqa: N802
        lists = all(each.kind.endswith("[]") for each in handles(self.flow.shapes(node)))
        return "" if lists else "CCM032"

    _in_AsyncFor = _in_comprehension = _in_For  # noqa: N815

    def _in_Subscript(self, parent: ast.Subscript, node: ast.expr) -> str:  # noqa: N802
        return "" if parent.value is node else "CCM032"

    def _in_withitem(self, parent: ast.withitem, node: ast.expr) -> str:
        kinds = {each.kind for each in handles(self.flow.shapes(node))}
        return "" if kinds <= {"device", "representor"} else "CCM022"
