"""What a program declares to ctypes about functions: removed where it agrees with the C library."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.bindings.numbers import bounds
from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CTYPES, CFunction, Computed, Name, keys
from migrate.bindings.user_data import is_union
from migrate.facts.forest import Forest
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.values import Bound, Class, External, Function, Instance, Partial, Plain, Token, Value, Values

_SIGNATURE = frozenset({"argtypes", "restype"})
_TEXT = "const char *"


class Prototypes:
    """Reads the assignments to argtypes and restype."""

    def __init__(self, forest: Forest, values: Values, vocabulary: Vocabulary, declared: frozenset[str]) -> None:
        """declared: functions that have a restype."""
        self._forest, self._values, self._vocabulary = forest, values, vocabulary
        self._declared: set[object] = {CFunction(name, CTYPES) for name in declared}

    def statements(self) -> Iterator[ast.Assign | NotUnderstood]:
        """Yield every assignment that only declares functions of old libraries, and the places that do not fit."""
        for _, node in self._forest.nodes(ast.Attribute):
            if isinstance(node.ctx, ast.Store) and node.attr in _SIGNATURE and self._functions(node):
                try:
                    yield self._statement(node)
                except NotUnderstood as problem:
                    yield problem

    def undeclared(self) -> Iterator[ast.expr]:
        """Yield the first use of each function that gives a text, which ctypes takes for a C int without restype."""
        if any(isinstance(key, Computed) for key in self._declared):
            return
        for token in self._values.tokens:
            key = token.key
            if isinstance(key, CFunction) and key.spelling == CTYPES and self._is_text_undeclared(key):
                yield self._values.uses(token)[0]

    def _is_text_undeclared(self, function: CFunction) -> bool:
        return function not in self._declared and self._vocabulary.flat[function.name].returns == _TEXT

    def is_cut(self, kind: ast.expr) -> bool:
        """Whether the type of a callback's argument cuts a message at its first NUL."""
        return Token(Name(CTYPES, "c_char_p")) in self._values.of(kind)

    def _functions(self, node: ast.Attribute) -> list[CFunction | Computed]:
        return [key for key in keys(self._values.of(node.value)) if isinstance(key, CFunction | Computed)]

    def _statement(self, node: ast.Attribute) -> ast.Assign:
        """Return the assignment to an attribute, when that is all it does."""
        statement = self._forest.statement(node)
        if not isinstance(statement, ast.Assign):
            raise NotUnderstood(node, USE)
        for target in statement.targets:
            pairs = [(target, statement.value)]
            if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
                pairs = list(zip(target.elts, statement.value.elts, strict=False))
            for part, value in pairs:
                is_signature = isinstance(part, ast.Attribute) and part.attr in _SIGNATURE
                if not isinstance(part, ast.Attribute) or not is_signature or not self._functions(part):
                    raise NotUnderstood(node, USE)
                if part.attr == "restype":
                    self._check(part, value)
        return statement

    def _check(self, node: ast.Attribute, value: ast.expr) -> None:
        """Refuse a restype that makes something else of what C returns than what the flat call returns."""
        found, functions = self._values.of(value), self._functions(node)
        self._declared.update(functions)
        for function in functions:
            returns = self._vocabulary.flat[function.name].returns if isinstance(function, CFunction) else ""
            if not all(fits(kind, returns, self._values) for kind in found):
                raise NotUnderstood(value, USE)


def fits(kind: Value, returns: str, values: Values) -> bool:
    """Whether a restype shows what a function returns, "" for any function, as it is."""
    if isinstance(kind, Class):
        return returns.startswith("union") and is_union(kind.node, values)
    if isinstance(kind, Token) and isinstance(kind.key, Name) and returns:
        name = kind.key.name
        if returns == _TEXT:
            return name == "c_char_p"
        if ("*" in returns or returns.startswith("union")) and (name == "c_void_p" or name.startswith("POINTER")):
            return True
        return bounds(name) is not None and (name == "c_bool") <= (returns == "bool")
    if kind is Plain.NONE:
        return returns in ("void", "")
    if isinstance(kind, External):
        return kind.name == "builtins.int" and "*" not in returns
    return not isinstance(kind, Bound | Function | Instance | Partial)  # which ctypes calls with what C returns


def maker(function: ast.FunctionDef) -> bool:
    """Whether a function does nothing but take the C function of a name from a library, declare and return it.

    `def function(lib, name, ...)`, which takes them first.
    """
    names = [parameter.arg for parameter in function.args.args[:2]]
    body = [statement for statement in function.body if not _is_text(statement)]
    first, last = body[0], body[-1]
    if (
        len(names) < 2
        or function.decorator_list
        or not isinstance(first, ast.Assign)
        or not isinstance(last, ast.Return)
    ):
        return False
    taken, target = ast.unparse(first.value), first.targets[0]
    if taken not in (f"getattr({names[0]}, {names[1]})", f"{names[0]}[{names[1]}]") or not isinstance(target, ast.Name):
        return False
    returned = isinstance(last.value, ast.Name) and last.value.id == target.id
    return returned and all(_declares(statement, target.id) for statement in body[1:-1])


def restype(function: ast.FunctionDef, call: ast.Call) -> ast.expr:
    """Return what a call of such a maker of functions says that they return; ctypes' own answer is a C int."""
    given = dict(zip((parameter.arg for parameter in function.args.args), call.args, strict=False))
    given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    for statement in function.body[1:-1]:
        assert isinstance(statement, ast.Assign)
        target, value = statement.targets[0], statement.value
        targets = getattr(target, "elts", [target])
        values = value.elts if isinstance(value, ast.Tuple) and len(targets) > 1 else [value]
        for part, declared in zip(targets, values, strict=True):
            if part.attr == "restype":
                return given.get(ast.unparse(declared), declared)
    return ast.Name("int")


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _declares(statement: ast.stmt, name: str) -> bool:
    """Whether a statement only assigns to argtypes and restype of a function, what it names or lists."""
    if not isinstance(statement, ast.Assign) or any(isinstance(part, ast.Call) for part in ast.walk(statement)):
        return False
    targets = [part for target in statement.targets for part in getattr(target, "elts", [target])]
    signatures = {f"{name}.{attribute}" for attribute in _SIGNATURE}
    return all(ast.unparse(target) in signatures for target in targets)


def declares_only(node: ast.expr, forest: Forest) -> bool:
    """Whether a function is taken from its library for nothing but to declare it."""
    above = forest.parents[node]
    if isinstance(above, ast.Assign) and len(above.targets) == 1 and isinstance(above.targets[0], ast.Name):
        loads = forest.of(above).of[above.targets[0]].loads
        return bool(loads) and all(isinstance(load, ast.expr) and declares_only(load, forest) for load in loads)
    return isinstance(above, ast.Attribute) and above.attr in _SIGNATURE
