"""Texts of C that declare functions of several libraries: what only the old ones need is cut out of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from migrate.bindings.cdefs import Declaration, declarations, needless
from migrate.bindings.literals import Literal
from migrate.bindings.refusal import DECLARATION, NotUnderstood
from migrate.bindings.tokens import Stranger
from migrate.facts.forest import Forest, last_name
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.source import Source
from migrate.python.values import Values
from migrate.text.pieces import Change

_NAMING = frozenset({"callback", "cast", "getctype", "new", "offsetof", "typeof"})  # a type, first of all
_WORD = re.compile(r"[A-Za-z_]\w*")


class Cutting:
    """The changes of such texts in one project."""

    def __init__(self, sources: Mapping[Path, Source], forest: Forest, values: Values, vocabulary: Vocabulary) -> None:
        self._sources, self._forest = sources, forest
        self._old = vocabulary.flat.keys()
        self._taken = {token.key.name for token in values.tokens if isinstance(token.key, Stranger)}

    def cut(
        self, calls: Sequence[ast.Call], places: Sequence[ast.expr]
    ) -> Iterator[tuple[ast.Call, list[Change] | None]]:
        """Yield the calls that declare for one FFI object, each with its changes; None where nothing is left.

        places: where the program uses the FFI object still. NotUnderstood if what is left may need the old libraries.
        """
        texts = {call: self._text(call) for call in calls}
        found = {call: declarations("".join(literal.value for literal in texts[call])) for call in calls}
        needed = {word for place in places for word in self._words(place)} | self._taken
        gone = needless([each for call in calls for each in found[call]], self._is_old, needed)
        if gone is None:
            raise NotUnderstood([*calls, *places][0], DECLARATION)
        for call in calls:
            yield call, list(self._changes(texts[call], found[call], gone)) if set(found[call]) - gone else None

    def _is_old(self, function: str) -> bool:
        """Whether a function is one of the old libraries, or one of DOCA's that nothing takes from its library."""
        return function in self._old or (function.startswith("doca_") and function not in self._taken)

    def _words(self, place: ast.expr) -> Iterator[str]:
        """Yield the words of C in a call of a method of an FFI object."""
        if not isinstance(place, ast.Call) or last_name(place.func) == "dlopen":
            return
        if last_name(place.func) in _NAMING and not _is_written_out(place.args[0]):
            raise NotUnderstood(place, DECLARATION)
        for argument in place.args:
            for part in ast.walk(argument):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield from _WORD.findall(part.value)

    def _text(self, call: ast.Call) -> list[Literal]:
        """Return the literals that a text is made of."""
        if last_name(call.func) != "cdef" or len(call.args) != 1:
            raise NotUnderstood(call, DECLARATION)
        found = [Literal(self._sources[self._forest.path(node)], node) for node in self._constants(call.args[0])]
        if not all(literal.is_understood for literal in found):
            raise NotUnderstood(call, DECLARATION)
        return found

    def _constants(self, node: ast.expr) -> Iterator[ast.Constant]:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from self._constants(node.left)
            yield from self._constants(node.right)
        elif isinstance(node, ast.Call) and last_name(node.func) == "dedent" and len(node.args) == 1:
            yield from self._constants(node.args[0])
        elif isinstance(node, ast.Name | ast.Attribute) and (value := self._only_value(node)):
            yield from self._constants(value)
        else:
            raise NotUnderstood(node, DECLARATION)

    def _only_value(self, node: ast.Name | ast.Attribute) -> ast.expr | None:
        """Return what a name, or an attribute of a class, is bound to that nothing else reads."""
        names = self._forest.of(node)
        if isinstance(node, ast.Attribute):
            classes = (names.scopes[owner].variables for _, owner in self._forest.nodes(ast.ClassDef)
                       if self._forest.of(owner) is names)  # fmt: skip
            found = [variables[node.attr] for variables in classes if node.attr in variables]
            is_alone = [other.attr for _, other in self._forest.nodes(ast.Attribute)].count(node.attr) == 1
            reads: list[ast.AST] = [*(load for variable in found for load in variable.loads), *[node] * is_alone]
        else:
            found = [names.of[node]]
            reads = [*found[0].loads]
        bindings = [binding for variable in found for binding in variable.bindings]
        above = self._forest.parents[bindings[0]] if len(bindings) == 1 else None
        return above.value if isinstance(above, ast.Assign) and reads == [node] else None

    def _changes(
        self, literals: Sequence[Literal], found: Sequence[Declaration], gone: frozenset[Declaration]
    ) -> Iterator[Change]:
        """Yield the changes that take some declarations out of a text."""
        places = {at for each in found if each in gone for at in range(each.start, each.end)}
        start = 0
        for literal in literals:
            end = start + len(literal.value)
            yield from literal.without(frozenset(at - start for at in places if start <= at < end))
            start = end


def _is_written_out(kind: ast.expr) -> bool:
    """Whether a type is a text, of which no more is computed than the length of an array."""
    if isinstance(kind, ast.JoinedStr):
        first = kind.values[0]
        return isinstance(first, ast.Constant) and "[" in str(first.value)
    return isinstance(kind, ast.Constant)
