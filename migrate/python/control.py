"""Control flow: what runs before what, on which paths, and where a name is bound.

Every function, lambda and module has a graph (`Graph`); class bodies and comprehensions are parts of the graph around
them. Assertions are taken to be checked, a generator expression to run where it stands. Exceptions are followed from
every call, attribute, operator and the like, and from the beginning of every statement (a signal handler may raise
there); a `with` may swallow them unless it is known not to.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable

from migrate.python._bindings import Bindings, Bound, given, home_of
from migrate.python._drawing import Drawing, Questions, Task
from migrate.python._graph import Action, Block, Edge, Graph, Point, Step, last_first
from migrate.python._solve import Solution, solve
from migrate.python._statements import DRAWERS
from migrate.python.scopes import Kind, Names, Variable

__all__ = [
    "Action",
    "Block",
    "Bound",
    "Control",
    "Edge",
    "Graph",
    "Point",
    "Solution",
    "Step",
    "dotted",
    "last_first",
    "solve",
]

_LEAVING = {"exit", "quit", "sys.exit", "os._exit", "os.abort", "os.execl", "os.execle", "os.execlp", "os.execlpe"}
_LEAVING |= {"os.execv", "os.execve", "os.execvp", "os.execvpe"}
_LEAVING_LAST = {name.rpartition(".")[2] for name in _LEAVING}
_SWALLOWING = {"contextlib.suppress", "contextlib.ExitStack", "contextlib.AsyncExitStack"}
_SWALLOWING_PACKAGES = {"unittest", "test"}  # assertRaises and the like


class Control:
    """The graphs of a file, drawn when they are asked for.

    leaves: whether a call never comes back, beside sys.exit and its like. swallows: whether the context manager that
    an expression gives may swallow exceptions; may say None to leave it to what the file itself shows.
    """

    def __init__(
        self,
        names: Names,
        *,
        leaves: Callable[[ast.Call], bool] = lambda call: False,
        swallows: Callable[[ast.expr], bool | None] = lambda manager: None,
    ) -> None:
        self.names = names
        self._leaves, self._swallows = leaves, swallows
        self._graphs: dict[ast.AST, Graph] = {}
        self._bindings: dict[ast.AST, Bindings] = {}
        self._outers: dict[tuple[Variable, ast.AST], Bound] = {}
        self._annotations = not any(
            isinstance(node, ast.ImportFrom) and node.module == "__future__" and node.names[0].name == "annotations"
            for node in names.tree.body
        )

    def graph(self, function: ast.AST) -> Graph:
        """Return the graph of a function, lambda or module."""
        if function not in self._graphs:
            graph = self._graphs[function] = Graph(function, self.names.parents)
            questions = Questions(self._never_returns, self._may_swallow, self._annotations)
            drawing = Drawing(graph, DRAWERS, questions)
            drawing.run(self._whole(drawing, function))
            graph.forget_unreachable()
        return self._graphs[function]

    def around(self, node: ast.AST) -> Graph:
        """Return the graph that a node is part of; for a function, the one in which it is defined."""
        return self.graph(self.names.function(node))

    def bound(self, name: ast.Name) -> Bound:
        """Return whether a name is bound where it is read or deleted."""
        function, variable = self.names.function(name), self.names.of[name]
        if known := given(variable):
            return known
        if variable.scope.kind is Kind.MODULE and self._only_reads(function, variable):
            return self._outer(variable, function)
        return self._of(function).bound(name)

    def bound_at(self, variable: Variable, node: ast.AST) -> Bound:
        """Return whether a variable is bound when a node is about to be run."""
        return self._of(self.names.function(node)).before(variable, node)

    def bound_at_end(self, variable: Variable) -> Bound:
        """Return whether a variable is bound when its function or module has come to its end."""
        return self._of(home_of(variable)).at_end(variable)

    def _only_reads(self, function: ast.AST, variable: Variable) -> bool:
        """Whether a function leaves a variable of the module alone, so that its own graph is not needed."""
        changes = [*variable.bindings, *variable.deletions]
        return function is not self.names.tree and all(self.names.function(node) is not function for node in changes)

    def _of(self, function: ast.AST) -> Bindings:
        if function not in self._bindings:
            self._bindings[function] = Bindings(self.names, self.graph(function), self._outer)
        return self._bindings[function]

    def _whole(self, drawing: Drawing, function: ast.AST) -> Task:
        if isinstance(function, ast.Lambda):
            yield function.body
        else:
            assert isinstance(function, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)
            yield from function.body
        drawing.connect(drawing.graph.RETURN[0])

    def _never_returns(self, call: ast.Call) -> bool:
        last = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        named = (not last or last in _LEAVING_LAST) and dotted(self.names, call.func) in _LEAVING
        return named or self._leaves(call)

    def _may_swallow(self, manager: ast.expr) -> bool:
        answer = self._swallows(manager)
        return self._looks_swallowing(manager) if answer is None else answer

    def _looks_swallowing(self, manager: ast.expr) -> bool:
        """Whether a context manager is not certainly one of the standard library that lets exceptions through."""
        if isinstance(manager, ast.Name):
            bindings = self.names.of[manager].bindings
            made = [self.names.parents[binding] for binding in bindings]
            values = [place.value for place in made if isinstance(place, ast.Assign)]
            calls = [value for value in values if isinstance(value, ast.Call)]
            return not (calls and len(calls) == len(bindings)) or any(map(self._looks_swallowing, calls))
        name = dotted(self.names, manager.func) if isinstance(manager, ast.Call) else ""
        package = name.split(".")[0]
        known = name == "open" or (package in sys.stdlib_module_names and package not in _SWALLOWING_PACKAGES)
        return not known or name in _SWALLOWING

    def _outer(self, variable: Variable, function: ast.AST) -> Bound:
        """Return whether a variable is bound whenever a function that reads it may run.

        That is at the end of the function or module that has the variable, and wherever that one mentions the function
        (or the class around it) by name.
        """
        home = home_of(variable)
        if home is function:
            return Bound.NEVER
        inside = function
        while (around := self.names.function(inside)) is not home:
            inside = around
        key = (variable, inside)
        if key not in self._outers:
            bindings = self._of(home)
            self._outers[key] = bindings.at_end(variable)
            for use in self._uses(inside, home):
                self._outers[key] |= bindings.before(variable, use)
        return self._outers[key]

    def _uses(self, function: ast.AST, home: ast.AST) -> list[ast.AST]:
        """Return where a function is mentioned by the code around it; a lambda, where it is made."""
        owner = function
        while self.names.scope(owner).kind in (Kind.CLASS, Kind.TYPES, Kind.COMPREHENSION):
            owner = self.names.scope(owner).node
        variable = self.names.of.get(owner)
        loads = variable.loads if variable else [function]
        return [load for load in loads if self.names.function(load) is home]


def dotted(names: Names, node: ast.expr) -> str:
    """Return what an expression is called in the module that it is imported from: `sys.exit`; '' if it is not.

    A builtin goes by its own name.
    """
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    variable = names.of.get(node)
    if variable is None:
        return ""
    roots = {_imported(names, binding) for binding in variable.bindings} or {variable.name}
    root = roots.pop()
    return "" if roots or not root else ".".join([root, *reversed(parts)])


def _imported(names: Names, binding: ast.AST) -> str:
    statement = names.parents[binding]
    if not isinstance(binding, ast.alias):
        return ""
    if isinstance(statement, ast.ImportFrom):
        return f"{statement.module}.{binding.name}" if statement.module and not statement.level else ""
    return binding.name if binding.asname else binding.name.split(".")[0]
