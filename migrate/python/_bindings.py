"""Whether names are bound where they are used."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

from migrate.python._graph import Action, Graph, Point, Step
from migrate.python._solve import solve
from migrate.python.scopes import Kind, Names, Variable

_MODULE_NAMES = {"__annotations__", "__builtins__", "__cached__", "__doc__", "__file__", "__loader__", "__name__"}
_MODULE_NAMES |= {"__package__", "__path__", "__spec__", "__debug__"}
_CLASS_NAMES = {"__module__", "__qualname__", "__firstlineno__", "__static_attributes__"}
_GIVEN = {*dir(builtins), *_MODULE_NAMES, *_CLASS_NAMES}

_State: TypeAlias = tuple[int, int]  # a bit for each variable: may be bound, may be unbound


class Bound(Enum):
    """On how many paths a name is bound."""

    ALWAYS = "always"
    MAYBE = "maybe"
    NEVER = "never"

    def __or__(self, other: Bound) -> Bound:
        return self if self is other else Bound.MAYBE


class Bindings:
    """The variables that one graph binds; `outer` answers for those that it only reads."""

    def __init__(self, names: Names, graph: Graph, outer: Callable[[Variable, ast.AST], Bound]) -> None:
        self.names, self.graph, self._outer = names, graph, outer
        self._bits: dict[Variable, int] = {}
        self._reads: dict[ast.AST, int] = {}
        self._binds: dict[ast.AST, int] = {}
        self._classes: dict[ast.AST, int] = {}
        self._find()
        self._solution = solve(graph, self._start(), self._transfer, _join)

    def bound(self, name: ast.Name) -> Bound:
        """Return whether a name is bound where it is used; what is never run counts as bound."""
        variable = self.names.of[name]
        own = self.before(variable, name)
        fallback = self.names.fallback(name)
        if own is Bound.ALWAYS or fallback is None:
            return own
        other = self.before(fallback, name)
        return other if own is Bound.NEVER or other is Bound.ALWAYS else Bound.MAYBE

    def before(self, variable: Variable, node: ast.AST) -> Bound:
        """Return whether a variable is bound when a node of this graph is run."""
        return given(variable) or self._at(variable, self.graph.places(node)) or self._outer(variable, self.graph.node)

    def at_end(self, variable: Variable) -> Bound:
        """Return whether a variable is bound when the function or module has come to its end."""
        return given(variable) or self._at(variable, [Graph.RETURN]) or Bound.NEVER

    def _at(self, variable: Variable, points: list[Point]) -> Bound | None:
        bit = self._bits.get(variable)
        if bit is None:
            return None
        states = [state for point in points if (state := self._solution.at(point)) is not None]
        bound = any(state[0] & bit for state in states)
        unbound = any(state[1] & bit for state in states)
        return Bound.MAYBE if bound and unbound else Bound.NEVER if unbound else Bound.ALWAYS

    # ------------------------------------------------------------------ the problem

    def _find(self) -> None:
        """Give a bit to every variable of the function, and to others that a step of the graph binds or deletes."""
        for own in self.names.scopes[self.graph.node].variables.values():
            self._bits[own] = 1 << len(self._bits)
        for node in self.graph.points:
            variable = self.names.of.get(node)
            if variable is not None and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)):
                self._binds[node] = self._bits.setdefault(variable, 1 << len(self._bits))
        for node in self.graph.points:
            variable = self.names.of.get(node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and variable in self._bits:
                if variable.scope.kind is not Kind.CLASS and not given(variable):
                    self._reads[node] = self._bits[variable]
            elif isinstance(node, ast.ClassDef):
                members = self.names.scopes[node].variables.values()
                self._classes[node] = sum(self._bits.get(member, 0) for member in members)

    def _start(self) -> _State:
        bound, unbound = 0, 0
        for variable, bit in self._bits.items():
            home = home_of(variable)
            if home is not self.graph.node:
                first = self._outer(variable, self.graph.node)
            elif any(isinstance(node, ast.arg) for node in variable.bindings):
                first = Bound.ALWAYS
            else:  # a function inside may bind it whenever it is called
                inside = all(self.names.function(node) is home for node in variable.bindings)
                first = Bound.NEVER if inside else Bound.MAYBE
            bound |= 0 if first is Bound.NEVER else bit
            unbound |= 0 if first is Bound.ALWAYS else bit
        return bound, unbound

    def _transfer(self, state: _State, step: Step) -> _State:
        node, action = step.node, step.action
        bound, unbound = state
        if action is Action.UNBIND or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)):
            bit = self._binds[node]
            return bound & ~bit, unbound | bit
        if action is Action.START:
            bit = self._classes.get(node, 0)
            return (bound & ~bit, unbound | bit) if bit else state
        if action is not Action.DO:
            return state
        if isinstance(node, ast.alias) and node.name == "*":
            return bound | unbound, unbound  # any name may be among them
        bit = self._binds.get(node, 0) or self._reads.get(node, 0)  # what has been read was bound
        return (bound | bit, unbound & ~bit) if bit else state


def home_of(variable: Variable) -> ast.AST:
    """Return the function or module in whose graph a variable lives."""
    scope = variable.scope
    while scope.kind is not Kind.FUNCTION and scope.parent is not None:
        scope = scope.parent
    return scope.node


def given(variable: Variable) -> Bound | None:
    """Return what is known of a variable that does not depend on the flow: builtins, and unbound names."""
    if variable is variable.scope.implicit or variable.scope.kind is Kind.TYPES:
        return Bound.ALWAYS
    if variable.scope.kind is Kind.MODULE:
        if variable.name in _GIVEN:
            return Bound.ALWAYS
        if not variable.bindings:
            return Bound.MAYBE if variable.scope.stars else Bound.NEVER
    return None


def _join(left: _State, right: _State) -> _State:
    return left[0] | right[0], left[1] | right[1]
