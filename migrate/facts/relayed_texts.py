"""Texts of errors that a program sends as messages, and searches for words of the library where messages arrive."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest
from migrate.facts.handles import OldApi
from migrate.facts.texts import WORD
from migrate.facts.tokens import Data, Text
from migrate.python.values import Token, Values

_SEARCHING = frozenset({"startswith", "endswith", "find", "rfind", "index", "rindex", "count", "search", "match"})
_SEARCHING |= {"fullmatch", "findall", "finditer", "partition", "rpartition", "split", "rsplit"}
_MAX_STEPS = 8  # from a message to what is searched


def relayed_texts(forest: Forest, values: Values, api: OldApi) -> Iterator[Text]:
    """Yield the texts of the errors that are sent, when any message is searched for a name of the old API."""
    searched = _Searched(forest, values, api)
    if api.sent and any(map(searched.is_searched, searched.places())):
        yield from map(Text, sorted(api.sent))


class _Searched:
    """Finds what is searched for: the words of the program's own protocol are in no text of the library's."""

    def __init__(self, forest: Forest, values: Values, api: OldApi) -> None:
        self._forest, self._values = forest, values
        methods = {method for _, method in api.vocabulary.methods}
        self._words = methods | api.vocabulary.exports | api.vocabulary.flat.keys()

    def places(self) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Yield what is searched for, and in what."""
        for _, compare in self._forest.nodes(ast.Compare):
            if isinstance(compare.ops[0], ast.In | ast.NotIn | ast.Eq | ast.NotEq):
                yield compare.left, compare.comparators[0]
        for _, call in self._forest.calls(_SEARCHING):
            if isinstance(call.func, ast.Attribute) and call.args:
                yield call.args[0], call.args[1] if len(call.args) > 1 else call.func.value

    def is_searched(self, place: tuple[ast.expr, ast.expr]) -> bool:
        wanted, text = place
        value = wanted.value if isinstance(wanted, ast.Constant) else None
        words = value.decode("latin-1") if isinstance(value, bytes) else value
        is_of_library = isinstance(words, str) and not self._words.isdisjoint(WORD.findall(words))
        return is_of_library and self._is_received(text, _MAX_STEPS)

    def _is_received(self, node: ast.expr, steps: int) -> bool:
        """Whether an expression is a message, or made of one."""
        if Token(Data()) in self._values.of(node):
            return True
        made: list[ast.expr] = []
        match node:
            case ast.Call(func=ast.Attribute(value=owner), args=given):
                made = [owner, *given]
            case ast.Call(args=given):
                made = given
            case ast.Subscript(value=owner) | ast.Attribute(value=owner):
                made = [owner]
            case ast.Name() if node in self._forest.of(node).of:
                above = [self._forest.parents[binding] for binding in self._forest.of(node).of[node].bindings]
                above = [self._forest.parents[row] if isinstance(row, ast.Tuple) else row for row in above]
                made = [statement.value for statement in above if isinstance(statement, ast.Assign)]
        return steps > 0 and any(self._is_received(part, steps - 1) for part in made)
