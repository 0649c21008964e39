"""The NUL that C has behind the bytes of Python: a program sends it with a message, or writes one behind a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest, last_name
from migrate.python.values import Bound, Values

_DEPTH = 6  # names and callers that are followed back


class Terminators:
    """Answers for one project; callers that cannot be seen are not known to need one."""

    def __init__(self, forest: Forest, values: Values, expressions: Expressions) -> None:
        self._forest, self._values, self._expressions = forest, values, expressions

    def is_sent(self, message: ast.expr, length: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether a length counts the NUL behind a message of bytes, at some call of the function around it."""
        if self._is_longer(message, length):
            return True
        callers = self._callers(message, length) if depth else ()
        return any(
            self.is_sent(given.get(_parameter(message), message), given.get(_parameter(length), length), depth - 1)
            for given in callers
        )

    def is_written(self, text: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether a NUL is written in what a text is made of, at some call of the function around it."""
        for made in self._made(text):
            constants = (part.value for part in ast.walk(made) if isinstance(part, ast.Constant))
            if any("\0" in str(value) or "\\x00" in str(value) for value in constants):
                return True
        return bool(depth) and any(
            self.is_written(given[_parameter(text)], depth - 1)
            for given in self._callers(text)
            if _parameter(text) in given
        )

    def _is_longer(self, message: ast.expr, length: ast.expr) -> bool:
        made = [*self._made(message)]
        for size in self._made(length):
            for known in filter(None, map(_known, made)):
                if self._expressions.constant(size) == len(known) + 1:
                    return True
            counted = _counted(size)
            if counted is not None and ast.dump(counted) in map(ast.dump, (*made, *map(_encoded, made))):
                return True
        return False

    def _made(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield an expression, what the names that it goes back to are bound to, and what `c_char_p` is given."""
        made: ast.expr | None = node
        for _ in range(_DEPTH):
            if made is None:
                return
            yield made
            is_pointer = isinstance(made, ast.Call) and last_name(made.func) == "c_char_p" and made.args
            made = made.args[0] if isinstance(made, ast.Call) and is_pointer else self._expressions.only_value(made)

    def _callers(self, *parts: ast.expr) -> Iterator[dict[str, ast.expr]]:
        """Yield what each call of the function gives for its parameters, where one of some expressions is one."""
        for part in parts:
            bindings = self._forest.of(part).of[part].bindings if isinstance(part, ast.Name) else []
            function = self._forest.of(part).function(part)
            arguments = getattr(function, "args", None)
            if arguments is not None and any(binding in arguments.args for binding in bindings):
                for call in self._values.callers(function):
                    if isinstance(call, ast.Call):
                        yield self._given(call, [parameter.arg for parameter in arguments.args])
                return

    def _given(self, call: ast.Call, parameters: list[str]) -> dict[str, ast.expr]:
        is_bound = any(isinstance(value, Bound) for value in self._values.of(call.func))
        given = dict(zip(parameters[is_bound:], call.args, strict=False))
        return given | {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}


def _parameter(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _known(message: ast.expr) -> bytes | None:
    """Return the bytes that a message is written as."""
    inner = _encoded(message)
    written = inner.value if isinstance(inner, ast.Constant) else None
    if isinstance(written, str) and inner is not message:
        return written.encode()
    return written if isinstance(written, bytes) else None


def _encoded(node: ast.expr) -> ast.expr:
    """Return the text that a call of `encode` makes bytes of; anything else as it is."""
    method = node.func if isinstance(node, ast.Call) else None
    return method.value if isinstance(method, ast.Attribute) and method.attr == "encode" else node


def _counted(length: ast.expr) -> ast.expr | None:
    """Return what a length counts one more than: `len(message) + 1`."""
    if not isinstance(length, ast.BinOp) or not isinstance(length.op, ast.Add):
        return None
    sides = [length.left, length.right]
    one = [side for side in sides if isinstance(side, ast.Constant) and side.value == 1]
    calls = [side for side in sides if isinstance(side, ast.Call) and ast.unparse(side.func) == "len" and side.args]
    return calls[0].args[0] if one and calls else None
