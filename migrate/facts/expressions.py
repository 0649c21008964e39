"""What an expression is by itself, whatever the old API makes of it: constant, bytes, free of effects."""

from __future__ import annotations

import ast
import builtins
import operator
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, count, takewhile
from typing import Any, Protocol

from migrate.facts.forest import Forest, last_name
from migrate.facts.stores import executed_names, stored_attributes, stored_value
from migrate.facts.tokens import symbols
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.scopes import FUNCTIONS, Kind, Scope, Variable
from migrate.python.values import Collection, Descriptor, External, Function, Instance, Value

_BITS = 128  # more than any number of C has
_DEPTH = 20  # assignments, calls and operators that are followed back
_OPERATIONS: dict[type, Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.BitOr: operator.or_,
    ast.LShift: operator.lshift,
    ast.Pow: operator.pow,
}
_SIGNS: dict[type, Callable[[int], int]] = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.inv}
_MAKE_BYTES = frozenset({"bytes", "bytearray", "struct.pack", "os.urandom", "pickle.dumps", "zlib.compress"})
_MAKE_BYTES |= {"base64.b64encode", "binascii.hexlify", "secrets.token_bytes", "random.randbytes"}
_METHODS_MAKING_BYTES = frozenset({"encode", "to_bytes", "tobytes", "digest"})  # a buffer, if msg, is of single bytes
# What means something else inside of a lambda.
_OF_ITS_FUNCTION = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_NOT_COMPUTED = frozenset({External("builtins.staticmethod"), External("builtins.classmethod")})
_ASK_THE_FRAME = frozenset({"super", "locals", "vars", "dir", "eval", "exec"})


class Values(Protocol):
    """What is asked of the points-to analysis here."""

    def of(self, node: ast.expr) -> frozenset[Value]:
        """Return the values that an expression can have."""

    def has_own(self, value: Value, method: str) -> bool:
        """Whether the class of an object, or one of its bases in the project, has a method."""


