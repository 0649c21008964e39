"""Which variable each name of a file means: Python's scope rules, read off the syntax tree.

Two walks, both without recursion: the first notes which scope binds, declares and mentions which names; the second
resolves, when every binding is known. A name without a binding is a variable of the module without bindings.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import takewhile
from typing import Any, TypeAlias

from migrate.python._children import children
from migrate.python._variables import Kind, Scope, Variable
from migrate.python.parents import Parents

__all__ = ["COMPREHENSIONS", "Comprehension", "FUNCTIONS", "Function", "Kind", "Names", "Scope", "Variable"]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_PLAIN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Import, ast.ImportFrom, *_DEFINITIONS)  # bind as they end


class Names(Parents):
    """Every name of a module, resolved.

    of: the variable of an ast.Name and of every other node that binds a name (alias, arg, def, class, except handler,
    pattern, type parameter). scopes: the scope that a function, class or comprehension makes. parents: the node above.
    imports: the import statements, in the order of the text.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.module = Scope(tree, None, Kind.MODULE)
        self.of: dict[ast.AST, Variable] = {}
        self.scopes: dict[ast.AST, Scope] = {tree: self.module}
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.parents = {}
        self._scopes: dict[ast.AST, Scope] = {}  # of every node
        self._mentions: list[tuple[ast.AST, str, Scope]] = []
        self._augmented: set[ast.AST] = set()
        self._walk()
        for node, name, scope in self._mentions:
            variable = scope.found.get(name) or scope.find(name)
            if type(node) is ast.Name and type(node.ctx) is ast.Load:
                self.of[node] = variable
                variable.loads.append(node)
            else:
                self._resolve(node, variable)
        for scope in [scope for scope in self.scopes.values() if scope.kind is Kind.CLASS]:
            for load in [load for variable in scope.variables.values() for load in variable.loads]:
                self._share(load)

    # ------------------------------------------------------------------ questions

    def attach(self, node: ast.AST, parent: ast.AST) -> None:
        """Let a node that is not in the tree stand where another one does, as if it were a part of it."""
        self.parents[node] = parent
        self._scopes[node] = self.scope(parent)

    def scope(self, node: ast.AST) -> Scope:
        """Return the scope in which a node stands; for a function or class, the one that it is bound in."""
        return self._scopes.get(node, self.module)

    def function(self, node: ast.AST) -> ast.AST:
        """Return the innermost function whose code a node is, or the module; class bodies do not count."""
        return self._scopes.get(node, self.module).function

    def fallback(self, name: ast.Name) -> Variable | None:
        """Return the variable of the module that a name in a class body reads where the class's own is not bound."""
        variable = self.of[name]
        is_read = isinstance(name.ctx, ast.Load) or name in self._augmented
        if not is_read or variable.scope.kind is not Kind.CLASS or variable is variable.scope.implicit:
            return None
        return self.module.find(variable.name)

    # ------------------------------------------------------------------ first walk: who binds and mentions what

    def _walk(self) -> None:
        parents, scopes, mentions = self.parents, self._scopes, self._mentions
        todo: list[ast.AST] = [self.tree]
        while todo:
            node = todo.pop()
            scope = scopes.get(node, self.module)
            if type(node) is ast.Constant:
                continue
            if type(node) is ast.Name and type(node.ctx) is ast.Load:  # most nodes are that
                mentions.append((node, node.id, scope))
                continue
            opener = _OPENERS.get(type(node))
            placed = opener(self, node, scope) if opener else None
            below = children(node)
            for child in below:
                parents[child], scopes[child] = node, scope
            if placed:
                scopes.update((child, inner) for child, inner in placed if child in scopes)
            below.reverse()
            todo += below

    def _open(self, node: ast.AST, parent: Scope, kind: Kind, owner: str | None = None) -> Scope:
        return Scope(node, parent, kind, parent.owner if owner is None else owner)

    def _bind(self, node: ast.AST, name: str, scope: Scope) -> None:
        scope.own_names.add(scope.mangle(name))
        self._mentions.append((node, name, scope))

    def _generic(self, node: Any, scope: Scope) -> tuple[Scope, _Placed]:
        """Open the scope of type parameters, if there are some."""
        parameters: list[ast.AST] = getattr(node, "type_params", [])
        if not parameters:
            return scope, []
        inner = self._open(node, scope, Kind.TYPES)
        return inner, [(parameter, inner) for parameter in parameters]

    def _function(self, node: Any, scope: Scope) -> _Placed:
        arguments: ast.arguments = node.args
        types, placed = self._generic(node, scope)
        inner = self.scopes[node] = self._open(node, types, Kind.FUNCTION)
        placed.append((arguments, inner))
        if isinstance(node, ast.Lambda):
            return [*placed, (node.body, inner)]
        self._bind(node, node.name, scope)
        return [*placed, (node.returns, types), *((statement, inner) for statement in node.body)]

    def _arguments(self, node: Any, scope: Scope) -> _Placed:
        outside = scope.parent
        assert outside is not None
        while outside.kind is Kind.TYPES and outside.node is scope.node and outside.parent:
            outside = outside.parent
        return [(default, outside) for default in (*node.defaults, *node.kw_defaults)]

    def _arg(self, node: Any, scope: Scope) -> _Placed:
        self._bind(node, node.arg, scope)
        return [(node.annotation, scope.parent or scope)]

    def _class(self, node: Any, scope: Scope) -> _Placed:
        self._bind(node, node.name, scope)
        types, placed = self._generic(node, scope)
        inner = self.scopes[node] = self._open(node, types, Kind.CLASS, node.name)
        placed += [(base, types) for base in (*node.bases, *node.keywords)]
        return [*placed, *((statement, inner) for statement in node.body)]

    def _comprehension(self, node: Any, scope: Scope) -> _Placed:
        inner = self.scopes[node] = self._open(node, scope, Kind.COMPREHENSION)
        values = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        return [(part, inner) for part in (*node.generators, *values)]

    def _generator(self, node: Any, scope: Scope) -> _Placed:
        """Place the first iterable outside: it is evaluated before the comprehension begins."""
        first = isinstance(scope.node, COMPREHENSIONS) and scope.node.generators[0] is node
        return [(node.iter, scope.parent)] if first and scope.parent else []

    def _type_alias(self, node: Any, scope: Scope) -> _Placed:
        types, placed = self._generic(node, scope)
        return [*placed, (node.value, self._open(node, types, Kind.TYPES))]

    def _type_parameter(self, node: Any, scope: Scope) -> _Placed:
        self._bind(node, node.name, scope)
        parts = (getattr(node, "bound", None), getattr(node, "default_value", None))
        return [(part, self._open(node, scope, Kind.TYPES)) for part in parts if part]

    def _name(self, node: Any, scope: Scope) -> _Placed:
        parent = self.parents[node]
        if isinstance(parent, ast.AnnAssign) and _declares_nothing(parent):
            self._mentions.append((node, node.id, scope))
            return []
        while scope.kind is Kind.COMPREHENSION and isinstance(parent, ast.NamedExpr) and scope.parent:
            scope = scope.parent  # `:=` binds in the function around the comprehension
        self._bind(node, node.id, scope)
        return []

    def _augmented_assignment(self, node: Any, scope: Scope) -> _Placed:
        self._augmented.add(node.target)
        return []

    def _import(self, node: Any, scope: Scope) -> _Placed:
        self.imports.append(node)
        for alias in node.names:
            if alias.name == "*":
                scope.stars.append(node)
            else:
                plain = alias.name.split(".")[0] if isinstance(node, ast.Import) else alias.name
                self._bind(alias, alias.asname or plain, scope)
        return []

    def _declare(self, node: Any, scope: Scope) -> _Placed:
        names = {scope.mangle(name) for name in node.names}
        (scope.module_names if isinstance(node, ast.Global) else scope.outer_names).update(names)
        self._mentions += [(node, name, scope) for name in node.names]
        return []

    def _capture(self, node: Any, scope: Scope) -> _Placed:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name:
            self._bind(node, name, scope)
        return []

    # ------------------------------------------------------------------ second walk: which variable is meant

    def _resolve(self, node: ast.AST, variable: Variable) -> None:
        if isinstance(node, ast.Global | ast.Nonlocal):
            variable.declarations.append(node)
            return
        self.of[node] = variable
        if isinstance(node, ast.Name):
            if node in self._augmented:
                variable.loads.append(node)
            if isinstance(node.ctx, ast.Del):
                variable.deletions.append(node)
                return
        parent = self.parents[node]
        declares = isinstance(parent, ast.AnnAssign) and parent.value is None
        (variable.declarations if declares else variable.bindings).append(node)

    # ------------------------------------------------------------------ class bodies read the module's variables, too

    def _share(self, name: ast.Name) -> None:
        """Let a name in a class body read the module's variable where the class's own may not be bound yet.

        It means the module's alone where nothing in the class can have bound it; an augmented assignment binds it.
        """
        own, outer = self.of[name], self.module.find(self.of[name].name)
        earlier = [binding for binding in own.bindings if self._may_precede(binding, name)]
        is_in_body = (self.parents[self.statement(it)] is own.scope.node and self._is_bound_last(it) for it in earlier)
        is_unbound = bool(own.deletions) or any(isinstance(it, ast.ExceptHandler) for it in own.bindings)
        if any(is_in_body) and not is_unbound:
            return
        outer.loads.append(name)
        outer.loads.sort(key=_position)
        if not earlier and isinstance(name.ctx, ast.Load):
            own.loads.remove(name)
            self.of[name] = outer

    def _may_precede(self, binding: ast.AST, name: ast.Name) -> bool:
        """Whether a class body may have run one of its bindings when it comes to a name."""
        statement = self.statement(binding)
        if statement is self.statement(name) and self._is_bound_last(binding):
            return isinstance(statement, ast.AnnAssign) and statement.annotation in (name, *self.above(name))
        inside = takewhile(lambda above: not isinstance(above, ast.ClassDef), self.above(binding))
        loops = {above for above in inside if isinstance(above, ast.For | ast.While)}
        return not loops.isdisjoint(self.above(name)) or _position(binding) < _position(name)

    def _is_bound_last(self, binding: ast.AST) -> bool:
        """Whether a binding is what a statement ends with."""
        return isinstance(self.statement(binding), _PLAIN) and not isinstance(self.parents[binding], ast.NamedExpr)


