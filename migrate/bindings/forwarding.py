"""Functions that only pass on to a function of C, which they find by a name: written out where they are called.

def call(self, name, *args):
    return getattr(lib, f"doca_cc_{self.side}_{name}")(self.handle, *args)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path

from migrate.bindings.analysis import Analysis
from migrate.bindings.removing import without
from migrate.bindings.seen import calls, node_of
from migrate.bindings.tokens import CTYPES, Name, keys
from migrate.python.scopes import Kind, Scope
from migrate.python.values import Bound, External, Value
from migrate.text.pieces import Change


class Forwarding:
    """The changes of all files of a project."""

    def __init__(self, analysis: Analysis) -> None:
        self._sources, self._forest = analysis.sources, analysis.forest
        self._forwarders = {node: body for _, node in self._forest.nodes(ast.FunctionDef) if (body := _forwarded(node))}
        if self._forwarders:
            self._values = analysis.values

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file that has any."""
        found: dict[Path, list[Change]] = {}
        for function, body in self._forwarders.items():
            path = self._forest.path(function)
            texts = {call: self._text(call, function, body) for call in calls(function, self._forest, self._values)}
            if texts and all(texts.values()):
                source = self._sources[path]
                found.setdefault(path, []).append(without(source, self._forest, function))
                found[path] += [Change(*source.span(call), text) for call, text in texts.items()]
        return {path: sorted(changes) for path, changes in found.items()}

    def _text(self, call: ast.expr, function: ast.FunctionDef, body: ast.Call) -> str:
        """Return what a call does, written out; nothing where it cannot be."""
        path = self._forest.path(function)
        if not isinstance(call, ast.Call) or call.keywords or self._forest.path(call) != path:
            return ""
        called = {node_of(value) for value in self._values.of(call.func)}
        if called != {function} or "#" in self._sources[path].slice(call):
            return ""
        parameters = [parameter.arg for parameter in function.args.args]
        given = list(call.args)
        if any(isinstance(value, Bound) for value in self._values.of(call.func)):
            if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
                return ""
            given.insert(0, call.func.value)
        rest = given[len(parameters) :]
        if len(given) < len(parameters) or (rest and not function.args.vararg):
            return ""
        if not all(map(self._is_quiet, given)) or not all(self._is_seen(name, call) for name in _free(body, function)):
            return ""
        return ast.unparse(Filled(dict(zip(parameters, given, strict=False)), rest).visit(deepcopy(body)))

    def _is_quiet(self, node: ast.expr) -> bool:
        """Whether an argument may be evaluated after what stands in the function: it changes nothing."""
        if isinstance(node, ast.Starred):
            return False
        return all(
            not isinstance(part, ast.Await | ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Lambda)
            and (not isinstance(part, ast.Call) or all(map(_is_plain, self._values.of(part.func))))
            for part in ast.walk(node)
        )

    def _is_seen(self, name: ast.Name, call: ast.Call) -> bool:
        """Whether a name of the function means the same where that is called."""
        names = self._forest.of(call)
        variable = names.of[name]
        scope: Scope | None = names.scope(call)
        while scope is not None:
            found = scope.variables.get(name.id)
            if found is not None and (found.bindings or found is variable):
                return found is variable
            scope = scope.parent
        return variable.scope.kind is Kind.MODULE


class Filled(ast.NodeTransformer):
    """Puts arguments in the place of parameters, and those of the star in its place."""

    def __init__(self, given: Mapping[str, ast.expr], rest: list[ast.expr]) -> None:
        self._given, self._rest = given, rest

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)

    def visit_Starred(self, node: ast.Starred) -> list[ast.expr]:
        return self._rest


def _forwarded(function: ast.FunctionDef) -> ast.Call | None:
    """Return the call that is all a function does, when what it calls is looked up in a library."""
    body = [each for each in function.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    arguments = function.args
    others = [*arguments.posonlyargs, *arguments.kwonlyargs, *arguments.defaults, *function.decorator_list]
    if others or arguments.kwarg:
        return None
    call = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    if not isinstance(call, ast.Call) or call.keywords or not isinstance(call.func, ast.Call | ast.Subscript):
        return None
    is_lookup = is_item(call.func) or (isinstance(call.func, ast.Call) and ast.unparse(call.func.func) == "getattr")
    stars = [ast.unparse(argument) for argument in call.args if isinstance(argument, ast.Starred)]
    wanted = [f"*{arguments.vararg.arg}"] if arguments.vararg else []
    is_last = not stars or isinstance(call.args[-1], ast.Starred)
    inner = [part for part in ast.walk(call) if isinstance(part, ast.Lambda | ast.comprehension | ast.NamedExpr)]
    return call if is_lookup and stars == wanted and is_last and not inner else None


def is_item(function: ast.expr) -> bool:
    """Whether a function is taken out of something that has a name; a display would be written at every call."""
    return isinstance(function, ast.Subscript) and not isinstance(function.value, ast.Dict)


def _free(body: ast.Call, function: ast.FunctionDef) -> Iterator[ast.Name]:
    """Yield the names in what a function does that are none of its parameters."""
    arguments = function.args
    own = {parameter.arg for parameter in (*arguments.args, arguments.vararg) if parameter}
    for part in ast.walk(body):
        if isinstance(part, ast.Name) and part.id not in own:
            yield part


def _is_plain(function: Value) -> bool:
    """Whether a function is one of ctypes that makes or shows a value, or len."""
    key = next(keys([function]), None)
    return function == External("builtins.len") or (isinstance(key, Name) and key.package == CTYPES)