class Expressions:
    """Answers about expressions of any file."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        received: frozenset[Value],
        vocabulary: Vocabulary,
        elsewhere: Callable[[ast.Name | ast.Attribute], Variable | None] = lambda node: None,
    ) -> None:
        """elsewhere: gives the variable of another file or class that an expression names."""
        self._elsewhere = elsewhere
        self._forest = forest
        self._values = values
        self._vocabulary = vocabulary
        self._received = received  # what stands for the bytes that an old call gives
        self._stored = frozenset({*stored_attributes(forest), *executed_names(forest)})
        self._computed = frozenset(_computed(forest, values))
        self._used: dict[Scope, frozenset[str]] = {}

    # ------------------------------------------------------------------ constants

    def constant(self, node: ast.expr, depth: int = _DEPTH) -> object | None:
        """Return the value of an expression that is the same whenever it is evaluated, else None."""
        if isinstance(node, ast.Constant):
            return None if node.value is ... else node.value
        if isinstance(node, ast.UnaryOp | ast.BinOp):
            return self._result(node, depth - 1) if depth else None
        if isinstance(node, ast.Name | ast.Attribute) and depth:
            if (number := self.number(node)) is not None and self.is_simple(node):
                return number
            variable = self._elsewhere(node) or (self._forest.of(node).of[node] if isinstance(node, ast.Name) else None)
            bound = self._only_value(variable) if variable else None
            return self.constant(bound, depth - 1) if bound else None
        return None

    def number(self, node: ast.expr) -> int | None:
        """Return the number that an expression has, whatever else it does, if that is a constant of the old API."""
        values = self._values.of(node)
        symbol = next(symbols(values), None) if len(values) == 1 else None
        return self._vocabulary.constants.get(symbol.name) if symbol else None

    def _result(self, node: ast.UnaryOp | ast.BinOp, depth: int) -> int | None:
        """Return what an operator makes of whole numbers that are known."""
        given = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
        numbers = [value for part in given if isinstance(value := self.constant(part, depth), int)]
        if isinstance(node, ast.UnaryOp):
            return _SIGNS[type(node.op)](numbers[0]) if numbers and type(node.op) in _SIGNS else None
        is_known = len(numbers) == len(given) and type(node.op) in _OPERATIONS and _is_defined(node.op, numbers[1])
        return _OPERATIONS[type(node.op)](*numbers) if is_known else None

    def only_value(self, node: ast.expr) -> ast.expr | None:
        """Return the expression that a name is bound to, when nothing else ever binds it."""
        return self._only_value(self._forest.of(node).of[node]) if isinstance(node, ast.Name) else None

    def _only_value(self, variable: Variable) -> ast.expr | None:
        """Return the expression that a variable is bound to, when nothing else ever binds it."""
        is_known = len(variable.bindings) == 1 and self.binds_all(variable)
        return stored_value(self._forest, variable.bindings[0]) if is_known else None

    def all_values(self, node: ast.expr) -> list[ast.expr]:
        """Return every expression that a name is bound to; nothing where something else may bind it."""
        variable = self._forest.of(node).of[node] if isinstance(node, ast.Name) else None
        if variable is None or not self.binds_all(variable):
            return []
        found = [stored_value(self._forest, binding) for binding in variable.bindings]
        return [] if None in found else [value for value in found if value]

    def binds_all(self, variable: Variable) -> bool:
        """Whether a variable has no value but those that its bindings give it."""
        # some file may store `module.NAME` or `Class.NAME`
        elsewhere = variable.name in self._stored and variable.scope.kind is not Kind.FUNCTION
        return not variable.deletions and not elsewhere and not self._may_bring(variable.scope, variable.name)

    # ------------------------------------------------------------------ bytes

    def is_bytes(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression is certainly bytes, bytearray or a memoryview of single bytes."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, bytes)
        if not depth:
            return False
        values = self._values.of(node)
        if values and values <= self._received:
            return True
        judge = _BYTES.get(type(node))
        return judge is not None and all(self.is_bytes(part, depth - 1) for part in judge(self, node))

    def _bytes_of_call(self, node: Any) -> list[ast.expr]:
        """Return the expressions that have to be bytes for a call to give bytes; the call itself if it never does."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS_MAKING_BYTES:
            return []
        if isinstance(node.func, ast.Name) and self.is_builtin(node.func):
            copied = node.args if node.func.id == "memoryview" else [_NEVER]
            return [] if node.func.id in _MAKE_BYTES else list(copied)
        functions = self._values.of(node.func)
        if functions and all(isinstance(each, External) and each.name in _MAKE_BYTES for each in functions):
            return []
        if functions and all(isinstance(each, Function) for each in functions):
            return [value for each in functions if isinstance(each, Function) for value in self._returned(each)]
        return [_NEVER]

    def _returned(self, function: Function) -> Iterator[ast.expr]:
        """Iterate over what a function returns; over what is never bytes for generators and coroutines."""
        if isinstance(function.node, ast.Lambda):
            yield function.node.body
            return
        names = self._forest.of(function.node)
        inside = [node for node in ast.walk(function.node) if names.function(node) is function.node]
        returns = [node for node in inside if isinstance(node, ast.Return)]
        yields = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside)
        if yields or not returns or isinstance(function.node, ast.AsyncFunctionDef):
            yield _NEVER
        for node in returns:
            yield node.value or _NEVER

    def _bytes_of_name(self, node: Any) -> list[ast.expr]:
        bindings = self._forest.of(node).of[node].bindings
        return [self.brought(binding) or _NEVER for binding in bindings] or [_NEVER]

    def brought(self, binding: ast.AST) -> ast.expr | None:
        """Return the expression that a binding gives to its name as a whole, or adds to what the name has."""
        if (bound := stored_value(self._forest, binding)) is not None:
            return bound
        parent = self._forest.parents.get(binding)
        return parent.value if isinstance(parent, ast.AugAssign) and isinstance(parent.op, ast.Add) else None

    # ------------------------------------------------------------------ places

    def is_simple(self, node: ast.expr) -> bool:
        """Whether evaluating it has no effect and may be done earlier or later within its statement."""
        if isinstance(node, ast.Attribute):
            return not self._is_computed(node) and self.is_simple(node.value)
        if isinstance(node, ast.Name):
            return not self._is_rebound_within(node)
        if isinstance(node, ast.Subscript):
            return isinstance(node.slice, ast.Constant) and self._is_sequence(node.value) and self.is_simple(node.value)
        return isinstance(node, ast.Constant) or self.constant(node) is not None

    def _is_sequence(self, node: ast.expr) -> bool:
        """Whether an expression is certainly a list or tuple of Python's own."""
        values = self._values.of(node)
        return bool(values) and all(isinstance(it, Collection) and it.kind in ("list", "tuple") for it in values)

    def _is_computed(self, node: ast.Attribute) -> bool:
        """Whether reading an attribute may run code of the program."""
        return node.attr in self._computed or any(
            self._values.has_own(owner, "__getattribute__")
            or (self._values.has_own(owner, "__getattr__") and not self._is_set_up(owner, node.attr))
            for owner in self._values.of(node.value)
        )

    def _is_set_up(self, owner: Value, name: str) -> bool:
        """Whether an object always has an attribute: its class has it, or the constructor stores to it."""
        return self._values.has_own(owner, name) or (owner, name) in self._constructed

    @cached_property
    def _constructed(self) -> frozenset[tuple[Value, str]]:
        stores = (node for _, node in self._forest.nodes(ast.Attribute) if isinstance(node.ctx, ast.Store))
        early = [node for node in stores if getattr(self._forest.of(node).function(node), "name", "") == "__init__"]
        return frozenset((owner, node.attr) for node in early for owner in self._values.of(node.value))

    def _is_rebound_within(self, name: ast.Name) -> bool:
        """Whether the statement of a name binds it by `:=`."""
        variable = self._forest.of(name).of[name]
        around = set(self._forest.above(name))
        return any(
            isinstance(parent, ast.NamedExpr) and self._forest.statement(parent) in around
            for binding in variable.bindings
            if (parent := self._forest.parents.get(binding)) is not None
        )

    def is_builtin(self, name: ast.Name) -> bool:
        """Whether a name is Python's own there (len, getattr), not the program's."""
        return self.has_builtin(name, name.id)

    def has_builtin(self, node: ast.AST, name: str) -> bool:
        """Whether a name that is written where a node stands is Python's own, not the program's."""
        scope = self._forest.of(node).scope(node)
        variables = [place.variables[name] for place in _outwards(scope) if name in place.variables]
        bound = any(variable.bindings or variable.declarations for variable in variables)
        if not hasattr(builtins, name) or bound or name in self._stored:
            return False
        return not self._may_bring(scope.module(), name)

    def _may_bring(self, scope: Scope, name: str) -> bool:
        """Whether a star import of a scope may bind a name: one of an old module binds its own names only."""
        return any(self._may_be_of(star, name) for star in scope.stars)

    def _may_be_of(self, star: ast.ImportFrom, name: str) -> bool:
        names = self._exported(star.module or "") if not star.level else None
        return names is None or name in names

    def _exported(self, module: str) -> frozenset[str] | None:
        """Return the names that a star import of a module may bind, None for any."""
        if module == "ctypes":
            import ctypes  # here: few programs ask for its names

            return frozenset(vars(ctypes))
        return self._vocabulary.module(module)

    def is_fixed(self, node: ast.expr) -> bool:
        """Whether an expression means the same later on: a name that is bound once, or what nobody stores under one.

        The names of a class body do not: a function in it does not see them.
        """
        if isinstance(node, ast.Attribute):
            is_kept = not self._may_be_stored(node.attr) and not self._is_computed(node)
            there = self._elsewhere(node)
            is_once = there is None or there.scope.kind is not Kind.MODULE or self._is_bound_once(there)
            return is_kept and is_once and self.is_fixed(node.value)
        variable = self._forest.of(node).of[node] if isinstance(node, ast.Name) else None
        if variable is None or variable.scope.kind is Kind.CLASS or not self._is_bound_once(variable):
            return False
        if variable.scope.kind is not Kind.FUNCTION and self._may_be_stored(variable.name):
            return False
        return isinstance(variable.bindings[0], (ast.arg, ast.alias, ast.ClassDef, *FUNCTIONS))

    def _is_bound_once(self, variable: Variable) -> bool:
        """Whether a variable has one binding, which its scope runs once, and no later star import may bind it anew."""
        if len(variable.bindings) != 1 or variable.deletions:
            return False
        binding = variable.bindings[0]
        above = takewhile(lambda each: each is not variable.scope.node, self._forest.above(binding))
        again = any(isinstance(each, (ast.For, ast.AsyncFor, ast.While, *FUNCTIONS)) for each in above)
        place = self._forest.statement(binding).lineno if not isinstance(binding, ast.arg) else 0
        later = (star for star in variable.scope.stars if star.lineno > place)
        return not again and not any(self._may_be_of(star, variable.name) for star in later)

    def _may_be_stored(self, name: str) -> bool:
        """Whether something may store to an attribute, or to a variable of a module or class, from elsewhere."""
        return name in self._stored or None in self._stored

    def is_statement(self, node: ast.expr) -> bool:
        """Whether an expression is a whole expression statement: its value is not used."""
        return isinstance(self._forest.parents.get(node), ast.Expr)

    def is_awaited_or_generator_scope(self, node: ast.expr) -> bool:
        """Whether a lambda around the expression would change what it means (await, yield, :=, class scope)."""
        scope: Scope | None = self._forest.of(node).scope(node)
        while scope is not None and scope.kind is Kind.COMPREHENSION:
            scope = scope.parent
        if scope is not None and scope.kind is Kind.CLASS:
            return True
        return any(
            isinstance(part, _OF_ITS_FUNCTION)
            or (isinstance(part, ast.Name) and part.id in _ASK_THE_FRAME)
            or (isinstance(part, ast.comprehension) and part.is_async)
            for part in ast.walk(node)
        )

    def fresh(self, node: ast.AST, *wanted: str) -> str:
        """Return the first of some names that neither the scope of a node nor any scope around or in it uses."""
        scope = self._forest.of(node).scope(node)
        used = self._used.get(scope)
        if used is None:
            used = self._used[scope] = frozenset(self._names_used(scope))
        numbered = (f"{wanted[-1]}_{number}" for number in count(2))
        return next(name for name in chain(wanted, numbered) if name not in used)

    def _names_used(self, scope: Scope) -> Iterator[str]:
        scopes = self._forest.of(scope.node).scopes
        inside = (scopes[node] for node in ast.walk(scope.node) if node in scopes)
        for other in (*_outwards(scope), *inside):
            yield from other.variables


