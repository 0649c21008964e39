"""Names that a program puts together: a prefix in one place, the rest in another. The parts change, or all stays."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from migrate.bindings.refusal import NotUnderstood
from migrate.facts.forest import Forest, last_name
from migrate.facts.texts import OPENERS
from migrate.python.source import Source
from migrate.successors.names import NEW
from migrate.text.pieces import Change

UNSEEN = "CCM121"
_GAP, _PREFIX = "\0", "doca_"
_FORMAT = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")
_OPEN = re.compile(rf"(?<![\w{_GAP}])doca_(?=cc|{_GAP})[\w{_GAP}]*")
_WORD = re.compile(r"\w+")
# Parts of names that are others now, the longer ones first.
_PARTS = {
    "event_connection_register": "event_connection_status_changed_register",
    "post_recv_task": "task_post_recv",
    "max_log_num_tasks": "max_num_tasks",
    "get_device_repr": "get_device_rep",
    "comp_handler": "completion_cb_t",
    "send_task": "task_send",
}
_LIBRARY = re.compile(r"(?:^|(?<=doca_))cc(?=_|$)")
_LIBRARIES = {"doca_cc": "doca_comch"}
SHAPING = frozenset(
    {"format", "join", "replace", "strip", "lstrip", "rstrip", "dedent", "sub", "substitute", "Template"}
)
_LINKING = OPENERS | {"Extension", "setup", "setuptools", "extension", "dependency", "pkgconfig", "parse"}


class Composed:
    """The texts with open names of some files that belong together."""

    def __init__(self, sources: Mapping[Path, Source], forest: Forest) -> None:
        self._sources, self._forest = sources, forest
        self._texts = [node for _, node in forest.nodes(ast.Constant) if isinstance(node.value, str)]
        self._words = {word for node in self._texts for word in _WORD.findall(str(node.value))}
        if any("__getattr__" in source.text for source in sources.values()):
            self._words |= {node.attr for _, node in forest.nodes(ast.Attribute)}
        self.parts: dict[str, str] = {}  # words that change because names are made of them
        self.known: set[str] = set()  # names that can be made of the words of the program

    def names(self, node: ast.expr) -> frozenset[str]:
        """Return the names of doca_cc that an expression can be, as far as its parts show."""
        text = self._template(node)
        if not text.startswith(_PREFIX):
            return frozenset()
        return frozenset({text} & NEW.keys() if _GAP not in text else self._fitting(text))

    def read(self) -> Iterator[tuple[ast.expr, Change]]:
        """Yield the changes of the parts that begin names, by the text that they are of; NotUnderstood if unclear."""
        for node in self._outermost():
            for match in _OPEN.finditer(self._template(node)):
                self._check(node, match.group())
        for node in self._texts:
            if new := _LIBRARIES.get(str(node.value)):
                if not self._is_linked(node):
                    raise NotUnderstood(node, UNSEEN)
                yield node, Change(0, 0, new)

    def names_library(self) -> bool:
        """Whether a text is the name of the library for what opens it or links with it."""
        return any(str(node.value) in _LIBRARIES and self._is_linked(node) for node in self._texts)

    def is_seen(self, node: ast.expr) -> bool:
        """Whether a text is made of texts of the program, whatever it is shaped by."""
        return not any(_is_from_outside(part) or self._holds_other(part) for part in _made_of(node))

    def _holds_other(self, node: ast.expr) -> bool:
        """Whether a variable is bound to what comes from outside of the program."""
        variable = self._forest.of(node).of.get(node)
        statements = (self._forest.parents.get(binding) for binding in variable.bindings) if variable else ()
        values = (statement.value for statement in statements if isinstance(statement, ast.Assign))
        return any(_is_from_outside(part) for value in values for part in _made_of(value))

    def _check(self, node: ast.expr, name: str) -> None:
        if name in NEW or name in _LIBRARIES:
            if name not in self._sources[self._forest.path(node)].slice(node):
                raise NotUnderstood(node, UNSEEN)
            return
        pattern = name if _GAP in name else name + _GAP
        fitting = [*self._fitting(pattern)]
        if not fitting and _GAP in name and name.startswith("doca_cc"):
            raise NotUnderstood(node, UNSEEN)
        self.known.update(fitting)
        for old in fitting:
            splits = [split for split in _splits(pattern, old) if self._is_made_of_words(split)]
            literal = pattern.split(_GAP)
            for split in splits:
                pieces = [*chain.from_iterable(zip(map(_changed, literal), map(_changed, [*split, ""]), strict=True))]
                if "".join(pieces) != NEW[old]:
                    raise NotUnderstood(node, UNSEEN)
                self.parts |= {part: _changed(part) for part in split if _changed(part) != part}
            self.parts |= {part: _changed(part) for part in literal if _changed(part) != part}

    def _fitting(self, pattern: str) -> Iterator[str]:
        for old in NEW:
            if any(map(self._is_made_of_words, _splits(pattern, old))):
                yield old

    def _is_made_of_words(self, parts: tuple[str, ...]) -> bool:
        return all(not part or part in self._words for part in parts)

    def _outermost(self) -> Iterator[ast.expr]:
        """Yield every text with what it is put together with."""
        found: dict[ast.expr, None] = {}
        for node in self._texts:
            whole: ast.expr = node
            while isinstance(above := self._forest.parents[whole], ast.JoinedStr | ast.BinOp | ast.FormattedValue):
                if isinstance(above, ast.BinOp) and not isinstance(above.op, ast.Add | ast.Mod):
                    break
                whole = above
            found[whole] = None
        return iter(found)

    def _template(self, node: ast.expr) -> str:
        """Return the text of an expression, with gaps for what is computed."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return _FORMAT.sub(_GAP, node.value)
        if isinstance(node, ast.JoinedStr):
            return "".join(map(self._template, node.values))
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self._template(node.left) + self._template(node.right)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self._template(node.left)
        if isinstance(node, ast.Call) and last_name(node.func) == "format" and isinstance(node.func, ast.Attribute):
            return self._template(node.func.value)
        return _GAP

    def _is_linked(self, node: ast.expr) -> bool:
        """Whether a text names a library to what opens it or links with it."""
        above = [*self._forest.above(node)]
        beside = (part for place in above[:1] for part in ast.iter_child_nodes(place) if part is not node)
        others = any(isinstance(part, ast.Constant) and str(part.value).startswith(_PREFIX) for part in beside)
        return others or any(isinstance(place, ast.Call) and last_name(place.func) in _LINKING for place in above)


