"""Names of the old API that getattr computes, as tables of those that runs read: what no run read is a KeyError.

`getattr(cc, prefix + verb)` becomes `{"doca_dev_open": cc.doca_dev_open, ...}[prefix + verb]`, which the rules rewrite
as they rewrite every table of functions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from migrate.evidence.runs import Runs
from migrate.facts.program import Facts
from migrate.facts.tokens import are_modules, handles_among
from migrate.old_api.accounts import accounted
from migrate.python.source import Source
from migrate.text.pieces import Change, comments

_LINE_END = re.compile(r"\r?\n")


class Table(NamedTuple):
    """What takes the place of a getattr: the call, what runs showed, and the changes of the text."""

    path: Path
    node: ast.Call
    shown: str
    changes: tuple[Change, Change]


class Lookups:
    """Makes the tables of a project. doubts: why others stay."""

    def __init__(self, facts: Facts, runs: Runs, sources: Mapping[Path, Source]) -> None:
        self._facts, self._runs, self._sources = facts, runs, sources
        self.doubts: dict[tuple[Path, ast.expr], str] = {}

    def tables(self) -> Iterator[Table]:
        """Yield a table for every getattr that runs explain."""
        for path, names in self._facts.names.items():
            for node in list(names.parents):
                name = node.func if isinstance(node, ast.Call) else None
                if isinstance(node, ast.Call) and isinstance(name, ast.Name) and self._is_getattr(name):
                    yield from self._table(path, node)

    def _is_getattr(self, name: ast.Name) -> bool:
        return name.id == "getattr" and self._facts.is_builtin(name)

    def _table(self, path: Path, node: ast.Call) -> Iterator[Table]:
        values = self._facts.values.of(node.args[0]) if node.args else frozenset()
        handles = {handle.kind for handle in handles_among(values)}
        if not values or not (handles or are_modules(values)):
            return
        doubt = self._runs.doubt(path) or self._form(path, node)
        names = set() if doubt else self._of_handle(path, node, handles) if handles else self._of_module(path, node)
        accounts = self._runs.names(path)
        if not doubt and not names:
            doubt = f"{accounts}: line {node.lineno} did not run, or read what the module does not have"
        if doubt:
            self.doubts[path, node] = doubt
            return
        shown = f"{accounts}: {len(names)} name{'s were' if len(names) > 1 else ' was'} read here"
        yield Table(path, node, shown, self._changes(path, node, sorted(names)))

    def _form(self, path: Path, node: ast.Call) -> str:
        """Return why a getattr has no room for a table."""
        if len(node.args) != 2 or node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
            return "a getattr with a default hides names that did not run"
        if not self._facts.is_simple(node.args[0]):
            return "what it is looked up on would be evaluated several times"
        if any(isinstance(above, ast.JoinedStr) for above in self._facts.names[path].above(node)):
            return "a table has no room in an f-string"
        text = self._sources[path]
        return "a comment stands in it" if comments(text.text[slice(*text.span(node))]) else ""

    def _of_module(self, path: Path, node: ast.Call) -> set[str]:
        """Return the names that runs read on the lines of a getattr, but for those that are written there."""
        found = self._runs.lookups(path, node)
        exports = self._facts.vocabulary.exports
        if not all(lookup.exists and lookup.name in exports for lookup in found):
            return set()
        return self._read(path, node, {lookup.name: lookup.times for lookup in found})

    def _of_handle(self, path: Path, node: ast.Call, kinds: set[str]) -> set[str]:
        """Return the methods that runs called on the lines of a getattr, which is called where it stands."""
        above = self._facts.parent(node)
        if not isinstance(above, ast.Call) or above.func is not node or len(kinds) > 1:
            return set()
        methods = {accounted(function.name): name for (kind, name), function in self._facts.vocabulary.methods.items()
                   if kind in kinds}  # fmt: skip
        classes = {name for name, kind in self._facts.vocabulary.classes.items() if kind in kinds}
        called = {
            methods[call.site.symbol]: call.count
            for call in self._runs.calls(path, above, methods.__contains__)
            if any(given.argument == 0 and given.kind in classes for given in call.given)
        }
        return self._read(path, above, called)

    def _read(self, path: Path, node: ast.Call, counts: Mapping[str, int]) -> set[str]:
        """Return those of the names that were read on some lines which are not written there.

        None where one of these was read more often than all others: it was computed, too.
        """
        lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        parts = (part for part in ast.walk(self._facts.names[path].tree) if isinstance(part, ast.Attribute))
        written = {part.attr for part in parts if part.end_lineno in lines}
        others = sum(count for name, count in counts.items() if name not in written)
        is_clear = all(count <= others for name, count in counts.items() if name in written)
        return counts.keys() - written if is_clear else set()

    def _changes(self, path: Path, node: ast.Call, names: list[str]) -> tuple[Change, Change]:
        """Return the changes around the expression of the name; lines stay lines, and the table is on one of them."""
        source = self._sources[path]
        (start, end), (first, last) = source.span(node), source.span(node.args[1])
        owner = source.text[slice(*source.span(node.args[0]))]
        table = ", ".join(f'"{name}": {owner}.{name}' for name in names)
        before, after = source.text[start:first], source.text[last:end]
        return Change(start, first, f"{{{table}}}[{_line_ends(before)}"), Change(last, end, f"{_line_ends(after)}]")


def _line_ends(text: str) -> str:
    """Return the ends of lines in a text, and how far its last line is indented."""
    ends = "".join(_LINE_END.findall(text))
    last = text[text.rfind("\n") + 1 :]
    return ends + last[: len(last) - len(last.lstrip())] * bool(ends)
