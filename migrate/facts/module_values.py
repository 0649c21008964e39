"""The old module as a value: stored, passed on, returned, imported by its name in a text; and what is taken from it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest
from migrate.facts.name_tables import NameTables
from migrate.facts.tokens import are_modules, modules
from migrate.python.values import Bound, Class, External, Function, Partial, Value, Values

MODULE_VALUE = "the old module as a value"  # the origin of what is taken from it: all of that changes together
_FOLLOWED: tuple[type[ast.AST], ...] = (
    ast.Attribute,
    ast.Assign,
    ast.AnnAssign,
    ast.NamedExpr,
    ast.Return,
    ast.Yield,
    ast.arguments,
    ast.Expr,
)
_FOLLOWED += (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.IfExp, ast.BoolOp, ast.Starred, ast.Lambda, ast.comprehension)
_FOLLOWED += (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp, ast.For)
_TESTED = (ast.If, ast.While, ast.Assert, ast.match_case)
_KEEPING = frozenset({".append", ".add", ".insert", ".setdefault", ".update", ".get", ".put", ".extend"})
_KEEPING |= {f"builtins.{name}" for name in ("tuple", "list", "dict", "bool", "iter", "next", "zip", "enumerate")}
_KEEPING |= {"functools.partial", "types.SimpleNamespace"}
_TAKING = External("operator.attrgetter")
_IMPORTING = {External("importlib.import_module"), External("builtins.__import__"), External("pytest.importorskip")}


class ModuleValues:
    """Where the old module is more than the beginning of a name."""

    def __init__(self, forest: Forest, values: Values, tables: NameTables) -> None:
        self._forest, self._values, self._tables = forest, values, tables

    def base(self, node: ast.expr | None) -> ast.expr | None:
        """Return the expression that `x.Endpoint`, `x.ErrorCode.AGAIN` take their name from, if that is the module."""
        while isinstance(node, ast.Attribute):
            node = node.value
            if modules(self._values.of(node)):
                return node
        return None

    def is_certain(self, base: ast.expr) -> bool:
        """Whether an expression can only be the module, or None."""
        return are_modules(self._values.of(base))

    def imports(self, node: ast.Constant) -> bool:
        """Whether a text is what a call imports the old module by."""
        call = self._forest.parents[node]
        of_python = isinstance(call, ast.Call) and all(each in _IMPORTING for each in self._values.of(call.func))
        made = self._values.of(call) if of_python and isinstance(call, ast.expr) else frozenset()
        return bool(made) and made == set(modules(made))

    def is_looked_for(self, node: ast.Constant) -> bool:
        """Whether a text is what a call looks for the old module by, where it only matters if it is there."""
        call = self._forest.parents[node]
        if not isinstance(call, ast.Call) or self._values.of(call.func) != {External("importlib.util.find_spec")}:
            return False
        return self.is_tested(call)

    def is_tested(self, node: ast.expr) -> bool:
        """Whether it only matters if an expression is there: None or not, true or false."""
        parent = self._forest.parents[node]
        if isinstance(parent, ast.Compare):
            return all(isinstance(side, ast.Constant) and side.value is None for side in parent.comparators)
        if isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)):
            return isinstance(parent, ast.UnaryOp) or self.is_tested(parent)
        return node is getattr(parent, "test", None)

    def lost(self) -> Iterator[ast.expr]:
        """Iterate over the places where something else may be done with the module than to take names from it."""
        for call in (call for module in modules(self._values.sinks) for call in self._values.sinks[module]):
            given = getattr(call, "args", [])
            if not any(modules(self._values.of(argument)) for argument in given):  # in a collection, mostly
                yield call
        used = dict.fromkeys(node for module in modules(self._values.tokens) for node in self._values.uses(module))
        yield from (node for node in used if not self.is_followed(node))

    def is_followed(self, node: ast.expr) -> bool:
        """Whether it can be seen what becomes of the module where it stands."""
        parent = self._forest.parents[node]
        if isinstance(parent, ast.Delete) or node in self._tables.of_module:
            return True
        if isinstance(parent, ast.Assign) and any(map(self._is_of_python, parent.targets)):
            return False
        if isinstance(parent, ast.keyword):
            parent = self._forest.parents[parent]  # the call that it is given to
        if isinstance(parent, _FOLLOWED):
            return True
        if isinstance(parent, ast.UnaryOp):
            return isinstance(parent.op, ast.Not)
        if isinstance(parent, ast.Compare):
            sides = [parent.left, *parent.comparators]
            return all(are_modules(self._values.of(side)) for side in sides)
        if isinstance(parent, ast.Subscript):
            return parent.slice is not node
        if isinstance(parent, ast.Call):
            functions = self._values.of(parent.func)
            return bool(functions) and parent.func is not node and all(map(self._keeps, functions))
        return isinstance(parent, _TESTED) and node not in getattr(parent, "body", [])

    def _is_of_python(self, target: ast.expr) -> bool:
        """Whether what is stored goes into a table that Python itself reads, such as `sys.modules`."""
        owners = self._values.of(target.value) if isinstance(target, ast.Subscript) else ()
        return any(isinstance(owner, External) for owner in owners)

    def _keeps(self, function: Value) -> bool:
        """Whether what is called is of the project, or stores what it is given; `attrgetter` takes a name from it."""
        if isinstance(function, Bound):
            return self._keeps(function.function)
        if isinstance(function, Partial):
            return not isinstance(function.node, ast.Call) or _TAKING not in self._values.of(function.node.func)
        return isinstance(function, Function | Class) or (isinstance(function, External) and function.name in _KEEPING)
