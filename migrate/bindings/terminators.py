"""The NUL that C has behind the bytes of Python: a program sends it with a message, or writes one behind a name."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, takewhile
from typing import Any

from migrate.bindings.knowledge import ctypes_value
from migrate.bindings.tokens import CTYPES, Member, Name, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.python.values import Bound, Values

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_Given = dict[ast.arg, ast.expr | None]


class Terminators:
    """Answers for one project; callers that cannot be seen are not known to need one."""

    def __init__(self, forest: Forest, values: Values, expressions: Expressions) -> None:
        self._forest, self._values, self._expressions = forest, values, expressions

    def is_sent(self, message: ast.expr, length: ast.expr) -> bool:
        """Whether a length counts the NUL behind a message of bytes, at some call of the function around it."""
        waiting, seen = [(message, length)], set()
        while waiting:
            pair = waiting.pop()
            key = tuple(map(self._key, pair))
            if key in seen:
                continue
            seen.add(key)
            messages, lengths = map(self._made, pair)
            if self._is_longer(messages, lengths):
                return True
            for given in self._calls(*messages, *lengths):
                waiting += [(each, size) for each in _passed(messages, pair[0], given)
                            for size in _passed(lengths, pair[1], given)]  # fmt: skip
        return False

    def is_among(self, calls: Iterable[ast.Call]) -> bool:
        """Whether calls give a message, and behind it a length that counts its NUL, for something else to pass on.

        A partial function may be given the one, and called with the other.
        """
        given = [parts for call in calls if (parts := [*self._listed(call)])]
        pairs = {pair for parts in given for pair in pairwise(parts)}
        pairs |= {(first[-1], second[0]) for first in given for second in given if first is not second}
        return any(self.is_sent(message, length) for message, length in pairs)

    def is_written_among(self, calls: Iterable[ast.Call]) -> bool:
        """Whether calls give a text with a NUL for something else to pass on."""
        return any(self.is_written(part) for call in calls for part in self._listed(call))

    def _listed(self, call: ast.Call) -> Iterator[ast.expr]:
        """Yield the arguments of a call, and what is in those that are tuples or lists."""
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            whole = argument.value if isinstance(argument, ast.Starred) else argument
            made = [part for part in self._made(whole) if isinstance(part, ast.Tuple | ast.List)]
            yield from (part for each in made for part in each.elts) if made else [whole]

    def is_behind(self, star: ast.expr) -> bool:
        """Whether a call gives a function such a pair, which it passes on as `*args`."""
        bindings = self._forest.of(star).of[star].bindings if isinstance(star, ast.Name) else []
        functions = [self._forest.parents[self._forest.parents[each]] for each in bindings if isinstance(each, ast.arg)]
        callers = (call for function in functions for call in self._values.callers(function))
        return any(self.is_among([call]) for call in callers if isinstance(call, ast.Call))

    def is_written(self, text: ast.expr) -> bool:
        """Whether a NUL is written in what a text is made of, at some call of the function around it."""
        waiting, seen = [text], set()
        while waiting:
            key = self._key(node := waiting.pop())
            if key in seen:
                continue
            seen.add(key)
            made = self._made(node)
            written = (part.value for each in made for part in ast.walk(each) if isinstance(part, ast.Constant))
            if any("\0" in str(value) or "\\x00" in str(value) for value in written):
                return True
            waiting += [each for given in self._calls(*made) for each in _passed(made, node, given)]
        return False

    def _key(self, node: ast.expr) -> object:
        """Return what stands for an expression: of a name its variable."""
        return self._forest.of(node).of[node] if isinstance(node, ast.Name) else node

    def _is_longer(self, messages: list[ast.AST], lengths: list[ast.AST]) -> bool:
        texts = {ast.dump(message) for message in messages}
        sizes = {len(known) + 1 for known in map(self._known, messages) if known is not None}
        for length in lengths:
            if isinstance(length, ast.expr) and self._expressions.constant(length) in sizes:
                return True
            if any(ast.dump(counted) in texts for counted in self._counted(length)):
                return True
        return False

    def _known(self, message: ast.AST) -> bytes | None:
        """Return the bytes that a message is written as."""
        written = message.value if isinstance(message, ast.Constant) else None
        text = written.encode(errors="surrogatepass") if isinstance(written, str) else written
        return text if isinstance(text, bytes) else None

    def _counted(self, length: ast.AST) -> list[ast.AST]:
        """Return what a length counts one more than, and all that is made of: `len(message) + 1`."""
        if not isinstance(length, ast.BinOp) or not isinstance(length.op, ast.Add):
            return []
        sides = (length.left, length.right), (length.right, length.left)
        counts = [part for side, other in sides if self._expressions.constant(other) == 1 for part in self._made(side)]
        calls = [part for part in counts if isinstance(part, ast.Call) and ast.unparse(part.func) == "len"]
        return [made for call in calls for argument in call.args[:1] for made in self._made(argument)]

    # ------------------------------------------------------------------ where a value comes from

    def _made(self, node: ast.expr) -> list[ast.AST]:
        """Return an expression, all whose value it has in its function, and the parameters that it goes back to."""
        found: dict[ast.AST, None] = {}
        waiting: list[ast.AST] = [node]
        while waiting:
            part = waiting.pop()
            if part not in found:
                found[part] = None
                waiting += self._inside(part)
        return list(found)

    def _inside(self, node: ast.AST) -> list[ast.AST]:
        if isinstance(node, ast.Name):
            parameters = [each for each in self._forest.of(node).of[node].bindings if isinstance(each, ast.arg)]
            return [*parameters, *self._expressions.all_values(node)]
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == "encode":
                return [node.func.value]
            return [*node.args[-1:]] if any(map(_wraps, keys(self._values.of(node.func)))) else []
        inside = _INSIDE.get(type(node))
        return inside(node) if inside else []

    def _calls(self, *parts: ast.AST) -> Iterator[_Given]:
        """Yield what each call gives for the parameters of functions that some parts are parameters of."""
        parents = self._forest.parents
        functions = {parents[parents[part]]: None for part in parts if isinstance(part, ast.arg)}
        for function in functions:
            for call in self._values.callers(function):
                if isinstance(call, ast.Call) and isinstance(function, _Function):
                    yield self._given(call, function.args)

    def _given(self, call: ast.Call, parameters: ast.arguments) -> _Given:
        """Return what a call gives for each parameter, or its default; None where that cannot be seen."""
        ordered, stars = [*parameters.posonlyargs, *parameters.args], [parameters.vararg, parameters.kwarg]
        named = {parameter.arg: parameter for parameter in (*ordered, *parameters.kwonlyargs)}
        given: _Given = dict.fromkeys([*named.values(), *filter(None, stars)])
        given |= zip(reversed(ordered), reversed(parameters.defaults), strict=False)
        given |= zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True)
        is_bound = any(isinstance(value, Bound) for value in self._values.of(call.func))
        listed = takewhile(lambda argument: not isinstance(argument, ast.Starred), call.args)
        given |= zip(ordered[is_bound:], listed, strict=False)
        return given | {named[each.arg]: each.value for each in call.keywords if each.arg in named}


def _passed(parts: list[ast.AST], whole: ast.expr, given: _Given) -> list[ast.expr]:
    """Return what some parts of an expression are at a call; all of it where none is a parameter of the function."""
    parameters = [part for part in parts if part in given]
    if not parameters:
        return [whole]
    constants = [part for part in parts if isinstance(part, ast.Constant)]
    return [*filter(None, map(given.get, parameters)), *constants]


def _wraps(key: object) -> bool:
    """Whether what is called gives its last argument as a value of C: a type of ctypes, `ffi.cast`."""
    if isinstance(key, Name):
        return key.package == CTYPES and ctypes_value(key.name)[1] in ("number", "text")
    return isinstance(key, Member) and key.name == "cast"


_INSIDE: dict[type, Callable[[Any], list[ast.AST]]] = {
    ast.Attribute: lambda node: [node.value] if node.attr == "value" else [],
    ast.BoolOp: lambda node: node.values,
    ast.IfExp: lambda node: [node.body, node.orelse],
    ast.NamedExpr: lambda node: [node.value],
}