def _is_defined(operation: ast.operator, right: int) -> bool:
    """Whether an operation gives a whole number, and one of reasonable size."""
    if isinstance(operation, ast.FloorDiv):
        return right != 0
    return not isinstance(operation, ast.LShift | ast.Pow) or 0 <= right <= _BITS


def _computed(forest: Forest, values: Values) -> Iterator[str]:
    """Yield the names of attributes that run code when they are read: properties and other descriptors."""
    for _, cls in forest.nodes(ast.ClassDef):
        for function in (part for part in cls.body if isinstance(part, ast.FunctionDef)):
            if any(not values.of(decorator) & _NOT_COMPUTED for decorator in function.decorator_list):
                yield function.name
    for _, assignment in forest.nodes(ast.Assign):
        if any(isinstance(value, Descriptor) or _has_get(value) for value in values.of(assignment.value)):
            yield from map(last_name, assignment.targets)


def _has_get(value: Value) -> bool:
    body = value.node.body if isinstance(value, Instance) else ()
    return any(isinstance(part, ast.FunctionDef) and part.name == "__get__" for part in body)


def _outwards(scope: Scope | None) -> Iterator[Scope]:
    while scope is not None:
        yield scope
        scope = scope.parent


def _bytes_of_operation(_: Expressions, node: Any) -> list[ast.expr]:
    parts = {ast.Add: [node.left, node.right], ast.Mod: [node.left]}
    if isinstance(node.op, ast.Mult):
        return [node.right if isinstance(node.left, ast.Constant) and isinstance(node.left.value, int) else node.left]
    return parts.get(type(node.op), [_NEVER])


_NEVER = ast.Constant(None)
_BYTES: dict[type, Callable[[Expressions, Any], list[ast.expr]]] = {
    ast.Call: Expressions._bytes_of_call,
    ast.Name: Expressions._bytes_of_name,
    ast.BinOp: _bytes_of_operation,
    ast.IfExp: lambda _, node: [node.body, node.orelse],
    ast.BoolOp: lambda _, node: node.values,
    ast.NamedExpr: lambda _, node: [node.value],
    ast.Subscript: lambda _, node: [node.value if isinstance(node.slice, ast.Slice) else _NEVER],
}
