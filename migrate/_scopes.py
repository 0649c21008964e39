"""Which variable each name in a file means: Python's scope rules, read off the syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from migrate._fields import fields

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(eq=False)
class Variable:
    """One variable, or one field (``self.ep``): where it lives, what binds it, where it is read."""

    name: str
    scope: Scope
    bindings: list[ast.AST] = field(default_factory=list)
    loads: list[ast.Name | ast.Attribute] = field(default_factory=list)


@dataclass(eq=False)
class Scope:
    """A module, class, function, lambda or comprehension."""

    node: ast.AST
    parent: Scope | None
    variables: dict[str, Variable] = field(default_factory=dict)
    module_names: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)

    def bind(self, name: str, node: ast.AST) -> Variable:
        """Record that `node` binds `name` here (or where `global` and `nonlocal` say)."""
        home = self._home(name)
        variable = home.variables.setdefault(name, Variable(name, home))
        variable.bindings.append(node)
        return variable

    def _home(self, name: str) -> Scope:
        if name in self.module_names:
            return self.module()
        if name in self.outer_names:
            scope = self.parent
            while scope is not None and (name not in scope.variables or isinstance(scope.node, ast.ClassDef)):
                scope = scope.parent
            return scope or self
        return self

    def module(self) -> Scope:
        """The module's own scope."""
        return self.parent.module() if self.parent else self

    def find(self, name: str) -> Variable:
        """The variable that `name` reads here; one without bindings in the module when nobody binds it."""
        scope: Scope | None = self.module() if name in self.module_names else self
        while scope is not None:
            seen = scope is self or not isinstance(scope.node, ast.ClassDef)
            if seen and name in scope.variables and scope.variables[name].bindings:
                return scope.variables[name]
            scope = scope.parent
        home = self.module()
        return home.variables.setdefault(name, Variable(name, home))


class Names(ast.NodeVisitor):
    """Resolves every name of a module; `of` gives the variable of an ast.Name, `parents` the node above."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.module = Scope(tree, None)
        self.of: dict[ast.Name, Variable] = {}
        self.scopes: dict[ast.AST, Scope] = {tree: self.module}
        self.parents: dict[ast.AST, ast.AST] = {}
        self._names: list[tuple[ast.Name, Scope]] = []
        self._scope = self.module
        for parent in ast.walk(tree):
            for child in ast.iter_child_nodes(parent):
                self.parents[child] = parent
        self.visit(tree)
        for name, scope in self._names:
            self.of[name] = scope.find(name.id)
            if isinstance(name.ctx, ast.Load):
                self.of[name].loads.append(name)
        self.fields: dict[ast.Attribute, Variable] = {}
        self._resolve_fields()

    def _resolve_fields(self) -> None:
        made: dict[tuple[ast.ClassDef, str], Variable] = {}
        for node, key in fields(self).items():
            variable = made.setdefault(key, Variable(f"self.{key[1]}", self.scopes[key[0]]))
            self.fields[node] = variable
            (variable.loads if isinstance(node.ctx, ast.Load) else variable.bindings).append(node)

    def variable(self, node: ast.AST) -> Variable | None:
        """The variable that a name means, or the field that an attribute is."""
        if isinstance(node, ast.Attribute):
            return self.fields.get(node)
        return self.of[node] if isinstance(node, ast.Name) else None

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that holds a node (itself, when it is one)."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def function(self, node: ast.AST) -> ast.AST:
        """The innermost function around a node, or the module."""
        return next((each for each in self.above(node) if isinstance(each, FUNCTIONS)), self.tree)

    def scope(self, node: ast.AST) -> Scope:
        """The scope in which a node stands."""
        return next((self.scopes[each] for each in self.above(node) if each in self.scopes), self.module)

    # ------------------------------------------------------------------ scopes

    def _enter(self, node: ast.AST, inside: list[ast.AST]) -> None:
        outer, self._scope = self._scope, Scope(node, self._scope)
        self.scopes[node] = self._scope
        self._declare(node)
        for child in inside:
            self.visit(child)
        self._scope = outer

    def _declare(self, node: ast.AST) -> None:
        """`global` and `nonlocal` hold for the whole function, so they are read first."""
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            return
        todo = list(ast.iter_child_nodes(node))
        while todo:
            each = todo.pop()
            if isinstance(each, ast.Global):
                self._scope.module_names.update(each.names)
            elif isinstance(each, ast.Nonlocal):
                self._scope.outer_names.update(each.names)
            elif not isinstance(each, (*FUNCTIONS, ast.ClassDef)):
                todo += ast.iter_child_nodes(each)

    def _visit_function(self, node: Function) -> None:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [each for each in (arguments.vararg, arguments.kwarg) if each]
        outside: list[ast.AST | None] = [
            *arguments.defaults,
            *arguments.kw_defaults,
            *(each.annotation for each in every),
        ]
        if not isinstance(node, ast.Lambda):
            outside += [*node.decorator_list, node.returns]
            self._scope.bind(node.name, node)
        for each in filter(None, outside):
            self.visit(each)
        body: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
        self._enter(node, [*every, *body])

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function  # noqa: N815

    def visit_arg(self, node: ast.arg) -> None:
        self._scope.bind(node.arg, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._scope.bind(node.name, node)
        for each in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(each)
        self._enter(node, list(node.body))

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        first, *rest = node.generators
        self.visit(first.iter)
        inside: list[ast.AST] = [first.target, *first.ifs]
        for each in rest:
            inside += [each.iter, each.target, *each.ifs]
        inside += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._enter(node, inside)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension  # noqa: N815

    # ------------------------------------------------------------------ bindings

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):
            self._scope.bind(node.id, node)
        self._names.append((node, self._scope))

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        scope, inner = self._scope, self._scope
        while isinstance(scope.node, COMPREHENSIONS) and scope.parent:
            scope = scope.parent
        self._scope = scope
        self.visit(node.target)
        self._scope = inner

    def _visit_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                plain = alias.name.split(".")[0] if isinstance(node, ast.Import) else alias.name
                self._scope.bind(alias.asname or plain, alias)

    visit_Import = visit_ImportFrom = _visit_import  # noqa: N815

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self._scope.bind(node.name, node)
        self.generic_visit(node)

    def _visit_capture(self, node: ast.MatchAs | ast.MatchStar) -> None:
        if node.name:
            self._scope.bind(node.name, node)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = _visit_capture  # noqa: N815

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        if node.rest:
            self._scope.bind(node.rest, node)
        self.generic_visit(node)
