"""Which values are old handles: a small flow analysis over names, parameters, returns, tuples and lists of one file.

It knows no order of statements: a variable has every shape that anything in the file gives it. A value that it cannot
follow has the shape OTHER, and a handle that meets OTHER is refused later, so what is unknown is never rewritten.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate import _legacy
from migrate._scopes import FUNCTIONS, Function, Names, Variable
from migrate._shapes import NOTHING, OTHER, Handle, Other, Row, Shape, Shapes, Symbol, handles, one
from migrate._symbols import Symbols

ITERATED = frozenset({"list", "tuple", "reversed", "sorted", "iter"})


def spawned(call: ast.Call) -> tuple[ast.expr, list[ast.expr]] | None:
    """The function and arguments of Thread(target=function, args=(...)): a call in all but form."""
    words = {each.arg: each.value for each in call.keywords}
    target, args = words.get("target"), words.get("args")
    if isinstance(target, ast.Name) and isinstance(args, ast.Tuple | ast.List) and "kwargs" not in words:
        return target, args.elts
    return None


class Flow(Symbols):
    """The shapes of every expression, and every old call of a module."""

    def __init__(self, names: Names) -> None:
        super().__init__(names)
        self.variables: dict[Variable, Shapes] = {}
        self.fields: dict[str, Shapes] = {}
        self.returns: dict[ast.AST, Shapes] = {}
        self.calls: dict[ast.Call, _legacy.Call] = {}
        self.annotated: dict[Variable, ast.arg] = {}  # parameters that only their annotation makes handles, so far
        self._seed()
        self._settle()
        self._collect_calls()

    # ------------------------------------------------------------------ shapes of expressions

    def shapes(self, node: ast.expr | None) -> Shapes:
        """What an expression can be."""
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return NOTHING
        symbol = self.symbol(node)
        if symbol:
            return one(symbol)
        variable = self.names.variable(node)
        if variable is not None:
            return self.variables.get(variable, NOTHING)
        method = getattr(self, "_shapes_" + type(node).__name__, None)
        found: Shapes = method(node) if method else OTHER
        return found

    def _shapes_Attribute(self, node: ast.Attribute) -> Shapes:  # noqa: N802
        return self.fields.get(node.attr, OTHER)

    def _shapes_Call(self, node: ast.Call) -> Shapes:  # noqa: N802
        call = self.legacy_call(node)
        if call is not None:
            return self._result(call)
        function = self.function_of(node.func)
        if function is not None:
            return self.returns.get(function, NOTHING)
        inherited = self.inherits(node)
        if inherited:
            return one(Handle(inherited, node))
        if isinstance(node.func, ast.Attribute) and not self.shapes(node.func.value):
            return NOTHING  # what it is called on is not known yet
        if isinstance(node.func, ast.Name) and node.func.id in ITERATED and len(node.args) == 1:
            return self.shapes(node.args[0])
        return OTHER

    def _shapes_Tuple(self, node: ast.Tuple) -> Shapes:  # noqa: N802
        items = tuple(self.shapes(each) for each in node.elts)
        deep = any(isinstance(shape, Row) for item in items for shape in item)
        return OTHER if deep else one(Row(items))  # a tuple in a tuple could grow for ever

    def _shapes_Subscript(self, node: ast.Subscript) -> Shapes:  # noqa: N802
        found: set[Shape] = set()
        for shape in self.shapes(node.value):
            if isinstance(shape, Handle) and shape.kind.endswith("[]"):
                found.add(shape if isinstance(node.slice, ast.Slice) else Handle(shape.kind[:-2]))
            elif isinstance(shape, Row) and isinstance(node.slice, ast.Constant):
                index = node.slice.value
                found |= shape.items[index] if isinstance(index, int) and 0 <= index < len(shape.items) else OTHER
            else:
                found |= OTHER
        return frozenset(found)

    def _shapes_IfExp(self, node: ast.IfExp) -> Shapes:  # noqa: N802
        return self.shapes(node.body) | self.shapes(node.orelse)

    def _shapes_BoolOp(self, node: ast.BoolOp) -> Shapes:  # noqa: N802
        return frozenset().union(*(self.shapes(each) for each in node.values))

    def _shapes_NamedExpr(self, node: ast.NamedExpr) -> Shapes:  # noqa: N802
        return self.shapes(node.value)

    def _shapes_Await(self, node: ast.Await) -> Shapes:  # noqa: N802
        return self.shapes(node.value)

    def _result(self, call: _legacy.Call) -> Shapes:
        outputs = [self._output(call, each) for each in call.signature.outputs]
        if call.flat and call.name not in _legacy.BARE:
            return one(Row((OTHER, *outputs))) if outputs else OTHER
        if call.name == _legacy.EP + "recvfrom":
            return one(Row((OTHER, one(Handle("peer")))))
        if call.result:
            return one(Handle(call.result, call.node if call.result == "endpoint" else None))
        return OTHER if call.signature.outputs or call.name in _legacy.BARE else NOTHING

    def _output(self, call: _legacy.Call, name: str) -> Shapes:
        kind = call.signature.handles.get(name, "")
        return one(Handle(kind, call.node if kind == "endpoint" else None)) if kind else OTHER

    def constant(self, node: ast.expr) -> object:
        """The value of a literal, or of a module name that is bound once, to a literal; None for anything else."""
        if isinstance(node, ast.Name):
            variable = self.names.of[node]
            statement = self.names.parents.get(variable.bindings[0]) if len(variable.bindings) == 1 else None
            if variable.scope is self.names.module and isinstance(statement, ast.Assign | ast.AnnAssign):
                node = statement.value or node
        return node.value if isinstance(node, ast.Constant) else None

    # ------------------------------------------------------------------ calls

    def function_of(self, node: ast.expr) -> Function | None:
        """The function of this file that an expression names, when it can be only that one."""
        if isinstance(node, ast.Name):
            bindings = self.names.of[node].bindings
            if len(bindings) == 1 and isinstance(bindings[0], ast.FunctionDef | ast.AsyncFunctionDef):
                return None if self._yields(bindings[0]) or bindings[0].decorator_list else bindings[0]
        return None

    def _yields(self, function: ast.AST) -> bool:
        inside = (each for each in ast.walk(function) if isinstance(each, ast.Yield | ast.YieldFrom))
        return any(self.names.function(each) is function for each in inside)

    def inherits(self, call: ast.Call) -> str:
        """Kind of handle that a call makes because a class of this file extends an old one, super() included."""
        classes: list[ast.AST] = []
        if isinstance(call.func, ast.Name):
            known = call.func.id == "super"
            classes += self.names.above(call) if known else self.names.of[call.func].bindings
        return next(filter(None, (self.extended(each) for each in classes if isinstance(each, ast.ClassDef))), "")

    def extended(self, node: ast.ClassDef) -> str:
        """Kind of the old class that a class extends."""
        bases = (self.symbol(base) for base in node.bases)
        return next((_legacy.CLASSES[each.name] for each in bases if each and each.name in _legacy.CLASSES), "")

    def legacy_call(self, node: ast.Call) -> _legacy.Call | None:
        """The old call that an expression makes: a function of the old module, or a method of a handle."""
        symbol = self.symbol(node.func)
        if symbol:
            name = _legacy.module_function(symbol.name)
            return _legacy.read_call(node, name, _legacy.is_c_name(symbol.name), None) if name else None
        if isinstance(node.func, ast.Attribute):
            for handle in self.shapes(node.func.value):
                if isinstance(handle, Handle) and (handle.kind, node.func.attr) in _legacy.METHODS:
                    name = _legacy.METHODS[handle.kind, node.func.attr]
                    return _legacy.read_call(node, name, False, node.func.value)
        return None

    def _collect_calls(self) -> None:
        for node in ast.walk(self.names.tree):
            call = self.legacy_call(node) if isinstance(node, ast.Call) else None
            if call is not None:
                self.calls[call.node] = call

    # ------------------------------------------------------------------ flow

    def _seed(self) -> None:
        """Parameters annotated with an old class, and self in a class that extends one."""
        for function in ast.walk(self.names.tree):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            around = self.names.parents[function]
            for index, argument in enumerate([*function.args.posonlyargs, *function.args.args]):
                kind = self._annotated(argument.annotation)
                if index == 0 and isinstance(around, ast.ClassDef):
                    kind = self.extended(around)
                if kind:
                    variable = self.names.scopes[function].variables[argument.arg]
                    self.annotated[variable] = argument
                    self._add(variable, one(Handle(kind)))

    def _annotated(self, node: ast.expr | None) -> str:
        symbol = self.symbol(node) if node else None
        return _legacy.CLASSES.get(symbol.name, "") if symbol else ""

    def _settle(self) -> None:
        """Apply every assignment, call and return until nothing new is learned."""
        flows = list(self.flows())
        before = -1
        while before != (before := self._size()):
            for target, shapes in ((target, self._source(value)) for target, value in flows):
                self._assign(target, shapes)

    def _size(self) -> int:
        tables = (self.variables, self.fields, self.returns)
        return sum(len(repr(sorted(map(repr, shapes)))) for table in tables for shapes in table.values())

    def _source(self, value: ast.expr | tuple[str, ast.expr]) -> Shapes:
        if isinstance(value, tuple):
            return self.elements(value[1]) if value[0] == "each" else OTHER
        return self.shapes(value)

    def elements(self, node: ast.expr) -> Shapes:
        """What a loop over an expression gives."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate":
            return one(Row((OTHER, self.elements(node.args[0])))) if node.args else OTHER
        shapes = self.shapes(node)
        found = {Handle(each.kind[:-2]) for each in handles(shapes) if each.kind.endswith("[]")}
        return frozenset(found) if found or not shapes else OTHER

    def flows(self) -> Iterator[tuple[object, ast.expr | tuple[str, ast.expr]]]:
        """Every (target, value) of the file: assignments, loops, arguments, returns."""
        for node in ast.walk(self.names.tree):
            if isinstance(node, ast.Assign):
                yield from ((target, node.value) for target in node.targets)
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value:
                yield node.target, node.value
            elif isinstance(node, ast.AugAssign):
                yield node.target, ("other", node.value)
            elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
                yield node.target, ("each", node.iter)
            elif isinstance(node, ast.withitem) and node.optional_vars:
                yield node.optional_vars, node.context_expr
            elif isinstance(node, ast.Return) and node.value:
                yield self.names.function(node), node.value
            elif isinstance(node, ast.Call):
                yield from self.passed(node)

    def passed(self, node: ast.Call) -> Iterator[tuple[Variable, ast.expr]]:
        """The (parameter, argument) pairs of a call of a function of this file."""
        indirect = spawned(node)
        function = self.function_of(indirect[0] if indirect else node.func)
        if function is None:
            return
        arguments = function.args
        places = [each.arg for each in [*arguments.posonlyargs, *arguments.args]]
        every = {*places, *(each.arg for each in arguments.kwonlyargs)}
        variables = self.names.scopes[function].variables
        for name, value in zip(places, indirect[1] if indirect else node.args, strict=False):
            yield variables[name], value
        for word in [] if indirect else node.keywords:
            if word.arg in every:
                yield variables[word.arg], word.value

    def _assign(self, target: object, shapes: Shapes) -> None:
        variable = self.names.variable(target) if isinstance(target, ast.AST) else target
        if isinstance(variable, Variable):
            self._add(variable, shapes)
        elif isinstance(target, ast.Attribute) and any(handles(shapes)):
            self.fields[target.attr] = self.fields.get(target.attr, NOTHING) | shapes
        elif isinstance(target, ast.Tuple | ast.List):
            for index, item in enumerate(target.elts):
                self._assign(item, self._item(shapes, index, len(target.elts)))
        elif isinstance(target, ast.Starred):
            self._assign(target.value, OTHER)
        elif isinstance(target, FUNCTIONS):
            self.returns[target] = self.returns.get(target, NOTHING) | shapes

    def _item(self, shapes: Shapes, index: int, count: int) -> Shapes:
        rows = [shape for shape in shapes if isinstance(shape, Row) and len(shape.items) == count]
        lists = [each for each in shapes if isinstance(each, Handle) and each.kind.endswith("[]")]
        found = NOTHING.union(*(row.items[index] for row in rows), *(one(Handle(each.kind[:-2])) for each in lists))
        return found if len(rows) + len(lists) == len(shapes) else found | OTHER

    def _add(self, variable: Variable, shapes: Shapes) -> None:
        plain = frozenset(Other() if isinstance(shape, Symbol) else shape for shape in shapes)
        self.variables[variable] = self.variables.get(variable, NOTHING) | plain