def _made_of(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what a text is made of, beside texts that are written out."""
    if isinstance(node, ast.BinOp):
        yield from _made_of(node.left)
        yield from () if isinstance(node.op, ast.Mod) else _made_of(node.right)
    elif isinstance(node, ast.Call) and last_name(node.func) in SHAPING:
        shaped = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for part in node.args[:1] if last_name(node.func) == "dedent" else shaped:
            yield from _made_of(part)
    elif isinstance(node, ast.Subscript):
        yield from _made_of(node.value)
    elif not isinstance(node, ast.Constant | ast.JoinedStr):
        yield node


def _is_from_outside(node: ast.expr) -> bool:
    """Whether an expression is what a call returns, or what the program was started with."""
    return isinstance(node, ast.Call) or last_name(node) in ("argv", "environ")


def _splits(pattern: str, name: str) -> Iterator[tuple[str, ...]]:
    """Yield what can stand in the gaps of a pattern, so that it is a name."""
    first, gap, rest = pattern.partition(_GAP)
    if not gap:
        if first == name:
            yield ()
        return
    if name.startswith(first):
        for end in range(len(first), len(name) + 1):
            yield from ((name[len(first) : end], *split) for split in _splits(rest, name[end:]))


def _changed(part: str) -> str:
    """Return a part of a name as it is now."""
    for old, new in _PARTS.items():
        part = part.replace(old, new)
    return _LIBRARY.sub("comch", part)
