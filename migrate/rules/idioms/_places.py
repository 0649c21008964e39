"""Variables and fields that keep what they were given: stored to once, each other use in sight."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from migrate.facts.forest import last_name
from migrate.facts.program import Facts
from migrate.python.scopes import Kind, Variable
from migrate.python.values import Class, Instance, Plain, Value
from migrate.rules.idioms._closure import certain

_ASKING = frozenset({"getattr", "hasattr", "delattr", "attrgetter"})


class Place(NamedTuple):
    """A variable of one function, or a field of the objects of one class; the latter is stored to in its `__init__`."""

    store: ast.AST
    loads: Sequence[ast.AST]


class Places:
    """Answers about one project."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def of(self, node: ast.expr) -> Place | None:
        """Return what an expression reads or stores to."""
        return self._of_field(node) if isinstance(node, ast.Attribute) else self._of_variable(node)

    def is_same(self, node: ast.expr | None, other: ast.expr | None) -> bool:
        """Whether two expressions read one variable that is bound once, or a field of one object.

        In a constructor and elsewhere that is a field of whatever object the other one is about.
        """
        if isinstance(node, ast.Attribute) and isinstance(other, ast.Attribute):
            place = self._of_field(node)
            function = self._facts.names[self._facts.values.path(node)].function(node)
            is_here = self._facts.names[self._facts.values.path(other)].function(other) is function
            roots = not is_here or self.is_same(node.value, other.value)
            return place is not None and place == self._of_field(other) and roots
        variables = [self._variable(part) for part in (node, other) if isinstance(part, ast.Name)]
        return len(variables) == 2 and variables[0] is variables[1] and len(variables[0].bindings) == 1

    def are_of_one(self, *nodes: ast.AST | None) -> bool:
        """Whether the fields among some expressions are of one object, where these stand in one function."""
        fields = [node for node in nodes if isinstance(node, ast.Attribute)]
        paths = self._facts.values.path
        functions = {self._facts.names[paths(field)].function(field) for field in fields}
        return len(functions) != 1 or all(self.is_same(field.value, fields[0].value) for field in fields)

    def is_before(self, node: ast.AST, statement: ast.stmt, name: ast.expr | None) -> bool:
        """Whether a node is always done before a statement, and what a variable or field holds is kept in between."""
        path, other = self._facts.values.path(statement), self._facts.values.path(node)
        graph, names = self._facts.controls[path].around(statement), self._facts.names[path]
        function = self._facts.names[other].function(node)
        if function is not names.function(statement):
            return isinstance(name, ast.Attribute) and self._is_of_constructor(node, function, name)
        root = name.value if isinstance(name, ast.Attribute) else name
        if not isinstance(root, ast.Name) or not graph.dominates(node, statement):
            return False
        return {step.node for step in graph.between(node, statement)}.isdisjoint(names.of[root].bindings)

    # ------------------------------------------------------------------ variables

    def _variable(self, name: ast.Name) -> Variable:
        return self._facts.names[self._facts.values.path(name)].of[name]

    def _of_variable(self, name: ast.expr) -> Place | None:
        """Return a variable that is bound at one place, and used in one function alone."""
        if not isinstance(name, ast.Name):
            return None
        path, variable = self._facts.values.path(name), self._variable(name)
        names = self._facts.names[path]
        is_shared = variable.scope.kind is Kind.MODULE and bool(self._facts.project.importers[path])
        places = {names.function(node) for node in (*variable.loads, *variable.bindings)}
        is_plain = len(variable.bindings) == len(places) == 1 and not variable.deletions
        is_own = is_plain and not is_shared and variable.scope.kind is not Kind.CLASS
        return Place(variable.bindings[0], variable.loads) if is_own else None

    # ------------------------------------------------------------------ fields

    def _of_field(self, node: ast.Attribute) -> Place | None:
        """Return a field that only the constructor of its class stores to."""
        owner = self._class(node.value) if self._asked is not None and node.attr not in self._asked else None
        uses = list(self._uses(owner, node.attr)) if owner is not None else []
        stores = [use for use in uses if not isinstance(use.ctx, ast.Load)]
        if owner is None or len(stores) != 1 or self._class(stores[0].value) is not owner:
            return None
        function = self._facts.names[self._facts.values.path(stores[0])].function(stores[0])
        loads = [use for use in uses if use is not stores[0]]
        is_own = self._is_constructor(function, owner, stores[0].value) and isinstance(stores[0].ctx, ast.Store)
        return Place(stores[0], loads) if is_own else None

    @cached_property
    def _asked(self) -> frozenset[str] | None:
        """The attributes that are read by their names in texts; None where that may be any."""
        nodes = [node for names in self._facts.names.values() for node in names.parents]
        calls = [node for node in nodes if isinstance(node, ast.Call) and last_name(node.func) in _ASKING]
        texts = [part for call in calls for part in (call.args[1:2] if len(call.args) > 1 else call.args[:1])]
        written = {part.value for part in texts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
        is_written = all(isinstance(part, ast.Constant) for part in texts) and "__dict__" not in self._attributes
        return frozenset(name for text in written for name in text.split(".")) if is_written else None

    def _class(self, node: ast.expr) -> ast.ClassDef | None:
        """Return the one class that what a variable, which is bound once, holds can be of."""
        values = self._facts.values.of(node)
        owners = {value.node for value in values if isinstance(value, Instance)}
        is_once = isinstance(node, ast.Name) and len(self._variable(node).bindings) == 1
        return owners.pop() if is_once and len(owners) == len(values) == 1 else None

    def _uses(self, owner: ast.ClassDef, name: str) -> Iterator[ast.Attribute]:
        """Yield the attributes of that name that may be of an object of a class."""
        for node in self._attributes.get(name, ()):
            values = self._facts.values.of(node.value)
            if not values or any(_may_be(value, owner) for value in values):
                yield node

    @cached_property
    def _attributes(self) -> Mapping[str, list[ast.Attribute]]:
        named: dict[str, list[ast.Attribute]] = {}
        for node in (node for names in self._facts.names.values() for node in names.parents):
            if isinstance(node, ast.Attribute):
                named.setdefault(node.attr, []).append(node)
        return named

    def _is_constructor(self, function: ast.AST, owner: ast.ClassDef, root: ast.expr) -> bool:
        is_init = isinstance(function, ast.FunctionDef) and function.name == "__init__" and function in owner.body
        return is_init and self._variable(root).bindings == function.args.args[:1]  # type: ignore[arg-type, attr-defined]

    def _is_of_constructor(self, node: ast.AST, function: ast.AST, field: ast.Attribute) -> bool:
        """Whether an object's constructor always does a node, before anything else has the object."""
        owner = self._class(field.value)
        if owner is None or not isinstance(function, ast.FunctionDef) or function not in owner.body:
            return False
        if function.name != "__init__":
            return False
        path = self._facts.values.path(function)
        names, graph = self._facts.names[path], self._facts.controls[path].graph(function)
        is_certain = any(certain(graph) >> block & 1 for block, _ in graph.places(node))
        early = [load for load in names.of[function.args.args[0]].loads if not self._is_behind(load, node)]
        return is_certain and all(self._is_kept(load, owner) for load in early)

    def _is_behind(self, load: ast.AST, node: ast.AST) -> bool:
        graph = self._facts.controls[self._facts.values.path(node)].around(node)
        return load in graph.points and graph.dominates(node, load)

    def _is_kept(self, load: ast.AST, owner: ast.ClassDef) -> bool:
        """Whether an object is only asked for an attribute, which runs nothing of its class."""
        above = self._facts.parent(load)
        bases = [base.node for base in self._facts.values.bases(owner) if isinstance(base, Class)]
        defined = {part.name for base in bases for part in base.body if isinstance(part, ast.FunctionDef)}
        is_plain = isinstance(above, ast.Attribute) and above.attr not in defined
        return is_plain and self._facts.names[self._facts.values.path(load)].function(load) in owner.body


def _may_be(value: Value, owner: ast.ClassDef) -> bool:
    is_object = isinstance(value, Instance | Class) and value.node is owner
    return is_object or value is Plain.UNKNOWN
