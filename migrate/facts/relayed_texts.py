"""Texts of errors that leave a program, and searches for words of the library in what it reads: messages, files."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.facts.forest import Forest, last_name
from migrate.facts.handles import OldApi
from migrate.facts.texts import WORD
from migrate.facts.tokens import Data, Text
from migrate.python.known_calls import MATCHING, SEARCHING
from migrate.python.values import Token, Values

# What reads a text that came from elsewhere: a file, the environment, another process, a socket, a database.
_READING = frozenset({"read", "readline", "readlines", "read_text", "read_bytes", "getvalue", "recv", "input", "argv"})
_READING |= {"environ", "environb", "getenv", "stdin", "stdout", "stderr", "communicate", "check_output", "getoutput"}
_READING |= {"run", "fetchone", "fetchall", "fetchmany", "load", "loads", "open", "execute", "get_nowait"}
# Names that both libraries have, in their texts, too; a program's commands are often called so.
_KEPT = frozenset({"listen", "connect", "disconnect", "open", "close", "create", "devices", "open_device"})
_MESSAGE, _READ = "message", "read"
_MAX_STEPS = 8  # from what is read to what is searched


def relayed_texts(forest: Forest, values: Values, api: OldApi) -> Iterator[Text]:
    """Yield the texts of errors, when what may bring them back is searched for a name that only the old API has.

    That is any message for those that are sent, and whatever else is read for all.
    """
    taken = {token.key.name for token in values.tokens if isinstance(token.key, Text)}
    searched = _Searched(forest, values, api)
    sources = {searched.source(*place) for place in searched.places()} if taken else set()
    yield from map(Text, sorted(taken if _READ in sources else api.sent if _MESSAGE in sources else ()))


class _Searched:
    """Finds what is searched for: the words of the program's own protocol are in no text of the library's."""

    def __init__(self, forest: Forest, values: Values, api: OldApi) -> None:
        self._forest, self._values = forest, values
        methods = {method for _, method in api.vocabulary.methods}
        self._words = (methods | api.vocabulary.objects.keys() | api.vocabulary.flat.keys()) - _KEPT

    def places(self) -> Iterator[tuple[ast.expr, ast.expr]]:
        """Yield what is searched for, and in what."""
        for _, compare in self._forest.nodes(ast.Compare):
            if isinstance(compare.ops[0], ast.In | ast.NotIn | ast.Eq | ast.NotEq):
                yield compare.left, compare.comparators[0]
                yield compare.comparators[0], compare.left
        for _, call in self._forest.calls(SEARCHING, MATCHING):
            if isinstance(call.func, ast.Attribute) and call.args:
                yield call.args[0], call.args[1] if len(call.args) > 1 else call.func.value

    def source(self, wanted: ast.expr, text: ast.expr) -> str:
        """Return where a text that is searched for a word of the library comes from; "" for any other search."""
        value = wanted.value if isinstance(wanted, ast.Constant) else None
        words = value.decode("latin-1") if isinstance(value, bytes) else value
        is_of_library = isinstance(words, str) and not self._words.isdisjoint(WORD.findall(words))
        return self._source(text, _MAX_STEPS) if is_of_library else ""

    def _source(self, node: ast.expr, steps: int) -> str:
        """Return whether an expression is, or is made of, a message, or what else is read; "" for neither."""
        if Token(Data()) in self._values.of(node):
            return _MESSAGE
        if last_name(node) in _READING or (isinstance(node, ast.Call) and last_name(node.func) in _READING):
            return _READ
        made: list[ast.expr] = []
        match node:
            case ast.Call(func=ast.Attribute(value=owner), args=given):
                made = [owner, *given]
            case ast.Call(args=given):
                made = given
            case ast.Subscript(value=owner) | ast.Attribute(value=owner):
                made = [owner]
            case ast.Name() if node in self._forest.of(node).of:
                made = list(self._given(self._forest.of(node).of[node].bindings))
        sources = (self._source(part, steps - 1) for part in made) if steps else iter(())
        return next(filter(None, sources), "")

    def _given(self, bindings: Iterable[ast.AST]) -> Iterator[ast.expr]:
        """Yield what some bindings of a variable take their values from."""
        above = [self._forest.parents[binding] for binding in bindings]
        for statement in (self._forest.parents[row] if isinstance(row, ast.Tuple) else row for row in above):
            if isinstance(statement, ast.Assign):
                yield statement.value
            elif isinstance(statement, ast.For | ast.comprehension):
                yield statement.iter
            elif isinstance(statement, ast.withitem):
                yield statement.context_expr
