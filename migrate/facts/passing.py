"""What a call passes for a parameter, and whether what it calls has run by then."""

from __future__ import annotations

import ast

from migrate.facts.forest import Forest
from migrate.python.known_calls import APPLYING
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Bound, Class, External, Function, Instance, Value, Values


def given(
    values: Values, forest: Forest, site: ast.AST, function: ast.AST, parameter: ast.arg
) -> ast.expr | ast.arg | None:
    """Return what a call has for a parameter of a function, when that can be seen.

    An argument, also of what calls a function with the arguments behind it (`submit`); what stands before the name of
    a method, the caller's own object for `super()`.
    """
    if not isinstance(function, (*FUNCTIONS, ast.Lambda)) or not isinstance(site, ast.Call):
        return None
    if any(isinstance(argument, ast.Starred) for argument in site.args):
        return None
    called, arguments = _called(values, site, function)
    counts = _filled(values, called, function)
    if len(counts) != 1:
        return None  # by way of something else, which may pass anything
    count = counts.pop()
    declared = [*function.args.posonlyargs, *function.args.args]
    index = declared.index(parameter) if parameter in declared else None
    if index is not None and index < count:
        return _receiver(values, forest, called) if count == 1 else None
    named = next((keyword.value for keyword in site.keywords if keyword.arg == parameter.arg), None)
    if named or index is None:
        return named
    index -= count
    return arguments[index] if index < len(arguments) else None


def has_run(forest: Forest, call: ast.Call, function: ast.AST) -> bool:
    """Whether a function has run when a call of it has been evaluated: not a generator, a coroutine if awaited."""
    if isinstance(function, ast.AsyncFunctionDef) and not isinstance(forest.parents[call], ast.Await):
        return False
    names = forest.of(function)
    yields = (node for node in ast.walk(function) if isinstance(node, ast.Yield | ast.YieldFrom))
    return all(names.function(node) is not function for node in yields)


def _called(values: Values, site: ast.Call, function: ast.AST) -> tuple[ast.expr, list[ast.expr]]:
    """Return what a call calls in the end, and the arguments for that."""
    found = values.of(site.func)
    if found and all(map(_applies, found)):
        for behind, argument in enumerate(site.args, 1):
            if _filled(values, argument, function):
                return argument, site.args[behind:]
    return site.func, site.args


def _applies(value: Value) -> bool:
    """Whether calling a value calls an argument with those behind it."""
    function = value.function if isinstance(value, Bound) else value
    return isinstance(function, External) and function.name in APPLYING


def _filled(values: Values, called: ast.expr, function: ast.AST) -> set[int]:
    """Return how many of the first parameters of a function are filled when something is called that calls it."""
    return {count for value in values.of(called) if (count := _count(value, function)) is not None}


def _count(value: Value, function: ast.AST) -> int | None:
    if isinstance(value, Bound):
        inner = _count(value.function, function)
        return None if inner is None else inner + len(value.arguments)
    if isinstance(value, Function):
        return 0 if value.node is function else None
    name = getattr(function, "name", "")
    is_called = name in _OF_CLASSES if isinstance(value, Class) else isinstance(value, Instance) and name == "__call__"
    return 1 if is_called else None


def _receiver(values: Values, forest: Forest, called: ast.expr) -> ast.expr | ast.arg | None:
    if any(isinstance(value, Class) for value in values.of(called)):
        return None  # the object that is made
    owner = called.value if isinstance(called, ast.Attribute) else None
    if isinstance(owner, ast.Call) and values.of(owner.func) == {External("builtins.super")}:
        caller = forest.of(called).function(called)
        parameters = caller.args.args if isinstance(caller, FUNCTIONS) else []
        return parameters[0] if parameters else None
    return owner


_OF_CLASSES = frozenset({"__init__", "__new__", "__call__"})  # what making an object calls; the last is a metaclass's