def _position(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _declares_nothing(node: ast.AnnAssign) -> bool:
    """Whether an annotation is one of `(x): int`, which does not even make x the scope's own."""
    return not node.simple and node.value is None


_Placed: TypeAlias = list[tuple[Any, Scope]]
_NAMED: dict[str, Callable[[Names, ast.AST, Scope], _Placed]] = {
    "FunctionDef": Names._function,
    "AsyncFunctionDef": Names._function,
    "Lambda": Names._function,
    "arguments": Names._arguments,
    "arg": Names._arg,
    "ClassDef": Names._class,
    "ListComp": Names._comprehension,
    "SetComp": Names._comprehension,
    "DictComp": Names._comprehension,
    "GeneratorExp": Names._comprehension,
    "comprehension": Names._generator,
    "TypeAlias": Names._type_alias,
    "TypeVar": Names._type_parameter,
    "ParamSpec": Names._type_parameter,
    "TypeVarTuple": Names._type_parameter,
    "Name": Names._name,
    "AugAssign": Names._augmented_assignment,
    "Import": Names._import,
    "ImportFrom": Names._import,
    "Global": Names._declare,
    "Nonlocal": Names._declare,
    "ExceptHandler": Names._capture,
    "MatchAs": Names._capture,
    "MatchStar": Names._capture,
    "MatchMapping": Names._capture,
}
_OPENERS = {getattr(ast, name): opener for name, opener in _NAMED.items() if hasattr(ast, name)}  # this Python's nodes
