"""Whether the program's functions do anything with what they are given first."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest
from migrate.python.values import Bound, Function, Value, Values


def is_first_read(callback: ast.expr, forest: Forest, values: Values) -> bool:
    """Whether a function that an expression can be reads its first argument, but to pass it on to one that does not."""
    todo = [(value, 0) for value in values.of(callback)]
    seen = {*todo}
    while todo:
        parameter = _parameter(*todo.pop())
        for load in forest.of(parameter).of[parameter].loads if parameter else ():
            above = forest.parents[load]
            if isinstance(above, ast.Call) and load in above.args and not _is_hidden(above, load):
                given = [(value, above.args.index(load)) for value in values.of(above.func)]
                if not given or any(not isinstance(_function(value), Function) for value, _ in given):
                    return True
                todo += [each for each in given if each not in seen]
                seen.update(given)
            elif not isinstance(above, ast.Expr) and not _is_dropped(above, forest):
                return True
    return False


def _function(value: Value) -> Value:
    return value.function if isinstance(value, Bound) else value


def _parameter(value: Value, index: int) -> ast.arg | None:
    function = _function(value)
    if not isinstance(function, Function):
        return None
    arguments = function.node.args
    known = [*arguments.posonlyargs, *arguments.args]
    index += len(value.arguments) if isinstance(value, Bound) else 0
    return known[index] if index < len(known) else None


def _is_hidden(call: ast.Call, argument: ast.AST) -> bool:
    """Whether a star stands before an argument, so that its place is not known."""
    return any(isinstance(before, ast.Starred) for before in call.args[: [*call.args].index(argument)])  # type: ignore[arg-type]


def _is_dropped(statement: ast.AST, forest: Forest) -> bool:
    """Whether an assignment stores to names that nothing reads: `_ = event`."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    names = [name for target in targets for name in _names(target)]
    return bool(names) and not any(forest.of(name).of[name].loads for name in names)


def _names(target: ast.expr) -> Iterator[ast.Name]:
    yield from (part for part in ast.walk(target) if isinstance(part, ast.Name))
